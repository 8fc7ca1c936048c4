import { handler as publish } from '../../../functions/jobs/publish-events.ts';
import { PUBLISHER } from '../../../infra/jobs.ts';
import {
  passRecords,
  type StreamFunction,
  type StreamHandler,
  type TableStream,
} from '../../../infra/local/table-stream.ts';
import type { PublicEvent } from '../../../shared/api/events/events.ts';
import { feedWrites, lastSequence } from '../../../shared/events/feed.ts';
import type { Table } from '../../../shared/store/table.ts';

/** Returns an event of an order: its `version`-th. */
export const sampleEvent = (
  order: number,
  version: number,
  type: PublicEvent['type'] = 'order.moved',
): PublicEvent => ({
  id: `evt_${order}_${version}_0`,
  type,
  time: new Date().toISOString(),
  order: {
    id: order,
    folio: `RX-${String(order).padStart(8, '0')}`,
    order_status: 'approved',
    payment_status: 'unpaid',
    version,
  },
  move: null,
  shipment: null,
  refunded: null,
  reason: null,
  prescriptions: [],
});

const AT_ONCE = 50;

/** Adds events to the feed of a client, as the publisher does. */
export async function addEvents(table: Table, clientId: number, events: readonly PublicEvent[]): Promise<void> {
  for (let start = 0; start < events.length; start += AT_ONCE) {
    const addition = {
      clientId,
      last: await lastSequence(table, clientId),
      events: events.slice(start, start + AT_ONCE),
    };
    await table.transact(feedWrites(addition, new Date()));
  }
}

/** Passes all that is written to the test's table behind the stream's position to a function. */
async function readThrough(stream: TableStream, job: StreamFunction): Promise<void> {
  while ((await passRecords(stream, job)).length > 0);
}

/** Passes all that is written to the test's table behind the stream's position to the publisher. */
export const publishEvents = (stream: TableStream, handler: StreamHandler = publish): Promise<void> =>
  readThrough(stream, { source: PUBLISHER, handler });
