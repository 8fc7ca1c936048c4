import { beforeEach, describe, expect, it } from 'vitest';
import { latestOrders } from '../../../shared/order/lists/order-page.ts';
import { listOpenOrders, listRefundsDue, OPEN_STATUSES } from '../../../shared/order/lists/queue.ts';
import type { Order } from '../../../shared/order/order.ts';
import { getOrder } from '../../../shared/order/orders.ts';
import type { OrderStatus, PaymentStatus } from '../../../shared/order/rules/status.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import {
  changed,
  clientId,
  disturbed,
  idsIn,
  newOrder,
  placed,
  table,
  useOrderTable,
  withReads,
} from '../../support/orders/order-table.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';

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
  it('are neither delivered nor cancelled, and the oldest come first', async () => {
    const third = await place(7_001, 3, 'shortage');
    const first = await place(7_002, 1, 'shipped');
    await place(7_001, 0, 'cancelled');
    await place(7_003, 4, 'delivered');
    const second = await place(7_003, 2, 'pending_approval');
    expect(await list()).toEqual({ ids: [first.id, second.id, third.id], hasMore: false });
  });

  it('are those of the statuses asked for', async () => {
    const approved = await place(7_001, 0, 'approved');
    const ready = await place(7_002, 1, 'ready');
    await place(7_001, 2, 'quoted');
    expect(await list({ statuses: ['ready', 'approved'] })).toEqual({ ids: [approved.id, ready.id], hasMore: false });
    expect(await list({ statuses: ['delayed'] })).toEqual({ ids: [], hasMore: false });
  });

  it.each([
    [2, 3, false],
    [3, 3, false],
    [4, 3, true],
  ])('of %i, the oldest %i are shown, and it is told that there are more: %s', async (orders, limit, hasMore) => {
    const ids: number[] = [];
    for (let minutes = 0; minutes < orders; minutes++) ids.push((await place(7_001, minutes)).id);
    expect(await list({ limit })).toEqual({ ids: ids.slice(0, limit), hasMore });
  });

  it('are not those that wait for a refund, which are cancelled and paid and have a list of their own', async () => {
    const refunds = async (limit: number) => {
      const { orders, hasMore } = await listRefundsDue(table, { limit });
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
  });

  it('have what the queue shows, and no order is read for it', async () => {
    await place(7_001, 0, 'approved', 'credit');
    const { table: counting, reads } = withReads();
    const { orders } = await listOpenOrders(counting, { statuses: OPEN_STATUSES, limit: 10 });
    expect(orders).toEqual([
      {
        id: lastId,
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
    expect(reads).toMatchObject({ items: 1, keys: 0 });
  });

  it('show an order once, as it is now, that is found in two queues because it moves meanwhile', async () => {
    const order = await place(7_001, 0, 'ready');
    const other = await place(7_001, 1, 'in_process');
    const busy = readingFirst('OPEN#ready', () => changed(order, { orderStatus: 'shipped', paymentStatus: 'paid' }));
    const { orders } = await listOpenOrders(busy, { statuses: OPEN_STATUSES, limit: 10 });
    const shipped = { id: order.id, orderStatus: 'shipped', paymentStatus: 'paid', dueAt: '2026-01-12T23:00:00.000Z' };
    expect(orders).toMatchObject([shipped, { id: other.id, orderStatus: 'in_process' }]);
  });

  it('do not show one that moves meanwhile out of what was asked for', async () => {
    const order = await place(7_001, 0, 'ready');
    let moved = order;
    const busy = readingFirst('OPEN#ready', async () => {
      moved = await changed(order, { orderStatus: 'shipped' });
    });
    disturbed('getAll', () => changed(moved, { orderStatus: 'delivered' }), busy);
    expect(await listOpenOrders(busy, { statuses: OPEN_STATUSES, limit: 10 })).toEqual({ orders: [], hasMore: false });
  });
});

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

describe('the open orders with a payment_status', () => {
  it('are those of the statuses asked for', async () => {
    const paid = await place(7_001, 0, 'ready', 'paid');
    await place(7_001, 1, 'shipped', 'paid');
    await place(7_001, 2, 'ready', 'credit');
    expect(await list({ statuses: ['ready'], paymentStatus: 'paid' })).toEqual({ ids: [paid.id], hasMore: false });
  });

  it('are found among all others, as many as are asked for', async () => {
    const isPaid = (index: number) => [3, 120, 240].includes(index);
    const orders = Array.from({ length: 250 }, (_, index) =>
      newOrder({
        id: 10_000 + index,
        clientId: 7_100,
        createdAt: minutesLater(index),
        paymentStatus: isPaid(index) ? 'paid' : 'unpaid',
      }),
    );
    await storeOrders(orders);
    expect(await list({ paymentStatus: 'paid', limit: 2 })).toEqual({ ids: [10_003, 10_120], hasMore: true });
    expect(await list({ paymentStatus: 'paid', limit: 3 })).toEqual({ ids: [10_003, 10_120, 10_240], hasMore: false });
    expect(await list({ paymentStatus: 'rejected' })).toEqual({ ids: [], hasMore: false });

    const counting = withReads();
    await listOpenOrders(counting.table, { statuses: ['approved'], limit: 5 });
    // One more than the limit tells that there are more.
    expect(counting.reads).toMatchObject({ items: 6, keys: 0 });
  });

  it('of one payment_status are found behind a batch of others, in whichever queue they are', async () => {
    const others = Array.from({ length: 101 }, (_, index) =>
      newOrder({
        id: 9_000 + index,
        createdAt: minutesLater(index),
        orderStatus: 'delayed',
        paymentStatus: index === 100 ? 'paid' : 'unpaid',
      }),
    );
    await storeOrders(others);
    await place(7_001, 200, 'shortage');
    const asked = { statuses: ['delayed', 'shortage'], paymentStatus: 'paid' } as const;
    expect(await list(asked)).toEqual({ ids: [9_100], hasMore: false });
  });
});

describe('the latest orders of a view', () => {
  const ids = async (asked: Partial<Parameters<typeof latestOrders>[1]> = {}) => {
    const { count, orders } = await latestOrders(table, { clientId, viewer: 'client', limit: 10, ...asked });
    return { count, ids: idsIn(orders) };
  };

  it('come with the newest first, and how many there are', async () => {
    const [first, second, third] = [await place(clientId, 1), await place(clientId, 2), await place(clientId, 3)];
    expect(await ids()).toEqual({ count: 3, ids: [third.id, second.id, first.id] });
    expect(await ids({ limit: 1 })).toEqual({ count: 3, ids: [third.id] });
    expect(await ids({ viewer: 'patient#10' })).toEqual({ count: 3, ids: [third.id, second.id, first.id] });
    expect(await ids({ viewer: 'patient#11' })).toEqual({ count: 0, ids: [] });
  });

  it('are those of the statuses asked for', async () => {
    const paid = await place(clientId, 1, 'approved', 'paid');
    const unpaid = await place(clientId, 2, 'approved', 'unpaid');
    const ready = await place(clientId, 3, 'ready', 'paid');
    expect(await ids({ orderStatus: 'approved' })).toEqual({ count: 2, ids: [unpaid.id, paid.id] });
    expect(await ids({ paymentStatus: 'paid' })).toEqual({ count: 2, ids: [ready.id, paid.id] });
    expect(await ids({ orderStatus: 'approved', paymentStatus: 'paid' })).toEqual({ count: 1, ids: [paid.id] });
  });
});
