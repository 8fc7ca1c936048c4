import { hash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { hasTrueSeal, isCatalogFile, openCatalogFile, toVersion } from '../file/snapshot.ts';

export async function withTempDir<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies a file of `buildCatalog`. Throws if it is no whole catalog, of another format, or not the expected version. */
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

// The message of a failed opening names the copy, not the file.
function openBuiltCopy(file: string, copy: string): DatabaseSync {
  try {
    return openCatalogFile(copy);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message.replace(copy, file)} Copy or build it again.`);
  }
}

// SQLite throws at unreadable pages.
function isWhole(database: DatabaseSync): boolean {
  try {
    const [result] = database.prepare('PRAGMA integrity_check').all();
    return result?.integrity_check === 'ok' && hasTrueSeal(database);
  } catch {
    return false;
  }
}
