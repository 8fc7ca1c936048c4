import type { DatabaseSync } from 'node:sqlite';

// Ids are doubles, as they may have 15 digits. The entries of product or word `i` lie from `…Starts[i]` up to
// `…Starts[i + 1]` of the array that follows the `…Starts` array.
const COLUMN_TYPES = {
  ids: Float64Array,
  categoryIds: Float64Array,
  companyIds: Float64Array,
  diseaseStarts: Uint32Array,
  diseaseIds: Float64Array,
  pricesCents: Int32Array,
  isActive: Uint8Array,
  hasShortage: Uint8Array,
  createdAtRanks: Uint32Array,
  updatedAtRanks: Uint32Array,
  nameRanks: Uint32Array,
  priceRanks: Uint32Array,
  // These are texts in UTF-8.
  vocabulary: Uint8Array,
  wordStarts: Uint32Array,
  wordRows: Uint32Array,
  barcodes: Uint8Array,
};

/** The arrays that product lists read, with one element per product in the order of ids. */
export type Columns = { readonly [Name in keyof typeof COLUMN_TYPES]: (typeof COLUMN_TYPES)[Name]['prototype'] };

/** Stores every column as the bytes of its array; Lambda's processors and those of desks are all little-endian. */
export function writeColumns(database: DatabaseSync, columns: Columns): void {
  const insert = database.prepare('INSERT INTO columns (name, content) VALUES (?, ?)');
  for (const [name, column] of Object.entries(columns)) insert.run(name, column);
}

/** Reads the columns that `writeColumns` stored. Throws an Error when one is missing. */
export function readColumns(database: DatabaseSync): Columns {
  const select = database.prepare('SELECT content FROM columns WHERE name = ?');
  const entries = Object.entries(COLUMN_TYPES).map(([name, Column]) => {
    const content = select.get(name)?.content;
    if (!(content instanceof Uint8Array)) throw new Error(`the catalog has no column ${name}`);
    // Arrays of wider elements must be aligned, and a copy starts at offset 0 of its own buffer.
    return [name, new Column(content.slice().buffer)];
  });
  return Object.fromEntries(entries) as Columns;
}

/**
 * Returns the dense rank of each value; equal values have the same rank. Texts are compared by code unit: fold them
 * first.
 */
export function toRanks(values: readonly (string | number)[]): Uint32Array {
  const distinct = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
  const ranks = new Map(distinct.map((value, rank) => [value, rank]));
  return Uint32Array.from(values, (value) => ranks.get(value) ?? 0);
}
