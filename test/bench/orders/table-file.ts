import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as pause } from 'node:timers/promises';
import { DescribeTimeToLiveCommand, DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../shared/store/table.ts';
import { measureNumber } from './item-units.ts';

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
    insert.run(Buffer.from(String(pk)), Buffer.from(String(sk)), measureItem(item), Buffer.from(toDynamoJson(item)));
    written += 1;
    // Lets the progress bar be drawn.
    if (written % DRAWN_EVERY === 0) await pause();
    if (written % COMMITTED_EVERY === 0) database.exec('COMMIT; BEGIN IMMEDIATE');
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

const toDynamoJson = (item: Item): string =>
  JSON.stringify(Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toAttribute(value)])));

function toAttribute(value: unknown): { S: string } | { N: string } {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  throw new Error(`${typeof value} is not among the attributes of lists`);
}

/** Returns the size by which DynamoDB counts units. */
const measureItem = (item: Item): number =>
  Object.entries(item).reduce((size, [name, value]) => size + name.length + measureValue(value), 0);

const measureValue = (value: unknown): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : measureNumber(String(value));
