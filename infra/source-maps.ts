import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename, dirname, join, posix } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * Returns the folder of the source maps of releases that were built here, named by the hashes of the files of code:
 * `SOURCE_MAPS`, such as a folder that several machines share, or else `.local/source-maps`.
 */
export const sourceMapFolder = (): string =>
  process.env.SOURCE_MAPS || join(import.meta.dirname, '../.local/source-maps');

// A build that changes everything adds 4 MB. Logs are kept for 30 days by default, and a release may serve for weeks.
const KEPT_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1_000;

const getMapFile = (folder: string, codeFile: string): string => join(folder, `${basename(codeFile)}.map.gz`);

/**
 * Keeps the source map of a file of code, with the sources named by their paths from the project root. The time of the
 * file is that of the last build.
 */
export function keepSourceMap(folder: string, codeFile: string, json: string): void {
  const file = getMapFile(folder, codeFile);
  if (existsSync(file)) {
    utimesSync(file, new Date(), new Date());
    return;
  }
  const { sources, ...map }: SourceMapPayload = JSON.parse(json);
  const fromRoot = sources.map((source) => posix.join(dirname(codeFile), source));
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, gzipSync(JSON.stringify({ ...map, sources: fromRoot })));
}

/** Removes the source maps of code that was last built 90 days ago or earlier; building its release makes them again. */
export function removeOldSourceMaps(folder: string): void {
  const oldestMs = Date.now() - KEPT_DAYS * DAY_MS;
  // Another process or machine may be removing them too.
  const writtenMs = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? oldestMs;
  const files = readdirSync(folder).filter((name) => name.endsWith('.mjs.map.gz'));
  const old = files.map((name) => join(folder, name)).filter((file) => writtenMs(file) <= oldestMs);
  for (const file of old) rmSync(file, { force: true });
}

/** Returns the source map of a file of code, named by its hash: `XD3ACMC5.mjs`; undefined if none was kept. */
export function readSourceMap(folder: string, codeFile: string): SourceMap | undefined {
  const file = getMapFile(folder, codeFile);
  if (!existsSync(file)) return undefined;
  return new SourceMap(JSON.parse(gunzipSync(readFileSync(file)).toString()));
}
