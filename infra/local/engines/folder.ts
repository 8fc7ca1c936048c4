import { mkdirSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalServerError, unusableFolder } from '../local-server-error.ts';
import { LOCK_FILES } from './folder-lock.ts';

// A mistyped LOCAL_DIR must not destroy somebody's folder: a folder without this mark is never written or emptied.
const MARK = '.pharmacy-server';
const MARK_TEXT = 'The data of a local server lies here; "npm start -- --fresh" empties this folder.\n';

/** Prepares the data folder of a server. Throws LocalServerError if it is unusable or holds something else. */
export async function openFolder(directory: string): Promise<void> {
  const entries = await listEntries(directory);
  if (entries.includes(MARK)) return;
  if (entries.length > 0) throw foreignFolder(directory);
  makeFolder(directory);
  try {
    await writeFile(join(directory, MARK), MARK_TEXT);
  } catch (error) {
    throw unusableFolder(directory, describeReason(error), error);
  }
}

/** Creates a folder unless it exists. Throws LocalServerError if that fails. */
export function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw unusableFolder(directory, describeReason(error), error);
  }
}

/** Removes the data in a server's opened and locked folder; its mark and the lock stay. */
export async function emptyFolder(directory: string): Promise<void> {
  const entries = await listEntries(directory);
  const data = entries.filter((entry) => entry !== MARK && !LOCK_FILES.includes(entry));
  for (const entry of data) await rm(join(directory, entry), { recursive: true, force: true });
}

const foreignFolder = (directory: string): LocalServerError =>
  new LocalServerError(
    `${directory} holds something other than the data of a local server: set LOCAL_DIR to an empty folder.`,
  );

async function listEntries(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR') throw new LocalServerError(`${directory} is no folder: let LOCAL_DIR name one.`);
    throw unusableFolder(directory, describeReason(error));
  }
}

const describeReason = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
