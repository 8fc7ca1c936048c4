import { beforeEach, describe, expect, it } from 'vitest';
import { listOpenOrders, listRefundsDue, OPEN_STATUSES } from '../../../shared/order/lists/queue.ts';
import type { Order } from '../../../shared/order/order.ts';
import { getOrder } from '../../../shared/order/orders.ts';
import type { OrderStatus, PaymentStatus } from '../../../shared/order/rules/status.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import {
  changed,
  disturbed,
  idsIn,
  newOrder,
  placed,
  table,
  useOrderTable,
  withReads,
} from '../../support/orders/order-table.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';

/* The queues of operators: the open orders of all clients, and those with a refund due. */

useOrderTable();

// Queues hold the orders of all clients, so that each test leaves them empty.
const made: Order[] = [];
beforeEach(() => async () => {
  for (const order of await Promise.all(made.splice(0).map((one) => getOrder(table, one)))) {
    if (order) await changed(order, { orderStatus: 'delivered' });
  }
});

const CREATED = '2026-01-02T18:00:00.000Z';
const minutesLater = (minutes: number) => new Date(Date.parse(CREATED) + minutes * 60_000).toISOString();

let lastId = 0;
async function place(
  clientId: number,
  minutes: number,
  orderStatus: OrderStatus = 'approved',
  paymentStatus: PaymentStatus = 'unpaid',
): Promise<Order> {
  lastId += 1;
  const order = await placed({ id: lastId, clientId, createdAt: minutesLater(minutes), orderStatus, paymentStatus });
  made.push(order);
  return order;
}

const list = async (asked: Partial<Parameters<typeof listOpenOrders>[1]> = {}) => {
  const { orders, hasMore } = await listOpenOrders(table, { statuses: OPEN_STATUSES, limit: 10, ...asked });
  return { ids: idsIn(orders), hasMore };
};

describe('the open orders of all clients', () => {
  it('are neither delivered nor cancelled, those of the statuses asked for, and the oldest come first', async () => {
    const third = await place(7_001, 3, 'shortage');
    const first = await place(7_002, 1, 'shipped', 'paid');
    await place(7_001, 0, 'cancelled');
    await place(7_003, 4, 'delivered');
    const second = await place(7_003, 2, 'pending_approval');
    expect(await list()).toEqual({ ids: [first.id, second.id, third.id], hasMore: false });
    expect(await list({ limit: 3 })).toEqual({ ids: [first.id, second.id, third.id], hasMore: false });
    expect(await list({ limit: 2 })).toEqual({ ids: [first.id, second.id], hasMore: true });
    expect(await list({ statuses: ['shipped', 'shortage'] })).toEqual({ ids: [first.id, third.id], hasMore: false });
    expect(await list({ statuses: ['delayed'] })).toEqual({ ids: [], hasMore: false });
    expect(await list({ paymentStatus: 'unpaid', limit: 1 })).toEqual({ ids: [second.id], hasMore: true });
    expect(await list({ statuses: ['shipped'], paymentStatus: 'paid' })).toEqual({ ids: [first.id], hasMore: false });
  });

  it('are not those that wait for a refund, which are cancelled and paid and have a list of their own', async () => {
    const refunds = async (limit: number, of?: number) => {
      const { orders, hasMore } = await listRefundsDue(table, { limit, clientId: of });
      return { ids: idsIn(orders), hasMore };
    };
    const approved = await place(7_001, 0, 'approved', 'paid');
    await place(7_001, 1, 'cancelled', 'unpaid');
    const unpaid = await place(7_002, 2, 'cancelled', 'processing');
    expect(await refunds(10)).toEqual({ ids: [], hasMore: false });
    const first = await changed(approved, { orderStatus: 'cancelled' });
    const second = await changed(unpaid, { paymentStatus: 'paid' });
    expect(await list()).toEqual({ ids: [], hasMore: false });
    expect(await refunds(2)).toEqual({ ids: [first.id, second.id], hasMore: false });
    expect(await refunds(1)).toEqual({ ids: [first.id], hasMore: true });
    expect(await refunds(1, 7_002)).toEqual({ ids: [second.id], hasMore: false });
  });

  it('have what the queue shows, and no order is read for it, nor more than one beyond the limit', async () => {
    for (const minutes of [0, 1, 2]) await place(7_001, minutes, 'approved', 'credit');
    const { table: counting, reads } = withReads();
    const { orders } = await listOpenOrders(counting, { statuses: OPEN_STATUSES, limit: 1 });
    expect(orders).toEqual([
      {
        id: lastId - 2,
        clientId: 7_001,
        createdAt: '2026-01-02T18:00:00.000Z',
        orderStatus: 'approved',
        paymentStatus: 'credit',
        totalCents: 19_300,
        patient: 'Ana Paz',
        dueAt: '2026-01-08T23:00:00.000Z',
        waits: [{ until: null, waits: ['preparation'] }],
      },
    ]);
    expect(reads).toMatchObject({ items: 2, keys: 0 });
  });

  it('with a payment_status are found among all others, as many as are asked for', async () => {
    const orders = Array.from({ length: 250 }, (_, index) =>
      newOrder({
        id: 10_000 + index,
        clientId: 7_100,
        createdAt: minutesLater(index),
        paymentStatus: [3, 120, 240].includes(index) ? 'paid' : 'unpaid',
      }),
    );
    await storeOrders(orders);
    expect(await list({ paymentStatus: 'paid', limit: 2 })).toEqual({ ids: [10_003, 10_120], hasMore: true });
    expect(await list({ paymentStatus: 'paid', limit: 3 })).toEqual({ ids: [10_003, 10_120, 10_240], hasMore: false });
  });
});

describe('the open orders that are read while one moves', () => {
  /** Returns a table in which `move` is done after this queue has been read, and before any other one is. */
  function readingFirst(queue: string, move: () => Promise<unknown>): Table {
    const busy = openTable();
    const first = busy.first.bind(busy);
    const moved = Promise.withResolvers<void>();
    return Object.assign(busy, {
      first: async (...[query, count]: Parameters<Table['first']>) => {
        if (query.pk !== queue) await moved.promise;
        const items = await first(query, count);
        if (query.pk === queue) moved.resolve(await move().then(() => undefined));
        return items;
      },
    });
  }
  const shipped = ['ready', 'shipped'] as const;

  it('show it once, as it is now', async () => {
    const order = await place(7_001, 0, 'ready');
    const busy = readingFirst('OPEN#ready', () => changed(order, { orderStatus: 'shipped', paymentStatus: 'paid' }));
    const { orders } = await listOpenOrders(busy, { statuses: shipped, limit: 10 });
    expect(orders).toMatchObject([{ id: order.id, paymentStatus: 'paid', dueAt: '2026-01-12T23:00:00.000Z' }]);
  });

  it('do not show it once it is none of those asked for', async () => {
    const order = await place(7_001, 0, 'ready');
    let moved = order;
    const busy = readingFirst('OPEN#ready', async () => {
      moved = await changed(order, { orderStatus: 'shipped' });
    });
    disturbed('getAll', () => changed(moved, { orderStatus: 'delivered' }), busy);
    expect(await listOpenOrders(busy, { statuses: shipped, limit: 10 })).toEqual({ orders: [], hasMore: false });
  });
});
