import { restoreZeros, toGtin14 } from '../../../domain/gtin.ts';
import { formatCents } from '../../../domain/money.ts';
import { findHeadings, type ImportField, type Prices, readHeading } from '../import/headings.ts';
import type { Cell, Sheet, SheetRow } from '../import/sheet.ts';
import { judgeSign, readAmount, readBoolean, readIva, removeIva, toCents } from '../import/values.ts';
import { CATALOG_FILES } from './folder.ts';
import { describeIssue, type FileLines, type FolderError, type RecordLine } from './record-lines.ts';

type ProductLine = RecordLine<'products'>;
const SCHEMAS = CATALOG_FILES.products.shape;
type Field = keyof typeof SCHEMAS;
const FIELDS = Object.keys(SCHEMAS) as readonly Field[];

/** A sheet of products, and whether its prices include IVA. */
export type ProductSheet = Sheet & { readonly prices?: Prices | undefined };

/**
 * Changes or adds products by the rows of a sheet, whose headings are names of fields, or those that an import knows: a row
 * changes the product with its id, or without that column with its barcode, and empty cells leave fields as they are. A changed
 * product loses its own `updated_at`, unless the row has one. Errors name the line of the sheet and the field.
 */
export function applyProductTable(products: FileLines<'products'>, sheet: ProductSheet): FileLines<'products'> {
  const table = readTable(sheet);
  const faults = [...sheet.errors, ...findHeaderFaults(table, sheet), ...table.errors];
  if (products.lines === undefined || faults.some(({ line }) => line <= table.line))
    return { ...products, errors: [...products.errors, ...faults] };
  const lines = [...products.lines];
  const places = new Map(lines.map(({ id }, at) => [id, at] as const).toReversed());
  const byGtin = new Map(lines.map(({ fields }, at) => [toGtin14(fields.ean_key ?? ''), at]));
  const find: Find = (field, value) =>
    lines[(field === 'id' ? places.get(Number(value)) : byGtin.get(toGtin14(String(value)))) ?? -1];
  const errors = table.rows.flatMap((row) => {
    const { line, errors } = readRow(row, table, find);
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
const NO_ID = 'There is no column with the id or the barcode, which says which product a row is about.';
const NO_PRICES = 'Say whether it includes IVA: --prices with-iva or --prices without-iva.';

function findHeaderFaults({ file, line, columns, prices }: Table, sheet: Sheet): FolderError[] {
  const toError = (field: string, message: string): FolderError => ({ file, line, field, message });
  const names = columns.flatMap((column) => column ?? []);
  if (names.length === 0) return sheet.errors.length > 0 ? [] : [toError('', 'The file has no headings.')];
  const faults = names.flatMap((field, at) => {
    const message = describeColumn(field, names.indexOf(field) < at);
    return message === undefined ? [] : [toError(field, message)];
  });
  if (names.includes('price') && prices === undefined) faults.push(toError('price', NO_PRICES));
  return names.includes('id') || names.includes('ean_key') ? faults : [...faults, toError('id', NO_ID)];
}

function describeColumn(column: string, isRepeated: boolean): string | undefined {
  if (column === '') return 'There is a column without a heading.';
  if (!Object.hasOwn(SCHEMAS, column)) return 'There is no such field: correct its name, or take the column out.';
  if (NESTED.includes(column)) return 'It does not fit a cell: write it in products.jsonl.';
  return isRepeated ? 'There are two columns of it.' : undefined;
}

type RowResult = { readonly line?: ProductLine; readonly errors: readonly FolderError[] };
type Find = (field: 'id' | 'ean_key', value: unknown) => ProductLine | undefined;

function readRow(row: TableRow, table: Table, find: Find): RowResult {
  const { file, columns, prices } = table;
  const toError = (field: string, message: string): FolderError => ({ file, line: row.line, field, message });
  const { fields, findings } = readCells(row);
  const errors = findings.map(([field, message]) => toError(field, message));
  const identity = columns.includes('id') ? 'id' : 'ean_key';
  if (!(identity in fields))
    return { errors: row.cells.has(identity) ? errors : [toError(identity, 'It is required.'), ...errors] };
  const product = find(identity, fields[identity]);
  const id = identity === 'id' ? Number(fields.id) : product?.id;
  if (id === undefined)
    return { errors: [toError('ean_key', 'No product has this barcode: `catalog import` adds products.')] };
  if (product?.table) return { errors: [toError(identity, `It is the same as in line ${product.table.line}.`)] };
  if (prices === 'with-iva' && fields.price !== undefined && (fields.has_iva ?? product?.fields.has_iva))
    fields.price = formatCents(removeIva(toCents(fields.price) ?? 0));
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

function readCells({ cells }: TableRow): { fields: ProductLine['fields']; findings: Finding[] } {
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

function readCell(field: Field, cell: string): { value: unknown } | { message: string } {
  const truth = field === 'has_iva' ? readIva(cell) : readBoolean(cell);
  const values = [cell, ...(WHOLE_NUMBER.test(cell) ? [Number(cell)] : []), ...(truth === undefined ? [] : [truth])];
  const results = values.map((value) => SCHEMAS[field].safeParse(value));
  const match = results.find(({ success }) => success);
  if (match) return { value: match.data };
  const issues = results.flatMap(({ error }) => error?.issues ?? []);
  // An issue with a value of the field's own type says more.
  const issue = issues.find(({ code }) => code !== 'invalid_type') ?? issues.at(-1);
  return { message: issue ? describeIssue({ ...issue, path: [] }, cell) : 'It cannot be read.' };
}

type TableRow = { readonly line: number; readonly cells: ReadonlyMap<string, string> };

type Table = ReturnType<typeof readTable>;

const FIELD_OF: Readonly<Partial<Record<ImportField, Field>>> = {
  ...{ barcode: 'ean_key', presentation: 'presentation', price: 'price', public_price: 'public_price', cost: 'cost' },
  ...{ iva: 'has_iva', sat_key: 'sat_key', sat_unit: 'sat_unit', image: 'image' },
};
const AMOUNTS: readonly string[] = ['price', 'cost', 'public_price', 'average_cost'] satisfies Field[];

/**
 * `columns` has a field, or whatever stands there instead, for each heading; null for a column that tells nothing of a product.
 * `line` is that of the headings.
 */
function readTable({ file, rows, prices }: ProductSheet) {
  const headings = findHeadings(rows, (heading) => readColumn(heading).field);
  const width = headings.cells.findLastIndex((cell) => cell !== '') + 1;
  const readings = headings.cells.slice(0, width).map(readColumn);
  const columns = readings.map(({ column }) => column);
  const isWhole = ({ cells }: SheetRow) => cells.length >= width && cells.slice(width).every((cell) => cell === '');
  const { body = [], broken = [] } = Object.groupBy(
    rows.filter(({ line }) => line > headings.line),
    (row) => (isWhole(row) ? 'body' : 'broken'),
  );
  const cellsOf = (at: number) => body.map(({ cells }) => cells[at] ?? '');
  const texts = columns.map((column, at) => (column === null ? [] : toTexts(column, cellsOf(at))));
  const toEntries = (row: number) => columns.map((column, at) => [column ?? '', texts[at]?.[row] ?? ''] as const);
  return {
    ...{ file, line: headings.line, columns },
    prices: prices ?? readings.find(({ field }) => field === 'price')?.prices,
    rows: body.map(({ line }, row) => ({ line, cells: new Map(toEntries(row).filter(([, text]) => text !== '')) })),
    errors: broken.map(({ line, cells }): FolderError => {
      return { file, line, field: '', message: `The line has ${cells.length} cells, and the headings ${width}.` };
    }),
  };
}

/** A column of the name of a field is that field, whose price is before IVA; others are read as an import reads them. */
function readColumn(heading: Cell): { column: string | null; field?: string; prices?: Prices | undefined } {
  const name = String(heading);
  if (Object.hasOwn(SCHEMAS, name)) return { column: name, field: name, prices: 'without-iva' };
  const reading = readHeading(heading);
  if (!reading) return { column: name };
  const column = FIELD_OF[reading.field] ?? null;
  return { column, field: column ?? reading.field, prices: reading.prices };
}

function toTexts(column: string, cells: readonly Cell[]): string[] {
  if (column === 'ean_key') return cells.map((cell) => restoreZeros(String(cell)));
  if (!AMOUNTS.includes(column)) return cells.map(String);
  const sign = judgeSign(cells);
  return cells.map((cell) => (cell === '' ? '' : readAmount(cell, sign) || String(cell)));
}
