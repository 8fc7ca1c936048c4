import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
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

/** The settings and answers that a folder keeps from its imports. */
const memory = z.strictObject({
  prices: z.enum(['with-iva', 'without-iva']).optional(),
  map: z.record(z.string(), z.enum([...IMPORT_FIELDS, NO_FIELD])).default({}),
  answers: z.record(z.string(), z.string()).default({}),
  /** Ids of products by own code, folded. */
  codes: z.record(z.string(), z.int()).default({}),
});
export type ImportMemory = z.output<typeof memory>;

export type FolderState = StoredRecords & { readonly memory: ImportMemory; readonly errors: readonly FolderError[] };

const identified = z.object({ id: z.int() });
const named = identified.extend({ name: z.string() });
/** The fields without which an import cannot work. */
const NEEDED: Readonly<Record<RenewedFile, z.ZodType>> = {
  companies: named,
  categories: named,
  bases: named.extend({ category: z.int(), pharmaceutical_company: z.int() }),
  products: identified.extend({ base: z.int(), ean_key: z.string() }),
};

/** Reads what an import renews of a folder, which need not exist; lines that are no records are errors. */
export function readFolderState(folder: string): FolderState {
  const errors: FolderError[] = [];
  const read = (file: string, schema: z.ZodType, split: (content: string) => string[]) => {
    const path = join(folder, file);
    return (existsSync(path) ? split(readFileSync(path, 'utf8')) : []).flatMap((text, at) => {
      if (text.trim() === '') return [];
      const record: unknown = tryParse(text.trim());
      if (schema.safeParse(record).success) return [record];
      errors.push({ file, line: at + 1, field: '', message: WRONG });
      return [];
    });
  };
  const toLines = (content: string) => content.split('\n');
  const records = RENEWED_FILES.map((file) => [file, read(`${file}.jsonl`, NEEDED[file], toLines)]);
  const [remembered = {}] = read(MEMORY_FILE, memory, (content) => [content]);
  return { ...(Object.fromEntries(records) as StoredRecords), memory: memory.parse(remembered), errors };
}

const WRONG = 'It is not what a catalog has here: `catalog build` says more of its records.';

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
