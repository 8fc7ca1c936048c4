import { rmSync } from 'node:fs';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { CommandRefusal } from '../command.ts';
import { INTERRUPTED } from './interrupt.ts';

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;

/**
 * Writes a file from chunks, in place of an older one only once it is whole: a full disk, an error or Ctrl-C leaves the
 * folder as it was. A pipe or a device is written to as it is. Throws a CommandRefusal that names the file if it cannot
 * be written.
 */
export async function writeWhole(file: string, chunks: Chunks): Promise<void> {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new CommandRefusal(`${file} cannot be written (${error.code}).`, { cause: error });
  };
  const found = await stat(file).catch(() => undefined);
  if (found && (found.isFIFO() || found.isCharacterDevice())) return writeChunks(file, 'w', chunks, refuse);
  // A link stays, and what it leads to is replaced.
  return replaceFile(found ? await realpath(file) : file, chunks, refuse);
}

type Refuse = (error: NodeJS.ErrnoException) => never;

async function replaceFile(file: string, chunks: Chunks, refuse: Refuse): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const remove = () => rmSync(part, { force: true });
  const interrupt = () => {
    remove();
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  try {
    await writeChunks(part, 'wx', chunks, refuse);
    await rename(part, file).catch(refuse);
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

async function writeChunks(file: string, flags: 'w' | 'wx', chunks: Chunks, refuse: Refuse): Promise<void> {
  const handle = await open(file, flags).catch(refuse);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk).catch(refuse);
  } finally {
    await handle.close();
  }
}
