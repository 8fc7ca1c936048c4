import { createHash } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { SingleBar } from 'cli-progress';
import { counterKey } from '../../shared/store/keys.ts';
import { chooseShard, readCounts } from '../../shared/store/order-lists/counters.ts';
import { listItems } from '../../shared/store/order-lists/entries.ts';
import { toPairName } from '../../shared/store/order-lists/status-pairs.ts';
import type { Order } from '../../shared/store/orders/order.ts';
import { type Item, Table } from '../../shared/store/table.ts';
import { putItems } from '../support/orders/stored-orders.ts';
import { orderHistory } from '../support/orders/synthetic-orders.ts';

const BATCH = 25;
const BATCHES_AT_ONCE = 4;
const SEED = 11;

/** Returns a hash of the stored format, which changes with the rows, entries, counters, indexes or generated orders. */
export function hashHistoryFormat(): string {
  const stored = [...orderHistory(1, 10, SEED)].map((order) => listItems(order));
  return createHash('sha256').update(JSON.stringify(stored)).digest('hex').slice(0, 8);
}

/**
 * Stores rows, entries and counters of this many orders for a client, unless it has them. The counters are written
 * last, so an interrupted generation starts again and writes the same data.
 */
export async function loadHistory(endpoint: string, name: string, asked: { clientId: number; orders: number }) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
  const { changes } = await readCounts(new Table(name, client), { clientId: asked.clientId, viewer: 'client' });
  if (changes === 0) await generate((items) => putItems(client, name, items), asked);
  client.destroy();
}

type Put = (items: readonly Item[]) => Promise<void>;

async function generate(put: Put, { clientId, orders }: { clientId: number; orders: number }): Promise<void> {
  const bar = new SingleBar({ format: `${orders} orders {bar} {percentage}%, {eta} s left`, clearOnComplete: true });
  const shards = new Map<number, Record<string, number>>();
  let items: Item[] = [];
  bar.start(orders, 0);
  for (const order of orderHistory(clientId, orders, SEED)) {
    items.push(...listItems(order));
    tally(shards, order);
    if (items.length < BATCH * BATCHES_AT_ONCE) continue;
    await put(items);
    bar.increment(items.length / 4);
    items = [];
  }
  await put(items);
  await put([...shards].map(([shard, pairs]) => ({ ...counterKey(clientId, 'client', shard), ...pairs })));
  bar.stop();
}

function tally(shards: Map<number, Record<string, number>>, order: Order): void {
  const shard = chooseShard('client', order.id);
  const pairs = shards.get(shard) ?? {};
  const pair = toPairName(order);
  shards.set(shard, { ...pairs, [pair]: (pairs[pair] ?? 0) + 1, changes: (pairs.changes ?? 0) + 1 });
}
