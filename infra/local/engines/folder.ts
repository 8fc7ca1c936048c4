import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LocalServerError, unusableFolder } from '../environment.ts';

// A mistyped LOCAL_DIR must not destroy somebody's folder: a folder without this mark is never written or emptied.
const MARK = '.pharmacy-server';
const MARK_TEXT = 'The data of a local server lies here; "npm start -- --fresh" empties this folder.\n';
// A lock whose file is removed no longer keeps others out.
const LOCK = '.lock';
const SQLITE_BUSY = 5;

/** Prepares the data folder of a server for its owner alone. Throws LocalServerError if it is unusable or holds something else. */
export function openFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
    const entries = readdirSync(directory);
    const isMarked = entries.includes(MARK);
    if (entries.length > 0 && !isMarked) {
      throw new LocalServerError(
        `${directory} holds something other than the data of a local server: set LOCAL_DIR to an empty folder.`,
      );
    }
    chmodSync(directory, 0o700);
    if (!isMarked) writeFileSync(join(directory, MARK), MARK_TEXT);
  } catch (error) {
    if (error instanceof LocalServerError) throw error;
    throw unusableFolder(directory, (error as NodeJS.ErrnoException).code ?? String(error), error);
  }
}

export function emptyFolder(directory: string): void {
  for (const entry of readdirSync(directory)) {
    if (entry !== MARK && entry !== LOCK) rmSync(join(directory, entry), { recursive: true, force: true });
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
