import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { unavailable } from '../domain/refusal.ts';
import { existingOrder } from '../order/operate-order.ts';
import { retry } from '../runtime/async.ts';
import { logError } from '../runtime/log.ts';
import { BATCH, type Table } from '../store/table.ts';
import { type FeedAddition, type FeedEnd, feedWrites, readFeedEnd } from './feed.ts';
import { listEvents } from './from-history.ts';
import {
  noteUntold,
  parseWrittenOrder,
  readStreamPlace,
  type StreamPlace,
  type WrittenOrder,
} from './stream-records.ts';

/** Wakes whoever delivers the events of these clients. It may be called again for events that are delivered already. */
type WakeDelivery = (clientIds: readonly number[]) => Promise<void>;

type Deps = Publishing & { readonly wakeDelivery: WakeDelivery };
type Published = {
  /** The events that were added to feeds. */
  readonly events: number;
  /** The versions of orders that could not be read, and stand among the untold ones. */
  readonly untold: number;
  readonly answer: DynamoDBBatchResponse;
};
type Version = WrittenOrder & { readonly place: StreamPlace };

/**
 * Publishes the versions of orders in records of the table's stream. Those of a client whose feed could not be reached are
 * in the answer as failures, which Lambda sends again, together with what follows them. One that cannot be read is noted
 * and does not stop the others.
 */
export async function publishRecords(records: readonly DynamoDBRecord[], deps: Deps): Promise<Published> {
  const read = await Promise.all(records.map((record) => readVersion(record, deps)));
  const versions = read.flatMap(({ version }) => version ?? []);
  const clients = [...Map.groupBy(versions, ({ place }) => place.clientId)];
  const outcomes = await Promise.all(clients.map(([clientId, own]) => publishClient(clientId, own, deps)));
  const failures = [...read.flatMap(({ failed }) => failed ?? []), ...outcomes.flatMap(({ failed }) => failed)];
  return {
    events: outcomes.reduce((sum, { events }) => sum + events, 0),
    untold: read.filter(({ isUntold }) => isUntold).length,
    answer: { batchItemFailures: failures.map((itemIdentifier) => ({ itemIdentifier })) },
  };
}

type Read = { readonly version?: Version; readonly isUntold?: true; readonly failed?: string };

async function readVersion(record: DynamoDBRecord, { table }: Deps): Promise<Read> {
  const place = readStreamPlace(record);
  try {
    const written = parseWrittenOrder(record);
    return written ? { version: { ...written, place } } : {};
  } catch (error) {
    const { clientId, orderId, sequenceNumber } = place;
    logError('a version of an order cannot be told', error, { clientId, orderId, sequenceNumber });
    return noteUnread(place, error, table);
  }
}

async function noteUnread(place: StreamPlace, error: unknown, table: Publishing['table']): Promise<Read> {
  try {
    await noteUntold(table, place, error instanceof Error && 'code' in error ? String(error.code) : 'unreadable');
    return { isUntold: true };
  } catch {
    return { failed: place.sequenceNumber };
  }
}

type Outcome = { readonly events: number; readonly failed: readonly string[] };

async function publishClient(clientId: number, versions: readonly Version[], deps: Deps): Promise<Outcome> {
  try {
    const events = await publishOrders(versions, deps);
    await deps.wakeDelivery([clientId]);
    return { events, failed: [] };
  } catch (error) {
    logError('events were not published', error, { clientId });
    return { events: 0, failed: versions.map(({ place }) => place.sequenceNumber) };
  }
}

export type Publishing = { readonly table: Table; readonly now: Date };

// Another publisher that adds to the same feed makes the end that was read outdated; each time, one of them is through.
const PATIENCE = { tries: 20, longestPauseMs: 200 };

/**
 * Adds the events of orders of one client to its feed, in the order in which they are given, except those that were told
 * before. Returns how many were added. Throws Refusal `unavailable` when the feed cannot be reached or does not stand still.
 */
async function publishOrders(written: readonly WrittenOrder[], { table, now }: Publishing): Promise<number> {
  const clientId = written[0]?.order.clientId;
  if (clientId === undefined) return 0;
  const ids = [...new Set(written.map(({ order }) => order.id))];
  let end: FeedEnd | undefined;
  const addNext = async (): Promise<number | undefined> => {
    end ??= await readFeedEnd(table, clientId, ids);
    const addition = nextAddition(clientId, written, { end, now });
    if (addition.events.length === 0) return 0;
    const isAdded = await table.tryTransact(feedWrites(addition, end, now));
    end = isAdded ? advance(end, addition) : undefined;
    return isAdded ? addition.events.length : undefined;
  };
  for (let all = 0; ; ) {
    const added = await retry(PATIENCE, addNext);
    if (added === undefined) throw unavailable();
    if (added === 0) return all;
    all += added;
  }
}

const advance = (end: FeedEnd, { events, told }: FeedAddition): FeedEnd => ({
  last: end.last + events.length,
  told: new Map([...end.told, ...told]),
});

/** Returns as many of the events that are not told yet as one transaction takes beside the counter of the feed. */
function nextAddition(
  clientId: number,
  written: readonly WrittenOrder[],
  { end, now }: { end: FeedEnd; now: Date },
): FeedAddition {
  const events: FeedAddition['events'][number][] = [];
  const told = new Map<number, number>();
  for (const version of written) {
    const { order } = version;
    const news = listEvents(order, told.get(order.id) ?? end.told.get(order.id) ?? firstUntold(version, now));
    if (news.length === 0) continue;
    if (1 + events.length + news.length + new Set([...told.keys(), order.id]).size > BATCH) break;
    events.push(...news);
    told.set(order.id, order.version);
  }
  return { clientId, events, told };
}

const RECENT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Returns up to which version an order counts as told of which the feed does not know that. Nothing of a recent order was
 * told, else the feed would know it; what was told of an older one may have expired, so that it begins with this version.
 */
function firstUntold({ order, before }: WrittenOrder, now: Date): number {
  const ageMs = now.getTime() - Date.parse(order.createdAt);
  return ageMs < RECENT_MS ? 0 : before;
}

/**
 * Tells the events of an order that its client's feed does not know to be told, and are not older than it keeps events.
 * Returns how many they are. Throws Refusal `not_found` if there is no such order.
 */
export async function republishOrder(id: number, publishing: Publishing): Promise<number> {
  const order = await existingOrder(publishing.table, id);
  const oldest = publishing.now.getTime() - RECENT_MS;
  const before = order.history.findLast(({ at }) => Date.parse(at) < oldest)?.version ?? 0;
  return publishOrders([{ order, before }], publishing);
}
