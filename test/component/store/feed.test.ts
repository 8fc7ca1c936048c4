import { describe, expect, it } from 'vitest';
import type { PublicEvent } from '../../../shared/api/events/events.ts';
import { feedWrites, lastSequence, readFeed } from '../../../shared/events/feed.ts';
import { clientId, table, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

// DynamoDB Local removes what has expired.
const NOW = new Date();
const event = (order: number, version: number): PublicEvent => ({
  id: `evt_${order}_${version}_0`,
  type: 'order.changed',
  time: '2026-01-02T18:00:00.000Z',
  order: { id: order, folio: 'RX-00000007', order_status: 'approved', payment_status: 'unpaid', version },
  move: null,
  shipment: null,
  refunded: null,
  reason: null,
  prescriptions: [],
});

async function add(...events: PublicEvent[]): Promise<boolean> {
  const last = await lastSequence(table, clientId);
  return table.tryTransact(feedWrites({ clientId, last, events }, NOW));
}
const read = (after: number, limit = 10) => readFeed(table, { clientId, after, limit });

describe('the feed of a client', () => {
  it('is empty before its first event', async () => {
    expect(await lastSequence(table, clientId)).toBe(0);
    expect(await read(0)).toEqual([]);
  });

  it('numbers events without gaps, in the order in which they were added', async () => {
    await add(event(7, 1), event(8, 1));
    await add(event(7, 2));
    expect(await lastSequence(table, clientId)).toBe(3);
    expect(await read(0)).toEqual([
      { sequence: 1, event: event(7, 1) },
      { sequence: 2, event: event(8, 1) },
      { sequence: 3, event: event(7, 2) },
    ]);
    expect((await read(1, 1)).map(({ sequence }) => sequence)).toEqual([2]);
    expect(await readFeed(table, { clientId: clientId + 1_000, after: 0, limit: 10 })).toEqual([]);
  });

  it('takes nothing from a publisher whose end is no longer the end', async () => {
    await add(event(7, 1));
    const late = feedWrites({ clientId, last: 0, events: [event(7, 1)] }, NOW);
    expect(await table.tryTransact(late)).toBe(false);
    expect(await read(0)).toHaveLength(1);
  });

  it('lets events expire after 35 days', () => {
    const addition = { clientId: 1, last: 0, events: [event(7, 1)] };
    const [, ...rows] = feedWrites(addition, new Date('2026-01-02T18:00:00.000Z'));
    expect(rows).toEqual([{ Put: expect.objectContaining({ Item: expect.objectContaining({ ttl: 1_770_400_800 }) }) }]);
  });
});
