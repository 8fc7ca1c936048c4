import * as z from 'zod';
import { queueKey, queuesPartition } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, type Table } from '../../store/table.ts';

const storedQueue = z.object({
  orderId: z.number(),
  /** The numbers of the events that wait, in the order in which they are sent. */
  sequences: z.array(z.number()),
  /** The failed tries of the first of them. */
  tries: z.number(),
  /** The time of the next try. */
  dueAt: z.string(),
});
/** The events of one order that an endpoint has still to get. None is sent before the one that precedes it. */
export type OrderQueue = Readonly<z.infer<typeof storedQueue>>;

/** Returns those of the orders' queues that exist, by order. One round trip for each 100. */
export async function getQueues(
  table: Table,
  endpoint: number,
  orders: readonly number[],
): Promise<Map<number, OrderQueue>> {
  const items = await table.getAll(orders.map((order) => queueKey(endpoint, order)));
  const queues = items.flatMap((item) => (item ? [parseQueue(item)] : []));
  return new Map(queues.map((queue) => [queue.orderId, queue]));
}

/** Returns all queues of an endpoint, those that are due first. One query for some 5,000. */
export async function listQueues(table: Table, endpoint: number): Promise<OrderQueue[]> {
  const queues = (await table.all({ pk: queuesPartition(endpoint) })).map(parseQueue);
  return queues.sort((one, other) => one.dueAt.localeCompare(other.dueAt));
}

const parseQueue = (item: Item): OrderQueue => parseItem(storedQueue, item, 'webhook queue');

/** Returns the queue with more events, itself if it has them all. Its tries are those of its first event. */
export function withEvents(queue: OrderQueue, added: readonly number[]): OrderQueue {
  if (added.every((sequence) => queue.sequences.includes(sequence))) return queue;
  const sequences = [...new Set([...queue.sequences, ...added])].sort((one, other) => one - other);
  return { ...queue, sequences, tries: sequences[0] === queue.sequences[0] ? queue.tries : 0 };
}

/**
 * Writes a queue in place of the one that was read, undefined for none; one without events is removed. Returns false if
 * somebody else has changed its events meanwhile.
 */
export function replaceQueue(
  table: Table,
  endpoint: number,
  read: OrderQueue | undefined,
  queue: OrderQueue,
): Promise<boolean> {
  const key = queueKey(endpoint, queue.orderId);
  const condition = read
    ? { ConditionExpression: 'sequences = :read', ExpressionAttributeValues: { ':read': read.sequences } }
    : { ConditionExpression: ABSENT };
  const isEmpty = queue.sequences.length === 0;
  return table.tryWrite([
    isEmpty ? { Delete: { Key: key, ...condition } } : { Put: { Item: toItem(key, queue), ...condition } },
  ]);
}
