import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { CATALOG_FILES, type CatalogFile, type CatalogRecord } from './folder.ts';

/** One fault of a catalog folder; `line` counts from 1, 0 is the whole file, and `field` is '' for a whole line. */
export type CatalogFault = {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  readonly message: string;
};

/** A line of a file with those of its fields that are good. */
export type RecordLine<File extends CatalogFile> = {
  readonly line: number;
  /** What other records know it by, even if the line has faults; undefined if it cannot be made out. */
  readonly id: number | undefined;
  readonly fields: Partial<CatalogRecord<File>>;
  readonly isWhole: boolean;
};

export type FileLines<File extends CatalogFile> = {
  /** Undefined if the file is missing. */
  readonly lines: readonly RecordLine<File>[] | undefined;
  readonly faults: readonly CatalogFault[];
};

type LineFault = Pick<CatalogFault, 'field' | 'message'>;
type ReadLine = { readonly id: number | undefined; readonly fields: object; readonly faults: readonly LineFault[] };

/** Reads a file field by field, so that a fault hides no other. A byte order mark, CRLF and blank lines are allowed. */
export function readLines<File extends CatalogFile>(folder: string, file: File): FileLines<File> {
  const name = `${file}.jsonl`;
  const content = contentOf(join(folder, name));
  if (content === undefined) {
    return { lines: undefined, faults: [{ file: name, line: 0, field: '', message: 'The file is missing.' }] };
  }
  const faults: CatalogFault[] = [];
  const lines: RecordLine<File>[] = [];
  for (const [index, text] of content.split('\n').entries()) {
    if (text.trim() === '') continue;
    const { id, fields, faults: found } = readLine(text, CATALOG_FILES[file].shape);
    lines.push({ line: index + 1, id, fields, isWhole: found.length === 0 });
    faults.push(...found.map((fault) => ({ file: name, line: index + 1, ...fault })));
  }
  return { lines, faults };
}

function contentOf(path: string): string | undefined {
  return existsSync(path) ? new TextDecoder().decode(readFileSync(path)) : undefined;
}

function readLine(text: string, shape: z.ZodRawShape): ReadLine {
  // What the decoder writes for bytes that are no UTF-8, such as those of a Latin-1 export.
  if (text.includes('\uFFFD')) return unreadable(text, 'The line is not UTF-8.');
  try {
    const raw: unknown = JSON.parse(text);
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return readRecord(raw, shape);
    return unreadable(text, 'The line is not a JSON object.');
  } catch {
    return unreadable(text, 'The line is not valid JSON.');
  }
}

// Other records that refer to this one are not at fault, so its id is made out as well as can be.
function unreadable(text: string, message: string): ReadLine {
  const id = /"id"\s*:\s*"?(\d+)/.exec(text)?.[1];
  return { id: id === undefined ? undefined : Number(id), fields: {}, faults: [{ field: '', message }] };
}

function readRecord(raw: object, shape: z.ZodRawShape): ReadLine {
  const values = new Map<string, unknown>(Object.entries(raw));
  const fields: Record<string, unknown> = {};
  const faults = [...values.keys()].filter((field) => !Object.hasOwn(shape, field)).map(unknownField);
  for (const [field, schema] of Object.entries(shape)) {
    const value = values.get(field);
    const read = (schema as z.ZodType).safeParse(value);
    if (read.success) fields[field] = read.data;
    else faults.push(...faultsOf(field, value, read.error.issues));
  }
  const id = Number(values.get('id') ?? Number.NaN);
  return { id: Number.isNaN(id) ? undefined : id, fields, faults };
}

function unknownField(field: string): LineFault {
  return { field, message: 'There is no such field.' };
}

function faultsOf(field: string, value: unknown, issues: readonly z.core.$ZodIssue[]): LineFault[] {
  const faults = new Map<string, LineFault>();
  for (const issue of issues) {
    const place = field + issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknownField(`${place}.${key}`)) : [];
    const bad = unknown.length > 0 ? unknown : [{ field: place, message: sentenceOf(issue, value) }];
    // A value that breaks two bounds at once is one fault.
    for (const fault of bad) faults.set(fault.field, fault);
  }
  return [...faults.values()];
}

function sentenceOf(issue: z.core.$ZodIssue, value: unknown): string {
  const given = issue.path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
  return given === undefined ? 'It is required.' : issue.message.replace(/[^.]$/, '$&.');
}
