import * as z from 'zod';
import type { PublicEvent } from '../api/events/events.ts';
import { type OrderEvent, parseEvent } from '../order/order-events.ts';
import { retry } from '../runtime/async.ts';
import { BUS_BATCH, type BusEvent, type EventBus } from '../runtime/job-clients.ts';
import { logError } from '../runtime/log.ts';
import { keyName, orderEventKey, REFUSED_BY_BUS_PARTITION, refusedByBusKey, toKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item, Table } from '../store/table.ts';
import { expiry } from './feed.ts';
import { toPublicEvent } from './public-event.ts';

type Deps = { readonly bus: EventBus; readonly table: Table; readonly now: Date };
type BusEntry = BusEvent & { readonly event: OrderEvent };
/** `untried`: the events behind a batch of which the bus took nothing. */
type Outcome = {
  readonly refused: readonly BusEntry[];
  readonly untried: readonly BusEntry[];
  readonly isDown: boolean;
};

const PATIENCE = { tries: 4, longestPauseMs: 200 };
const RETRIED_AT_ONCE = 50;

/** Puts events on the bus in order, at least once. Stores and counts those not taken, which are put again with later events. */
export async function forwardEvents(events: readonly OrderEvent[], deps: Deps): Promise<number> {
  const { refused, untried, isDown } = await putAll(events.flatMap(toBusEvent), deps.bus);
  const notTaken = [...refused, ...untried];
  await deps.table.putAll(notTaken.map(({ event }) => toRefusedRow(event, event.at)));
  if (!isDown) await retryRefused(deps);
  return notTaken.length;
}

/** Events refused again go behind the others, so that those which the bus never takes hold up nothing until they expire. */
async function retryRefused({ bus, table, now }: Deps): Promise<void> {
  const rows = await table.first({ pk: REFUSED_BY_BUS_PARTITION }, RETRIED_AT_ONCE);
  if (rows.length === 0) return;
  const items = await table.getAll(rows.map(toEventKey));
  const events = items.flatMap((item) => (item ? parseEvent(item) : []));
  const { refused, untried } = await putAll(events.flatMap(toBusEvent), bus);
  const moved = refused.map(({ event }) => toRefusedRow(event, now.toISOString()));
  await table.putAll(moved);
  const waiting = new Set(untried.map(({ event }) => keyName(orderEventKey(event))));
  const current = rows.filter((row) => waiting.has(keyName(toEventKey(row))));
  const kept = new Set([...moved, ...current].map((row) => keyName(toKey(row))));
  await table.deleteAll(rows.map(toKey).filter((key) => !kept.has(keyName(key))));
}

const storedRow = z.object({ orderId: z.number(), version: z.number(), place: z.number() });

const toRefusedRow = ({ at, orderId, version, place }: OrderEvent, refusedAt: string): Item => ({
  ...toItem(refusedByBusKey(refusedAt, { orderId, version, place }), { orderId, version, place }),
  ttl: expiry(new Date(at)),
});

const toEventKey = (row: Item) => orderEventKey(parseItem(storedRow, row, 'event for the bus'));

function toBusEvent(event: OrderEvent): BusEntry[] {
  const publicEvent: PublicEvent | null = toPublicEvent(event);
  if (!publicEvent) return [];
  const { type, time } = publicEvent;
  return [{ type, time, detail: { ...publicEvent, client_id: event.clientId }, event }];
}

async function putAll(events: readonly BusEntry[], bus: EventBus): Promise<Outcome> {
  const refused: BusEntry[] = [];
  for (let start = 0; start < events.length; start += BUS_BATCH) {
    const batch = events.slice(start, start + BUS_BATCH);
    const remaining = await putBatch(batch, bus);
    refused.push(...remaining);
    // A call to a bus that is down takes seconds.
    if (remaining.length === batch.length) return { refused, untried: events.slice(start + BUS_BATCH), isDown: true };
  }
  return { refused, untried: [], isDown: false };
}

async function putBatch(batch: readonly BusEntry[], bus: EventBus): Promise<readonly BusEntry[]> {
  let remaining = batch;
  await retry(PATIENCE, async () => {
    remaining = await putOnce(remaining, bus);
    return remaining.length === 0 || undefined;
  });
  return remaining;
}

async function putOnce(events: readonly BusEntry[], bus: EventBus): Promise<readonly BusEntry[]> {
  try {
    const refused = await bus(events);
    for (const { event, error } of refused) {
      const { orderId, version, place } = event.event;
      logError('an event was not forwarded', error, { orderId, version, place, type: event.type });
    }
    return refused.map(({ event }) => event);
  } catch (error) {
    logError('events were not forwarded', error, {});
    return events;
  }
}
