import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { failedStorage, LocalServerError } from '../local-server-error.ts';

const LOCK = '.lock';
const HOLDER = '.lock-holder';
/** The files of the lock. A lock whose file is removed no longer keeps others out. */
export const LOCK_FILES: readonly string[] = [LOCK, HOLDER];

const UNKNOWN = 'just started, or on a full disk';

const SQLITE_BUSY = 5;

/**
 * Locks the data folder for this process and returns the release. The lock is the operating system's, taken by SQLite: two
 * processes never both have it, and it ends with its process, however that ends. A file with a pid cannot do this: two may
 * remove the one that a crash has left, and a pid is given again. Throws LocalServerError if another server holds the folder.
 */
export function lockFolder(directory: string): () => Promise<void> {
  const lock = takeLock(directory);
  const holder = join(directory, HOLDER);
  noteHolder(holder);
  return async () => {
    rmSync(holder, { force: true });
    lock.close();
  };
}

function takeLock(directory: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(directory, LOCK));
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    throw errcode === SQLITE_BUSY ? folderInUse(directory) : failedStorage(directory, message, error);
  }
}

const folderInUse = (directory: string): LocalServerError =>
  new LocalServerError(
    `The data in ${directory} is in use by another local server (${readHolder(directory)}): stop it, or let LOCAL_DIR name another folder.`,
  );

// The lock holds without the note, which a full disk does not take.
function noteHolder(file: string): void {
  try {
    writeFileSync(file, `${userName()}, pid ${process.pid}, since ${new Date().toISOString()}`);
  } catch {
    // UNKNOWN stands in its place.
  }
}

function readHolder(directory: string): string {
  try {
    return readFileSync(join(directory, HOLDER), 'utf8') || UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

// In a container the user may have no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
