import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { SingleBar } from 'cli-progress';
import { createTable } from '../../infra/local/table.ts';
import { counterKey, INDEXES } from '../../shared/store/keys.ts';
import { readCounts, shardOf } from '../../shared/store/order-counters.ts';
import { rowWrites } from '../../shared/store/order-rows.ts';
import type { Order } from '../../shared/store/orders.ts';
import { type Item, Table } from '../../shared/store/table.ts';
import { orderHistory } from '../support/synthetic-orders.ts';

const BATCH = 25;
const BATCHES_AT_ONCE = 4;
const SEED = 11;

/** The table whose clients 1000, 10000 and so on have as many orders; what is there already is kept. */
export async function loadHistories(sizes: readonly number[]): Promise<string> {
  const name = tableName();
  await createTable(name);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  for (const size of sizes) {
    const { changes } = await readCounts(new Table(name, client), size, 'client');
    // The counters are written last.
    if (changes === 0) await load(client, name, size);
  }
  client.destroy();
  return name;
}

/** Another one when rows or indexes are of another form. */
function tableName(): string {
  const [order] = orderHistory(1, 1, SEED);
  const form = JSON.stringify([INDEXES, order && rowWrites(order)]);
  return `orders-${createHash('sha256').update(form).digest('hex').slice(0, 8)}`;
}

async function load(client: DynamoDBDocumentClient, name: string, size: number): Promise<void> {
  const bar = new SingleBar({ format: `${size} orders {bar} {value}/{total}, {eta} s left`, clearOnComplete: true });
  const shards = new Map<number, Record<string, number>>();
  const put = (items: readonly Item[]) => {
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    return client.send(new BatchWriteCommand({ RequestItems: { [name]: puts } }));
  };
  bar.start(size, 0);
  let rows: Item[] = [];
  for (const order of orderHistory(size, size, SEED)) {
    rows.push(...clientRows(order));
    tally(shards, order);
    if (rows.length < BATCH * BATCHES_AT_ONCE) continue;
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, (_, i) => put(rows.slice(i * BATCH, (i + 1) * BATCH))));
    bar.increment(rows.length / 2);
    rows = [];
  }
  await put([...shards].map(([shard, pairs]) => ({ ...counterKey(size, 'client', shard), ...pairs })));
  bar.stop();
}

/** The row and the entry of an order in the view of its client. */
function clientRows(order: Order): Item[] {
  const items = rowWrites(order).flatMap((write) => ('Put' in write ? [write.Put.Item as Item] : []));
  return items.filter(({ pk }) => String(pk).endsWith('#client'));
}

function tally(shards: Map<number, Record<string, number>>, { header }: Order): void {
  const shard = shardOf('client', header.id);
  const pairs = shards.get(shard) ?? {};
  const pair = `${header.orderStatus}:${header.paymentStatus}`;
  shards.set(shard, { ...pairs, [pair]: (pairs[pair] ?? 0) + 1, changes: (pairs.changes ?? 0) + 1 });
}
