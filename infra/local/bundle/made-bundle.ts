import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OutputFile } from 'esbuild';
import { ROOT } from '../../esbuild-options.ts';

export const FOLDER = join(ROOT, 'node_modules/.cache/local-server');

const DESCRIPTION = join(FOLDER, 'bundle.json');

type Description = {
  /** The folder of the project, whose paths the bundle holds. */
  readonly root: string;
  /** The name of the file to import. */
  readonly entry: string;
  /** The bytes of each of its files. */
  readonly files: Readonly<Record<string, number>>;
  /** The size and time of each file and folder that it was made of. */
  readonly sources: Readonly<Record<string, string>>;
};

const NONE: Description = { root: '', entry: '', files: {}, sources: {} };

/** Returns the file to import; undefined if there is no whole bundle of the sources as they are now. */
export function findMadeBundle(): string | undefined {
  const { root, entry, files, sources } = readDescription();
  const isCurrent = Object.entries(sources).every(([source, state]) => describeSource(source) === state);
  const isWhole = Object.entries(files).every(([name, bytes]) => findStats(join(FOLDER, name))?.size === bytes);
  return root === ROOT && isCurrent && isWhole ? join(FOLDER, entry) : undefined;
}

function readDescription(): Description {
  try {
    return JSON.parse(readFileSync(DESCRIPTION, 'utf8'));
  } catch {
    // There is none yet, or a crash has left a part of it.
    return NONE;
  }
}

export type NewBundle = {
  /** The name of the file to import. */
  readonly entry: string;
  readonly files: readonly OutputFile[];
  /** The files and folders that it was made of, by their paths from the root. */
  readonly sources: readonly string[];
  /** One that has changed after this time may not be in it as it is now. */
  readonly begunMs: number;
};

/** Writes a bundle, and makes it the one that is found. */
export function keepBundle({ entry, files, sources, begunMs }: NewBundle): void {
  mkdirSync(FOLDER, { recursive: true });
  keepReplaced();
  for (const { path, contents } of files) writeWhole(path, contents);
  const description: Description = {
    root: ROOT,
    entry,
    files: Object.fromEntries(files.map(({ path, contents }) => [basename(path), contents.length])),
    sources: Object.fromEntries(sources.map((source) => [source, describeSource(source, begunMs)])),
  };
  writeWhole(DESCRIPTION, JSON.stringify(description));
}

/** Gives the files of the replaced bundle the time of now: a server that runs may load some of them for as long as it runs. */
function keepReplaced(): void {
  const now = new Date();
  const files = Object.keys(readDescription().files).map((name) => join(FOLDER, name));
  for (const file of files.filter(findStats)) utimesSync(file, now, now);
}

/** Writes a file at once, as another start may be reading or writing the same. */
function writeWhole(file: string, contents: string | Uint8Array): void {
  const written = `${file}.${randomUUID()}`;
  writeFileSync(written, contents);
  renameSync(written, file);
}

function describeSource(source: string, changedBeforeMs = Infinity): string {
  const found = findStats(join(ROOT, source));
  if (!found) return 'missing';
  return found.mtimeMs < changedBeforeMs ? `${found.size} bytes of ${found.mtimeMs}` : 'changed';
}

const findStats = (file: string) => statSync(file, { throwIfNoEntry: false });
