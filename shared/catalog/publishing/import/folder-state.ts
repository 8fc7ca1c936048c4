import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { CatalogInput } from '../folder/folder.ts';
import { type FolderError, readRecordLines } from '../folder/record-lines.ts';
import { IMPORT_FIELDS, NO_FIELD } from './headings.ts';

export const RENEWED_FILES = ['companies', 'categories', 'bases', 'products'] as const;
type RenewedFile = (typeof RENEWED_FILES)[number];

/** Records as they stand in a folder, with their fields in the order of its lines. */
export type StoredRecords = { readonly [File in RenewedFile]: readonly CatalogInput<File>[] };
export type StoredProduct = CatalogInput<'products'>;
export type StoredBase = CatalogInput<'bases'>;

export const MEMORY_FILE = 'import.json';

/** What a folder remembers of its imports. */
const memory = z.strictObject({
  prices: z.enum(['with-iva', 'without-iva']).optional(),
  map: z.record(z.string(), z.enum([...IMPORT_FIELDS, NO_FIELD])).default({}),
  answers: z.record(z.string(), z.string()).default({}),
  /** Ids of products by own code, folded. */
  codes: z.record(z.string(), z.int()).default({}),
});
export type ImportMemory = z.output<typeof memory>;

export type FolderState = StoredRecords & { readonly memory: ImportMemory; readonly errors: readonly FolderError[] };

/** Reads what an import renews of a folder, which need not exist; with errors there are no records. */
export function readFolderState(folder: string): FolderState {
  const present = RENEWED_FILES.filter((file) => existsSync(join(folder, `${file}.jsonl`)));
  const errors = present.flatMap((file) => readRecordLines(folder, file).errors);
  const toRecords = (file: RenewedFile) => (present.includes(file) ? readRecords(join(folder, `${file}.jsonl`)) : []);
  const records = RENEWED_FILES.map((file) => [file, errors.length > 0 ? [] : toRecords(file)]);
  const remembered = readMemory(join(folder, MEMORY_FILE));
  const fault = { file: MEMORY_FILE, line: 0, field: '', message: 'It is not what an import has written: restore it.' };
  if (!remembered.success) errors.push(fault);
  return { ...(Object.fromEntries(records) as StoredRecords), memory: remembered.data ?? memory.parse({}), errors };
}

const readRecords = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line.trim()));

function readMemory(path: string) {
  try {
    return memory.safeParse(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
  } catch {
    return memory.safeParse(null);
  }
}
