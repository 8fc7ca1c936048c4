import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { counterKey, delaysKey } from '../../../shared/store/keys.ts';
import { chooseShard } from '../../../shared/store/order-lists/counters.ts';
import { measureDelays } from '../../../shared/store/order-lists/delivery-delays.ts';
import { toPairName } from '../../../shared/store/order-lists/status-pairs.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { createOrderWrites } from '../../../shared/store/orders/order-writes.ts';
import { listViewers } from '../../../shared/store/orders/viewers.ts';
import { foldName, nameItems } from '../../../shared/store/people/name-index.ts';
import type { Item } from '../../../shared/store/table.ts';

const BATCH = 25;
const TRIES = 10;

/** Stores the first orders of a client with the items that their transactions would write, but in faster batches. */
export async function storeOrders(tableName: string, orders: readonly Order[]): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const items = orders.flatMap(createOrderWrites).flatMap((write) => ('Put' in write ? [write.Put.Item ?? {}] : []));
  await putItems(client, tableName, [
    ...items,
    ...createCounters(orders),
    ...createNames(orders),
    ...createDelays(orders),
  ]);
  client.destroy();
}

/** Returns the counter items of all views that list these orders. */
function createCounters(orders: readonly Order[]): Item[] {
  const found = new Map<string, Record<string, number | string>>();
  for (const order of orders) {
    for (const viewer of listViewers(order)) {
      const key = counterKey(order.clientId, viewer, chooseShard(viewer, order.id));
      const name = `${key.pk} ${key.sk}`;
      const counter = found.get(name) ?? { ...key };
      for (const added of ['changes', toPairName(order)]) counter[added] = Number(counter[added] ?? 0) + 1;
      found.set(name, counter);
    }
  }
  return [...found.values()];
}

/** Returns the items of the name index for the patients of these orders. */
function createNames(orders: readonly Order[]): Item[] {
  const names = new Map<string, Item>();
  for (const { clientId, patient } of orders) {
    for (const item of nameItems({ clientId, id: patient.id, name: foldName(patient) })) {
      names.set(`${item.pk} ${item.sk}`, item);
    }
  }
  return [...names.values()];
}

/** Returns the record of the delivery delays of each client. */
function createDelays(orders: readonly Order[]): Item[] {
  const clients = Map.groupBy(orders, ({ clientId }) => clientId);
  return [...clients].map(([clientId, own]) => {
    const delays = own.map(measureDelays);
    const longestMs = Math.max(...delays.map((each) => each.longestMs));
    return { ...delaysKey(clientId), longestMs, shortestMs: Math.min(...delays.map((each) => each.shortestMs)) };
  });
}

/** Puts items with different keys into a table, in parallel batches. */
export async function putItems(client: DynamoDBDocumentClient, tableName: string, items: readonly Item[]) {
  const batches = Array.from({ length: Math.ceil(items.length / BATCH) }, (_, index) =>
    items.slice(index * BATCH, (index + 1) * BATCH).map((Item) => ({ PutRequest: { Item } })),
  );
  await Promise.all(batches.map((batch) => putBatch(client, { [tableName]: batch })));
}

async function putBatch(client: DynamoDBDocumentClient, batch: Record<string, object[]>): Promise<void> {
  let left = batch;
  for (let tries = 0; Object.keys(left).length > 0; tries++) {
    if (tries === TRIES) throw new Error('the local engine takes no more items');
    const { UnprocessedItems = {} } = await client.send(new BatchWriteCommand({ RequestItems: left }));
    left = UnprocessedItems;
  }
}
