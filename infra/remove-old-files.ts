import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Removes the files of a folder, those with the given end of their names, that were last written so many days ago or earlier. */
export function removeOldFiles(folder: string, days: number, end = ''): void {
  const oldestMs = Date.now() - days * DAY_MS;
  // Another process or machine may be removing them too.
  const writtenMs = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? oldestMs;
  const files = readdirSync(folder).filter((name) => name.endsWith(end));
  const old = files.map((name) => join(folder, name)).filter((file) => writtenMs(file) <= oldestMs);
  for (const file of old) rmSync(file, { force: true });
}
