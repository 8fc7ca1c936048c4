import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

// Functions do not read it: they compare the whole file with the hash that the pointer names.
const SEAL = 'seal';

/** Stores the hash of all rows, by which a file that was copied from place to place is known to be whole. */
export function writeSeal(database: DatabaseSync): void {
  database.prepare('INSERT INTO columns (name, content) VALUES (?, ?)').run(SEAL, hashRows(database));
}

/** True when the rows are those that `writeSeal` has seen. */
export function hasTrueSeal(database: DatabaseSync): boolean {
  const content = database.prepare('SELECT content FROM columns WHERE name = ?').get(SEAL)?.content;
  return content instanceof Uint8Array && hashRows(database).equals(content);
}

const ORDERS = {
  bases: 'id',
  products: 'id',
  withdrawn: 'id',
  records: 'kind, key',
  columns: 'name',
  stamps: 'file, id',
} as const;

function hashRows(database: DatabaseSync): Buffer {
  const digest = createHash('sha256');
  for (const [table, order] of Object.entries(ORDERS)) {
    for (const row of database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()) {
      if (table === 'columns' && row.name === SEAL) continue;
      for (const value of Object.values(row))
        digest.update(value instanceof Uint8Array ? value : `${typeof value} ${value}\n`);
    }
  }
  return digest.digest();
}
