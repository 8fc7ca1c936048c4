import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { CATALOG_FILES, type CatalogFile, type CatalogRecord, OPTIONAL_FILES } from './folder.ts';

/** `line` counts from 1 and is 0 for a whole file; `field` is '' for a whole line. */
export type FolderError = {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  readonly message: string;
};

export type RecordLine<File extends CatalogFile> = {
  readonly line: number;
  /** The id that other records refer to, read even if the line has errors; undefined if unreadable. */
  readonly id: number | undefined;
  readonly fields: Partial<CatalogRecord<File>>;
  readonly isWhole: boolean;
  /** The CSV line and columns that some fields come from. */
  readonly table?: { readonly file: string; readonly line: number; readonly columns: ReadonlySet<string> };
};

/** `lines` is undefined if the file is missing or cannot be read. */
export type FileLines<File extends CatalogFile> = {
  readonly lines: readonly RecordLine<File>[] | undefined;
  readonly errors: readonly FolderError[];
};

export type CatalogLines = { readonly [File in CatalogFile]: readonly RecordLine<File>[] | undefined };

export type Placed = Pick<RecordLine<CatalogFile>, 'line' | 'table'>;

/** Returns where a field is written: in its kind's file or in a CSV file. */
export function placeField(file: CatalogFile, { line, table }: Placed, field: string): { file: string; line: number } {
  const isOfTable = table?.columns.has(field.replace(/[.[].*/, ''));
  return table && isOfTable ? { file: table.file, line: table.line } : { file: `${file}.jsonl`, line };
}

export function folderError(file: CatalogFile, record: Placed, field: string, message: string): FolderError {
  return { ...placeField(file, record, field), field, message };
}

type LineError = Pick<FolderError, 'field' | 'message'>;
type LineResult = { readonly id: number | undefined; readonly fields: object; readonly errors: readonly LineError[] };

/** Reads a file; no error of a field hides another. Allows a byte order mark, CRLF and blank lines. */
export function readRecordLines<File extends CatalogFile>(folder: string, file: File): FileLines<File> {
  const name = `${file}.jsonl`;
  const errors: FolderError[] = [];
  const lines: RecordLine<File>[] = [];
  let line = 0;
  try {
    for (const text of readLines(join(folder, name))) {
      line++;
      if (text.trim() === '') continue;
      const { id, fields, errors: lineErrors } = readLine(text, CATALOG_FILES[file]);
      lines.push({ line, id, fields, isWhole: lineErrors.length === 0 });
      for (const error of lineErrors) errors.push({ file: name, line, ...error });
    }
    return { lines, errors };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const code = String(error.code);
    if (code === 'ENOENT' && OPTIONAL_FILES.includes(file)) return { lines: readDefaults(file), errors: [] };
    const message = UNREAD[code] ?? `The file cannot be read (${code}).`;
    return { lines: undefined, errors: [{ file: name, line: 0, field: '', message }] };
  }
}

const readDefaults = <File extends CatalogFile>(file: File): RecordLine<File>[] =>
  (DEFAULT_RECORDS[file] ?? []).map((record) => {
    return { line: 0, isWhole: true, ...parseRecord(record, CATALOG_FILES[file]) };
  });

const UNREAD: Readonly<Record<string, string>> = {
  ENOENT: 'The file is missing.',
  EISDIR: 'It is a folder and not a file.',
  EACCES: 'You have no permission to read the file.',
  UTF_16: 'The file is UTF-16 and not UTF-8.',
};

// Spreadsheets save "Unicode text" this way.
const UTF_16_MARKS: readonly string[] = ['fffe', 'feff'];

// A larger chunk outlives a collection of young garbage: with 1 MB, 150 MB of a file of 100 MB do.
const CHUNK_BYTES = 65_536;

/** Yields the lines of a file without ever holding all of it. Throws errors with a code, as those of `UNREAD`. */
function* readLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new TextDecoder();
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let rest = '';
    let size = readSync(file, chunk);
    if (UTF_16_MARKS.includes(chunk.toString('hex', 0, 2))) throw Object.assign(new Error(), { code: 'UTF_16' });
    for (; size > 0; size = readSync(file, chunk)) {
      const lines = (rest + decoder.decode(chunk.subarray(0, size), { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    yield rest + decoder.decode();
  } finally {
    closeSync(file);
  }
}

function readLine(text: string, schema: z.ZodObject): LineResult {
  // The decoder's replacement for bytes that are not UTF-8, such as those of a Latin-1 export.
  if (text.includes('\uFFFD')) return toUnreadableLine(text, 'The line is not UTF-8.');
  try {
    const raw: unknown = JSON.parse(text);
    if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return parseRecord(raw, schema);
    return toUnreadableLine(text, 'The line is not a JSON object.');
  } catch (error) {
    return toUnreadableLine(text, describeBrokenLine(text, error));
  }
}

// Looks for the id all the same, so that references to this record are not reported as well.
function toUnreadableLine(text: string, message: string): LineResult {
  const id = /["']?\bid["']?\s*:\s*["']?(\d+)/.exec(text)?.[1];
  return { id: id === undefined ? undefined : Number(id), fields: {}, errors: [{ field: '', message }] };
}

// Times that a record lacks have their place in it, as it is stored with its times.
const WITHOUT_TIMES = { created_at: undefined, updated_at: undefined };

function parseRecord(raw: object, schema: z.ZodObject): LineResult {
  const values = new Map<string, unknown>(Object.entries(raw));
  const number = Number(values.get('id') ?? Number.NaN);
  const id = Number.isNaN(number) ? undefined : number;
  // V8 stores this object well. One that gets more than 12 keys by name, as below, is a hash table: of 200,000 products 1 GB more.
  const whole = schema.safeParse('created_at' in schema.shape ? { ...WITHOUT_TIMES, ...raw } : raw);
  if (whole.success) return { id, fields: whole.data, errors: [] };
  const fields: Record<string, unknown> = {};
  const errors = [...values.keys()].filter((field) => !Object.hasOwn(schema.shape, field)).map(toUnknownField);
  for (const [field, type] of Object.entries(schema.shape)) {
    const value = values.get(field);
    const result = (type as z.ZodType).safeParse(value);
    if (result.success) fields[field] = result.data;
    else errors.push(...toLineErrors(field, value, result.error.issues));
  }
  return { id, fields, errors };
}

const toUnknownField = (field: string): LineError => ({ field, message: 'There is no such field.' });

function toLineErrors(field: string, value: unknown, issues: readonly z.core.$ZodIssue[]): LineError[] {
  const errors = new Map<string, LineError>();
  for (const issue of issues) {
    const place = field + issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    const unknown =
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => toUnknownField(`${place}.${key}`)) : [];
    const bad = unknown.length > 0 ? unknown : [{ field: place, message: describeIssue(issue, value) }];
    // A value that breaks two bounds counts as one error.
    for (const error of bad) errors.set(error.field, error);
  }
  return [...errors.values()];
}

/** Returns why a line is not JSON: V8's reason, with the column or the text around the fault. */
function describeBrokenLine(line: string, error: unknown): string {
  if (/^\s*[[{]\s*$/.test(line)) return 'A record must be whole on one line.';
  // V8's line number is always 1 here.
  const reason = String(error instanceof Error ? error.message : error)
    .replace(/( in JSON)? at position \d+ \(line 1 column (\d+)\)$/, ' in column $2')
    .replace(/ is not valid JSON$/, '');
  return `The line is not valid JSON (${reason}).`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** Returns an operator's sentence about a field; the schemas' own sentences begin with "It". */
export function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  if (readInput(issue, value) === undefined) return 'It is required.';
  if (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1) return 'It must not be empty.';
  return issue.code === 'custom' || issue.message.startsWith('It ')
    ? issue.message.replace(/[^.]$/, '$&.')
    : `It must be ${describeExpected(issue)}.`;
}

const readInput = ({ path }: z.core.$ZodIssue, value: unknown): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);

function describeExpected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? 'of another type';
  if (issue.code === 'invalid_value') return `one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return `${issue.minimum} ${unit(issue.origin)}or more`;
  if (issue.code === 'too_big') return `${issue.maximum} ${unit(issue.origin)}or less`;
  return 'of another form';
}

const unit = (origin: string): string => (origin === 'string' ? 'characters ' : '');

type Holiday = { readonly date: string; readonly name: string };

/** Returns the nth weekday of a month that begins at 1, as a date; 0 is Sunday. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const day = 1 + ((7 + weekday - first) % 7) + 7 * (nth - 1);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The days of rest of LFT art. 74 (last reform of it DOF 30 September 2024), with election day by LGIPE art. 22. */
export function listLegalHolidays(year: number): Holiday[] {
  const [SUNDAY, MONDAY] = [0, 1];
  const isHandover = (year - 2024) % 6 === 0;
  const isElection = (year - 2024) % 3 === 0;
  return [
    { date: `${year}-01-01`, name: 'Año Nuevo' },
    { date: nthWeekday(year, 2, MONDAY, 1), name: 'Aniversario de la Constitución' },
    { date: nthWeekday(year, 3, MONDAY, 3), name: 'Natalicio de Benito Juárez' },
    { date: `${year}-05-01`, name: 'Día del Trabajo' },
    ...(isElection ? [{ date: nthWeekday(year, 6, SUNDAY, 1), name: 'Jornada electoral' }] : []),
    { date: `${year}-09-16`, name: 'Día de la Independencia' },
    ...(isHandover ? [{ date: `${year}-10-01`, name: 'Transmisión del Poder Ejecutivo Federal' }] : []),
    { date: nthWeekday(year, 11, MONDAY, 3), name: 'Aniversario de la Revolución' },
    { date: `${year}-12-25`, name: 'Navidad' },
  ];
}

/** The placeholder of `catalog init` for values that only the owner knows. */
export const TO_FILL_IN = 'POR LLENAR';

// Fixed years, so that the same folder always gives the same catalog.
const YEARS = Array.from({ length: 25 }, (_, at) => 2026 + at);

const toMethod = (id: number, name: string, form: string) => {
  return { id, name, fee: '0.00', initial_payment_status: 'unpaid', sat_payment_form: form };
};

/** The records of files that a folder may lack; of all others there are none. */
export const DEFAULT_RECORDS: Readonly<Partial<Record<CatalogFile, readonly object[]>>> = {
  payment_methods: [
    toMethod(1, 'Efectivo en tienda', '01'),
    toMethod(2, 'Tarjeta en tienda', '04'),
    toMethod(3, 'Transferencia', '03'),
  ],
  shipping_methods: [
    { id: 1, company: 'Recoger en tienda', method: 'local', min_delivery_days: 0, max_delivery_days: 1, pickup: true },
  ],
  holidays: YEARS.flatMap(listLegalHolidays),
};
