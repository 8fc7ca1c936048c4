import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as pause } from 'node:timers/promises';
import { convertToAttr } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../../shared/store/table.ts';
import { type Item as Attributes, measureMap } from './item-units.ts';

/** The file of the local engine that holds a table. */
export type TableFile = { readonly directory: string; readonly table: string };

const DRAWN_EVERY = 5_000;
const COMMITTED_EVERY = 500_000;

/**
 * Writes items into the file of the local engine (Dynoxide) in their order, while the engine is idle. Through the engine the
 * million orders would take hours; the file takes some 100,000 items a second.
 */
export async function writeTableFile({ directory, table }: TableFile, items: Iterable<Item>): Promise<void> {
  const database = new DatabaseSync(join(directory, 'dynamodb', 'dynoxide.db'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN IMMEDIATE');
  const insert = database.prepare(
    `INSERT OR REPLACE INTO "${table}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)`,
  );
  let written = 0;
  for (const item of items) {
    const { pk, sk } = item;
    const attributes = toAttributes(item);
    insert.run(`S:${pk}`, `S:${sk}`, JSON.stringify(attributes), measureMap(attributes));
    written += 1;
    // Lets the progress bar be drawn.
    if (written % DRAWN_EVERY === 0) await pause();
    if (written % COMMITTED_EVERY === 0) database.exec('COMMIT; BEGIN IMMEDIATE');
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

const toAttributes = (item: Item): Attributes =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toAttribute(value)]));

// Nearly all attributes of lists are texts, for which the SDK's conversion would only take longer.
const toAttribute = (value: unknown): Attributes[string] =>
  typeof value === 'string' ? { S: value } : { ...convertToAttr(value) };
