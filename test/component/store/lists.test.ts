import { describe, expect, it } from 'vitest';
import { ORDER_STATUSES } from '../../../shared/domain/order.ts';
import { runWithDeadline } from '../../../shared/runtime/deadline.ts';
import { counterKey } from '../../../shared/store/keys.ts';
import { countedPage } from '../../../shared/store/order-lists/order-counted-page.ts';
import { listOrders } from '../../../shared/store/order-lists/order-list.ts';
import { listItems } from '../../../shared/store/order-lists/order-rows.ts';
import { latestOrders } from '../../../shared/store/order-lists/order-search.ts';
import type { OrderSelection } from '../../../shared/store/order-lists/order-selection.ts';
import { walkedPage } from '../../../shared/store/order-lists/order-walked-page.ts';
import {
  type Asked,
  changed,
  clientId,
  disturbed,
  HISTORY,
  idsIn,
  newOrder,
  placed,
  selection,
  table,
  useOrderTable,
  withReads,
  withShortPages,
} from '../../support/orders/order-table.ts';

useOrderTable();

const JOSE = { id: 11, firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
const MARIA = { id: 12, firstName: 'María José', lastName: 'López', secondLastName: null };

/** Makes orders 1 to 8 of one client: 3 and 4 have one instant, 2 and 6 no dates. */
const ORDERS: readonly Asked[] = [
  { id: 1, patient: JOSE, createdAt: '2026-03-01T16:00:00.000Z', ...dates('06', '10') },
  { id: 2, patient: MARIA, createdAt: '2026-03-02T16:00:00.000Z', orderStatus: 'quoted', ...dates() },
  {
    id: 3,
    patient: JOSE,
    doctor: 20,
    createdAt: '2026-03-03T16:00:00.000Z',
    orderStatus: 'shipped',
    paymentStatus: 'paid',
    ...dates('07', '11'),
  },
  {
    id: 4,
    patient: MARIA,
    createdAt: '2026-03-03T16:00:00.000Z',
    orderStatus: 'delivered',
    paymentStatus: 'credit',
    ...dates('08', '20'),
  },
  {
    id: 5,
    patient: MARIA,
    doctor: 20,
    createdAt: '2026-03-05T16:00:00.000Z',
    orderStatus: 'cancelled',
    paymentStatus: 'rejected',
    ...dates('06', '12'),
  },
  { id: 6, patient: MARIA, createdAt: '2026-03-06T16:00:00.000Z', paymentStatus: 'paid', ...dates() },
  { id: 7, patient: JOSE, createdAt: '2026-03-07T16:00:00.000Z', orderStatus: 'shipped', ...dates('09', '13') },
  {
    id: 8,
    patient: JOSE,
    createdAt: '2026-03-08T16:00:00.000Z',
    orderStatus: 'shipped',
    paymentStatus: 'paid',
    ...dates('10', '14'),
  },
];

function dates(expected?: string, max?: string) {
  const instant = (day: string | undefined) => (day === undefined ? null : `2026-03-${day}T23:00:00.000Z`);
  return { expectedDeliveryDate: instant(expected), maxDeliveryDate: instant(max) };
}

let written: Promise<void> | undefined;
/** Writes the eight orders at the first call; all tests only read them. */
function history(): Promise<void> {
  written ??= (async () => {
    for (const order of ORDERS) await placed({ ...order, clientId: HISTORY });
  })();
  return written;
}

const LONG_HISTORY = 200_000;
let writtenLong: Promise<void> | undefined;
/** Writes only the rows and counters of orders 1 to 104 of another client, in each status in turn. */
function longHistory(): Promise<void> {
  writtenLong ??= (async () => {
    const counts = { qu: 11, pu: 11, au: 11, iu: 11, ru: 10, su: 10, du: 10, cu: 10, lu: 10, hu: 10 };
    await table.transact([{ Put: { Item: { ...counterKey(LONG_HISTORY, 'client', 0), changes: 1, ...counts } } }]);
    const writes = Array.from({ length: 104 }, (_, index) => {
      const createdAt = new Date(Date.UTC(2026, 2, 1, 16, index)).toISOString();
      const orderStatus = ORDER_STATUSES[index % 10] ?? 'quoted';
      const order = newOrder({ id: index + 1, clientId: LONG_HISTORY, createdAt, orderStatus });
      return Object.values(listItems(order, 'client')).map((Item) => ({ Put: { Item } }));
    });
    // An order has two writes, and a transaction at most 100.
    for (const start of [0, 50, 100]) await table.transact(writes.slice(start, start + 50).flat());
  })();
  return writtenLong;
}
/** Lists the ids from one down to another. */
const downFrom = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);

const up = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: false }) as const;
const down = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: true }) as const;
const bound = (field: 'expectedDeliveryDate' | 'maxDeliveryDate', comparison: '>=' | '<', day: string) =>
  ({ field, comparison, instant: `2026-03-${day}T23:00:00.000Z` }) as const;

type Case = readonly [title: string, asked: Partial<OrderSelection>, ids: readonly number[]];

/** Contains queries that the counters can count. */
const BY_CREATION: readonly Case[] = [
  ['all, the newest first', {}, [8, 7, 6, 5, 4, 3, 2, 1]],
  ['all, the oldest first', { ordering: [up('createdAt')] }, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['one order_status', { orderStatuses: ['shipped'] }, [8, 7, 3]],
  ['one order_status, the oldest first', { orderStatuses: ['shipped'], ordering: [up('createdAt')] }, [3, 7, 8]],
  ['several order_statuses', { orderStatuses: ['approved', 'shipped', 'delivered'] }, [8, 7, 6, 4, 3, 1]],
  [
    'several order_statuses, the oldest first',
    { orderStatuses: ['approved', 'shipped', 'delivered'], ordering: [up('createdAt')] },
    [1, 3, 4, 6, 7, 8],
  ],
  ['an order_status that no order has', { orderStatuses: ['ready'] }, []],
  ['one payment_status', { paymentStatuses: ['paid'] }, [8, 6, 3]],
  ['several payment_statuses', { paymentStatuses: ['paid', 'credit', 'processing'] }, [8, 6, 4, 3]],
  ['those of a patient', { viewer: 'patient#11' }, [8, 7, 3, 1]],
  ['those of a patient with a status', { viewer: 'patient#11', paymentStatuses: ['paid'] }, [8, 3]],
  ['those of a doctor', { viewer: 'doctor#20' }, [5, 3]],
  ['those of a doctor without any', { viewer: 'doctor#21' }, []],
  ['those of another client', { clientId: HISTORY + 1 }, []],
];

/** Contains queries that need a walk over the whole view. */
const WALKED: readonly Case[] = [
  [
    'by expected delivery, no date being the latest',
    { ordering: [up('expectedDeliveryDate')] },
    [1, 5, 3, 4, 7, 8, 2, 6],
  ],
  ['by expected delivery, the latest first', { ordering: [down('expectedDeliveryDate')] }, [6, 2, 8, 7, 4, 3, 5, 1]],
  [
    'by expected delivery, then the newest first',
    { ordering: [up('expectedDeliveryDate'), down('createdAt')] },
    [5, 1, 3, 4, 7, 8, 6, 2],
  ],
  [
    'by creation, then by expected delivery',
    { ordering: [up('createdAt'), down('expectedDeliveryDate')] },
    [1, 2, 4, 3, 5, 6, 7, 8],
  ],
  ['statuses of both kinds', { orderStatuses: ['shipped', 'approved'], paymentStatuses: ['paid'] }, [8, 6, 3]],
  ['a patient in the view of a doctor', { viewer: 'doctor#20', patientId: 11 }, [3]],
  ['another patient in the view of a patient', { viewer: 'patient#11', patientId: 12 }, []],
  ['a name', { nameWords: ['nunez'] }, [8, 7, 3, 1]],
  ['parts of a name, all of them', { nameWords: ['pez', 'jos'] }, [6, 5, 4, 2]],
  ['a name that no patient has', { nameWords: ['jose', 'nadie'] }, []],
  ['an expected delivery from a date on', { dateBounds: [bound('expectedDeliveryDate', '>=', '08')] }, [8, 7, 4]],
  ['an expected delivery before a date', { dateBounds: [bound('expectedDeliveryDate', '<', '08')] }, [5, 3, 1]],
  [
    'deliveries within two bounds',
    { dateBounds: [bound('maxDeliveryDate', '>=', '11'), bound('maxDeliveryDate', '<', '14')] },
    [7, 5, 3],
  ],
];

/** Contains offsets and limits from both ends, some with skipped pages before. */
const PAGES = [
  [0, 100],
  [3, 1],
  [3, 3],
  [5, 2],
] as const;

describe('a list of orders', () => {
  it.each([...BY_CREATION, ...WALKED])('has %s', async (_, asked, ids) => {
    await history();
    const wanted = selection(asked);
    const page = await listOrders(table, wanted);
    expect({ count: page.count, ids: idsIn(page.rows) }).toEqual({ count: ids.length, ids });
    expect(await walkedPage(table, wanted)).toEqual(page);
  });

  it.each([...BY_CREATION, ...WALKED])('has parts of %s as its pages', async (_, asked, ids) => {
    await history();
    const parts = Array.from({ length: 4 }, async (__, page) => {
      const found = await listOrders(table, selection({ ...asked, offset: page * 3, limit: 3 }));
      return { count: found.count, ids: idsIn(found.rows) };
    });
    expect(await Promise.all(parts)).toEqual(
      [0, 3, 6, 9].map((start) => ({ count: ids.length, ids: ids.slice(start, start + 3) })),
    );
  });

  it.each(BY_CREATION)('is counted by the counters for each page of %s', async (_, asked, ids) => {
    await history();
    for (const from of [table, withShortPages(2)]) {
      for (const [offset, limit] of PAGES) {
        const page = await countedPage(from, selection({ ...asked, offset, limit }));
        expect(page?.count).toBe(ids.length);
        expect(idsIn(page?.rows ?? [])).toEqual(ids.slice(offset, offset + limit));
      }
    }
  });

  it.each([
    { offset: 0, limit: 100, ids: downFrom(104, 5) },
    { offset: 4, limit: 100, ids: downFrom(100, 1) },
    { offset: 50, limit: 2, ids: [54, 53] },
  ])('is counted for ten statuses down to 100 orders from an end: $offset, $limit', async ({ ids, ...part }) => {
    await longHistory();
    const asked = selection({ clientId: LONG_HISTORY, orderStatuses: ORDER_STATUSES, ...part });
    const page = await countedPage(table, asked);
    expect({ count: page?.count, ids: idsIn(page?.rows ?? []) }).toEqual({ count: 104, ids });
  });

  it.each([
    { offset: 2, limit: 99, ids: downFrom(102, 4) },
    { offset: 3, limit: 99, ids: downFrom(101, 3) },
  ])('is not counted for ten statuses beyond 100 orders: $offset, $limit', async ({ ids, ...part }) => {
    await longHistory();
    const asked = selection({ clientId: LONG_HISTORY, orderStatuses: ORDER_STATUSES, ...part });
    expect(await countedPage(table, asked)).toBeUndefined();
    const page = await listOrders(table, asked);
    expect({ count: page.count, ids: idsIn(page.rows) }).toEqual({ count: 104, ids });
  });

  it.each([
    // Eight counters are read, before and after.
    [{ limit: 2 }, 16 + 2],
    [{ limit: 2, offset: 6 }, 16 + 2],
    [{ limit: 1, offset: 3 }, 16 + 3 + 1],
  ] as const)('by %j reads no more than it shows, what it skips, and the counters', async (asked, many) => {
    await history();
    const { table: told, read } = withReads();
    await listOrders(told, selection(asked));
    expect(read()).toBe(many);
  });

  it.each(WALKED)('is not counted by the counters for %s', async (_, asked) => {
    await history();
    expect(await countedPage(table, selection(asked))).toBeUndefined();
  });

  it.each([{ orderStatuses: [] }, { paymentStatuses: [] }])('with %j is empty, and reads nothing', async (none) => {
    await history();
    const { table: told, read } = withReads();
    expect(await listOrders(told, selection({ nameWords: ['jose'], ...none }))).toEqual({ count: 0, rows: [] });
    expect(read()).toBe(0);
  });

  it('of a patient, for their client, is that patient’s view', async () => {
    await history();
    expect(await listOrders(table, selection({ patientId: 11 }))).toEqual(
      await listOrders(table, selection({ viewer: 'patient#11' })),
    );
    const { table: told, read } = withReads();
    const page = await listOrders(told, selection({ patientId: 11, limit: 1 }));
    expect({ count: page.count, ids: idsIn(page.rows) }).toEqual({ count: 4, ids: [8] });
    // Three of the patient's four counters are in use, before and after.
    expect(read()).toBe(3 + 1 + 3);
  });

  it('is the same for any page size of the table', async () => {
    await history();
    const short = withShortPages(2);
    for (const [, asked, ids] of [...BY_CREATION, ...WALKED]) {
      for (const [offset, limit] of PAGES) {
        const page = await listOrders(short, selection({ ...asked, offset, limit }));
        expect(idsIn(page.rows)).toEqual(ids.slice(offset, offset + limit));
      }
    }
  });

  it.each([{}, { nameWords: ['jose'] }])('with %j is refused when there is no time left', async (asked) => {
    await history();
    const late = runWithDeadline(AbortSignal.abort(), 0, () => listOrders(table, selection(asked)));
    await expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  });

  it('shows each order with the values by which it was found, even if it has changed since', async () => {
    const order = await placed({ id: 1 });
    const busy = disturbed('getAll', () => changed(order, { orderStatus: 'cancelled' }));
    const asked = selection({ clientId, orderStatuses: ['approved'], nameWords: ['paz'] });
    const page = await listOrders(busy, asked);
    expect(page).toMatchObject({ count: 1, rows: [{ id: 1, orderStatus: 'approved', patientName: 'Ana Paz' }] });
  });

  it('has a count that matches its rows when orders are placed meanwhile', async () => {
    await placed({ id: 1 });
    let id = 1;
    const busy = disturbed('all', async () => {
      if (id < 3) await placed({ id: ++id });
    });
    expect(await countedPage(busy, selection({ clientId, limit: 1 }))).toMatchObject({
      count: 3,
      rows: [{ orderStatus: 'approved' }],
    });
  });

  it('has no count if orders are placed all the time, or if the counters exceed the orders', async () => {
    await placed({ id: 1 });
    let id = 1;
    const busy = disturbed('all', () => placed({ id: ++id }));
    expect(await countedPage(busy, selection({ clientId }))).toBeUndefined();
    // The counters are read twice, and in four more tries.
    expect(id).toBe(7);

    await table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', 15), au: 1, changes: 1 } } }]);
    expect(await countedPage(table, selection({ clientId }))).toBeUndefined();
    expect((await listOrders(table, selection({ clientId }))).count).toBe(7);
    // The counters say 26, so that the page begins behind the last order.
    await table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', 15), au: 19, changes: 1 } } }]);
    expect(await countedPage(table, selection({ clientId, offset: 10, limit: 1 }))).toBeUndefined();
  });
});

describe('the latest orders of a client', () => {
  const latest = async (asked: Partial<Parameters<typeof latestOrders>[1]>, from = table) => {
    const any = { clientId: HISTORY, orderStatus: undefined, paymentStatus: undefined, limit: 3 };
    return idsIn(await latestOrders(from, { ...any, ...asked }));
  };

  it.each([
    [{}, [8, 7, 6]],
    [{ limit: 1 }, [8]],
    [{ orderStatus: 'shipped' }, [8, 7, 3]],
    [{ orderStatus: 'shipped', limit: 2 }, [8, 7]],
    [{ paymentStatus: 'paid' }, [8, 6, 3]],
    [{ orderStatus: 'shipped', paymentStatus: 'paid', limit: 9 }, [8, 3]],
    [{ orderStatus: 'shipped', paymentStatus: 'paid', limit: 2 }, [8, 3]],
    [{ orderStatus: 'ready' }, []],
    [{ clientId: HISTORY + 1 }, []],
  ] as const)('by %j are %j', async (asked, ids) => {
    await history();
    expect(await latest(asked)).toEqual(ids);
    expect(await latest(asked, withShortPages(2))).toEqual(ids);
  });

  it('are the only rows that are read', async () => {
    await history();
    const { table: told, read } = withReads();
    expect(await latest({ limit: 2 }, told)).toEqual([8, 7]);
    expect(read()).toBe(2);
  });
});
