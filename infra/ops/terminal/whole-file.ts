import { rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { CommandRefusal } from '../command.ts';
import { INTERRUPTED } from './interrupt.ts';

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;

/**
 * Writes a file from chunks, in place of an older one only once it is whole: a full disk, an error or Ctrl-C leaves the
 * folder as it was. Throws a CommandRefusal that names the file if it cannot be written.
 */
export async function writeWhole(file: string, chunks: Chunks): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const remove = () => rmSync(part, { force: true });
  const interrupt = () => {
    remove();
    process.exit(INTERRUPTED);
  };
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new CommandRefusal(`${file} cannot be written (${error.code}).`, { cause: error });
  };
  process.once('SIGINT', interrupt);
  try {
    await writeChunks(part, chunks, refuse);
    await rename(part, file).catch(refuse);
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

type Refuse = (error: NodeJS.ErrnoException) => never;

async function writeChunks(file: string, chunks: Chunks, refuse: Refuse): Promise<void> {
  const handle = await open(file, 'wx').catch(refuse);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk).catch(refuse);
  } finally {
    await handle.close();
  }
}
