import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { retry } from '../runtime/async.ts';
import { BUS_BATCH, type BusEvent, type EventBus } from '../runtime/job-clients.ts';
import { logError } from '../runtime/log.ts';
import { parseFeedRecord } from './stream-records.ts';

const PATIENCE = { tries: 4, longestPauseMs: 200 };

type Waiting = BusEvent & { readonly sequenceNumber: string };
type Forwarded = { readonly events: number; readonly answer: DynamoDBBatchResponse };

/**
 * Puts the events of feeds in records of the table's stream on an event bus, in their order: no later ten before each of the
 * former ten is taken. After the last try the answer names the first that was not taken, from which Lambda sends them again.
 */
export async function forwardRecords(records: readonly DynamoDBRecord[], bus: EventBus): Promise<Forwarded> {
  const events = records.map(toBusEvent);
  for (let start = 0; start < events.length; start += BUS_BATCH) {
    const batch = events.slice(start, start + BUS_BATCH);
    const refused = await putAll(batch, bus);
    const [first] = refused;
    if (first) {
      const batchItemFailures = [{ itemIdentifier: first.sequenceNumber }];
      return { events: start + batch.length - refused.length, answer: { batchItemFailures } };
    }
  }
  return { events: events.length, answer: { batchItemFailures: [] } };
}

function toBusEvent(record: DynamoDBRecord): Waiting {
  const { clientId, event, sequenceNumber } = parseFeedRecord(record);
  return { type: event.type, time: event.time, detail: { ...event, client_id: clientId }, sequenceNumber };
}

/** Returns the events that the bus did not take in any of the tries. */
async function putAll(events: readonly Waiting[], bus: EventBus): Promise<readonly Waiting[]> {
  let left = events;
  await retry(PATIENCE, async () => {
    left = await putOnce(left, bus);
    return left.length === 0 || undefined;
  });
  return left;
}

async function putOnce(events: readonly Waiting[], bus: EventBus): Promise<readonly Waiting[]> {
  try {
    const refused = await bus(events);
    for (const { event, error } of refused) {
      logError('an event was not forwarded', error, { sequenceNumber: event.sequenceNumber, type: event.type });
    }
    return refused.map(({ event }) => event);
  } catch (error) {
    logError('events were not forwarded', error, {});
    return events;
  }
}
