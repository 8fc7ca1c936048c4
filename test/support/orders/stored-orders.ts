import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Order } from '../../../shared/order/order.ts';
import { createOrderWrites } from '../../../shared/order/order-writes.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { keyName } from '../../../shared/store/keys.ts';
import type { Item } from '../../../shared/store/table.ts';
import { OrderTally } from './order-tally.ts';

const BATCH = 25;
const TRIES = 10;

/** Stores the first orders of a client with the items that their transactions would write, but in faster batches. */
export async function storeOrders(tableName: string, orders: readonly Order[]): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient());
  const items = orders.flatMap(createOrderWrites).flatMap((write) => ('Put' in write ? [write.Put.Item ?? {}] : []));
  const tally = new OrderTally();
  for (const order of orders) tally.add(order);
  await putItems(client, tableName, [...items, ...tally.items(), ...createNames(orders)]);
  client.destroy();
}

/** Returns the items of the name index for the patients of these orders. */
function createNames(orders: readonly Order[]): Item[] {
  const named = orders.map(({ clientId, patient }) => ({ clientId, id: patient.id, name: packName(patient) }));
  // Most orders are of a patient who has others.
  const distinct = new Map(named.map((one) => [`${one.clientId} ${one.id} ${one.name}`, one]));
  const items = [...distinct.values()].flatMap(nameItems);
  return [...new Map(items.map((item) => [keyName(item), item])).values()];
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
