import { chmodSync, mkdirSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalServerError, unusableFolder } from '../environment.ts';

// A mistyped LOCAL_DIR must not destroy somebody's folder: a folder without this mark is never written or emptied.
const MARK = '.pharmacy-server';
const MARK_TEXT = 'The data of a local server lies here; "npm start -- --fresh" empties this folder.\n';
// A lock whose file is removed no longer keeps others out.
const LOCK = '.lock';
const SQLITE_BUSY = 5;

/** Prepares the data folder of a server. Throws LocalServerError if it is unusable or holds something else. */
export async function openFolder(directory: string): Promise<void> {
  const entries = await listEntries(directory);
  const isMarked = entries.includes(MARK);
  if (entries.length > 0 && !isMarked) {
    throw new LocalServerError(
      `${directory} holds something other than the data of a local server: set LOCAL_DIR to an empty folder.`,
    );
  }
  makeFolder(directory);
  if (isMarked) return;
  await writeFile(join(directory, MARK), MARK_TEXT).catch((error) => {
    throw unusableFolder(directory, String(error.code ?? error), error);
  });
}

async function listEntries(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') throw new LocalServerError(`${directory} is no folder: let LOCAL_DIR name one.`);
    throw unusableFolder(directory, String(code ?? error));
  }
}

/** Creates a folder that only its owner can read, unless it exists. Throws LocalServerError if that fails. */
export function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o700);
  } catch (error) {
    throw unusableFolder(directory, (error as NodeJS.ErrnoException).code ?? String(error), error);
  }
}

export async function emptyFolder(directory: string): Promise<void> {
  for (const entry of await listEntries(directory)) {
    if (entry !== MARK && entry !== LOCK) await rm(join(directory, entry), { recursive: true, force: true });
  }
}

/**
 * Locks the data folder for this process and returns the release. The lock is the operating system's, taken by SQLite: two
 * processes never both have it, and it ends with its process, however that ends. A file with a pid cannot do this: two may
 * remove the one that a crash has left, and a pid is given again. Throws LocalServerError if another server holds the folder.
 */
export function lockFolder(directory: string): () => Promise<void> {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(directory, LOCK));
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode !== SQLITE_BUSY) throw unusableFolder(directory, message, error);
    throw new LocalServerError(
      `The data in ${directory} is in use by another local server: stop it, or let LOCAL_DIR name another folder.`,
    );
  }
  // The release refers to the database: one that nobody refers to is closed with its lock when garbage is collected.
  const held = lock;
  return async () => held.close();
}
