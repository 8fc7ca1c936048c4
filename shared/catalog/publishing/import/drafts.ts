import type * as z from 'zod';
import { describeBarcodeFault, joinPrintedBarcodes, restoreZeros, toGtin14 } from '../../../domain/gtin.ts';
import { needsPrescription, type SanitaryFraction, splitIngredients } from '../../../domain/medicines.ts';
import type { Cents } from '../../../domain/money.ts';
import { foldCode } from '../../../domain/text.ts';
import { CATALOG_FILES } from '../folder/folder.ts';
import { describeIssue } from '../folder/record-lines.ts';
import type { FolderState, StoredBase, StoredProduct } from './folder-state.ts';
import type { Columns, ImportField } from './headings.ts';
import type { Cell, SheetRow } from './sheet.ts';
import { type DecimalSign, judgeSign, readAmount, readBoolean, readFraction, readIva, toCents } from './values.ts';

type Known = { readonly product: StoredProduct; readonly base: StoredBase | undefined };
type Values = { readonly [Field in ImportField]?: Exclude<ReturnType<(typeof READERS)[Field]>, undefined> };

/** A row as read. Where its cells are empty, the record of its product in the folder counts; undefined is unknown. */
export type Draft = {
  readonly row: SheetRow;
  readonly faults: { readonly field: ImportField; readonly message: string }[];
  readonly open: Set<string>;
  readonly known: Known | undefined;
  readonly values: Values;
  readonly ingredient: string;
  isMedicine: boolean | undefined;
  fraction: SanitaryFraction | null | undefined;
  prescription: boolean | undefined;
  hasIva: boolean | undefined;
  satKey: string | undefined;
};

/** The message is for the operator, with its cure. */
class CellFault extends Error {}

function readText(schema: z.ZodType<string>) {
  return (cell: Cell): string => {
    const { data, error } = schema.safeParse(String(cell));
    const [issue] = error?.issues ?? [];
    if (issue) throw new CellFault(describeIssue({ ...issue, path: [] }, cell));
    return data ?? '';
  };
}

function expect<Value>(read: (cell: Cell) => Value | undefined, expected: string) {
  return (cell: Cell): Value => {
    const value = read(cell);
    if (value === undefined) throw new CellFault(`"${cell}" is not understood: write ${expected}.`);
    return value;
  };
}

function readBarcode(cell: Cell): string {
  const gtin = restoreZeros(joinPrintedBarcodes(String(cell)));
  const fault = describeBarcodeFault(gtin);
  if (fault !== undefined) throw new CellFault(`${fault}.`);
  return gtin;
}

const MAX_CENTS = 999_999_999;

/** Undefined if the decimal sign is in question. */
function readCents(cell: Cell, sign?: DecimalSign): Cents | undefined {
  const text = readAmount(cell, sign);
  if (text === '') throw new CellFault(`"${cell}" is no amount: write digits, as 1042.27.`);
  const cents = text === undefined ? 0 : toCents(text);
  if (cents === undefined || cents > MAX_CENTS) throw new CellFault('It must be from 0 to 9,999,999.99.');
  return text === undefined ? undefined : cents;
}

const { bases, products, companies } = CATALOG_FILES;
const readName = readText(companies.shape.name);
const READERS = {
  code: (cell: Cell) => foldCode(String(cell)),
  barcode: readBarcode,
  name: readText(bases.shape.name),
  presentation: readText(products.shape.presentation),
  laboratory: readName,
  department: readName,
  category: readName,
  ingredient: readText(products.shape.presentation),
  generic: expect(readBoolean, 'SI or NO'),
  price: readCents,
  public_price: readCents,
  cost: readCents,
  iva: expect(readIva, 'SI or NO, 16 or 0'),
  fraction: expect(readFraction, 'I to VI'),
  prescription: expect(readBoolean, 'SI or NO'),
  // Systems also count below 0.
  stock: (cell: Cell) => Number(expect((written) => readAmount(written, 'point') || undefined, 'a number')(cell)),
  sat_key: readText(products.shape.sat_key),
  sat_unit: readText(products.shape.sat_unit),
  image: readText(products.shape.image),
  description: readText(bases.shape.description),
} as const satisfies Record<ImportField, (cell: Cell, sign?: DecimalSign) => unknown>;

/** Reads the rows below the headings; a fault of a cell stands in its draft. */
export function readDrafts(
  rows: readonly SheetRow[],
  { headings, places }: Layout,
  state: FolderState,
  sign: DecimalSign | undefined,
): Draft[] {
  const body = rows.filter(({ line }) => line > headings.line);
  const columns = [...places].map(([field, column]): Column => {
    const isAmount = READERS[field] === readCents;
    return [field, column, isAmount ? (judgeSign(body.map(({ cells }) => cells[column] ?? '')) ?? sign) : undefined];
  });
  const find = findKnown(body, places, state);
  const drafts = body.map((row) => toDraft(row, columns, find(row)));
  findRowFaults(drafts, { headings, places });
  return drafts;
}

type Layout = Pick<Columns, 'headings' | 'places'>;
type Column = readonly [field: ImportField, column: number, sign: DecimalSign | undefined];

// As spreadsheets write them in English and Spanish.
const SPREADSHEET_ERROR = /^#(?:N\/[AD]|[¡¿]?(?:REF|VALUE|VALOR|DIV\/0|NAME|NOMBRE|NUM|NULL)[!?])$/i;

function toDraft(row: SheetRow, columns: readonly Column[], known: Known | undefined): Draft {
  const faults: Draft['faults'] = [];
  const open = new Set<string>();
  const entries = columns.flatMap(([field, column, sign]): (readonly [string, unknown])[] => {
    const cell = row.cells[column] ?? '';
    if (cell === '') return [];
    try {
      if (SPREADSHEET_ERROR.test(String(cell)))
        throw new CellFault('It is an error of the spreadsheet: correct its formula.');
      const value = READERS[field](cell, sign);
      if (value === undefined) open.add('decimals');
      return [[field, value]];
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      faults.push({ field, message: error.message });
      return [];
    }
  });
  const values: Values = Object.fromEntries(entries);
  const own = known?.base?.medical_information;
  const ingredient = values.ingredient ?? own?.active_ingredient ?? '';
  return {
    ...{ row, faults, open, known, values },
    ingredient: splitIngredients(ingredient).length > 0 ? ingredient : '',
    isMedicine: undefined,
    fraction: values.fraction === undefined ? known?.base?.sanitary_fraction : values.fraction,
    prescription: values.prescription ?? (values.fraction ? undefined : own?.requires_prescription),
    hasIva: values.iva ?? known?.product.has_iva,
    satKey: values.sat_key ?? known?.product.sat_key,
  };
}

/** Adds the faults of rows: empty and contradictory cells, cells beyond the headings, and products that stand twice. */
function findRowFaults(drafts: readonly Draft[], { headings, places }: Layout): void {
  const lines = new Map<string, number>();
  for (const { row, known, values, faults } of drafts) {
    const { barcode, code, name, price, fraction, prescription } = values;
    const refuse = (field: ImportField, message: string) => {
      if (!faults.some((fault) => fault.field === field)) faults.push({ field, message });
    };
    if (barcode === undefined && code === undefined)
      refuse('barcode', 'Without barcode and code nothing tells which product it is.');
    if (!known && name === undefined && places.has('name')) refuse('name', 'It is required.');
    if (!known && !('price' in values) && places.has('price')) refuse('price', 'It is required.');
    if (price === 0) refuse('price', 'It must be above 0: leave out what is not sold.');
    if (row.cells.some((cell, column) => cell !== '' && column >= headings.cells.length))
      refuse('name', 'The row has more cells than the headings: put texts that have the separator in quotation marks.');
    if (fraction && prescription !== undefined && needsPrescription(fraction) !== prescription)
      refuse('prescription', `It contradicts fraction ${fraction} (LGS art. 226): correct one of both.`);
    if (barcode === undefined && code === undefined) continue;
    const identity = barcode === undefined ? `code ${code}` : toGtin14(barcode);
    const first = lines.get(identity);
    if (first !== undefined)
      refuse(barcode === undefined ? 'code' : 'barcode', `It is the same as in row ${first}: leave one of both.`);
    else lines.set(identity, row.line);
  }
}

/** Finds products of the folder by barcode, then by own code those that no barcode has found. */
function findKnown(rows: readonly SheetRow[], places: Columns['places'], state: FolderState) {
  const textOf = ({ cells }: SheetRow, field: ImportField) => String(cells[places.get(field) ?? -1] ?? '');
  const byGtin = new Map(state.products.map((product) => [toGtin14(product.ean_key), product]));
  const byId = new Map(state.products.map((product) => [product.id, product]));
  const baseOf = new Map(state.bases.map((base) => [base.id, base]));
  const matches = new Map(rows.map((row) => [row, byGtin.get(toGtin14(restoreZeros(textOf(row, 'barcode'))))]));
  const taken = new Set([...matches.values()].map((product) => product?.id));
  return (row: SheetRow): Known | undefined => {
    const ofCode = state.memory.codes[foldCode(textOf(row, 'code'))];
    const product = matches.get(row) ?? (ofCode === undefined || taken.has(ofCode) ? undefined : byId.get(ofCode));
    return product && { product, base: baseOf.get(product.base) };
  };
}
