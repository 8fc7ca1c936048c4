import { FACETS, type Facet, type Facets } from '../../api/catalog/facets.ts';
import { MAX_SEARCH } from '../../api/lists.ts';
import { foldText } from '../../domain/text.ts';
import type { CatalogPage, ProductQuery } from '../catalog.ts';
import { type Columns, findRow, type SpellingColumns } from '../file/columns.ts';
import type { FacetCounters } from './facets.ts';
import { createRowList, type Filter } from './listing.ts';
import { createSpelling } from './spelling.ts';

/** The facts about products that their lists need beside the columns. */
type ProductLookUps = {
  /** Returns the ids of the products that have one of these barcodes. */
  findByBarcodes(barcodes: readonly string[]): readonly number[];
  /** Returns the times and the name of a product, by which lists order. */
  sortTexts(id: number): { readonly created_at: string; readonly updated_at: string; readonly name: string };
};

export type ProductList = ReturnType<typeof createProductList>;

/** Creates the list of all products. */
export function createProductList(columns: Columns, { sortTexts }: Pick<ProductLookUps, 'sortTexts'>) {
  const idOf = (row: number): number => columns.ids[row] ?? 0;
  return createRowList({
    size: columns.ids.length,
    ranks: {
      created_at: columns.createdAtRanks,
      updated_at: columns.updatedAtRanks,
      base__name: columns.nameRanks,
      price: columns.priceRanks,
    },
    idOf,
    sortValues(row) {
      const { name, ...times } = sortTexts(idOf(row));
      return { ...times, base__name: foldText(name), price: columns.pricesCents[row] ?? 0 };
    },
    text: {
      ...columns,
      vocabulary: new TextDecoder().decode(columns.vocabulary),
      barcodes: new TextDecoder().decode(columns.barcodes),
    },
  });
}

type QueryLookUps = Pick<ProductLookUps, 'findByBarcodes'> & {
  readonly counters: FacetCounters;
  readSpelling(): SpellingColumns;
};
type ProductsFound = CatalogPage<number> & { readonly facets?: Facets; readonly did_you_mean?: string | null };

/** Creates a function that answers a product query with the ids of its page, the exact count and what else it asks for. */
export function createProductQueries(
  list: ProductList,
  columns: Columns,
  { findByBarcodes, counters, readSpelling }: QueryLookUps,
): (query: ProductQuery) => ProductsFound {
  const correct = createSpelling(list.contains, readSpelling);

  /** Returns another spelling of a search that found nothing, if it finds something under the same filters. */
  function suggest(query: ProductQuery): string | null {
    const corrected = correct(query.search);
    if (corrected === undefined || corrected.length > MAX_SEARCH) return null;
    const found = list.match(corrected, toFilters(query, columns, findByBarcodes));
    return narrow(found, toFacetFilters(query, columns)).includes(1) ? corrected : null;
  }

  return (query) => {
    const common = list.match(query.search, toFilters(query, columns, findByBarcodes));
    const own = toFacetFilters(query, columns);
    const kept = narrow(common, own);
    const page = list.page(kept, query);
    const spelling = query.spelling && { did_you_mean: page.count === 0 ? suggest(query) : null };
    const found = { ...page, results: page.results.map((row) => columns.ids[row] ?? 0), ...spelling };
    if (!query.facets) return found;
    const facets = query.facets.map((name) => [name, counters[name](own[name] ? narrow(common, own, name) : kept)]);
    return { ...found, facets: Object.fromEntries(facets) };
  };
}

type FacetFilters = { readonly [Name in Facet]: Filter | undefined };

/** Returns a copy of a mask without the rows that the filters of facets leave out; that of `except` is not applied. */
function narrow(mask: Uint8Array, filters: FacetFilters, except?: Facet): Uint8Array {
  const narrowed = mask.slice();
  for (const name of FACETS) if (name !== except) filters[name]?.(narrowed);
  return narrowed;
}

// An id that no product has is at -1, and no product has that rank.
function toFacetFilters(query: ProductQuery, columns: Columns): FacetFilters {
  const { categoryIds, categoryRanks, companyIds, companyRanks, diseaseIds, diseaseStarts, diseaseRanks } = columns;
  return {
    base__category: whenGiven(query.base__category, (id) => keepEqual(categoryRanks, categoryIds.indexOf(id))),
    base__pharmaceutical_company: whenGiven(query.base__pharmaceutical_company, (id) =>
      keepEqual(companyRanks, companyIds.indexOf(id)),
    ),
    base__diseases: whenGiven(query.base__diseases, (id) =>
      keepContaining(diseaseStarts, diseaseRanks, diseaseIds.indexOf(id)),
    ),
  };
}

function toFilters(query: ProductQuery, columns: Columns, findByBarcodes: ProductLookUps['findByBarcodes']): Filter[] {
  const filters = [
    whenGiven(query.id__in, (ids) => keepIds(columns.ids, ids)),
    whenGiven(query.ean_key__in, (barcodes) => keepIds(columns.ids, findByBarcodes(barcodes))),
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
function keepEqual(column: Uint32Array | Uint8Array, wanted: number): Filter {
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

function keepContaining(starts: Uint32Array, values: Uint32Array, wanted: number): Filter {
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
