import { readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type CatalogFault, readCatalogFolder } from '../folder/check.ts';
import { type PublishedTimestamps, readTimestamps } from './timestamps.ts';
import { type CompileInput, writeCatalog } from './write.ts';

/** Every error of the folder, or what was compiled. */
export type Build = { readonly faults: readonly CatalogFault[] } | Compilation;
type Compilation = {
  readonly products: number;
  /** What the operator should know of, a sentence each. */
  readonly notes: readonly string[];
};

type BuildInput = Omit<CompileInput, 'records' | 'previous'> & { readonly previous: string | null };

/**
 * Checks a catalog folder and compiles it into a file, in place of what was there. Either every fault, and the file is
 * left alone; or the number of products and the notes. `previous` is the file of the published version, null if none is.
 */
export async function buildCatalog(folder: string, file: string, { previous, ...input }: BuildInput): Promise<Build> {
  const { records, faults } = readCatalogFolder(folder);
  if (faults.length > 0) return { faults };
  const { timestamps, notes } = timestampsOf(previous);
  const compilation = compileCatalog({ records, previous: timestamps, ...input }, file);
  return { ...compilation, notes: [...notes, ...compilation.notes] };
}

type Published = { readonly timestamps?: PublishedTimestamps; readonly notes: readonly string[] };

// A new format must not keep an operator from publishing over a version of the old one.
function timestampsOf(previous: string | null): Published {
  if (previous === null) return { notes: [] };
  try {
    return { timestamps: readTimestamps(previous), notes: [] };
  } catch {
    const consequence = 'records without times of their own get that of this build';
    return { notes: [`The published version cannot be read, so that ${consequence}.`] };
  }
}

/**
 * Compiles records without faults into a catalog file. The same records and the same previous times give the same
 * bytes, in whatever order the records are; `now` only gets into records that are new or have changed. Products of the
 * sanitary fractions I to III become inactive, each with a note.
 */
export function compileCatalog(input: CompileInput, file: string): Compilation {
  rmSync(file, { force: true });
  const database = new DatabaseSync(file);
  try {
    // Nobody reads the file before it is whole, and a broken one is made anew.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
    database.exec(readFileSync(new URL('../file/schema.sql', import.meta.url), 'utf8'));
    database.exec('BEGIN');
    const compilation = writeCatalog(database, input);
    database.exec('COMMIT');
    return compilation;
  } finally {
    database.close();
  }
}
