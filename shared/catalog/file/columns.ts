import type { DatabaseSync } from 'node:sqlite';

// Ids are doubles, since they may have 15 digits. The entries of product or word `i` are at `…Starts[i]` to `…Starts[i +
// 1]` of the array that follows the `…Starts` array. The ids of categories, companies and diseases are those of
// products, ascending; the ranks of a product are their indexes.
const COLUMN_TYPES = {
  ids: Float64Array,
  categoryIds: Float64Array,
  categoryRanks: Uint32Array,
  companyIds: Float64Array,
  companyRanks: Uint32Array,
  diseaseIds: Float64Array,
  diseaseStarts: Uint32Array,
  diseaseRanks: Uint32Array,
  pricesCents: Int32Array,
  isActive: Uint8Array,
  hasShortage: Uint8Array,
  createdAtRanks: Uint32Array,
  updatedAtRanks: Uint32Array,
  nameRanks: Uint32Array,
  priceRanks: Uint32Array,
  // Products of one group may substitute one another, except in group 0.
  substituteGroups: Uint32Array,
  // The number of units in a package, NaN if unknown; only units of the same kind can be compared.
  unitCounts: Float64Array,
  unitKinds: Uint32Array,
  // UTF-8.
  vocabulary: Uint8Array,
  wordStarts: Uint32Array,
  wordRows: Uint32Array,
  barcodes: Uint8Array,
};

const MORE_TYPES = { moreVocabulary: Uint8Array, moreStarts: Uint32Array, moreRows: Uint32Array };

// The words in names of products and companies, one on each line, ascending by code unit; the number of products of
// each, and its kind.
const SPELLING_TYPES = { spellingWords: Uint8Array, spellingCounts: Uint32Array, spellingKinds: Uint8Array };

/** The kinds of words for corrections; a word of companies alone corrects nothing. */
export const SPELLING_KINDS = { other: 0, drug: 1, company: 2 } as const;

type Types = Readonly<Record<string, typeof Uint8Array | typeof Uint32Array | typeof Int32Array | typeof Float64Array>>;
type Arrays<Of extends Types> = { readonly [Name in keyof Of]: Of[Name]['prototype'] };

export type SpellingColumns = Arrays<typeof SPELLING_TYPES>;

export type MoreColumns = Arrays<typeof MORE_TYPES>;

/** The columns of product lists; those of products have one element each, by id. */
export type Columns = Arrays<typeof COLUMN_TYPES>;

/** Stores each column as the bytes of its array; Lambda's and all usual processors are little-endian. */
export function writeColumns(database: DatabaseSync, columns: Columns | SpellingColumns | MoreColumns): void {
  const insert = database.prepare('INSERT INTO columns (name, content) VALUES (?, ?)');
  for (const [name, column] of Object.entries(columns)) insert.run(name, column);
}

export const readColumns = (database: DatabaseSync): Columns => readArrays(database, COLUMN_TYPES);

export const readSpellingColumns = (database: DatabaseSync): SpellingColumns => readArrays(database, SPELLING_TYPES);

export const readMoreColumns = (database: DatabaseSync): MoreColumns => readArrays(database, MORE_TYPES);

function readArrays<Of extends Types>(database: DatabaseSync, types: Of): Arrays<Of> {
  const select = database.prepare('SELECT content FROM columns WHERE name = ?');
  const entries = Object.entries(types).map(([name, Column]) => {
    const content = select.get(name)?.content;
    if (!(content instanceof Uint8Array)) throw new Error(`the catalog has no column ${name}`);
    // Arrays of wider elements must be aligned; a copy starts at offset 0 of its own buffer.
    return [name, new Column(content.slice().buffer)];
  });
  return Object.fromEntries(entries) as Arrays<Of>;
}

/** Returns dense ranks; equal values share one. Texts are compared by code unit, so fold them first. */
export function toRanks(values: readonly (string | number)[]): Uint32Array {
  const distinct = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
  const ranks = new Map(distinct.map((value, rank) => [value, rank]));
  return Uint32Array.from(values, (value) => ranks.get(value) ?? 0);
}

/** Finds the first row whose id is not below this one; `ids` must ascend. */
export const findRow = (ids: Float64Array, id: number): number =>
  findFirstPlace(ids.length, (row) => (ids[row] ?? 0) >= id);

/** Returns the first of `size` places where the test holds, or `size`; the test must hold in all later places too. */
export function findFirstPlace(size: number, holds: (place: number) => boolean): number {
  let from = 0;
  let to = size;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
