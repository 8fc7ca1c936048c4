import { describe, expect, it } from 'vitest';
import { once } from '../../../shared/runtime/async.ts';
import { readFiguredOrders } from '../../../shared/store/order-lists/operator-lists.ts';
import { openTable } from '../../../shared/store/table.ts';
import { changed, clientId, disturbed, placed, table, useOrderTable } from '../../support/orders/order-table.ts';

useOrderTable();

describe('the orders that figures read', () => {
  const RANGE = { from: '2026-01-02T00:00:00.000Z', until: '2026-01-03T00:00:00.000Z' };

  it('have one that moves meanwhile once, as it is afterwards', async () => {
    let order = await placed({ id: 7, orderStatus: 'pending_approval' });
    await placed({ id: 8 });
    let readings = 0;
    const busy = disturbed('all', async () => {
      readings += 1;
      if (readings === 2) order = await changed(order, { orderStatus: 'approved' });
    });
    const { orders, lacking } = await readFiguredOrders(busy, clientId, RANGE);
    expect(lacking).toBe(0);
    expect(orders.map(({ orderStatus }) => orderStatus)).toEqual(['approved', 'approved']);
  });

  it('have one that moved to a pair of statuses that was read before its own', async () => {
    const order = await placed({ id: 9, orderStatus: 'pending_approval' });
    await placed({ id: 10 });
    const busy = openTable();
    const pages = busy.pages.bind(busy);
    const approvedRead = Promise.withResolvers<void>();
    const moveOnce = once(() => changed(order, { orderStatus: 'approved' }));
    busy.pages = async function* (query) {
      if (query.pk.endsWith('#pu')) await approvedRead.promise.then(moveOnce);
      yield* pages(query);
      if (query.pk.endsWith('#au')) approvedRead.resolve();
    };
    const { orders } = await readFiguredOrders(busy, clientId, RANGE);
    expect(orders.map(({ orderStatus }) => orderStatus)).toEqual(['approved', 'approved']);
  });

  it('are none of a client without any', async () => {
    expect(await readFiguredOrders(table, clientId, RANGE)).toEqual({ orders: [], lacking: 0 });
  });
});
