import type { ProductQuery } from '../catalog.ts';
import type { Columns } from '../file/columns.ts';
import { createRowList, type Filter } from './listing.ts';

/** Returns the ids of the products that have one of these barcodes. */
export type FindBarcodes = (barcodes: readonly string[]) => readonly number[];

/** Creates a function that answers a product query with the ids of its page and the exact count. */
export function createProductQueries(
  columns: Columns,
  findBarcodes: FindBarcodes,
): (query: ProductQuery) => { readonly count: number; readonly ids: readonly number[] } {
  const list = createRowList({
    size: columns.ids.length,
    ranks: {
      created_at: columns.createdAtRanks,
      updated_at: columns.updatedAtRanks,
      base__name: columns.nameRanks,
      price: columns.priceRanks,
    },
    text: {
      ...columns,
      vocabulary: new TextDecoder().decode(columns.vocabulary),
      barcodes: new TextDecoder().decode(columns.barcodes),
    },
  });
  return (query) => {
    const { count, results } = list(query, toFilters(query, columns, findBarcodes));
    return { count, ids: results.map((row) => columns.ids[row] ?? 0) };
  };
}

function toFilters(query: ProductQuery, columns: Columns, findBarcodes: FindBarcodes): Filter[] {
  const filters = [
    whenGiven(query.id__in, (ids) => keepIds(columns.ids, ids)),
    whenGiven(query.ean_key__in, (barcodes) => keepIds(columns.ids, findBarcodes(barcodes))),
    whenGiven(query.base__category, (id) => keepEqual(columns.categoryIds, id)),
    whenGiven(query.base__pharmaceutical_company, (id) => keepEqual(columns.companyIds, id)),
    whenGiven(query.base__diseases, (id) => keepContaining(columns.diseaseStarts, columns.diseaseIds, id)),
    whenGiven(query.is_active, (flag) => keepEqual(columns.isActive, Number(flag))),
    whenGiven(query.has_shortage, (flag) => keepEqual(columns.hasShortage, Number(flag))),
    whenGiven(query.min_price, (price) => keepFrom(columns.pricesCents, roundUpToCents(price))),
    whenGiven(query.max_price, (price) => keepUpTo(columns.pricesCents, roundDownToCents(price))),
  ];
  return filters.filter((filter) => filter !== undefined);
}

function whenGiven<Value>(value: Value | undefined, filter: (value: Value) => Filter): Filter | undefined {
  return value === undefined ? undefined : filter(value);
}

// Each filter has its own loop, because calling a predicate for each of 50,000 rows takes ten times as long.
function keepEqual(column: Float64Array | Uint8Array, wanted: number): Filter {
  return (mask) => {
    for (let row = 0; row < mask.length; row++) if (column[row] !== wanted) mask[row] = 0;
  };
}

function keepFrom(column: Int32Array, lowest: number): Filter {
  return (mask) => {
    for (let row = 0; row < mask.length; row++) if ((column[row] ?? 0) < lowest) mask[row] = 0;
  };
}

function keepUpTo(column: Int32Array, highest: number): Filter {
  return (mask) => {
    for (let row = 0; row < mask.length; row++) if ((column[row] ?? 0) > highest) mask[row] = 0;
  };
}

function keepContaining(starts: Uint32Array, values: Float64Array, wanted: number): Filter {
  return (mask) => {
    for (let row = 0; row < mask.length; row++) {
      const end = starts[row + 1] ?? 0;
      let at = starts[row] ?? end;
      while (at < end && values[at] !== wanted) at++;
      if (at === end) mask[row] = 0;
    }
  };
}

function keepIds(ids: Float64Array, wanted: readonly number[]): Filter {
  return (mask) => {
    const kept = new Uint8Array(mask.length);
    for (const id of wanted) {
      const row = findRow(ids, id);
      if (ids[row] === id) kept[row] = mask[row] ?? 0;
    }
    mask.set(kept);
  };
}

// Finds the first row whose id is not below this one; ids ascend.
function findRow(ids: Float64Array, id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Prices are whole cents and bounds have any number of decimals: 10.001 is 10.01 as a minimum and 10.00 as a maximum.
const CENT_DECIMALS = 2;
// No price has more digits, nor does a bound (255 characters), whatever its exponent is.
const MOST_DIGITS = 300;

/** Rounds a number, as JSON writes it, up to cents. */
const roundUpToCents = (written: string): number =>
  -roundDownToCents(written.startsWith('-') ? written.slice(1) : `-${written}`);

/** Rounds a number, as JSON writes it, down to cents; digits are moved instead of multiplied, since 1.005 is no fraction. */
function roundDownToCents(written: string): number {
  const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e');
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const moved = Math.max(-MOST_DIGITS, Math.min(Number(exponent), MOST_DIGITS)) + CENT_DECIMALS;
  const digits = (whole + fraction).padStart(2 * MOST_DIGITS, '0').padEnd(3 * MOST_DIGITS, '0');
  const point = 2 * MOST_DIGITS - fraction.length + moved;
  const cents = Number(digits.slice(0, point));
  const isBetween = /[1-9]/.test(digits.slice(point));
  return isNegative ? -cents - Number(isBetween) : cents;
}
