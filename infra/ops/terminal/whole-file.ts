import { rmSync } from 'node:fs';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { CommandRefusal } from '../command.ts';
import { INTERRUPTED } from './interrupt.ts';

/** The rights of a file that names people. */
export const OWNER_ONLY = 0o600;

type Chunk = string | Uint8Array;
type Chunks = Iterable<Chunk> | AsyncIterable<Chunk>;

/**
 * Writes a file from chunks, in place of an older one only once it is whole: a full disk, an error or Ctrl-C leaves the
 * folder as it was. A pipe or a device is written to as it is. `mode` has the rights of the new file; without it an older
 * one's are kept. Throws a CommandRefusal that names the file if it cannot be written.
 */
export async function writeWhole(file: string, chunks: Chunks, mode?: number): Promise<void> {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw new CommandRefusal(`${file} cannot be written (${error.code}).`, { cause: error });
  };
  const found = await stat(file).catch(() => undefined);
  if (found && (found.isFIFO() || found.isCharacterDevice())) return writeChunks(file, { flags: 'w' }, chunks, refuse);
  // A link stays, and what it leads to is replaced.
  const rights = mode ?? (found && found.mode & 0o777);
  return replaceFile(found ? await realpath(file) : file, rights, chunks, refuse);
}

type Refuse = (error: NodeJS.ErrnoException) => never;

async function replaceFile(file: string, mode: number | undefined, chunks: Chunks, refuse: Refuse): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const remove = () => rmSync(part, { force: true });
  const interrupt = () => {
    remove();
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  try {
    await writeChunks(part, { flags: 'wx', mode }, chunks, refuse);
    await rename(part, file).catch(refuse);
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
  }
}

type Opening = { readonly flags: 'w' | 'wx'; readonly mode?: number | undefined };

async function writeChunks(file: string, { flags, mode }: Opening, chunks: Chunks, refuse: Refuse): Promise<void> {
  const handle = await open(file, flags, mode).catch(refuse);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk).catch(refuse);
  } finally {
    await handle.close();
  }
}
