import { describe, expect, it } from 'vitest';
import { measureDelays, parseDelays, WHOLE_VIEW, widenDelays } from '../../../shared/order/lists/delivery-delays.ts';
import { listItems } from '../../../shared/order/lists/entries.ts';
import type { OrderSelection, Place } from '../../../shared/order/lists/order-page.ts';
import { readOrderPage } from '../../../shared/order/lists/order-page.ts';
import { readWanted, viewSource } from '../../../shared/order/lists/sources.ts';
import type { Order } from '../../../shared/order/order.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../../shared/order/rules/status.ts';
import { runWithDeadline } from '../../../shared/runtime/clock.ts';
import { counterKey, creationKey, delaysKey, orderKey } from '../../../shared/store/keys.ts';
import { openTable } from '../../../shared/store/table.ts';
import {
  type Asked,
  changed,
  clientId,
  disturbed,
  HISTORY,
  idsIn,
  listed,
  newOrder,
  placed,
  selection,
  table,
  useOrderTable,
  withReads,
  withShortPages,
} from '../../support/orders/order-table.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';

useOrderTable();

const JOSE = { id: 11, firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
const MARIA = { id: 12, firstName: 'María José', lastName: 'López', secondLastName: null };

const placedOn = (day: number) => ({ createdAt: `2026-03-0${day}T16:00:00.000Z` });
const dates = (expected?: string, max?: string) => {
  const instant = (day: string | undefined) => (day === undefined ? null : `2026-03-${day}T23:00:00.000Z`);
  return { expectedDeliveryDate: instant(expected), maxDeliveryDate: instant(max) };
};
const SHIPPED = { orderStatus: 'shipped' } as const;
const PAID = { paymentStatus: 'paid' } as const;

/** Contains orders 1 to 8 of one client: 3 and 4 have one instant, 2 and 6 no dates. */
const ORDERS: readonly Asked[] = [
  { id: 1, patient: JOSE, ...placedOn(1), ...dates('06', '10') },
  { id: 2, patient: MARIA, ...placedOn(2), ...dates(), orderStatus: 'quoted' },
  { id: 3, patient: JOSE, doctor: 20, ...placedOn(3), ...dates('07', '11'), ...SHIPPED, ...PAID },
  { id: 4, patient: MARIA, ...placedOn(3), ...dates('08', '20'), orderStatus: 'delivered', paymentStatus: 'credit' },
  { id: 5, patient: MARIA, doctor: 20, ...placedOn(5), ...dates('06', '12'), orderStatus: 'cancelled' },
  { id: 6, patient: MARIA, ...placedOn(6), ...dates(), ...PAID },
  { id: 7, patient: JOSE, ...placedOn(7), ...dates('09', '13'), ...SHIPPED },
  { id: 8, patient: JOSE, ...placedOn(8), ...dates('10', '14'), ...SHIPPED, ...PAID },
];

let written: Promise<void> | undefined;
/** Writes the eight orders at the first call; all tests only read them. */
function history(): Promise<void> {
  written ??= (async () => {
    for (const order of ORDERS) await listed({ ...order, clientId: HISTORY });
  })();
  return written;
}

const up = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: false }) as const;
const down = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: true }) as const;
const bound = (field: 'expectedDeliveryDate' | 'maxDeliveryDate', comparison: '>=' | '<', day: string) =>
  ({ field, comparison, instant: `2026-03-${day}T23:00:00.000Z` }) as const;

type Case = readonly [title: string, asked: Partial<OrderSelection>, ids: readonly number[]];

const OLDEST_FIRST = { ordering: [up('createdAt')] } as const;
const SHIPPED_ONLY = { orderStatuses: ['shipped'] } as const;
const SEVERAL = { orderStatuses: ['approved', 'shipped', 'delivered'] } as const;

/** The selections that are each read in another way; `order-list.property` has the pages of all others. */
const PAGED: readonly Case[] = [
  ['all, the oldest first', OLDEST_FIRST, [1, 2, 3, 4, 5, 6, 7, 8]],
  ['one order_status', { orderStatuses: ['shipped'] }, [8, 7, 3]],
  ['several order_statuses', SEVERAL, [8, 7, 6, 4, 3, 1]],
  ['several order_statuses, the oldest first', { ...SEVERAL, ...OLDEST_FIRST }, [1, 3, 4, 6, 7, 8]],
  ['statuses of both kinds', { orderStatuses: ['shipped', 'approved'], paymentStatuses: ['paid'] }, [8, 6, 3]],
  ['those of a patient with a status', { viewer: 'patient#11', paymentStatuses: ['paid'] }, [8, 3]],
  [
    'all by expected delivery, then the newest first',
    { ordering: [up('expectedDeliveryDate'), down('createdAt')] },
    [5, 1, 3, 4, 7, 8, 6, 2],
  ],
  ['a name and a status', { nameWords: ['jose'], paymentStatuses: ['paid'] }, [8, 6, 3]],
  [
    'a delivery from a date on, with a status',
    { dateBounds: [bound('maxDeliveryDate', '>=', '13')], paymentStatuses: ['credit', 'unpaid'] },
    [7, 4],
  ],
];

const OTHERS: readonly Case[] = [
  ['all, the newest first', {}, [8, 7, 6, 5, 4, 3, 2, 1]],
  ['an order_status that no order has', { orderStatuses: ['ready'] }, []],
  ['several payment_statuses', { paymentStatuses: ['paid', 'credit', 'processing'] }, [8, 6, 4, 3]],
  ['statuses of both kinds that no order has together', { orderStatuses: ['quoted'], paymentStatuses: ['paid'] }, []],
  ['a patient with a status, for an employee', { patientId: 11, orderStatuses: ['shipped', 'quoted'] }, [8, 7, 3]],
  ['the patient itself, for the patient', { viewer: 'patient#11', patientId: 11 }, [8, 7, 3, 1]],
  ['another patient, for a patient', { viewer: 'patient#11', patientId: 12 }, []],
  ['those of a doctor with a status', { viewer: 'doctor#20', orderStatuses: ['cancelled', 'ready'] }, [5]],
  ['those of another client', { clientId: HISTORY + 1 }, []],
  [
    'all by expected delivery, the latest first',
    { ordering: [down('expectedDeliveryDate')] },
    [6, 2, 8, 7, 4, 3, 5, 1],
  ],
  ['a patient, for a doctor', { viewer: 'doctor#20', patientId: 11 }, [3]],
  ['a name, for a doctor', { viewer: 'doctor#20', nameWords: ['jose'] }, [5, 3]],
  ['the name of another patient, for a patient', { viewer: 'patient#12', nameWords: ['nunez'] }, []],
  ['parts of a name, all of them', { nameWords: ['pez', 'jos'] }, [6, 5, 4, 2]],
  ['a name of one patient and the id of another', { nameWords: ['nunez'], patientId: 12 }, []],
  ['an expected delivery from a date on', { dateBounds: [bound('expectedDeliveryDate', '>=', '08')] }, [8, 7, 4]],
  ['an expected delivery before a date', { dateBounds: [bound('expectedDeliveryDate', '<', '08')] }, [5, 3, 1]],
  [
    'deliveries within two bounds',
    { dateBounds: [bound('maxDeliveryDate', '>=', '11'), bound('maxDeliveryDate', '<', '14')] },
    [7, 5, 3],
  ],
];

/** Returns the count and the ids of a page. */
async function page(asked: Partial<OrderSelection>, from = table) {
  const { count, orders } = await readOrderPage(from, selection(asked));
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

/** Returns the place of one of the eight orders in a list. */
function placeOf(id: number): Place {
  const { createdAt = '', expectedDeliveryDate = null } = ORDERS[id - 1] ?? {};
  return { id, createdAt, expectedDeliveryDate };
}

describe('a list of orders', () => {
  it.each([...PAGED, ...OTHERS])('has %s', async (_, asked, ids) => {
    await history();
    expect(await page(asked)).toEqual({ count: ids.length, ids });
  });

  it.each(PAGED)('has parts of %s as its pages, however short those of the table are', async (_, asked, ids) => {
    await history();
    for (const [from, offset, limit] of [
      [table, 0, 3],
      [table, 2, 1],
      [table, 3, 100],
      [table, 8, 3],
      [withShortPages(2), 0, 3],
      [withShortPages(2), 2, 3],
    ] as const) {
      const shown = ids.slice(offset, offset + limit);
      expect(await page({ ...asked, offset, limit }, from)).toEqual({ count: ids.length, ids: shown });
    }
  });

  it.each(PAGED)('goes on behind each order of %s', async (_, asked, ids) => {
    await history();
    for (const [index, id] of ids.entries()) {
      const rest = ids.slice(index + 1, index + 4);
      expect(await page({ ...asked, after: placeOf(id), limit: 3 })).toEqual({ count: ids.length, ids: rest });
    }
  });

  it('goes on behind an order that is not in it', async () => {
    await history();
    const behind = async (id: number, asked: Partial<OrderSelection>) =>
      (await page({ ...asked, after: placeOf(id) })).ids;
    expect(await behind(4, { orderStatuses: ['shipped'] })).toEqual([3]);
    expect(await behind(4, { orderStatuses: ['shipped'], ordering: [up('createdAt')] })).toEqual([7, 8]);
    expect(await behind(2, { orderStatuses: ['shipped'], ordering: [down('expectedDeliveryDate')] })).toEqual([
      8, 7, 3,
    ]);
  });

  it('shows the orders as they are stored', async () => {
    const order = await placed({ id: 1, comments: 'Timbre roto' });
    expect((await readOrderPage(table, selection({ clientId }))).orders).toEqual([order]);
  });

  it.each([{ orderStatuses: [] }, { paymentStatuses: [] }, { viewer: 'patient#10', patientId: 11 }] as const)(
    'with %j is empty, and reads nothing',
    async (none) => {
      await history();
      const { table: told, reads } = withReads();
      const asked = selection({ nameWords: ['jose'], ...none });
      expect(await readOrderPage(told, asked)).toEqual({ count: 0, orders: [], size: 0 });
      expect(reads).toEqual({ pages: 0, items: 0, batches: 0, keys: 0 });
    },
  );
});

const LONG_HISTORY = 200_000;
const LONG = 300;
// Of any ten orders, five are delivered and paid, three approved and unpaid, and two shipped and on credit.
const STATUSES: readonly (readonly [OrderStatus, PaymentStatus])[] = [
  ...Array(5).fill(['delivered', 'paid']),
  ...Array(3).fill(['approved', 'unpaid']),
  ...Array(2).fill(['shipped', 'credit']),
];
let writtenLong: Promise<void> | undefined;
/** Writes orders 1 to 300, one for each minute from 1 March 2026, 00:01 UTC on; all tests only read them. */
function longHistory(): Promise<void> {
  writtenLong ??= storeOrders(
    Array.from({ length: LONG }, (_, index) => {
      const id = index + 1;
      const [orderStatus, paymentStatus] = STATUSES[index % 10] ?? ['quoted', 'unpaid'];
      const createdAt = new Date(Date.UTC(2026, 2, 1, 0, id)).toISOString();
      const dated = { createdAt, expectedDeliveryDate: createdAt, maxDeliveryDate: createdAt };
      const patient = { id: 10_000 + Math.floor(index / 10), firstName: `Paciente${Math.floor(index / 10)}` };
      return newOrder({ id, clientId: LONG_HISTORY, patient, orderStatus, paymentStatus, ...dated, quantities: [1] });
    }),
  );
  return writtenLong;
}

/** Lists the ids from one down to another. */
const downFrom = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);

describe('the cost of a page of 300 orders', () => {
  const read = async (asked: Partial<OrderSelection>) => {
    await longHistory();
    const { table: told, reads } = withReads();
    const page = await readOrderPage(told, selection({ clientId: LONG_HISTORY, limit: 20, ...asked }));
    return { count: page.count, ids: idsIn(page.orders), reads };
  };

  // The client has 16 counters, which are read before and after.
  it.each([
    ['the first page', {}, 300, downFrom(300, 281), { pages: 3, items: 32 + 20 }],
    ['the last page', { offset: 280 }, 300, downFrom(20, 1), { pages: 3, items: 32 + 20 }],
    ['a page past the end', { offset: 300 }, 300, [], { pages: 2, items: 32 }],
    [
      'the first page of one pair',
      { ...SHIPPED_ONLY, limit: 4 },
      60,
      [300, 299, 290, 289],
      { pages: 3, items: 32 + 4 },
    ],
    [
      'the last page of one pair',
      { paymentStatuses: ['credit'], offset: 58 },
      60,
      [10, 9],
      { pages: 3, items: 32 + 2 },
    ],
    ['the first page of three pairs', { ...SEVERAL, limit: 4 }, 300, downFrom(300, 297), { pages: 5, items: 32 + 12 }],
    ['their last page', { ...SEVERAL, limit: 4, offset: 296 }, 300, downFrom(4, 1), { pages: 5, items: 32 + 12 }],
    // Of the 64 orders up to its end, 38 or 39 are approved: they are read in two pages of 34, those that are shipped in one.
    [
      'page 16 of two pairs',
      { orderStatuses: ['shipped', 'approved'], limit: 4, offset: 60 },
      150,
      downFrom(180, 177),
      { pages: 5, items: 32 + 68 + 34 },
    ],
    ['a patient', { patientId: 10_029 }, 10, downFrom(300, 291), { pages: 3, items: 8 + 10 }],
    ['a doctor without orders', { viewer: 'doctor#20' }, 0, [], { pages: 2, items: 0 }],
  ] as const)('is small for %s', async (_, asked, count, ids, reads) => {
    const batches = ids.length === 0 ? 0 : 1;
    expect(await read(asked)).toEqual({ count, ids, reads: { ...reads, batches, keys: ids.length } });
  });

  it.each([
    [{}, { pages: 3, items: 32 + 20 }],
    [{ ordering: [up('createdAt')] }, { pages: 3, items: 32 + 20 }],
    [{ orderStatuses: ['shipped'] }, { pages: 3, items: 32 + 20 }],
    [{ orderStatuses: ['shipped', 'approved'] }, { pages: 4, items: 32 + 40 }],
  ] as const)('is that of the first page behind any order, with %j', async (asked, reads) => {
    for (const id of [undefined, 250, 200, 150]) {
      const after = id === undefined ? id : { id, createdAt: new Date(Date.UTC(2026, 2, 1, 0, id)).toISOString() };
      expect((await read({ ...asked, after })).reads).toEqual({ ...reads, batches: 1, keys: 20 });
    }
  });

  it('is a query for the name, one for the long names, and one for each patient found', async () => {
    expect(await read({ nameWords: ['paciente29'] })).toEqual({
      count: 10,
      ids: downFrom(300, 291),
      reads: { pages: 3, items: 1 + 10, batches: 1, keys: 10 },
    });
  });

  it('is what was created within the bounds of dates', async () => {
    // Orders 100 to 109 are due on 1 March 2026 from 01:40 on, before 01:50 UTC.
    const at = (time: string) => `2026-03-01T${time}:00.000Z`;
    const dateBounds = [
      { field: 'expectedDeliveryDate', comparison: '>=', instant: at('01:40') },
      { field: 'maxDeliveryDate', comparison: '<', instant: at('01:50') },
    ] as const;
    const { count, ids, reads } = await read({ dateBounds });
    expect({ count, ids }).toEqual({ count: 10, ids: downFrom(109, 100) });
    // The last bound is read with its instant.
    expect(reads).toEqual({ pages: 1, items: 11, batches: 1, keys: 10 });
  });

  it('is what was created within bounds, of the pairs that are asked for', async () => {
    // Orders 100 to 109 were placed then, of which the first and the last are shipped.
    const at = (comparison: '>=' | '<', time: string) =>
      ({ field: 'createdAt', comparison, instant: `2026-03-01T${time}:00.000Z` }) as const;
    const dateBounds = [at('>=', '01:40'), at('<', '01:50')];
    expect(await read({ dateBounds, ordering: [up('createdAt')], limit: 2 })).toEqual({
      count: 10,
      ids: [100, 101],
      reads: { pages: 1, items: 11, batches: 1, keys: 2 },
    });
    expect(await read({ dateBounds, orderStatuses: ['shipped'] })).toEqual({
      count: 2,
      ids: [109, 100],
      reads: { pages: 3, items: 32 + 3, batches: 1, keys: 2 },
    });
  });

  it('is one read for a folio', async () => {
    const found = { count: 1, ids: [100], reads: { pages: 1, items: 1, batches: 0, keys: 0 } };
    expect(await read({ orderId: 100, orderStatuses: ['shipped'], nameWords: ['paciente9'] })).toEqual(found);
    expect(await read({ orderId: 100, viewer: 'patient#10009' })).toEqual(found);
    const none = { count: 0, ids: [], reads: { pages: 1, items: 0, batches: 0, keys: 0 } };
    expect(await read({ orderId: 100, viewer: 'patient#10008' })).toEqual(none);
  });
});

describe('a list that is read while orders are written', () => {
  it('is read once more when an order moved, and then shows it where it is', async () => {
    const order = await placed({ id: 1 });
    let reads = 0;
    // The second reading of the counters comes after the page.
    const busy = disturbed('all', async () => {
      reads += 1;
      if (reads === 2) await changed(order, { orderStatus: 'ready' });
    });
    const asked = selection({ clientId, orderStatuses: ['approved', 'ready'], paymentStatuses: ['unpaid'] });
    expect(await readOrderPage(busy, asked)).toMatchObject({ count: 1, orders: [{ id: 1, orderStatus: 'ready' }] });
    expect(reads).toBe(3);
  });

  it('shows the statuses by which an order was found, even if it has moved since', async () => {
    let order = await placed({ id: 1 });
    const move = async (orderStatus: OrderStatus) => {
      order = await changed(order, { orderStatus });
    };
    const moving = disturbed(
      'all',
      atCall(2, () => move('in_process')),
    );
    const busy = disturbed(
      'getAll',
      atCall(2, () => move('ready')),
      moving,
    );
    const found = await readOrderPage(busy, selection({ clientId, orderStatuses: ['approved', 'in_process'] }));
    expect(order).toMatchObject({ orderStatus: 'ready', version: 3 });
    expect(found).toMatchObject({ count: 1, orders: [{ id: 1, orderStatus: 'in_process', version: 3 }] });
  });

  it('counts the orders that are there when it is read once more', async () => {
    await placed({ id: 1 });
    let id = 1;
    const busy = disturbed('all', async () => {
      if (id < 3) await placed({ id: ++id });
    });
    expect(await page({ clientId, limit: 2 }, busy)).toEqual({ count: 3, ids: [3, 2] });
  });

  it.each([
    ['a page of all', { limit: 3 }],
    ['a page of some statuses', { limit: 3, orderStatuses: ['approved', 'quoted'] }],
    ['the last page', { limit: 3, offset: 27 }],
  ] as const)('is read twice and no more, for %s', async (_, asked) => {
    for (let each = 1; each <= 30; each++) await placed({ id: each });
    let id = 30;
    const { table: told, reads } = withReads();
    const busy = disturbed('all', () => placed({ id: ++id }), told);
    const { count, orders } = await readOrderPage(busy, selection({ clientId, ...asked }));
    // The counters are read three times, and an order is placed before each of them.
    expect(id).toBe(33);
    expect(count).toBe(32);
    expect(orders).toHaveLength(3);
    expect(reads).toMatchObject({ pages: 3 + 2, batches: 2 });
    expect(reads.items).toBeLessThan(3 * 16 + 2 * 6);
  });

  it('misses none of the oldest orders on a page near the newest', async () => {
    for (let each = 1; each <= 30; each++) await placed({ id: each });
    let id = 30;
    const busy = openTable();
    const pages = busy.pages.bind(busy);
    busy.pages = async function* (query) {
      await placed({ id: ++id });
      yield* pages(query);
    };
    const { ids } = await page({ clientId, ...OLDEST_FIRST, limit: 3, offset: 27 }, busy);
    expect(ids).toEqual([28, 29, 30]);
    expect(id).toBeGreaterThan(30);
  });

  it.each([{}, { nameWords: ['ana'] }])('shows an order once that is in two pairs, with %j', async (more) => {
    const order = await listed({ id: 1 });
    // This is what a reader sees who reads one pair before the order moves, and the other one after.
    const moved: Order = { ...order, orderStatus: 'ready' };
    await table.putAll(listItems(moved));
    await table.putAll([{ ...counterKey(clientId, 'client', 15), ru: 1, changes: 1 }]);
    await table.putAll([{ ...counterKey(clientId, 'patient#10', 3), ru: 1, changes: 1 }]);
    const orderStatuses = ['approved', 'ready'] as const;
    expect(await page({ clientId, orderStatuses, ...more })).toEqual({ count: 1, ids: [1] });
  });

  it('fills a page on which an order is in two pairs', async () => {
    await placed({ id: 1, createdAt: '2026-01-01T18:00:00.000Z' });
    const order = await placed({ id: 2 });
    await table.putAll(listItems({ ...order, orderStatus: 'ready' }));
    await table.putAll([{ ...counterKey(clientId, 'client', 15), ru: 1, changes: 1 }]);
    expect((await page({ clientId, orderStatuses: ['approved', 'ready'], limit: 2 })).ids).toEqual([2, 1]);
  });

  it('has no order whose item is missing', async () => {
    await placed({ id: 1 });
    const { id } = await placed({ id: 2 });
    await table.deleteAll([orderKey(clientId, id)]);
    const { orders, size } = await readOrderPage(table, selection({ clientId }));
    expect({ ids: idsIn(orders), size }).toEqual({ ids: [1], size: 2 });
  });
});

describe('a list whose time is over', () => {
  it.each([
    {},
    { nameWords: ['jose'] },
    { dateBounds: [bound('maxDeliveryDate', '<', '14')] },
    { orderStatuses: ['shipped'] },
  ] as const)('is refused with %j', async (asked) => {
    await history();
    const late = runWithDeadline(AbortSignal.abort(), 0, () => readOrderPage(table, selection(asked)));
    await expect(late).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  });

  it.each(['all', 'getAll'] as const)('is refused when it ends before %s', async (method) => {
    await history();
    const ending = new AbortController();
    const busy = disturbed(method, async () => ending.abort());
    const late = runWithDeadline(ending.signal, 1_000, () =>
      readOrderPage(busy, selection({ orderStatuses: ['shipped'] })),
    );
    await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('bounds of delivery dates', () => {
  const NOON = '2026-03-01T12:00:00.000Z';
  const within = async (comparison: '>=' | '<', instant: string, field: 'expectedDeliveryDate' | 'maxDeliveryDate') => {
    const { count, ids } = await page({ clientId, dateBounds: [{ field, comparison, instant }] });
    expect(ids).toHaveLength(count);
    return ids;
  };

  it('find an order that is due exactly after the longest delay', async () => {
    await listed({ id: 1, createdAt: NOON, expectedDeliveryDate: null, maxDeliveryDate: '2026-03-04T12:00:00.000Z' });
    expect(await within('>=', '2026-03-04T12:00:00.000Z', 'maxDeliveryDate')).toEqual([1]);
    expect(await within('>=', '2026-03-04T12:00:00.001Z', 'maxDeliveryDate')).toEqual([]);
    expect(await within('<', '2026-03-04T12:00:00.000Z', 'maxDeliveryDate')).toEqual([]);
    expect(await within('<', '2026-03-04T12:00:00.001Z', 'maxDeliveryDate')).toEqual([1]);
  });

  it('exclude an order without that date', async () => {
    await listed({ id: 1, createdAt: NOON, expectedDeliveryDate: null, maxDeliveryDate: NOON });
    expect(await within('>=', '2000-01-01T00:00:00.000Z', 'expectedDeliveryDate')).toEqual([]);
    expect(await within('<', '2099-01-01T00:00:00.000Z', 'expectedDeliveryDate')).toEqual([]);
  });

  it('find the orders of each delay when a longer one came later, or a shorter one', async () => {
    const due = (day: string) => ({ createdAt: NOON, expectedDeliveryDate: null, maxDeliveryDate: `2026-03-${day}` });
    await listed({ id: 1, ...due('03T12:00:00.000Z') });
    await listed({ id: 2, ...due('09T12:00:00.000Z') });
    // This one was due before it was placed.
    await listed({ id: 3, ...due('01T09:00:00.000Z') });
    expect(await within('>=', '2026-03-09T12:00:00.000Z', 'maxDeliveryDate')).toEqual([2]);
    expect(await within('<', '2026-03-03T12:00:00.001Z', 'maxDeliveryDate')).toEqual([3, 1]);
    expect(await within('<', '2026-03-01T09:00:00.001Z', 'maxDeliveryDate')).toEqual([3]);
    expect(await within('<', '2026-03-01T09:00:00.000Z', 'maxDeliveryDate')).toEqual([]);
  });
});

describe('delivery delays', () => {
  const DAY_MS = 86_400_000;
  const createdAt = '2026-03-02T12:00:00.000Z';
  const read = async () => parseDelays(await table.get(delaysKey(clientId)));

  it.each([
    ['both dates', '2026-03-03T12:00:00.000Z', '2026-03-05T12:00:00.000Z', 0, 3 * DAY_MS],
    ['dates in the past', '2026-03-01T12:00:00.000Z', '2026-03-02T11:00:00.000Z', -DAY_MS, 0],
    ['one of each', '2026-03-01T12:00:00.000Z', '2026-03-03T12:00:00.000Z', -DAY_MS, DAY_MS],
    ['no dates', null, null, 0, 0],
  ])('of an order with %s', (_, expectedDeliveryDate, maxDeliveryDate, shortestMs, longestMs) => {
    expect(measureDelays({ createdAt, expectedDeliveryDate, maxDeliveryDate })).toEqual({ shortestMs, longestMs });
  });

  it('never become narrower by orders that are placed at the same time', async () => {
    const known = await read();
    expect(known).toEqual({ shortestMs: 0, longestMs: 0 });
    const delays = Array.from({ length: 40 }, (_, each) => ({
      shortestMs: -((each * 7) % 40),
      longestMs: (each * 11) % 40,
    }));
    await Promise.all(delays.map((each) => widenDelays(table, clientId, known, each)));
    expect(await read()).toEqual({ shortestMs: -39, longestMs: 39 });
    await widenDelays(table, clientId, known, { shortestMs: -1, longestMs: 1 });
    expect(await read()).toEqual({ shortestMs: -39, longestMs: 39 });
  });

  it('are not written when they are known', async () => {
    await widenDelays(table, clientId, { shortestMs: -5, longestMs: 5 }, { shortestMs: -5, longestMs: 5 });
    expect(await table.get(delaysKey(clientId))).toBeUndefined();
  });
});

describe('a source of more entries than a page', () => {
  const MANY = 300_000;
  const CROWD = 300_001;
  const PAGE_SIZE = 50;
  const view = (of: number) => ({ clientId: of, viewer: 'client' }) as const;
  const instant = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
  const ids = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => from + index);

  /** Writes entries 0 and so on of a client, of which only the time is different. */
  async function writeEntries(of: number, times: readonly string[]): Promise<void> {
    const [like] = listItems(newOrder({ id: 1, clientId: of }));
    await table.putAll(times.map((time, id) => ({ ...like, sk: creationKey(time, id) })));
  }

  let writtenMany: Promise<unknown> | undefined;
  /** Writes 120 entries, two for each minute, and for another client 70 at one instant, after one and before two others. */
  function manyEntries(): Promise<unknown> {
    writtenMany ??= Promise.all([
      writeEntries(
        MANY,
        Array.from({ length: 120 }, (_, id) => instant(Math.floor(id / 2))),
      ),
      writeEntries(CROWD, [instant(0), ...Array(70).fill(instant(1)), instant(2), instant(3)]),
    ]);
    return writtenMany;
  }

  const find = async (of: number, range = WHOLE_VIEW, isWanted: Parameters<typeof readWanted>[3] = () => true) => {
    await manyEntries();
    const { table: told, reads } = withReads();
    const found = await readWanted(told, [viewSource(view(of))], range, isWanted, PAGE_SIZE);
    return { ids: found.map(({ entry }) => entry.id).sort((a, b) => a - b), items: reads.items };
  };

  it('has each entry once, and reads little more than each once', async () => {
    const { ids: found, items } = await find(MANY);
    expect(found).toEqual(ids(0, 120));
    // The last entry is read to know how to split the rest.
    expect(items).toBe(121);
  });

  // Minute 24 has the entries 48 and 49.
  it.each([
    ['one page less one entry', instant(0), creationKey(instant(24), 48), 0, 49],
    ['exactly a page', instant(0), `${instant(24)}$`, 0, 50],
    ['a page and one entry', instant(0), creationKey(instant(25), 50), 0, 51],
    ['a page and two entries of one instant', instant(0), `${instant(25)}$`, 0, 52],
    ['two pages from the middle', instant(5), `${instant(54)}$`, 10, 110],
    ['the end', instant(30), WHOLE_VIEW.until, 60, 120],
    ['nothing', instant(60), WHOLE_VIEW.until, 120, 120],
  ])('has each entry of a range once: %s', async (_, from, until, first, end) => {
    expect((await find(MANY, { from, until })).ids).toEqual(ids(first, end));
  });

  it('has each entry once where most have one instant', async () => {
    expect((await find(CROWD)).ids).toEqual(ids(0, 73));
    const range = { from: instant(1), until: `${instant(1)}$` };
    expect((await find(CROWD, range)).ids).toEqual(ids(1, 71));
  });

  it('has only the wanted entries', async () => {
    const { ids: found } = await find(MANY, WHOLE_VIEW, ({ id }) => id % 40 === 1);
    expect(found).toEqual([1, 41, 81]);
  });

  it('has the entries of several sources', async () => {
    await manyEntries();
    // Both clients have an entry 72.
    const sources = [viewSource(view(MANY)), viewSource(view(CROWD))];
    const found = await readWanted(table, sources, WHOLE_VIEW, ({ id }) => id === 119 || id === 72, PAGE_SIZE);
    expect(found.map(({ entry }) => entry.id).sort((a, b) => a - b)).toEqual([72, 72, 119]);
  });
});

describe('a list of orders of nearly all statuses', () => {
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

  const store = (more: readonly Order[] = []) => storeOrders([...oneOfEachPair(), ...more]);

  const list = (asked: Partial<OrderSelection>, from = table) => page({ clientId, ...asked }, from);

  it('leaves out the others, on the first page and in both directions', async () => {
    await store();
    const newest = [60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 42, 41];
    expect(await list({ orderStatuses: allBut('cancelled'), limit: 14 })).toEqual({ count: 54, ids: newest });
    const oldest = await list({ orderStatuses: allBut('quoted'), ...OLDEST_FIRST, limit: 3 });
    expect(oldest).toEqual({ count: 54, ids: [7, 8, 9] });
  });

  it('goes on behind an order, in both directions and at the same price', async () => {
    await store();
    const asked = { orderStatuses: allBut('cancelled'), limit: 3 };
    const { table: told, reads } = withReads();
    const newer = await list({ ...asked, after: { id: 50, createdAt: instant(50) } }, told);
    expect(newer).toEqual({ count: 54, ids: [49, 42, 41] });
    const older = await list({ ...asked, ...OLDEST_FIRST, after: { id: 41, createdAt: instant(41) } });
    expect(older).toEqual({ count: 54, ids: [42, 49, 50] });
    // Six of the 54 that follow are not wanted, and fill the six that are read: all pairs are merged.
    expect(reads.pages).toBe(9 + 54);
  });

  it('takes a query for each pair that is not wanted, two for the counters and one for all entries', async () => {
    await store();
    const { table: told, reads } = withReads();
    await list({ orderStatuses: allBut('cancelled'), limit: 20 }, told);
    expect(reads.pages).toBe(9);
  });

  it('takes a query for each wanted pair where those that are not wanted fill the page', async () => {
    const crowd = Array.from({ length: 30 }, (_, index) => index + 100);
    await store(crowd.map((id) => newOrder({ id, createdAt: instant(id), orderStatus: 'cancelled' })));
    const { table: told, reads } = withReads();
    expect(await list({ orderStatuses: allBut('cancelled'), limit: 3 }, told)).toEqual({
      count: 54,
      ids: [60, 59, 58],
    });
    expect(reads.pages).toBe(9 + 54);
  });

  it('shows no order that is moved to another status meanwhile', async () => {
    await store();
    const busy = openTable();
    const pages = busy.pages.bind(busy);
    let moved = 1_000;
    busy.pages = async function* (query) {
      if (query.pk.startsWith('COUNT#')) await placed({ id: ++moved, createdAt: instant(999), orderStatus: 'quoted' });
      yield* pages(query);
    };
    const { ids } = await list({ orderStatuses: allBut('quoted'), limit: 10 }, busy);
    expect(ids).toEqual([60, 59, 58, 57, 56, 55, 54, 53, 52, 51]);
  });

  it('shows no order that is moved after the counters were read again, and before it was read itself', async () => {
    await store();
    const order = await placed({ id: 61, createdAt: instant(61) });
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
    const moves = [() => changed(order, { orderStatus: 'cancelled' })];
    const move = async () => {
      await countedAgain.promise;
      await moves.pop()?.();
    };
    const { ids } = await list({ orderStatuses: allBut('cancelled'), limit: 3 }, disturbed('getAll', move, busy));
    expect(moves).toEqual([]);
    expect(ids).toEqual([60, 59, 58]);
  });
});
