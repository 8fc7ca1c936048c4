import type { Named } from '../api/catalog/named.ts';
import type { OrderingTerm, Position } from '../api/lists.ts';
import { foldText } from '../domain/text.ts';
import type { CatalogPage, NamedQuery } from './catalog.ts';
import { findFirstPlace, toRanks } from './file/columns.ts';
import { createNameSearch } from './file/search-text.ts';

export type ListQuery<Field extends string> = {
  readonly page: number;
  readonly limit: number;
  readonly ordering: readonly OrderingTerm<Field>[];
  /** The position behind which the page begins, in place of `page`. */
  readonly after?: Position | undefined;
};

/** Sets the mask (1 for each row that still matches) to 0 for the rows that a filter leaves out. */
export type Filter = (mask: Uint8Array) => void;

// An order of 50,000 rows takes 200 KB, and the four fields of products can be combined in 632 ways.
const KEPT_ORDERS = 16;

/**
 * Creates a list of rows. `match` returns the mask of the rows that filters keep; `page` returns the indexes of the rows of a query's page among these, and their
 * exact count. A page beyond the end is empty. Rows that are equal in every field of the ordering are ordered by id, in
 * the direction of the first field.
 */
export function createRowList<Field extends string>(rows: OrderedRows<Field>) {
  const { size, ranks } = rows;
  const orders = new Map<string, Uint32Array>();

  const orderBy = (terms: readonly OrderingTerm<Field>[]): Uint32Array => {
    const name = terms.map(({ field, descending }) => (descending ? `-${field}` : field)).join();
    const known = orders.get(name);
    if (known) return known;
    const order = sortRows(size, ranks, terms);
    if (orders.size === KEPT_ORDERS) orders.clear();
    orders.set(name, order);
    return order;
  };

  return {
    match(filters: readonly Filter[]): Uint8Array {
      const mask = new Uint8Array(size).fill(1);
      for (const filter of filters) filter(mask);
      return mask;
    },
    page(mask: Uint8Array, query: ListQuery<Field>): CatalogPage<number> {
      const order = orderBy(query.ordering);
      return query.after ? takeBehind(query.after, { mask, order, rows, query }) : takePage(mask, order, query);
    },
  };
}

function sortRows<Field extends string>(
  size: number,
  ranks: Readonly<Record<Field, Uint32Array>>,
  terms: readonly OrderingTerm<Field>[],
): Uint32Array {
  const byId = Uint32Array.from({ length: size }, (_, row) => row);
  if (terms[0]?.descending) byId.reverse();
  return terms.reduceRight<Uint32Array>((order, term) => sortByRank(ranks[term.field], term, order), byId);
}

// This counting sort is stable, so sorting by the last field first sorts by all of them; it takes 0.2 ms for 50,000
// rows.
function sortByRank(ranks: Uint32Array, { descending }: OrderingTerm, order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length + 1);
  const last = order.length - 1;
  const toBucket = (row: number) => (descending ? last - (ranks[row] ?? 0) : (ranks[row] ?? 0));
  for (const row of order) places[toBucket(row) + 1] = (places[toBucket(row) + 1] ?? 0) + 1;
  for (let place = 1; place < places.length; place++) places[place] = (places[place] ?? 0) + (places[place - 1] ?? 0);
  const sorted = new Uint32Array(order.length);
  for (const row of order) {
    const place = places[toBucket(row)] ?? 0;
    places[toBucket(row)] = place + 1;
    sorted[place] = row;
  }
  return sorted;
}

function takePage(mask: Uint8Array, order: Uint32Array, { page, limit }: ListQuery<string>): CatalogPage<number> {
  const count = countOnes(mask);
  const results: number[] = [];
  const offset = (page - 1) * limit;
  const end = offset < count ? order.length : 0;
  let skipped = 0;
  for (let at = 0; at < end && results.length < limit; at++) {
    const row = order[at] ?? 0;
    if (mask[row] === 0) continue;
    if (skipped < offset) skipped++;
    else results.push(row);
  }
  return { count, results };
}

type Listing<Field extends string> = {
  readonly mask: Uint8Array;
  readonly order: Uint32Array;
  readonly rows: OrderedRows<Field>;
  readonly query: ListQuery<Field>;
};

function takeBehind<Field extends string>(
  after: Position,
  { mask, order, rows, query: { limit, ordering } }: Listing<Field>,
): CatalogPage<number> {
  const results: number[] = [];
  let last: number | undefined;
  for (let at = placeBehind(after, order, { rows, ordering }); at < order.length && last === undefined; at++) {
    const row = order[at] ?? 0;
    if (mask[row] === 0) continue;
    if (results.length === limit) last = results.at(-1);
    else results.push(row);
  }
  return {
    count: countOnes(mask),
    results,
    last: last === undefined ? undefined : positionOf(last, { rows, ordering }),
  };
}

// This loop takes 0.04 ms for 50,000 rows, `reduce` 1 ms.
function countOnes(mask: Uint8Array): number {
  let sum = 0;
  for (let row = 0; row < mask.length; row++) sum += mask[row] ?? 0;
  return sum;
}

/** Rows in the order of their ids, with the values that order them and the ranks of these values. */
type OrderedRows<Field extends string> = {
  readonly size: number;
  readonly ranks: Readonly<Record<Field, Uint32Array>>;
  idOf(row: number): number;
  /** Returns the values as their ranks compare them: folded texts by code unit, amounts in cents. */
  sortValues(row: number): Readonly<Record<Field, string | number>>;
};
type Ordered<Field extends string> = {
  readonly rows: OrderedRows<Field>;
  readonly ordering: readonly OrderingTerm<Field>[];
};

/** Returns the position of a row, which is valid in other published versions too. */
export function positionOf<Field extends string>(row: number, { rows, ordering }: Ordered<Field>): Position {
  const values = rows.sortValues(row);
  return [...ordering.map(({ field }) => values[field]), rows.idOf(row)];
}

/** Returns the place in `order` of the first row behind a position, whose own row may have moved or be gone. */
export function placeBehind<Field extends string>(
  position: Position,
  order: Uint32Array,
  ordered: Ordered<Field>,
): number {
  if (position.length === 0) return 0;
  const own = findFirstPlace(ordered.rows.size, (row) => ordered.rows.idOf(row) >= Number(position.at(-1)));
  const isThere = own < ordered.rows.size && differsAt(positionOf(own, ordered), position) === -1;
  // The values of 16 of 50,000 rows are read from the file in 0.4 ms, their ranks from memory in 0.002 ms.
  const isBehind = isThere ? isBehindRow(own, ordered) : isBehindValues(position, ordered);
  return findFirstPlace(order.length, (at) => isBehind(order[at] ?? 0));
}

type RowTest = (row: number) => boolean;

function isBehindRow<Field extends string>(own: number, { rows, ordering }: Ordered<Field>): RowTest {
  return (row) => {
    const term = ordering.find(({ field }) => rows.ranks[field][row] !== rows.ranks[field][own]);
    const ranks = term && rows.ranks[term.field];
    const isLess = ranks ? (ranks[row] ?? 0) < (ranks[own] ?? 0) : row < own;
    return row !== own && isLess === (term ?? ordering[0])?.descending;
  };
}

// No row has these values and this id at once, or the position would be its own.
function isBehindValues<Field extends string>(position: Position, ordered: Ordered<Field>): RowTest {
  return (row) => {
    const values = positionOf(row, ordered);
    const at = differsAt(values, position);
    // Rows that are equal in every field are ordered by id, in the direction of the first field.
    const term = ordered.ordering[at] ?? ordered.ordering[0];
    return (values[at] ?? '') < (position[at] ?? '') === term?.descending;
  };
}

const differsAt = (one: Position, other: Position): number => one.findIndex((value, index) => value !== other[index]);

/**
 * Creates a function that lists records with names, such as categories, which are given by ascending id. `available: true`
 * keeps only those in `availableIds`; false filters nothing.
 */
export function createNamedList<Item extends Named>(
  items: readonly Item[],
  availableIds: ReadonlySet<number> = new Set(),
): (query: NamedQuery) => CatalogPage<Item> {
  const names = items.map(({ name }) => foldText(name));
  const times = items.map(({ updated_at }) => updated_at);
  const list = createRowList({
    size: items.length,
    ranks: { updated_at: toRanks(times), name: toRanks(names) },
    idOf: (row) => items[row]?.id ?? 0,
    sortValues: (row) => ({ updated_at: times[row] ?? '', name: names[row] ?? '' }),
  });
  const keepFound = createNameSearch(items.map(({ name }) => name));
  const keepAvailable = (mask: Uint8Array) => {
    for (const [row, { id }] of items.entries()) if (!availableIds.has(id)) mask[row] = 0;
  };
  return (query) => {
    const keepSearched = (mask: Uint8Array) => keepFound(mask, query.search);
    const mask = list.match(query.available ? [keepAvailable, keepSearched] : [keepSearched]);
    const { results, ...page } = list.page(mask, query);
    return { ...page, results: results.map((row) => items[row]).filter((item) => item !== undefined) };
  };
}
