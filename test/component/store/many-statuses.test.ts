import { describe, expect, it } from 'vitest';
import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES } from '../../../shared/domain/order.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import { readOrderPage } from '../../../shared/store/order-lists/order-page.ts';
import type { OrderSelection } from '../../../shared/store/order-lists/selection.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import {
  changed,
  clientId,
  disturbed,
  idsIn,
  newOrder,
  placed,
  selection,
  useOrderTable,
} from '../../support/orders/order-table.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';

useOrderTable();

const DAY = '2026-03-01T16:00:00.';
const instant = (id: number) => `${DAY}${String(id).padStart(3, '0')}Z`;
const allBut = (status: OrderStatus) => ORDER_STATUSES.filter((each) => each !== status);

/** Makes orders 1 to 60, one for each pair of statuses: 1 to 6 are quoted, 43 to 48 cancelled, 55 to 60 in shortage. */
function oneOfEachPair(): Order[] {
  const pairs = ORDER_STATUSES.flatMap((orderStatus) =>
    PAYMENT_STATUSES.map((paymentStatus) => ({ orderStatus, paymentStatus })),
  );
  return pairs.map((pair, index) => newOrder({ id: index + 1, createdAt: instant(index + 1), ...pair }));
}

const store = (more: readonly Order[] = []) => storeOrders(tableConfig().TABLE_NAME, [...oneOfEachPair(), ...more]);

const list = (asked: Partial<OrderSelection>, table: Table = openTable()) =>
  readOrderPage(table, selection({ clientId, ...asked }));

function countQueries(): { readonly table: Table; readonly queries: () => number } {
  const table = openTable();
  const pages = table.pages.bind(table);
  let queries = 0;
  const counted: Table['pages'] = (query) => {
    queries += 1;
    return pages(query);
  };
  return { table: Object.assign(table, { pages: counted }), queries: () => queries };
}

describe('a list of orders of nearly all statuses', () => {
  it('leaves out the others, on the first page and in both directions', async () => {
    await store();
    const newest = await list({ orderStatuses: allBut('cancelled'), limit: 14 });
    expect(newest.count).toBe(54);
    expect(idsIn(newest.orders)).toEqual([60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 42, 41]);
    const oldest = await list({
      orderStatuses: allBut('quoted'),
      ordering: [{ field: 'createdAt', isDescending: false }],
      limit: 3,
    });
    expect(oldest.count).toBe(54);
    expect(idsIn(oldest.orders)).toEqual([7, 8, 9]);
  });

  it('goes on behind an order, in both directions and at the same price', async () => {
    await store();
    const asked = { orderStatuses: allBut('cancelled'), limit: 3 };
    const { table, queries } = countQueries();
    const newer = await list({ ...asked, after: { id: 50, createdAt: instant(50) } }, table);
    expect({ count: newer.count, ids: idsIn(newer.orders) }).toEqual({ count: 54, ids: [49, 42, 41] });
    const ordering = [{ field: 'createdAt', isDescending: false }] as const;
    const older = await list({ ...asked, ordering, after: { id: 41, createdAt: instant(41) } }, openTable());
    expect({ count: older.count, ids: idsIn(older.orders) }).toEqual({ count: 54, ids: [42, 49, 50] });
    // Six of the 54 that follow are not wanted, and fill the six that are read: all pairs are merged.
    expect(queries()).toBe(9 + 54);
  });

  it('takes a query for each pair that is not wanted, two for the counters and one for all entries', async () => {
    await store();
    const { table, queries } = countQueries();
    await list({ orderStatuses: allBut('cancelled'), limit: 20 }, table);
    expect(queries()).toBe(9);
  });

  it('takes a query for each wanted pair where those that are not wanted fill the page', async () => {
    const crowd = Array.from({ length: 30 }, (_, index) => index + 100);
    await store(crowd.map((id) => newOrder({ id, createdAt: instant(id), orderStatus: 'cancelled' })));
    const { table, queries } = countQueries();
    const { count, orders } = await list({ orderStatuses: allBut('cancelled'), limit: 3 }, table);
    expect(count).toBe(54);
    expect(idsIn(orders)).toEqual([60, 59, 58]);
    expect(queries()).toBe(9 + 54);
  });

  it('shows no order that is moved to another status meanwhile', async () => {
    await store();
    const table = openTable();
    const pages = table.pages.bind(table);
    let moved = 1_000;
    const disturbed: Table['pages'] = async function* (query) {
      if (query.pk.startsWith('COUNT#')) await placed({ id: ++moved, createdAt: instant(999), orderStatus: 'quoted' });
      yield* pages(query);
    };
    const busy = Object.assign(table, { pages: disturbed });
    const { orders } = await list({ orderStatuses: allBut('quoted'), limit: 10 }, busy);
    expect(orders.map(({ orderStatus }) => orderStatus)).not.toContain('quoted');
    expect(idsIn(orders)).toEqual([60, 59, 58, 57, 56, 55, 54, 53, 52, 51]);
  });

  it('shows no order that is moved after the counters were read again, and before it was read itself', async () => {
    await store();
    const order = await placed({ id: 61, createdAt: instant(61) });
    const table = openTable();
    const all = table.all.bind(table);
    const countedAgain = Promise.withResolvers<void>();
    let counted = 0;
    table.all = async (query) => {
      const items = await all(query);
      counted += 1;
      if (counted === 2) countedAgain.resolve();
      return items;
    };
    const moves = [() => changed(order, { orderStatus: 'cancelled' })];
    const move = async () => {
      await countedAgain.promise;
      await moves.pop()?.();
    };
    const { orders } = await list({ orderStatuses: allBut('cancelled'), limit: 3 }, disturbed('getAll', move, table));
    expect(moves).toEqual([]);
    expect(idsIn(orders)).toEqual([60, 59, 58]);
  });
});
