import { describe, expect, it } from 'vitest';
import { findArrived, type QueueOrder } from '../../../infra/counter/page/queue/queue-rows.ts';
import { joinQueue, keepReading, pageQueue } from '../../../infra/counter/server/orders-queue.ts';

const order = (id: number, changes: Partial<QueueOrder> = {}): QueueOrder => ({
  id,
  folio: `RX-${id}`,
  client: 1,
  created_at: '2026-11-20T18:00:00.000Z',
  order_status: 'approved',
  payment_status: 'paid',
  patient: 'Ana Paz',
  ...{ condition: false, comment: false, note: false, store: null },
  total: '136.00',
  age_minutes: 10,
  waits_for: ['preparation'],
  due_at: '2026-11-24T23:00:00.000Z',
  is_due: false,
  ...changes,
});
const idsOf = (orders: readonly { readonly id: number }[]) => orders.map(({ id }) => id);
const CENTRO = { id: 3, name: 'Sucursal Centro' };
const AMERICANA = { id: 2, name: 'Sucursal Americana' };

describe('the queue', () => {
  it('has what is due first at its head, orders and refunds alike, each once', () => {
    const open = [order(1), order(2, { due_at: '2026-11-23T23:00:00.000Z' }), order(3)];
    const refunds = [order(4, { due_at: '2026-11-22T18:00:00.000Z' }), order(3)];
    expect(idsOf(joinQueue(open, refunds))).toEqual([4, 2, 1, 3]);
  });

  it.each([
    ['due', [2]],
    ['verify', [4, 5]],
    ['fill', [1, 6, 7, 8]],
    ['ship', [2]],
    ['deliver', [9, 10]],
    ['refund', [3]],
    ['all', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  ] as const)('limited to %s has %j, and counts them', (tab, ids) => {
    const queue = [
      order(1),
      order(2, { is_due: true, order_status: 'ready' }),
      order(3, { order_status: 'cancelled', waits_for: ['refund'] }),
      ...(['quoted', 'pending_approval', 'in_process', 'shortage', 'delayed', 'shipped'] as const).map(
        (status, index) => order(4 + index, { order_status: status }),
      ),
      order(10, { order_status: 'ready', store: CENTRO }),
    ];
    const { orders, counts } = pageQueue(queue, { tab, page: 1 });
    expect(idsOf(orders)).toEqual(ids);
    expect(counts[tab]).toBe(ids.length);
  });

  it('is of one store with its counts, and tells all stores by name and the newest orders of all', () => {
    const created_at = '2026-11-20T18:01:00.000Z';
    const queue = [
      order(1, { is_due: true }),
      order(2, { store: CENTRO }),
      order(3, { store: AMERICANA, created_at }),
      order(4, { store: CENTRO }),
    ];
    const { tab, counts, stores, newest, orders } = pageQueue(queue, { store: 3, page: 1 });
    expect([tab, counts.all, idsOf(orders), idsOf(stores), idsOf(newest)]).toEqual([
      'all',
      2,
      [2, 4],
      [2, 3],
      [3, 1, 2, 4],
    ]);
    expect(pageQueue(queue, { page: 1 }).tab).toBe('due');
  });

  it('has 100 orders a page, and its last page in the place of a later one', () => {
    const queue = Array.from({ length: 5_000 }, (_, index) => order(index + 1));
    const pages = [1, 50, 51].map((page) => pageQueue(queue, { tab: 'all', page }));
    expect(pages.map(({ page, pages, orders }) => [page, pages, orders.length, orders[0]?.id])).toEqual([
      [1, 50, 100, 1],
      [50, 50, 100, 4_901],
      [50, 50, 100, 4_901],
    ]);
    expect(pageQueue([], { page: 1 })).toMatchObject({ tab: 'all', page: 1, pages: 1, orders: [] });
  });
});

describe('a reading of the queue', () => {
  /** Makes readings that take so many milliseconds by a clock of the test, and counts them. */
  function openReadings(takesMs: number) {
    const time = { now: 0 };
    const readings = keepReading<number>(() => time.now);
    let count = 0;
    const read = () =>
      readings.read(async () => {
        time.now += takesMs;
        count += 1;
        return count;
      });
    return { time, read, forget: readings.forget };
  }

  it('is kept ten times as long as it took, and shared by those who ask meanwhile', async () => {
    const { time, read } = openReadings(500);
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    time.now = 5_499;
    expect(await read()).toBe(1);
    time.now = 5_500;
    expect(await read()).toBe(2);
  });

  it('is made anew after an act, even if the act came while it was under way', async () => {
    const { read, forget } = openReadings(500);
    const before = read();
    forget();
    expect(await Promise.all([before, read(), read()])).toEqual([1, 2, 2]);
  });

  it('that failed is not kept', async () => {
    const { read } = keepReading<number>(() => 0);
    await expect(read(() => Promise.reject(new Error('unread')))).rejects.toThrow('unread');
    expect(await read(async () => 1)).toBe(1);
  });
});

describe('an order that has arrived', () => {
  const later = (id: number) => order(id, { created_at: '2026-11-20T18:01:00.000Z' });

  it('is one that the queue did not have', () => {
    expect(idsOf(findArrived([order(1)], [order(1), later(2)]))).toEqual([2]);
    expect(idsOf(findArrived([], [order(1)]))).toEqual([1]);
  });

  it('is no older one that has come back, as from a cancellation that is to be refunded', () => {
    expect(findArrived([later(2)], [order(1), later(2)])).toEqual([]);
  });
});
