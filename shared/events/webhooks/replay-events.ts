import { randomUUID } from 'node:crypto';
import { unavailable } from '../../domain/refusal.ts';
import { retry, sideBySide } from '../../runtime/async.ts';
import type { Table } from '../../store/table.ts';
import { type FeedEvent, readFeed } from '../feed.ts';
import { listDeliveries } from './deliveries.ts';
import { changeEndpoint, type Endpoint } from './endpoints.ts';
import { getQueues, type OrderQueue, replaceQueue, withEvents } from './order-queues.ts';

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
