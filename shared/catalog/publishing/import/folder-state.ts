import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { toErrorCode } from '../../../runtime/system-error.ts';
import type { CatalogInput } from '../folder/folder.ts';
import type { FolderError } from '../folder/record-lines.ts';
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

/** Reads what an import renews of a folder, which need not exist; a line that is no record is an error. */
export function readFolderState(folder: string): FolderState {
  const errors: FolderError[] = [];
  const read = <Value>(file: string, parse: (content: string) => Value, empty: Value): Value => {
    try {
      return parse(readFileSync(join(folder, file), 'utf8'));
    } catch (error) {
      if (toErrorCode(error) === 'ENOENT') return empty;
      errors.push({ file, line: 0, field: '', message: 'It cannot be read: `catalog build` says why.' });
      return empty;
    }
  };
  const records = RENEWED_FILES.map((file) => [file, read(`${file}.jsonl`, parseLines, [])]);
  const remembered = read(MEMORY_FILE, (content) => memory.parse(JSON.parse(content)), memory.parse({}));
  return { ...(Object.fromEntries(records) as StoredRecords), memory: remembered, errors };
}

const identified = z.looseObject({ id: z.int() });

const parseLines = (content: string): { id: number }[] =>
  content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => identified.parse(JSON.parse(line)));
