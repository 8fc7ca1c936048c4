import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import * as z from 'zod';
import { unavailable } from '../domain/refusal.ts';
import { existingOrder } from '../order/operate-order.ts';
import { type OrderEvent, parseEvent, publishedWrite, readUnpublishedEvents } from '../order/order-events.ts';
import { retry, sideBySide } from '../runtime/async.ts';
import type { EventBus } from '../runtime/job-clients.ts';
import { logError } from '../runtime/log.ts';
import { creationKey, parseCreationKey, parseOrderPartition, UNPUBLISHED_PARTITION } from '../store/keys.ts';
import { InvalidItem, parseItem, toItem } from '../store/parse-item.ts';
import { BATCH, type Item, type Table } from '../store/table.ts';
import { forwardEvents } from './event-bus.ts';
import { expiry, feedWrites, lastSequence } from './feed.ts';
import { toPublicEvent } from './public-event.ts';

type Publishing = { readonly table: Table; readonly now: Date };
type Deps = Publishing & {
  readonly bus: EventBus | undefined;
};
type Published = {
  readonly events: number;
  /** The events that could not be read, or that the bus refused; they are recorded. */
  readonly unpublished: number;
  readonly answer: DynamoDBBatchResponse;
};
type EventRecord = { readonly place: StreamPlace; readonly event: OrderEvent };

/**
 * Publishes the events in the table's stream to feeds and webhooks, and to the event bus. Lambda retries the failures in the
 * answer: records whose feed could not be reached. An unreadable or refused event is recorded and does not stop the others.
 */
export async function publishRecords(records: readonly DynamoDBRecord[], deps: Deps): Promise<Published> {
  const outcome = new Outcome(deps.table);
  const readable = (await Promise.all(records.map((record) => readRecord(record, outcome)))).flat();
  const clients = [...Map.groupBy(readable, ({ event }) => event.clientId)];
  await Promise.all(clients.map(([clientId, group]) => publishClient(clientId, group, deps, outcome)));
  const published = readable.filter(({ place }) => !outcome.failed.has(place.sequenceNumber));
  if (deps.bus) await forward(published, deps.bus, deps, outcome);
  const batchItemFailures = [...outcome.failed].map((itemIdentifier) => ({ itemIdentifier }));
  return { events: outcome.events, unpublished: outcome.unpublished, answer: { batchItemFailures } };
}

class Outcome {
  readonly #table: Table;
  readonly failed = new Set<string>();
  events = 0;
  unpublished = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  fail(records: readonly { readonly place: StreamPlace }[]): void {
    for (const { place } of records) this.failed.add(place.sequenceNumber);
  }

  async record(place: StreamPlace, error: unknown): Promise<void> {
    const { orderId, sequenceNumber } = place;
    logError('an event cannot be published', error, { orderId, sequenceNumber });
    const code = error instanceof InvalidItem ? error.code : 'unreadable';
    try {
      await recordUnpublished(this.#table, place, code);
      this.unpublished += 1;
    } catch {
      this.fail([{ place }]);
    }
  }
}

async function readRecord(record: DynamoDBRecord, outcome: Outcome): Promise<EventRecord[]> {
  const place = readStreamPlace(record);
  try {
    return [{ place, event: parseEvent(readImage(record.dynamodb?.NewImage)) }];
  } catch (error) {
    await outcome.record(place, error);
    return [];
  }
}

async function publishClient(
  clientId: number,
  records: readonly EventRecord[],
  publishing: Deps,
  outcome: Outcome,
): Promise<void> {
  try {
    outcome.events += await addToFeed(clientId, () => chooseEvents(records, publishing, outcome), publishing);
  } catch (error) {
    logError('events were not published', error, { clientId });
    outcome.fail(records);
  }
}

const ORDERS_AT_ONCE = 10;

/** Returns the records' unpublished events, each after the earlier ones of its order. */
async function chooseEvents(
  records: readonly EventRecord[],
  publishing: Publishing,
  outcome: Outcome,
): Promise<OrderEvent[]> {
  const orders = [...Map.groupBy(records, ({ event }) => event.orderId)];
  const unpublished = new Map<number, OrderEvent[]>();
  await sideBySide(orders, { atOnce: ORDERS_AT_ONCE }, async ([orderId, group]) => {
    try {
      unpublished.set(orderId, await readUnpublished(orderId, publishing));
    } catch (error) {
      if (!(error instanceof InvalidItem)) throw error;
      for (const { place } of group) await outcome.record(place, error);
    }
  });
  return records.flatMap(({ event }) => {
    const remaining = unpublished.get(event.orderId) ?? [];
    return remaining.splice(0, 1 + remaining.findLastIndex((other) => !isLater(other, event)));
  });
}

const isLater = (event: OrderEvent, other: OrderEvent): boolean =>
  event.version > other.version || (event.version === other.version && event.place > other.place);

const RECENT_MS = 30 * 24 * 60 * 60 * 1_000;

/** Returns an order's recent unpublished events, oldest first. Throws InvalidItem. */
async function readUnpublished(orderId: number, { table, now }: Publishing): Promise<OrderEvent[]> {
  const events = (await readUnpublishedEvents(table, orderId)).map(parseEvent);
  const oldest = now.getTime() - RECENT_MS;
  return events.filter((event) => toPublicEvent(event) && Date.parse(event.at) >= oldest);
}

// Each conflict between publishers of a feed lets one of them succeed.
const PATIENCE = { tries: 20, longestPauseMs: 200 };
// Besides the feed's counter, a transaction writes each event twice: in the feed, and its number at the order's event.
const EVENTS_AT_ONCE = Math.floor((BATCH - 1) / 2);

/** Adds the events that `choose` returns until none is left. Throws Refusal `unavailable` if the feed cannot be updated. */
async function addToFeed(
  clientId: number,
  choose: () => Promise<OrderEvent[]>,
  { table, now }: Publishing,
): Promise<number> {
  const addNext = async () => {
    const [last, chosen] = await Promise.all([lastSequence(table, clientId), choose()]);
    const next = chosen.slice(0, EVENTS_AT_ONCE);
    if (next.length === 0) return { added: 0, isEnd: true };
    const events = next.flatMap((event) => toPublicEvent(event) ?? []);
    const numbers = next.map((event, index) => publishedWrite(event, last + 1 + index));
    const isAdded = await table.tryTransact([...feedWrites({ clientId, last, events }, now), ...numbers]);
    return isAdded ? { added: next.length, isEnd: next.length === chosen.length } : undefined;
  };
  for (let all = 0; ; ) {
    const next = await retry(PATIENCE, addNext);
    if (!next) throw unavailable();
    all += next.added;
    if (next.isEnd) return all;
  }
}

/** Refused events are retried with later ones. */
async function forward(records: readonly EventRecord[], bus: EventBus, { table, now }: Deps, outcome: Outcome) {
  try {
    outcome.unpublished += await forwardEvents(
      records.map(({ event }) => event),
      { bus, table, now },
    );
  } catch (error) {
    logError('events that the bus did not take were not noted', error, {});
    outcome.fail(records);
  }
}

/** Publishes an order's recent unpublished events and returns their number. Throws Refusal `not_found`. */
export async function republishOrder(id: number, publishing: Publishing): Promise<number> {
  const { clientId } = await existingOrder(publishing.table, id);
  return addToFeed(clientId, () => readUnpublished(id, publishing), publishing);
}

type StreamPlace = {
  readonly orderId: number;
  readonly sequenceNumber: string;
  /** The time of the write, to the second. */
  readonly writtenAt: Date;
};

function readStreamPlace({ dynamodb }: DynamoDBRecord): StreamPlace {
  const { SequenceNumber = '', ApproximateCreationDateTime = 0 } = dynamodb ?? {};
  return {
    orderId: parseOrderPartition(String(readImage(dynamodb?.Keys).pk)),
    sequenceNumber: SequenceNumber,
    writtenAt: new Date(ApproximateCreationDateTime * 1_000),
  };
}

const readImage = (image: object = {}): Item => unmarshall(image as Record<string, AttributeValue>);

const storedRow = z.object({ code: z.string() });

/** `code`: the reason, by the paths of invalid fields. */
type UnpublishedOrder = { readonly orderId: number; readonly writtenAt: string; readonly code: string };

/** Records that an order's event could not be published; a repetition writes the same row. */
async function recordUnpublished(table: Table, { orderId, writtenAt }: StreamPlace, code: string): Promise<void> {
  const key = { pk: UNPUBLISHED_PARTITION, sk: creationKey(writtenAt.toISOString(), orderId) };
  await table.putAll([{ ...toItem(key, { code }), ttl: expiry(writtenAt) }]);
}

/** Returns the orders with unpublishable events of the last 35 days, oldest first. */
export async function listUnpublished(table: Table): Promise<UnpublishedOrder[]> {
  const items = await table.all({ pk: UNPUBLISHED_PARTITION });
  return items.map((item) => {
    const { createdAt: writtenAt, order: orderId } = parseCreationKey(String(item.sk));
    return { orderId, writtenAt, ...parseItem(storedRow, item, 'unpublished order') };
  });
}

export async function forgetUnpublished(table: Table, orderId: number): Promise<void> {
  const rows = (await listUnpublished(table)).filter((row) => row.orderId === orderId);
  const keys = rows.map(({ writtenAt }) => ({ pk: UNPUBLISHED_PARTITION, sk: creationKey(writtenAt, orderId) }));
  await table.deleteAll(keys);
}
