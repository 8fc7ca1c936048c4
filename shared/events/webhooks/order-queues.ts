import * as z from 'zod';
import { queueKey, queuesPartition } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, type Table } from '../../store/table.ts';

const storedQueue = z.object({
  orderId: z.number(),
  /** The numbers of the waiting events, in sending order. */
  sequences: z.array(z.number()),
  /** The failed tries of the first event. */
  tries: z.number(),
  dueAt: z.string(),
});
/** An order's events that an endpoint has yet to get, in sequence. */
export type OrderQueue = Readonly<z.infer<typeof storedQueue>>;

/** Returns the existing queues by order. One round trip per 100. */
export async function getQueues(
  table: Table,
  endpoint: number,
  orders: readonly number[],
): Promise<Map<number, OrderQueue>> {
  const items = await table.getAll(orders.map((order) => queueKey(endpoint, order)));
  const queues = items.flatMap((item) => (item ? [parseQueue(item)] : []));
  return new Map(queues.map((queue) => [queue.orderId, queue]));
}

/** Returns an endpoint's queues by due time. One query per some 5,000. */
export async function listQueues(table: Table, endpoint: number): Promise<OrderQueue[]> {
  const queues = (await table.all({ pk: queuesPartition(endpoint) })).map(parseQueue);
  return queues.sort((a, b) => a.dueAt.localeCompare(b.dueAt));
}

const parseQueue = (item: Item): OrderQueue => parseItem(storedQueue, item, 'webhook queue');

/** Returns the queue itself if it has all events. `tries` belongs to its first event. */
export function withEvents(queue: OrderQueue, added: readonly number[]): OrderQueue {
  if (added.every((sequence) => queue.sequences.includes(sequence))) return queue;
  const sequences = [...new Set([...queue.sequences, ...added])].sort((a, b) => a - b);
  return { ...queue, sequences, tries: sequences[0] === queue.sequences[0] ? queue.tries : 0 };
}

/** Replaces a queue as it was read (undefined: none), or removes it when empty. Returns false if its events have changed. */
export function replaceQueue(
  table: Table,
  endpoint: number,
  before: OrderQueue | undefined,
  queue: OrderQueue,
): Promise<boolean> {
  const key = queueKey(endpoint, queue.orderId);
  const condition = before
    ? { ConditionExpression: 'sequences = :before', ExpressionAttributeValues: { ':before': before.sequences } }
    : { ConditionExpression: ABSENT };
  const isEmpty = queue.sequences.length === 0;
  return table.tryWrite([
    isEmpty ? { Delete: { Key: key, ...condition } } : { Put: { Item: toItem(key, queue), ...condition } },
  ]);
}
