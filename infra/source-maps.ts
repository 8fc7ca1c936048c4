import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename, dirname, join, posix } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * Returns the folder of the source maps of every release that was built here, named by the hashes of the files of code:
 * `SOURCE_MAPS`, such as a folder that several machines share, or else `.local/source-maps`.
 */
export const sourceMapFolder = (): string =>
  process.env.SOURCE_MAPS || join(import.meta.dirname, '../.local/source-maps');

const getMapFile = (folder: string, codeFile: string): string => join(folder, `${basename(codeFile)}.map.gz`);

/** Keeps the source map of a file of code, with the sources named by their paths from the project root. */
export function keepSourceMap(folder: string, codeFile: string, json: string): void {
  const file = getMapFile(folder, codeFile);
  if (existsSync(file)) return;
  const { sources, ...map }: SourceMapPayload = JSON.parse(json);
  const fromRoot = sources.map((source) => posix.join(dirname(codeFile), source));
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, gzipSync(JSON.stringify({ ...map, sources: fromRoot })));
}

/** Returns the source map of a file of code, named by its hash: `XD3ACMC5.mjs`; undefined if none was kept. */
export function readSourceMap(folder: string, codeFile: string): SourceMap | undefined {
  const file = getMapFile(folder, codeFile);
  if (!existsSync(file)) return undefined;
  return new SourceMap(JSON.parse(gunzipSync(readFileSync(file)).toString()));
}
