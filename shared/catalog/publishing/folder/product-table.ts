import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { CATALOG_FILES } from './folder.ts';
import { describeIssue, type FileLines, type FolderError, type RecordLine } from './record-lines.ts';

type ProductLine = RecordLine<'products'>;
const SCHEMAS = CATALOG_FILES.products.shape;
type Field = keyof typeof SCHEMAS;
const FIELDS = Object.keys(SCHEMAS) as readonly Field[];

/**
 * Changes or adds products by the rows of a CSV file, whose header names fields: a row changes the product with its id,
 * and empty cells leave fields as they are. A changed product loses its own `updated_at`, unless the row has one. Errors
 * name the line and column of the CSV file.
 */
export function applyProductTable(products: FileLines<'products'>, path: string): FileLines<'products'> {
  const table = readCsvRows(path);
  const faults = [...table.errors, ...findHeaderFaults(table)];
  if (products.lines === undefined || faults.some(({ line }) => line <= 1))
    return { ...products, errors: [...products.errors, ...faults] };
  const lines = [...products.lines];
  const places = new Map(lines.map(({ id }, at) => [id, at] as const).toReversed());
  const errors = table.rows.flatMap((row) => {
    const { line, errors } = readRow(row, table, (id) => lines[places.get(id) ?? -1]);
    if (line) {
      const at = places.get(line.id) ?? lines.length;
      places.set(line.id, at);
      lines[at] = line;
    }
    return errors;
  });
  return { lines, errors: [...products.errors, ...faults, ...errors] };
}

// These hold records of their own, which do not fit into a cell.
const NESTED: readonly string[] = ['album', 'supplier_products', 'product_variants'] satisfies Field[];
const NO_ID = 'The header lacks this column, which says which product a row is about.';

function findHeaderFaults({ file, columns, errors }: CsvRows): FolderError[] {
  if (columns.length === 0) return [];
  const faults = columns.flatMap((field, at) => {
    const message = describeColumn(field, columns.indexOf(field) < at);
    return message === undefined ? [] : [{ file, line: 1, field, message }];
  });
  return columns.includes('id') || errors.some(({ line }) => line === 1)
    ? faults
    : [...faults, { file, line: 1, field: 'id', message: NO_ID }];
}

function describeColumn(column: string, isRepeated: boolean): string | undefined {
  if (column === '') return 'The header has a column without a name.';
  if (!Object.hasOwn(SCHEMAS, column)) return 'There is no such field.';
  if (NESTED.includes(column)) return 'It does not fit a cell: write it in products.jsonl.';
  return isRepeated ? 'The header has this column twice.' : undefined;
}

type RowResult = { readonly line?: ProductLine; readonly errors: readonly FolderError[] };

function readRow(row: CsvRow, table: CsvRows, find: (id: number) => ProductLine | undefined): RowResult {
  const { file, columns } = table;
  const toError = (field: string, message: string): FolderError => ({ file, line: row.line, field, message });
  const { fields, findings } = readCells(row);
  const errors = findings.map(([field, message]) => toError(field, message));
  const id = 'id' in fields ? Number(fields.id) : undefined;
  if (id === undefined) return { errors: row.cells.has('id') ? errors : [toError('id', 'It is required.'), ...errors] };
  const product = find(id);
  if (product?.table?.columns.has('id'))
    return { errors: [toError('id', `It is the same as in line ${product.table.line}.`)] };
  const source = { file, line: row.line, columns: new Set(row.cells.keys()) };
  if (product) return { line: { ...changeProduct(product, fields, errors.length === 0), table: source }, errors };
  const lacking = REQUIRED.filter((field) => !columns.includes(field));
  if (lacking.length > 0) return { errors: [toError('id', `${UNKNOWN}${lacking.join(', ')}.`)] };
  const missing = REQUIRED.filter((field) => !row.cells.has(field)).map((field) => toError(field, 'It is required.'));
  const isWhole = errors.length + missing.length === 0;
  const line = { line: row.line, id, fields: inOrder({ ...DEFAULTS, ...fields }), isWhole, table: source };
  return { line, errors: [...errors, ...missing] };
}

const UNKNOWN = 'There is no such product in products.jsonl, and a new one needs the columns ';
const REQUIRED = FIELDS.filter((field) => !SCHEMAS[field].safeParse(undefined).success);
const DEFAULTS: ProductLine['fields'] = Object.fromEntries(
  FIELDS.flatMap((field) => {
    const { success, data } = SCHEMAS[field].safeParse(undefined);
    return success && data !== undefined ? [[field, data]] : [];
  }),
);

/** Orders fields as in a folder, since versions are compared by a product's text. */
const inOrder = (fields: ProductLine['fields']): ProductLine['fields'] =>
  Object.fromEntries(FIELDS.flatMap((field) => (field in fields ? [[field, fields[field]]] : [])));

function changeProduct(product: ProductLine, changes: ProductLine['fields'], isReadable: boolean): ProductLine {
  const { updated_at, ...before } = product.fields;
  const isChanged = FIELDS.some((field) => field in changes && changes[field] !== product.fields[field]);
  const fields = isChanged ? before : product.fields;
  return { ...product, fields: inOrder({ ...fields, ...changes }), isWhole: product.isWhole && isReadable };
}

type Finding = readonly [field: string, message: string];

function readCells({ cells }: CsvRow): { fields: ProductLine['fields']; findings: Finding[] } {
  const fields: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const field of FIELDS) {
    const cell = cells.get(field);
    if (cell === undefined) continue;
    const result = readCell(field, cell);
    if ('message' in result) findings.push([field, result.message]);
    else fields[field] = result.value;
  }
  return { fields, findings };
}

const WHOLE_NUMBER = /^-?\d{1,15}$/;
// Spreadsheets write them in their own language.
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['verdadero', true],
  ['falso', false],
]);

function readCell(field: Field, cell: string): { value: unknown } | { message: string } {
  const truth = BOOLEANS.get(cell.toLowerCase());
  const values = [cell, ...(WHOLE_NUMBER.test(cell) ? [Number(cell)] : []), ...(truth === undefined ? [] : [truth])];
  const results = values.map((value) => SCHEMAS[field].safeParse(value));
  const match = results.find(({ success }) => success);
  if (match) return { value: match.data };
  const issues = results.flatMap(({ error }) => error?.issues ?? []);
  // An issue with a value of the field's own type says more.
  const issue = issues.find(({ code }) => code !== 'invalid_type') ?? issues.at(-1);
  return { message: issue ? describeIssue({ ...issue, path: [] }, cell) : 'It cannot be read.' };
}

type CsvRow = { readonly line: number; readonly cells: ReadonlyMap<string, string> };

type CsvRows = {
  readonly file: string;
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
  readonly errors: readonly FolderError[];
};

/**
 * Reads a CSV file as spreadsheets write it: UTF-8 with or without a byte order mark, commas or semicolons, quotes, LF,
 * CRLF or CR. Trims cells and skips lines without text. After a misplaced quotation mark nothing can be told apart, so
 * the rows end there.
 */
function readCsvRows(path: string): CsvRows {
  const file = basename(path);
  const fault = (line: number, field: string, message: string): CsvRows => {
    return { file, columns: [], rows: [], errors: [{ file, line, field, message }] };
  };
  const text = readCsvText(path);
  if (text === undefined) return fault(0, '', 'The file cannot be read.');
  if (text.includes('\uFFFD')) return fault(toLineNumber(text, text.indexOf('\uFFFD')), '', NOT_UTF_8);
  const { lines, error } = parseLines(text);
  const [header, ...rows] = lines;
  const columns = header?.cells ?? [];
  const broken = error && { file, line: error.line, field: columns[error.column] ?? '', message: error.message };
  if (columns.length === 0) return fault(1, '', broken?.message ?? 'The file has no header with the names of fields.');
  const wrong = rows.filter(({ cells }) => cells.length !== columns.length);
  return {
    file,
    columns,
    rows: rows
      .filter((row) => !wrong.includes(row))
      .map(({ line, cells }) => ({ line, cells: byColumn(columns, cells) })),
    errors: [
      ...wrong.map(({ line, cells }) => {
        const message = `The line has ${countCells(cells)}, and the header ${columns.length}.`;
        return { file, line, field: '', message };
      }),
      ...(broken ? [broken] : []),
    ],
  };
}

const NOT_UTF_8 = 'The file is not UTF-8: save it as "CSV UTF-8".';

// The decoder drops a byte order mark.
function readCsvText(path: string): string | undefined {
  try {
    return new TextDecoder().decode(readFileSync(path)).replaceAll(/\r\n?/g, '\n');
  } catch {
    return undefined;
  }
}

const toLineNumber = (text: string, at: number): number => text.slice(0, at).split('\n').length;

type CsvLine = { readonly line: number; readonly cells: readonly string[] };
type CsvFault = { readonly line: number; readonly column: number; readonly message: string };

function parseLines(text: string): { lines: CsvLine[]; error?: CsvFault } {
  const lines: CsvLine[] = [];
  let last = 0;
  const on_record = (cells: string[], info: { readonly lines: number }) => {
    last = info.lines;
    // Quoted cells may contain line ends; the parser counts up to a record's last line.
    const line = last - (cells.join('').split('\n').length - 1);
    if (cells.some((cell) => cell.trim() !== '')) lines.push({ line, cells: cells.map((cell) => cell.trim()) });
    return null;
  };
  try {
    parse(text, { delimiter: chooseDelimiter(text), relax_column_count: true, record_delimiter: '\n', on_record });
    return { lines };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const line = isOpen ? last + 1 : Number(error.lines);
    const stray = /(?:^|[,;])="/.test(text.split('\n')[line - 1] ?? '') ? FORMULA : STRAY_QUOTE;
    return { lines, error: { line, column: Number(error.column), message: isOpen ? OPEN_QUOTE : stray } };
  }
}

const OPEN_QUOTE = 'The cell begins with a quotation mark that is not closed.';
const FORMULA = 'The cell is a formula of a spreadsheet: write its value alone, without = and quotation marks.';
const STRAY_QUOTE = 'The cell has a quotation mark inside, which must be doubled in a cell in quotes.';

// Names of fields contain neither; Excel writes semicolons where the comma is the decimal sign.
const chooseDelimiter = (text: string): string => (/^[^\n,]*;/.test(text) ? ';' : ',');

const countCells = ({ length }: readonly string[]): string => (length === 1 ? '1 cell' : `${length} cells`);

function byColumn(columns: readonly string[], cells: readonly string[]): Map<string, string> {
  const pairs = columns.map((column, at) => [column, cells[at] ?? ''] as const);
  return new Map(pairs.filter(([, cell]) => cell !== ''));
}
