import * as z from 'zod';
import { type PublicEvent, publicEvent } from '../api/events/events.ts';
import { END_OF_FEED, feedCounterKey, feedEventKey, feedPartition, parseFeedEvent, toldKey } from '../store/keys.ts';
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
const storedTold = z.object({ version: z.number() });

type FeedRequest = { readonly clientId: number; readonly after: number; readonly limit: number };

/**
 * Returns the first `limit` kept events of a client behind the number `after`, in order; 0 begins with the oldest. The
 * first one has a number above `after` + 1 if those between are no longer kept. One query.
 */
export async function readFeed(table: Table, { clientId, after, limit }: FeedRequest): Promise<FeedEvent[]> {
  const values = { ':start': feedEventKey(clientId, after + 1).sk, ':end': END_OF_FEED };
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
  return parseCounter(await table.get(feedCounterKey(clientId)));
}

const parseCounter = (item: Item | undefined): number =>
  item ? parseItem(storedCounter, item, 'feed counter').last : 0;

/** The end of a client's feed: the number of its last event, and up to which version each of some orders is told. */
export type FeedEnd = { readonly last: number; readonly told: ReadonlyMap<number, number | undefined> };

/** Returns the end of a client's feed; `told` is undefined for an order without events of the last 35 days. */
export async function readFeedEnd(table: Table, clientId: number, orders: readonly number[]): Promise<FeedEnd> {
  const keys = [feedCounterKey(clientId), ...orders.map((order) => toldKey(clientId, order))];
  const [counter, ...rows] = await table.getAll(keys);
  const told = orders.map((order, index) => {
    const row = rows[index];
    return [order, row && parseItem(storedTold, row, 'told version').version] as const;
  });
  return { last: parseCounter(counter), told: new Map(told) };
}

/** New events of a client's feed, and the version up to which each of its orders is told with them. */
export type FeedAddition = {
  readonly clientId: number;
  readonly events: readonly PublicEvent[];
  readonly told: ReadonlyMap<number, number>;
};

/**
 * Returns the writes that add events to a feed whose end is `end`. A condition fails if another publisher has added to it
 * or has told one of the orders meanwhile, so that each event stands in the feed once and none is between.
 */
export function feedWrites({ clientId, events, told }: FeedAddition, end: FeedEnd, now: Date): Write[] {
  const ttl = expiry(now);
  return [
    counterWrite(clientId, end.last, events.length),
    ...events.map((event, index) => {
      const Item = { ...toItem(feedEventKey(clientId, end.last + 1 + index), { event }), ttl };
      return { Put: { Item, ConditionExpression: ABSENT } };
    }),
    ...[...told].map(([order, version]) => toldWrite(clientId, order, { before: end.told.get(order), version, ttl })),
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

type Telling = { readonly before: number | undefined; readonly version: number; readonly ttl: number };

const toldWrite = (clientId: number, order: number, { before, version, ttl }: Telling): Write => ({
  Put: {
    Item: { ...toItem(toldKey(clientId, order), { version }), ttl },
    ConditionExpression: before === undefined ? ABSENT : '#version = :before',
    ...(before !== undefined && {
      ExpressionAttributeNames: { '#version': 'version' },
      ExpressionAttributeValues: { ':before': before },
    }),
  },
});
