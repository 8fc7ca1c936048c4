import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { ListObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { type Count, countInViews, readCounts } from '../../../shared/order/lists/counters.ts';
import { type Delays, measureDelays } from '../../../shared/order/lists/delivery-delays.ts';
import type { Order } from '../../../shared/order/order.ts';
import { createOrderWrites } from '../../../shared/order/order-writes.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { documentsConfig, tableConfig } from '../../../shared/runtime/config.ts';
import { delaysKey, keyName, type Viewer } from '../../../shared/store/keys.ts';
import { type Item, openTable } from '../../../shared/store/table.ts';

/** Stores the first orders of a client with the items that their transactions would write, but in faster batches. */
export async function storeOrders(orders: readonly Order[]): Promise<void> {
  const items = orders.flatMap(createOrderWrites).flatMap((write) => ('Put' in write ? [write.Put.Item ?? {}] : []));
  const tally = new OrderTally();
  for (const order of orders) tally.add(order);
  await openTable().putAll([...items, ...tally.items(), ...createNames(orders)]);
}

/** Returns the items of the name index for the patients of these orders. */
function createNames(orders: readonly Order[]): Item[] {
  const named = orders.map(({ clientId, patient }) => ({ clientId, id: patient.id, name: packName(patient) }));
  // Most orders are of a patient who has others.
  const distinct = new Map(named.map((one) => [`${one.clientId} ${one.id} ${one.name}`, one]));
  const items = [...distinct.values()].flatMap(nameItems);
  return [...new Map(items.map((item) => [keyName(item), item])).values()];
}

/** Counts new orders, and measures the times to their delivery, as their transactions would. */
export class OrderTally {
  readonly #counters = new Map<string, Record<string, number | string>>();
  readonly #delays = new Map<number, Delays>();

  add(order: Order): void {
    for (const count of countInViews(order)) this.#count(count);
    const { shortestMs, longestMs } = measureDelays(order);
    const known = this.#delays.get(order.clientId) ?? { shortestMs, longestMs };
    this.#delays.set(order.clientId, {
      shortestMs: Math.min(known.shortestMs, shortestMs),
      longestMs: Math.max(known.longestMs, longestMs),
    });
  }

  #count({ Key, field }: Count): void {
    const counter = this.#counters.get(keyName(Key)) ?? { ...Key };
    for (const counted of ['changes', field]) counter[counted] = Number(counter[counted] ?? 0) + 1;
    this.#counters.set(keyName(Key), counter);
  }

  /** Yields the items of delays and counters; the counters of the client, which the first order began, come last. */
  *items(): Generator<Item> {
    for (const [clientId, delays] of this.#delays) yield { ...delaysKey(clientId), ...delays };
    yield* [...this.#counters.values()].reverse();
  }
}

/** Counts the orders in the table, including any that are missing from the lists. */
export async function countStoredOrders(): Promise<number> {
  const client = new DynamoDBClient();
  const scan = {
    TableName: tableConfig().TABLE_NAME,
    ConsistentRead: true,
    Select: 'COUNT',
    FilterExpression: 'begins_with(pk, :order) AND NOT begins_with(sk, :event)',
    ExpressionAttributeValues: { ':order': { S: 'ORDER#' }, ':event': { S: 'EVENT#' } },
  } as const;
  let count = 0;
  for await (const page of paginateScan({ client }, scan)) count += page.Count ?? 0;
  client.destroy();
  return count;
}

/** Returns the counters of a view by order status and payment status, as `{ 'approved unpaid': 2 }`. */
export async function countByStatuses(clientId: number, viewer: Viewer): Promise<Record<string, number>> {
  const { counts } = await readCounts(openTable(), { clientId, viewer });
  return Object.fromEntries(
    counts.map(({ orderStatus, paymentStatus, orders }) => [`${orderStatus} ${paymentStatus}`, orders]),
  );
}

// S3 lists at most as many on a page (API reference, ListObjects).
const MAX_PAGE = 1_000;

/**
 * Returns the keys of all objects in the bucket of documents, in order. The local engine fails at the second page of
 * version 2 of the list, as it encrypts its token with DES, which OpenSSL 3 has not.
 */
export async function listStoredDocuments(pageSize = MAX_PAGE): Promise<string[]> {
  const client = new S3Client({ forcePathStyle: true });
  const input = { Bucket: documentsConfig().DOCUMENTS_BUCKET, MaxKeys: pageSize };
  const keys: string[] = [];
  let isTruncated = true;
  while (isTruncated) {
    const page = await client.send(new ListObjectsCommand({ ...input, Marker: keys.at(-1) }));
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    isTruncated = page.IsTruncated ?? false;
  }
  client.destroy();
  return keys;
}
