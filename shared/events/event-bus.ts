import * as z from 'zod';
import type { PublicEvent } from '../api/events/events.ts';
import { type OrderEvent, parseEvent } from '../order/order-events.ts';
import { retry } from '../runtime/async.ts';
import { BUS_BATCH, type BusEvent, type EventBus } from '../runtime/job-clients.ts';
import { logError } from '../runtime/log.ts';
import { orderEventKey, REFUSED_BY_BUS_PARTITION, refusedByBusKey, toKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { batches, type Item, type Table } from '../store/table.ts';
import { expiry } from './feed.ts';
import { toPublicEvent } from './public-event.ts';

type Deps = { readonly bus: EventBus; readonly table: Table };
type BusEntry = BusEvent & { readonly event: OrderEvent };

const PATIENCE = { tries: 4, longestPauseMs: 200 };
const RETRIED_AT_ONCE = 50;

/** Puts events on the bus in order, at least once. Stores and counts refused ones, which are put again with later events. */
export async function forwardEvents(events: readonly OrderEvent[], { bus, table }: Deps): Promise<number> {
  const refused = await putAll(events.flatMap(toBusEvent), bus);
  await table.putAll(refused.map(({ event }) => toRefusedRow(event)));
  if (refused.length === 0) await retryRefused({ bus, table });
  return refused.length;
}

async function retryRefused({ bus, table }: Deps): Promise<void> {
  const rows = await table.first({ pk: REFUSED_BY_BUS_PARTITION }, RETRIED_AT_ONCE);
  if (rows.length === 0) return;
  const items = await table.getAll(rows.map(toEventKey));
  const events = items.flatMap((item) => (item ? parseEvent(item) : []));
  const refused = new Set((await putAll(events.flatMap(toBusEvent), bus)).map(({ event }) => toRefusedRow(event).sk));
  await table.deleteAll(rows.map(toKey).filter(({ sk }) => !refused.has(sk)));
}

const storedRow = z.object({ orderId: z.number(), version: z.number(), place: z.number() });

const toRefusedRow = ({ at, orderId, version, place }: OrderEvent): Item => ({
  ...toItem(refusedByBusKey(at, { orderId, version, place }), { orderId, version, place }),
  ttl: expiry(new Date(at)),
});

const toEventKey = (row: Item) => orderEventKey(parseItem(storedRow, row, 'event for the bus'));

function toBusEvent(event: OrderEvent): BusEntry[] {
  const publicEvent: PublicEvent | null = toPublicEvent(event);
  if (!publicEvent) return [];
  const { type, time } = publicEvent;
  return [{ type, time, detail: { ...publicEvent, client_id: event.clientId }, event }];
}

/** Returns the refused events; after the first refusal nothing more is tried. */
async function putAll(events: readonly BusEntry[], bus: EventBus): Promise<BusEntry[]> {
  const refused: BusEntry[] = [];
  for (const batch of batches(events, BUS_BATCH)) {
    refused.push(...(refused.length === 0 ? await putBatch(batch, bus) : batch));
  }
  return refused;
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
