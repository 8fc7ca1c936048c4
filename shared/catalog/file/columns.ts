import type { DatabaseSync } from 'node:sqlite';

// Ids are doubles, as they may have 15 digits. What belongs to number `i` of a `…Starts` array, a product or a word of the
// vocabulary, lies from `starts[i]` up to `starts[i + 1]` of the array after it.
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
  // Texts in UTF-8.
  vocabulary: Uint8Array,
  wordStarts: Uint32Array,
  wordRows: Uint32Array,
  barcodes: Uint8Array,
};

/** What product lists work on, an element per product in the order of ids. */
export type Columns = { readonly [Name in keyof typeof COLUMN_TYPES]: (typeof COLUMN_TYPES)[Name]['prototype'] };

/** Stores every column as the bytes of its array; Lambda's processors and ours all are little-endian. */
export function writeColumns(database: DatabaseSync, columns: Columns): void {
  const insert = database.prepare('INSERT INTO columns (name, content) VALUES (?, ?)');
  for (const [name, column] of Object.entries(columns)) insert.run(name, column);
}

/** Reads what `writeColumns` wrote; throws an Error if a column is missing. */
export function readColumns(database: DatabaseSync): Columns {
  const select = database.prepare('SELECT content FROM columns WHERE name = ?');
  const entries = Object.entries(COLUMN_TYPES).map(([name, Column]) => {
    const content = select.get(name)?.content;
    if (!(content instanceof Uint8Array)) throw new Error(`the catalog has no column ${name}`);
    // A copy starts at offset 0 of its own buffer: arrays of wider elements must be aligned.
    return [name, new Column(content.slice().buffer)];
  });
  return Object.fromEntries(entries) as Columns;
}

/** The dense rank of each value, equal values alike; texts are compared as they are, so fold them before. */
export function ranksOf(values: readonly (string | number)[]): Uint32Array {
  const distinct = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
  const ranks = new Map(distinct.map((value, rank) => [value, rank]));
  return Uint32Array.from(values, (value) => ranks.get(value) ?? 0);
}
