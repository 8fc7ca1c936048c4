import * as z from 'zod';
import { type PublicEvent, publicEvent } from '../api/events/events.ts';
import { END_OF_EVENTS, feedCounterKey, feedEventKey, feedPartition, parseFeedEvent } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { ABSENT, type Item, type Table, type Write } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';

// The API promises 30 days of events (infra/decisions.md); DynamoDB removes expired items within a few days.
const KEPT_DAYS = 35;
const DAY_SECONDS = 24 * 60 * 60;
/** Returns the expiry, in seconds, of a feed's item written at `now`. */
export const expiry = (now: Date): number => Math.ceil(now.getTime() / 1_000) + KEPT_DAYS * DAY_SECONDS;

/** An event with its number in its client's feed; the numbers have no gaps. */
export type FeedEvent = { readonly sequence: number; readonly event: PublicEvent };

// An older release must read a newer one's events, which may have more fields.
const storedEvent = z.object({
  ...publicEvent.shape,
  order: z.object(publicEvent.shape.order.shape),
  move: z.object(publicEvent.shape.move.unwrap().shape).nullable(),
  reason: publicEvent.shape.reason.default(null),
});
const storedRow = z.object({ event: storedEvent });
const storedCounter = z.object({ last: z.number() });

type FeedRequest = { readonly clientId: number; readonly after: number; readonly limit: number };

/** Returns a client's kept events after a number (0: from the oldest), in order; numbers between may have expired. One query. */
export async function readFeed(table: Table, { clientId, after, limit }: FeedRequest): Promise<FeedEvent[]> {
  const values = { ':start': feedEventKey(clientId, after + 1).sk, ':end': END_OF_EVENTS };
  const where = 'sk BETWEEN :start AND :end';
  return (await table.first({ pk: feedPartition(clientId), where, values }, limit)).map(parseFeedRow);
}

/** Returns the kept ones of these events. One round trip per 100. */
export async function getFeedEvents(
  table: Table,
  clientId: number,
  sequences: readonly number[],
): Promise<FeedEvent[]> {
  const items = await table.getAll(sequences.map((sequence) => feedEventKey(clientId, sequence)));
  return items.flatMap((item) => (item ? [parseFeedRow(item)] : []));
}

const parseFeedRow = (item: Item): FeedEvent => ({
  sequence: parseFeedEvent(item),
  event: parseItem(storedRow, item, 'event').event,
});

/** Returns the number of a client's last event; 0 without events. */
export async function lastSequence(table: Table, clientId: number): Promise<number> {
  const item = await table.get(feedCounterKey(clientId));
  return item ? parseItem(storedCounter, item, 'feed counter').last : 0;
}

type FeedAddition = { readonly clientId: number; readonly last: number; readonly events: readonly PublicEvent[] };

/** The conditions of these writes fail if another publisher has added to the feed, so that the numbers have no gaps. */
export function feedWrites({ clientId, last, events }: FeedAddition, now: Date): Write[] {
  const ttl = expiry(now);
  return [
    counterWrite(clientId, last, events.length),
    ...events.map((event, index) => {
      const Item = { ...toItem(feedEventKey(clientId, last + 1 + index), { event }), ttl };
      return { Put: { Item, ConditionExpression: ABSENT } };
    }),
  ];
}

const counterWrite = (clientId: number, last: number, added: number): Write => ({
  Update: toUpdate(feedCounterKey(clientId), {
    set: { last: last + added },
    where: last === 0 ? ABSENT : '#last = :before',
    values: last === 0 ? {} : { ':before': last },
  }),
});
