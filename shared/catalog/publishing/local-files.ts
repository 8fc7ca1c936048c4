import { hash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { hasTrueSeal, isCatalogFile, openCatalogFile, toVersion } from '../file/snapshot.ts';

/** Calls `work` with a new folder for the files of catalogs, and removes it afterwards, also when the work fails. */
export async function inScratch<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Copies a file that `buildCatalog` has written to `copy` and checks that the copy is whole. Throws an Error with one sentence
 * when it is no catalog, is cut or damaged, has another format, or is another version than the one expected.
 */
export async function takeBuiltFile(file: string, copy: string, expected: string): Promise<void> {
  if (!isCatalogFile(file))
    throw new Error(`${file} is no catalog: \`catalog build <folder> --out <file>\` writes one.`);
  await copyFile(file, copy);
  const version = toVersion(hash('sha256', await readFile(copy)));
  if (expected !== version)
    throw new Error(`${file} is version ${version} and not ${expected}: it is another file, or has been changed.`);
  const database = openBuiltCopy(file, copy);
  try {
    if (!isWhole(database)) throw new Error(`${file} is damaged: copy or build it again.`);
  } finally {
    database.close();
  }
}

// The message of a failed opening names the copy.
function openBuiltCopy(file: string, copy: string): DatabaseSync {
  try {
    return openCatalogFile(copy);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message.replace(copy, file)} Copy or build it again.`);
  }
}

// SQLite throws at pages that it cannot read.
function isWhole(database: DatabaseSync): boolean {
  try {
    const [found] = database.prepare('PRAGMA integrity_check').all();
    return found?.integrity_check === 'ok' && hasTrueSeal(database);
  } catch {
    return false;
  }
}
