import { rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { INTERRUPTED } from './interrupt.ts';

/**
 * Writes a file from chunks, in place of an older one only once it is whole: a full disk, an error or Ctrl-C leaves the
 * folder as it was.
 */
export async function writeWhole(file: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const remove = () => rmSync(part, { force: true });
  const interrupt = () => {
    remove();
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  try {
    await writeChunks(part, chunks);
    await rename(part, file);
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function writeChunks(file: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  } finally {
    await handle.close();
  }
}
