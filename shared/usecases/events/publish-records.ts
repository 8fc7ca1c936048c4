import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { logError } from '../../runtime/log.ts';
import {
  parseWrittenOrder,
  readStreamPlace,
  type StreamPlace,
  type WrittenOrder,
} from '../../store/events/stream-record.ts';
import { noteUntold } from '../../store/events/untold.ts';
import { type Publishing, publishOrders } from './publish-orders.ts';

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
