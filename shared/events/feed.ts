import * as z from 'zod';
import { type PublicEvent, publicEvent } from '../api/events/events.ts';
import { END_OF_EVENTS, feedCounterKey, feedEventKey, feedPartition, parseFeedEvent } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { ABSENT, type Item, type Table, type Write } from '../store/table.ts';

// Events are promised for 30 days (infra/decisions.md); DynamoDB removes what has expired within a few days.
const KEPT_DAYS = 35;
const DAY_SECONDS = 24 * 60 * 60;
/** Returns the time, in seconds, at which something of the feed that was written at `now` expires. */
export const expiry = (now: Date): number => Math.ceil(now.getTime() / 1_000) + KEPT_DAYS * DAY_SECONDS;

/** An event with its number in the feed of its client; the numbers have no gaps. */
export type FeedEvent = { readonly sequence: number; readonly event: PublicEvent };

// The former release reads what a later one writes, which may have more fields.
const storedEvent = z.object({
  ...publicEvent.shape,
  order: z.object(publicEvent.shape.order.shape),
  move: z.object(publicEvent.shape.move.unwrap().shape).nullable(),
});
const storedRow = z.object({ event: storedEvent });
const storedCounter = z.object({ last: z.number() });

type FeedRequest = { readonly clientId: number; readonly after: number; readonly limit: number };

/**
 * Returns the first `limit` kept events of a client behind the number `after`, in order; 0 begins with the oldest. The
 * first one has a number above `after` + 1 if those between are no longer kept. One query.
 */
export async function readFeed(table: Table, { clientId, after, limit }: FeedRequest): Promise<FeedEvent[]> {
  const values = { ':start': feedEventKey(clientId, after + 1).sk, ':end': END_OF_EVENTS };
  const where = 'sk BETWEEN :start AND :end';
  return (await table.first({ pk: feedPartition(clientId), where, values }, limit)).map(parseFeedRow);
}

/** Returns those of the events of a client with these numbers that are still kept. One round trip for each 100. */
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

/** Returns the number of the last event of a client, 0 if there was none. One read. */
export async function lastSequence(table: Table, clientId: number): Promise<number> {
  const item = await table.get(feedCounterKey(clientId));
  return item ? parseItem(storedCounter, item, 'feed counter').last : 0;
}

/** New events of a client's feed, whose last event has the number `last`. */
type FeedAddition = { readonly clientId: number; readonly last: number; readonly events: readonly PublicEvent[] };

/**
 * Returns the writes that add events to a feed. Their conditions fail if another publisher has added to it meanwhile, so
 * that the numbers have no gaps.
 */
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
  Update: {
    Key: feedCounterKey(clientId),
    UpdateExpression: 'SET #last = :next',
    ConditionExpression: last === 0 ? ABSENT : '#last = :last',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':next': last + added, ...(last > 0 && { ':last': last }) },
  },
});
