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
  readonly after?: Position | undefined;
};

/** Clears the mask (1 for each matching row) in rows that do not match. */
export type Filter = (mask: Uint8Array) => void;

// An order of 50,000 rows takes 200 KB, and the four fields of products have 632 combinations.
const KEPT_ORDERS = 16;

/**
 * Creates a list of rows. `match` returns the mask of rows that pass all filters; `page` returns a page of these, by index, and
 * their exact count. A page beyond the end is empty. Ties are ordered by id, in the direction of the first field.
 */
export function createRowList<Field extends string>(rows: OrderedRows<Field>) {
  const { size, ranks } = rows;
  const orders = new Map<string, Uint32Array>();

  const orderBy = (terms: readonly OrderingTerm<Field>[]): Uint32Array => {
    const name = terms.map(({ field, descending }) => (descending ? `-${field}` : field)).join();
    const cached = orders.get(name);
    if (cached) return cached;
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

// This counting sort is stable, so sorting by the last field first sorts by all; takes 0.2 ms for 50,000 rows.
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

// This loop takes 0.04 ms for 50,000 rows; `reduce` takes 1 ms.
function countOnes(mask: Uint8Array): number {
  let sum = 0;
  for (let row = 0; row < mask.length; row++) sum += mask[row] ?? 0;
  return sum;
}

/** Rows by id, with their sort values and the ranks of these. */
type OrderedRows<Field extends string> = {
  readonly size: number;
  readonly ranks: Readonly<Record<Field, Uint32Array>>;
  idOf(row: number): number;
  /** Returns the values in the form that ranks compare: folded texts by code unit, amounts in cents. */
  sortValues(row: number): Readonly<Record<Field, string | number>>;
};
type Ordered<Field extends string> = {
  readonly rows: OrderedRows<Field>;
  readonly ordering: readonly OrderingTerm<Field>[];
};

/** Returns a row's position, which is valid in other published versions too. */
function positionOf<Field extends string>(row: number, { rows, ordering }: Ordered<Field>): Position {
  const values = rows.sortValues(row);
  return [...ordering.map(({ field }) => values[field]), rows.idOf(row)];
}

/** Returns the place in `order` of the first row behind a position, whose own row may have moved or disappeared. */
function placeBehind<Field extends string>(position: Position, order: Uint32Array, ordered: Ordered<Field>): number {
  if (position.length === 0) return 0;
  const own = findFirstPlace(ordered.rows.size, (row) => ordered.rows.idOf(row) >= Number(position.at(-1)));
  const isThere = own < ordered.rows.size && differsAt(positionOf(own, ordered), position) === -1;
  // Reading the values of 16 of 50,000 rows from the file takes 0.4 ms, their ranks from memory 0.002 ms.
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

// No row has exactly these values and this id, or the position would be its own.
function isBehindValues<Field extends string>(position: Position, ordered: Ordered<Field>): RowTest {
  return (row) => {
    const values = positionOf(row, ordered);
    const at = differsAt(values, position);
    const term = ordered.ordering[at] ?? ordered.ordering[0];
    return (values[at] ?? '') < (position[at] ?? '') === term?.descending;
  };
}

const differsAt = (one: Position, other: Position): number => one.findIndex((value, index) => value !== other[index]);

/** Creates the list of records with names; `items` must ascend by id. `available: true` keeps only those in `availableIds`. */
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
