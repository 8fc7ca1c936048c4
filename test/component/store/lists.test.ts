import { describe, expect, it } from 'vitest';
import { parseDelays, WHOLE_VIEW, widenDelays } from '../../../shared/order/lists/delivery-delays.ts';
import { listItems, readWanted, viewSource } from '../../../shared/order/lists/entries.ts';
import { type OrderSelection, readOrderPage } from '../../../shared/order/lists/order-page.ts';
import type { Order } from '../../../shared/order/order.ts';
import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES } from '../../../shared/order/rules/status.ts';
import { runWithDeadline } from '../../../shared/runtime/clock.ts';
import { counterKey, creationKey, delaysKey, orderKey } from '../../../shared/store/keys.ts';
import { openTable } from '../../../shared/store/table.ts';
import {
  changed,
  clientId,
  disturbed,
  idsIn,
  listed,
  newOrder,
  placed,
  selection,
  table,
  useOrderTable,
  withReads,
} from '../../support/orders/order-table.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';

/*
 * A page of orders has its costs, and is right while orders are written. `order-list.property` proves the contents of lists.
 */

useOrderTable();

const LONG_HISTORY = 200_000;
// Of any ten orders, five are delivered and paid, three approved and unpaid, and two shipped and on credit.
const STATUSES = [
  ...Array(5).fill({ orderStatus: 'delivered', paymentStatus: 'paid' }),
  ...Array(3).fill({ orderStatus: 'approved', paymentStatus: 'unpaid' }),
  ...Array(2).fill({ orderStatus: 'shipped', paymentStatus: 'credit' }),
];
/** The instant at which an order of the long history was placed, and is due. */
const minute = (of: number) => new Date(Date.UTC(2026, 2, 1, 0, of)).toISOString();

let writtenLong: Promise<void> | undefined;
/** Writes orders 1 to 300, one for each minute from 1 March 2026, 00:01 UTC on; all tests only read them. */
function longHistory(): Promise<void> {
  writtenLong ??= storeOrders(
    Array.from({ length: 300 }, (_, index) => {
      const id = index + 1;
      const dated = { createdAt: minute(id), expectedDeliveryDate: minute(id), maxDeliveryDate: minute(id) };
      const patient = { id: 10_000 + Math.floor(index / 10), firstName: `Paciente${Math.floor(index / 10)}` };
      return newOrder({ id, clientId: LONG_HISTORY, patient, ...STATUSES[index % 10], ...dated, quantities: [1] });
    }),
  );
  return writtenLong;
}

/** Lists the ids from one down to another. */
const downFrom = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);

const OLDEST_FIRST = { ordering: [{ field: 'createdAt', isDescending: false }] } as const;
const SHIPPED = { orderStatuses: ['shipped'] } as const;
const THREE_PAIRS = { orderStatuses: ['approved', 'shipped', 'delivered'], limit: 4 } as const;

/** Returns the count and the ids of a page. */
async function page(asked: Partial<OrderSelection>, from = table) {
  const { count, orders } = await readOrderPage(from, selection({ clientId, ...asked }));
  return { count, ids: idsIn(orders) };
}

/** Returns a function that acts at one of its calls, the first of which is 1. */
function atCall(wanted: number, act: () => Promise<unknown>) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === wanted) await act();
  };
}

describe('the cost of a page of 300 orders', () => {
  const read = async (asked: Partial<OrderSelection>) => {
    await longHistory();
    const { table: told, reads } = withReads();
    return { ...(await page({ clientId: LONG_HISTORY, limit: 20, ...asked }, told)), reads };
  };
  const placedWithin = (from: number, until: number) =>
    [
      { field: 'createdAt', comparison: '>=', instant: minute(from) },
      { field: 'createdAt', comparison: '<', instant: minute(until) },
    ] as const;
  const dueWithin = [
    { field: 'expectedDeliveryDate', comparison: '>=', instant: minute(100) },
    { field: 'maxDeliveryDate', comparison: '<', instant: minute(110) },
  ] as const;

  // The client has 16 counters, which are read before and after.
  it.each<[string, Partial<OrderSelection>, number, number[], pages: number, items: number]>([
    ['the first page', {}, 300, downFrom(300, 281), 3, 32 + 20],
    ['the last page', { offset: 280 }, 300, downFrom(20, 1), 3, 32 + 20],
    ['a page past the end', { offset: 300 }, 300, [], 2, 32],
    ['the first page of one pair', { ...SHIPPED, limit: 4 }, 60, [300, 299, 290, 289], 3, 32 + 4],
    ['the first page of three pairs', THREE_PAIRS, 300, downFrom(300, 297), 5, 32 + 12],
    ['a patient', { patientId: 10_029 }, 10, downFrom(300, 291), 3, 8 + 10],
    ['a doctor without orders', { viewer: 'doctor#20' }, 0, [], 2, 0],
    // A query for the name, one for the long names, and one for each patient found.
    ['a name', { nameWords: ['paciente29'] }, 10, downFrom(300, 291), 3, 1 + 10],
    // The last bound is read with its instant.
    ['days of delivery', { dateBounds: dueWithin }, 10, downFrom(109, 100), 1, 11],
    ['days', { dateBounds: placedWithin(100, 110), ...OLDEST_FIRST, limit: 2 }, 10, [100, 101], 1, 11],
    ['days of one pair', { dateBounds: placedWithin(100, 110), ...SHIPPED }, 2, [109, 100], 3, 32 + 3],
    ['no status', { orderStatuses: [], nameWords: ['jose'] }, 0, [], 0, 0],
    ['another patient, for a patient', { viewer: 'patient#10', patientId: 11, nameWords: ['jose'] }, 0, [], 0, 0],
  ])('is small for %s', async (_, asked, count, ids, pages, items) => {
    const batches = ids.length === 0 ? 0 : 1;
    expect(await read(asked)).toEqual({ count, ids, reads: { pages, items, batches, keys: ids.length } });
  });

  it('is one read for a folio', async () => {
    const of = (viewer: 'patient#10009' | 'patient#10008') => read({ orderId: 100, viewer });
    expect(await of('patient#10009')).toMatchObject({ ids: [100], reads: { pages: 1, items: 1, batches: 0 } });
    expect(await of('patient#10008')).toMatchObject({ ids: [], reads: { pages: 1, items: 0, batches: 0 } });
  });
});

describe('a list that is read while orders are written', () => {
  it('is read once more when an order moved, and then shows it where it is', async () => {
    const order = await placed({ id: 1 });
    // The second reading of the counters comes after the page.
    const busy = disturbed(
      'all',
      atCall(2, () => changed(order, { orderStatus: 'ready' })),
    );
    const asked = selection({ clientId, orderStatuses: ['approved', 'ready'], paymentStatuses: ['unpaid'] });
    expect(await readOrderPage(busy, asked)).toMatchObject({ count: 1, orders: [{ id: 1, orderStatus: 'ready' }] });
  });

  it('shows the statuses by which an order was found, even if it has moved since', async () => {
    let order = await placed({ id: 1 });
    const moveTo = (orderStatus: OrderStatus) =>
      atCall(2, async () => {
        order = await changed(order, { orderStatus });
      });
    const busy = disturbed('getAll', moveTo('ready'), disturbed('all', moveTo('in_process')));
    const found = await readOrderPage(busy, selection({ clientId, orderStatuses: ['approved', 'in_process'] }));
    expect(found).toMatchObject({ count: 1, orders: [{ id: 1, orderStatus: 'in_process', version: 3 }] });
  });

  it.each([{ limit: 3 }, { limit: 3, orderStatuses: ['approved', 'quoted'] }, { limit: 3, offset: 27 }] as const)(
    'is read twice and no more, with %j',
    async (asked) => {
      for (let each = 1; each <= 30; each++) await placed({ id: each });
      let id = 30;
      const { table: told, reads } = withReads();
      const busy = disturbed('all', () => placed({ id: ++id }), told);
      // The counters are read three times, and an order is placed before each of them.
      const { count, ids } = await page(asked, busy);
      expect([count, ids.length]).toEqual([32, 3]);
      expect(reads).toMatchObject({ pages: 3 + 2, batches: 2 });
      expect(reads.items).toBeLessThan(3 * 16 + 2 * 6);
    },
  );

  it('misses none of the oldest orders on a page near the newest', async () => {
    for (let each = 1; each <= 30; each++) await placed({ id: each });
    let id = 30;
    const busy = openTable();
    const pages = busy.pages.bind(busy);
    busy.pages = async function* (query) {
      await placed({ id: ++id });
      yield* pages(query);
    };
    expect((await page({ ...OLDEST_FIRST, limit: 3, offset: 27 }, busy)).ids).toEqual([28, 29, 30]);
  });

  it('shows an order once that is in two pairs, and fills the page', async () => {
    await listed({ id: 1, createdAt: '2026-01-01T18:00:00.000Z' });
    const order = await listed({ id: 2 });
    // This is what a reader sees who reads one pair before the order moves, and the other one after.
    await table.putAll(listItems({ ...order, orderStatus: 'ready' }));
    await table.putAll([{ ...counterKey(clientId, 'client', 15), ru: 1, changes: 1 }]);
    await table.putAll([{ ...counterKey(clientId, 'patient#10', 3), ru: 1, changes: 1 }]);
    const orderStatuses = ['approved', 'ready'] as const;
    expect((await page({ orderStatuses, limit: 2 })).ids).toEqual([2, 1]);
    expect(await page({ orderStatuses, nameWords: ['ana'] })).toEqual({ count: 2, ids: [2, 1] });
  });

  it('has no order whose item is missing', async () => {
    await placed({ id: 1 });
    await placed({ id: 2 });
    await table.deleteAll([orderKey(clientId, 2)]);
    const { orders, size } = await readOrderPage(table, selection({ clientId }));
    expect({ ids: idsIn(orders), size }).toEqual({ ids: [1], size: 2 });
  });
});

describe('a list whose time is over', () => {
  it.each([{}, { nameWords: ['jose'] }, SHIPPED] as const)('is refused with %j', async (asked) => {
    await longHistory();
    const late = runWithDeadline(AbortSignal.abort(), 0, () => page({ clientId: LONG_HISTORY, ...asked }));
    await expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  });
});

describe('delivery delays', () => {
  const createdAt = '2026-03-02T12:00:00.000Z';
  const read = async () => parseDelays(await table.get(delaysKey(clientId)));

  it('never become narrower by orders that are placed at the same time, and are not written when they are known', async () => {
    const known = await read();
    const delays = Array.from({ length: 40 }, (_, each) => ({
      shortestMs: -((each * 7) % 40),
      longestMs: (each * 11) % 40,
    }));
    await Promise.all(delays.map((each) => widenDelays(table, clientId, known, each)));
    await widenDelays(table, clientId, known, { shortestMs: -1, longestMs: 1 });
    expect(await read()).toEqual({ shortestMs: -39, longestMs: 39 });
    await widenDelays(table, clientId + 1_000, { shortestMs: -5, longestMs: 5 }, { shortestMs: -5, longestMs: 5 });
    expect(await table.get(delaysKey(clientId + 1_000))).toBeUndefined();
  });

  it('find the orders of each delay up to the millisecond, one due before it was placed among them', async () => {
    const due = (maxDeliveryDate: string) => ({ createdAt, expectedDeliveryDate: null, maxDeliveryDate });
    await listed({ id: 1, ...due('2026-03-04T12:00:00.000Z') });
    await listed({ id: 2, ...due('2026-03-09T12:00:00.000Z') });
    await listed({ id: 3, ...due('2026-03-01T09:00:00.000Z') });
    const within = async (comparison: '>=' | '<', instant: string) =>
      (await page({ dateBounds: [{ field: 'maxDeliveryDate', comparison, instant: `2026-03-${instant}Z` }] })).ids;
    expect(await within('>=', '09T12:00:00.000')).toEqual([2]);
    expect(await within('>=', '09T12:00:00.001')).toEqual([]);
    expect(await within('<', '04T12:00:00.000')).toEqual([3]);
    expect(await within('<', '04T12:00:00.001')).toEqual([3, 1]);
    expect(await within('<', '01T09:00:00.001')).toEqual([3]);
    expect(await within('<', '01T09:00:00.000')).toEqual([]);
  });
});

describe('a source of more entries than a page', () => {
  const ids = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => from + index);
  /** Reads 120 entries of a client, of which only the time is different, in pages of 50. */
  async function find(client: number, times: readonly string[], range = WHOLE_VIEW) {
    const [like] = listItems(newOrder({ id: 1, clientId: client }));
    await table.putAll(times.map((time, id) => ({ ...like, sk: creationKey(time, id) })));
    const { table: told, reads } = withReads();
    const source = viewSource({ clientId: client, viewer: 'client' });
    const found = await readWanted(told, [source], range, ({ id }) => id !== 71, 50);
    return { ids: found.map(({ entry }) => entry.id).sort((a, b) => a - b), items: reads.items };
  }
  const TWO_A_MINUTE = ids(0, 120).map((id) => minute(Math.floor(id / 2)));

  // Minute 24 has the entries 48 and 49.
  it.each([
    ['exactly a page', minute(0), `${minute(24)}$`, 0, 50],
    ['a page and one entry', minute(0), creationKey(minute(25), 50), 0, 51],
    ['from the middle', minute(5), `${minute(34)}$`, 10, 70],
    ['nothing', minute(60), WHOLE_VIEW.until, 120, 120],
  ])('has each entry of a range once: %s', async (_, from, until, first, end) => {
    expect((await find(300_000, TWO_A_MINUTE, { from, until })).ids).toEqual(ids(first, end));
  });

  it('has each wanted entry once, and reads little more than each once, also where most have one instant', async () => {
    const wanted = [...ids(0, 71), ...ids(72, 120)];
    // The last entry is read to know how to split the rest.
    expect(await find(300_000, TWO_A_MINUTE)).toEqual({ ids: wanted, items: 121 });
    const crowd = [minute(0), ...Array(117).fill(minute(1)), minute(2), minute(3)];
    expect((await find(300_001, crowd)).ids).toEqual(wanted);
  });
});

describe('a list of orders of nearly all statuses', () => {
  const instant = (id: number) => `2026-03-01T16:00:00.${String(id).padStart(3, '0')}Z`;
  const allBut = (status: OrderStatus) => ORDER_STATUSES.filter((each) => each !== status);

  /** Stores orders 1 to 60, one for each pair of statuses: 1 to 6 are quoted, 43 to 48 cancelled, 55 to 60 in shortage. */
  function store(more: readonly Order[] = []): Promise<void> {
    const pairs = ORDER_STATUSES.flatMap((orderStatus) =>
      PAYMENT_STATUSES.map((paymentStatus) => ({ orderStatus, paymentStatus })),
    );
    const orders = pairs.map((pair, index) => newOrder({ id: index + 1, createdAt: instant(index + 1), ...pair }));
    return storeOrders([...orders, ...more]);
  }

  it('takes a query for each pair that is not wanted, two for the counters and one for all entries', async () => {
    await store();
    const { table: told, reads } = withReads();
    const newest = [...downFrom(60, 49), 42, 41];
    expect(await page({ orderStatuses: allBut('cancelled'), limit: 14 }, told)).toEqual({ count: 54, ids: newest });
    expect(reads.pages).toBe(9);
  });

  it('takes a query for each wanted pair where those that are not wanted fill the page', async () => {
    await store();
    const { table: told, reads } = withReads();
    const asked = { orderStatuses: allBut('cancelled'), limit: 3 };
    // Six of the 54 that follow are not wanted, and fill the six that are read: all pairs are merged.
    const newer = await page({ ...asked, after: { id: 50, createdAt: instant(50) } }, told);
    expect([newer, reads.pages]).toEqual([{ count: 54, ids: [49, 42, 41] }, 9 + 54]);
    const older = await page({ ...asked, ...OLDEST_FIRST, after: { id: 41, createdAt: instant(41) } });
    expect(older).toEqual({ count: 54, ids: [42, 49, 50] });
  });

  it('shows no order that is moved after the counters were read again, and before it was read itself', async () => {
    await store();
    const [order, later] = [
      await placed({ id: 61, createdAt: instant(61) }),
      await placed({ id: 62, createdAt: instant(62) }),
    ];
    const busy = openTable();
    const all = busy.all.bind(busy);
    const countedAgain = Promise.withResolvers<void>();
    let counted = 0;
    busy.all = async (query) => {
      const items = await all(query);
      counted += 1;
      if (counted === 2) countedAgain.resolve();
      return items;
    };
    // The second one moves while the page is read for the last time.
    const moving = [later, order];
    const move = async () => {
      await countedAgain.promise;
      const next = moving.pop();
      if (next) await changed(next, { orderStatus: 'cancelled' });
    };
    const asked = selection({ clientId, orderStatuses: allBut('cancelled'), limit: 3 });
    const { orders } = await readOrderPage(disturbed('getAll', move, busy), asked);
    expect(orders.map(({ id, orderStatus }) => [id, orderStatus])).toEqual([
      [62, 'approved'],
      [60, 'shortage'],
      [59, 'shortage'],
    ]);
  });
});
