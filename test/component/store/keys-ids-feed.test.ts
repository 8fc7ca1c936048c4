import { describe, expect, it } from 'vitest';
import type { PublicEvent } from '../../../shared/api/events/events.ts';
import { feedWrites, lastSequence, readFeed } from '../../../shared/events/feed.ts';
import { currentKeyUse, type Idempotency, keyUseWrite } from '../../../shared/order/rows/idempotency.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { idempotencyKey, idsKey } from '../../../shared/store/keys.ts';
import { clientId, table, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

describe('an idempotency key', () => {
  const NOW = new Date('2026-01-02T18:00:00.000Z');
  const DAY_LATER = new Date('2026-01-03T18:00:00.000Z');
  const use: Omit<Idempotency, 'clientId'> = { userId: 5, key: 'again', fingerprint: 'of the body' };
  const read = () => table.get(idempotencyKey(clientId, 5, 'again'));

  it('leads to its order for a day, and creates another one then', async () => {
    const write = (orderId: number, now: Date) => table.tryTransact([keyUseWrite({ clientId, ...use }, orderId, now)]);
    const justBefore = new Date(DAY_LATER.getTime() - 1);
    expect(currentKeyUse(await read(), NOW)).toBeUndefined();
    expect([await write(7, NOW), await write(8, justBefore)]).toEqual([true, false]);
    const item = await read();
    for (const now of [NOW, justBefore]) {
      expect(currentKeyUse(item, now)).toEqual({ fingerprint: 'of the body', orderId: 7 });
    }
    expect(currentKeyUse(item, DAY_LATER)).toBeUndefined();
    expect(await write(9, DAY_LATER)).toBe(true);
    expect(currentKeyUse(await read(), DAY_LATER)).toMatchObject({ orderId: 9 });
  });

  it('is removed by DynamoDB, at a time in whole seconds', async () => {
    await table.transact([keyUseWrite({ clientId, ...use }, 7, new Date('2026-01-02T18:00:00.001Z'))]);
    // This is 3 January 2026, 18:00:01 UTC.
    expect(await read()).toMatchObject({ ttl: 1_767_463_201 });
  });
});

describe('ids', () => {
  const last = async (kind: 'client' | 'order' | 'record') => Number((await table.get(idsKey(kind)))?.lastId ?? 0);

  it('are consecutive, and reserved in blocks', async () => {
    const ids = new Ids(table);
    const before = await last('order');
    expect(await ids.take('order', 3)).toEqual([before + 1, before + 2, before + 3]);
    expect(await last('order')).toBe(before + 100);
    expect(await ids.take('order', 98)).toEqual(Array.from({ length: 98 }, (_, index) => before + 4 + index));
    expect(await last('order')).toBe(before + 200);
    expect(await ids.take('order', 0)).toEqual([]);
  });

  it('are distinct in two processes, and for two requests at the same time', async () => {
    const [one, two] = [new Ids(table), new Ids(table)];
    const before = await last('order');
    const taken = await Promise.all([one.take('order', 60), two.take('order', 30), one.take('order', 30)]);
    expect(new Set(taken.flat()).size).toBe(120);
    // The first process takes 90 ids from its first block.
    expect(await last('order')).toBe(before + 200);
  });
});

describe('the feed of a client', () => {
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
  const read = (after: number, limit = 10, of = clientId) => readFeed(table, { clientId: of, after, limit });
  const add = (last: number, ...events: PublicEvent[]) =>
    table.tryTransact(feedWrites({ clientId, last, events }, NOW));

  it('numbers events without gaps, and takes nothing from a publisher whose end is no longer the end', async () => {
    expect([await lastSequence(table, clientId), await read(0)]).toEqual([0, []]);
    expect(await add(0, event(7, 1), event(8, 1))).toBe(true);
    expect(await add(0, event(7, 1))).toBe(false);
    expect(await add(2, event(7, 2))).toBe(true);
    expect(await lastSequence(table, clientId)).toBe(3);
    expect(await read(0)).toEqual([
      { sequence: 1, event: event(7, 1) },
      { sequence: 2, event: event(8, 1) },
      { sequence: 3, event: event(7, 2) },
    ]);
    expect((await read(1, 1)).map(({ sequence }) => sequence)).toEqual([2]);
    expect(await read(0, 10, clientId + 1_000)).toEqual([]);
  });

  it('lets events expire after 35 days', () => {
    const addition = { clientId: 1, last: 0, events: [event(7, 1)] };
    const [, ...rows] = feedWrites(addition, new Date('2026-01-02T18:00:00.000Z'));
    expect(rows).toMatchObject([{ Put: { Item: { ttl: 1_770_400_800 } } }]);
  });
});
