import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { unavailable } from '../../domain/refusal.ts';
import { retry, sideBySide } from '../../runtime/async.ts';
import { deliveriesPartition, deliveryKey, type Key, queueKey, queuesPartition } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import { ABSENT, type Item, type Table } from '../../store/table.ts';
import { type FeedEvent, readFeed } from '../feed.ts';
import { changeEndpoint, type Endpoint } from './endpoints.ts';
import type { WebhookAnswer } from './send.ts';

export const DELIVERY_STATUSES = ['delivered', 'retrying', 'given_up'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

// As long as the API promises events.
const KEPT_SECONDS = 30 * 24 * 60 * 60;

const storedDelivery = z.object({
  sequence: z.number(),
  eventId: z.string(),
  type: z.string(),
  orderId: z.number(),
  status: z.enum(DELIVERY_STATUSES),
  tries: z.number(),
  /** The HTTP status of the last answer; null without one, and then `answerCode` is the failure. */
  answerStatus: z.number().nullable(),
  answerCode: z.string().nullable(),
  durationMs: z.number(),
  lastTriedAt: z.string(),
});
export type Delivery = Readonly<z.infer<typeof storedDelivery>>;

type Try = Pick<Delivery, 'status' | 'tries'> & { readonly answer: WebhookAnswer; readonly sentAt: Date };

export async function putDelivery(
  table: Table,
  endpoint: number,
  { sequence, event }: FeedEvent,
  { status, tries, answer, sentAt }: Try,
): Promise<void> {
  const delivery: Delivery = {
    sequence,
    eventId: event.id,
    type: event.type,
    orderId: event.order.id,
    status,
    tries,
    answerStatus: answer.status,
    answerCode: answer.code,
    durationMs: answer.durationMs,
    lastTriedAt: sentAt.toISOString(),
  };
  const ttl = Math.ceil(sentAt.getTime() / 1_000) + KEPT_SECONDS;
  await table.putAll([{ ...toItem(deliveryKey(endpoint, sequence), delivery), ttl }]);
}

/** Returns the numbers of the events in this span that are delivered or given up. One query. */
export async function finishedSequences(
  table: Table,
  endpoint: number,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<Set<number>> {
  const items = await table.all({
    pk: deliveriesPartition(endpoint),
    where: 'sk BETWEEN :from AND :until',
    values: { ':from': deliveryKey(endpoint, from).sk, ':until': deliveryKey(endpoint, until).sk },
  });
  const deliveries = items.map(parseDelivery).filter(({ status }) => status !== 'retrying');
  return new Set(deliveries.map(({ sequence }) => sequence));
}

const parseDelivery = (item: Item): Delivery => parseItem(storedDelivery, item, 'webhook delivery');

type DeliveryPage = {
  readonly status?: DeliveryStatus | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
};

/** Returns deliveries, latest event first. With a status it may read many more than it returns, so it is for operators only. */
export async function listDeliveries(table: Table, endpoint: number, page: DeliveryPage): Promise<Delivery[]> {
  const { status, before, limit } = page;
  const after: Key | undefined = before === undefined ? undefined : deliveryKey(endpoint, before);
  const deliveries: Delivery[] = [];
  for await (const items of table.pages({ pk: deliveriesPartition(endpoint), isDescending: true, after })) {
    deliveries.push(
      ...items.map(parseDelivery).filter((delivery) => status === undefined || delivery.status === status),
    );
    if (deliveries.length >= limit) break;
  }
  return deliveries.slice(0, limit);
}

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
  return table.tryTransact([
    isEmpty ? { Delete: { Key: key, ...condition } } : { Put: { Item: toItem(key, queue), ...condition } },
  ]);
}

/** One event by its id, those of a period, or all that were given up. */
export type Replay =
  | { readonly event: string }
  | { readonly from: Date; readonly to: Date }
  | { readonly givenUp: true };

const PAGE = 1_000;
const ORDERS_AT_ONCE = 16;
// The job may be sending from a queue at the same time.
const PATIENCE = { tries: 10, longestPauseMs: 500 };

/** Queues past events of the endpoint's types again, delivered or not. Returns their number. */
export async function replayEvents(table: Table, endpoint: Endpoint, replay: Replay, now: Date): Promise<number> {
  const events = await findEvents(table, endpoint, replay);
  if (events.length === 0) return 0;
  const byOrder = [...Map.groupBy(events, ({ event }) => event.order.id)];
  await sideBySide(byOrder, { atOnce: ORDERS_AT_ONCE }, ([orderId, orderEvents]) => {
    const sequences = orderEvents.map(({ sequence }) => sequence);
    return addToQueue(table, endpoint.id, { orderId, sequences, tries: 0, dueAt: now.toISOString() });
  });
  // The job, which may be about to save another `dueAt`, updates it.
  const mark = { replay: randomUUID(), ...('givenUp' in replay && { lastGivenUpAt: null }) };
  await changeEndpoint(table, endpoint, mark);
  return events.length;
}

async function addToQueue(table: Table, endpoint: number, added: OrderQueue): Promise<void> {
  const { orderId, sequences, dueAt } = added;
  const isAdded = await retry(PATIENCE, async () => {
    const row = (await getQueues(table, endpoint, [orderId])).get(orderId);
    const queue = row ? { ...withEvents(row, sequences), dueAt } : added;
    return (await replaceQueue(table, endpoint, row, queue)) || undefined;
  });
  if (!isAdded) throw unavailable();
}

async function findEvents(table: Table, endpoint: Endpoint, replay: Replay): Promise<FeedEvent[]> {
  const { clientId, position, eventTypes } = endpoint;
  const isIncluded = await toFilter(table, endpoint, replay);
  const events: FeedEvent[] = [];
  for (let after = 0; after < position; ) {
    const page = await readFeed(table, { clientId, after, limit: PAGE });
    events.push(...page.filter((item) => item.sequence <= position && isIncluded(item)));
    after = page.at(-1)?.sequence ?? position;
  }
  return events.filter(({ event }) => eventTypes === null || eventTypes.includes(event.type));
}

async function toFilter(table: Table, { id }: Endpoint, replay: Replay): Promise<(item: FeedEvent) => boolean> {
  if ('event' in replay) return ({ event }) => event.id === replay.event;
  if ('from' in replay) {
    const [from, to] = [replay.from.toISOString(), replay.to.toISOString()];
    return ({ event: { time } }) => time >= from && time < to;
  }
  const rows = await listDeliveries(table, id, { status: 'given_up', limit: Number.POSITIVE_INFINITY });
  const sequences = new Set(rows.map(({ sequence }) => sequence));
  return ({ sequence }) => sequences.has(sequence);
}
