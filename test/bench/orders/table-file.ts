import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as pause } from 'node:timers/promises';
import { DescribeTimeToLiveCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { convertToAttr } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../../shared/store/table.ts';
import { type Item as Attributes, measureMap } from './item-units.ts';

/** The file of the local engine that holds a table. */
export type TableFile = { readonly directory: string; readonly table: string };

/**
 * Keeps the local engine from looking for expired items, for which it sorts the items of the table every few seconds: 5 s
 * with those of a million orders, in which it answers nobody.
 */
export async function stopExpiry(table: string): Promise<void> {
  const client = new DynamoDBClient();
  const { TimeToLiveDescription: known } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  if (known?.TimeToLiveStatus === 'ENABLED') {
    const TimeToLiveSpecification = { AttributeName: known.AttributeName, Enabled: false };
    await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
  }
  client.destroy();
}

const DRAWN_EVERY = 5_000;
const COMMITTED_EVERY = 500_000;

/**
 * Writes items into the file of the local engine in their order, while the engine is idle. Through the engine, which
 * commits each item to the disk by itself, the million orders would take hours: it takes some 1,000 items a second, the
 * file some 100,000.
 */
export async function writeTableFile({ directory, table }: TableFile, items: Iterable<Item>): Promise<void> {
  const database = new DatabaseSync(join(directory, 'dynamodb', 'shared-local-instance.db'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN IMMEDIATE');
  // The engine uses the two hashes for scans in segments only.
  const insert = database.prepare(
    `INSERT OR REPLACE INTO "${table}" (hashKey, rangeKey, hashValue, rangeValue, itemSize, ObjectJSON)
     VALUES (?, ?, x'00', x'00', ?, ?)`,
  );
  let written = 0;
  for (const item of items) {
    const { pk, sk } = item;
    const attributes = toAttributes(item);
    const json = Buffer.from(JSON.stringify(attributes));
    insert.run(Buffer.from(String(pk)), Buffer.from(String(sk)), measureMap(attributes), json);
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
