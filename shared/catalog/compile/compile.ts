import { readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeSeal } from '../file/seal.ts';
import { type FolderError, readCatalogFolder } from '../folder/check.ts';
import { type PublishedTimestamps, readTimestamps } from './timestamps.ts';
import { NONE_WITHDRAWN, readWithdrawn, type Withdrawn } from './withdrawn.ts';
import { type Compilation, type CompileInput, writeCatalog } from './write.ts';

export type FolderErrors = { readonly errors: readonly FolderError[] };
export type { Compilation };

type BuildInput = Omit<CompileInput, 'records' | 'previous' | 'withdrawn'> & {
  readonly previous: string | null;
  /** A CSV file of products that are changed or added. */
  readonly csv?: string | undefined;
  /** Ends the build with its reason, between reading the folder and writing the file. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Checks a catalog folder and compiles it into a file, which it replaces. Returns all errors of the folder and leaves
 * the file alone, or returns the number of products and notes. `previous` is the file of the published version, null if
 * none. Without a time, the same folder gives the same bytes whenever it is built.
 */
export async function buildCatalog(
  folder: string,
  file: string,
  { previous, csv, signal, ...input }: BuildInput,
): Promise<FolderErrors | Compilation> {
  await heed(signal);
  const { records, errors } = readCatalogFolder(folder, csv);
  if (errors.length > 0) return { errors };
  await heed(signal);
  const { notes, ...published } = readPublished(previous, new Set(records.products.map(({ id }) => id)));
  const compilation = compileCatalog({ records, ...published, ...input }, file);
  await heed(signal);
  return { ...compilation, notes: [...notes, ...compilation.notes] };
}

// Reading and writing keep the process busy; it learns of a Ctrl-C only between them.
async function heed(signal: AbortSignal | undefined): Promise<void> {
  if (signal) await nextTurn();
  signal?.throwIfAborted();
}

type Published = {
  readonly previous?: PublishedTimestamps;
  readonly withdrawn: Withdrawn;
  readonly notes: readonly string[];
};

// A version of an older format cannot be read, and must not prevent the next one from being published.
function readPublished(file: string | null, ids: ReadonlySet<number>): Published {
  if (file === null) return { withdrawn: NONE_WITHDRAWN, notes: [] };
  try {
    const withdrawn = readWithdrawn(file, ids);
    return { previous: readTimestamps(file), withdrawn, notes: describeWithdrawn(withdrawn) };
  } catch {
    const consequence =
      'records without times of their own get that of this build, and orders do not show what this one withdraws';
    return { withdrawn: NONE_WITHDRAWN, notes: [`The published version cannot be read, so that ${consequence}.`] };
  }
}

function describeWithdrawn({ added }: Withdrawn): string[] {
  if (added === 0) return [];
  return [`Products of the published version that are withdrawn, and shown by their orders only: ${added}.`];
}

/**
 * Compiles records without errors into a catalog file. The same records and previous times give the same bytes,
 * whatever the order of the records; only new and changed records get the time `now`, or without it the latest time that a
 * record has. Products of the sanitary fractions I to III become inactive, each with a note.
 */
export function compileCatalog(input: CompileInput, file: string): Compilation {
  rmSync(file, { force: true });
  const database = new DatabaseSync(file);
  try {
    // Nothing reads the file before it is complete, and an incomplete one is compiled again.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
    database.exec(readFileSync(new URL('../file/schema.sql', import.meta.url), 'utf8'));
    database.exec('BEGIN');
    const compilation = writeCatalog(database, input);
    writeSeal(database);
    database.exec('COMMIT');
    return compilation;
  } finally {
    database.close();
  }
}
