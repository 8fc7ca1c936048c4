import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { OrderStatus, PaymentStatus } from '../../../shared/domain/order.ts';
import { runWithDeadline } from '../../../shared/runtime/deadline.ts';
import { counterKey, creationKey, delaysKey, orderKey } from '../../../shared/store/keys.ts';
import {
  measureDelays,
  parseDelays,
  WHOLE_VIEW,
  widenDelays,
} from '../../../shared/store/order-lists/delivery-delays.ts';
import { listItems } from '../../../shared/store/order-lists/entries.ts';
import { readOrderPage } from '../../../shared/store/order-lists/order-page.ts';
import type { OrderSelection, Place } from '../../../shared/store/order-lists/selection.ts';
import { readWanted, viewSource } from '../../../shared/store/order-lists/sources.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
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
import { putItems, storeOrders } from '../../support/orders/stored-orders.ts';

useOrderTable();

const JOSE = { id: 11, firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
const MARIA = { id: 12, firstName: 'María José', lastName: 'López', secondLastName: null };

/** Contains orders 1 to 8 of one client: 3 and 4 have one instant, 2 and 6 no dates. */
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
    for (const order of ORDERS) await listed({ ...order, clientId: HISTORY });
  })();
  return written;
}

const up = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: false }) as const;
const down = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: true }) as const;
const bound = (field: 'expectedDeliveryDate' | 'maxDeliveryDate', comparison: '>=' | '<', day: string) =>
  ({ field, comparison, instant: `2026-03-${day}T23:00:00.000Z` }) as const;

type Case = readonly [title: string, asked: Partial<OrderSelection>, ids: readonly number[]];

/** Contains selections that the counters count. */
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
  ['statuses of both kinds', { orderStatuses: ['shipped', 'approved'], paymentStatuses: ['paid'] }, [8, 6, 3]],
  ['statuses of both kinds that no order has together', { orderStatuses: ['quoted'], paymentStatuses: ['paid'] }, []],
  ['those of a patient', { viewer: 'patient#11' }, [8, 7, 3, 1]],
  ['those of a patient with a status', { viewer: 'patient#11', paymentStatuses: ['paid'] }, [8, 3]],
  ['a patient, for an employee', { patientId: 11 }, [8, 7, 3, 1]],
  ['a patient with a status, for an employee', { patientId: 11, orderStatuses: ['shipped', 'quoted'] }, [8, 7, 3]],
  ['the patient itself, for the patient', { viewer: 'patient#11', patientId: 11 }, [8, 7, 3, 1]],
  ['another patient, for a patient', { viewer: 'patient#11', patientId: 12 }, []],
  ['a patient that there is not', { patientId: 13 }, []],
  ['those of a doctor', { viewer: 'doctor#20' }, [5, 3]],
  ['those of a doctor with a status', { viewer: 'doctor#20', paymentStatuses: ['rejected', 'credit'] }, [5]],
  ['those of a doctor without any', { viewer: 'doctor#21' }, []],
  ['those of another client', { clientId: HISTORY + 1 }, []],
];

/** Contains selections that are found among the entries. */
const FILTERED: readonly Case[] = [
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
  [
    'by expected delivery, with a status',
    { orderStatuses: ['shipped'], ordering: [up('expectedDeliveryDate')] },
    [3, 7, 8],
  ],
  ['a patient, for a doctor', { viewer: 'doctor#20', patientId: 11 }, [3]],
  ['a patient with a status, for a doctor', { viewer: 'doctor#20', patientId: 12, orderStatuses: ['cancelled'] }, [5]],
  ['a patient of others, for a doctor', { viewer: 'doctor#21', patientId: 11 }, []],
  ['a name', { nameWords: ['nunez'] }, [8, 7, 3, 1]],
  ['a name, for a doctor', { viewer: 'doctor#20', nameWords: ['jose'] }, [5, 3]],
  ['a name, for the patient itself', { viewer: 'patient#12', nameWords: ['jose'] }, [6, 5, 4, 2]],
  ['the name of another patient, for a patient', { viewer: 'patient#12', nameWords: ['nunez'] }, []],
  ['a name and a status', { nameWords: ['jose'], paymentStatuses: ['paid'] }, [8, 6, 3]],
  ['parts of a name, all of them', { nameWords: ['pez', 'jos'] }, [6, 5, 4, 2]],
  ['a part of two letters', { nameWords: ['ez'] }, [8, 7, 6, 5, 4, 3, 2, 1]],
  ['a name that no patient has', { nameWords: ['jose', 'nadie'] }, []],
  ['a name of one patient and the id of another', { nameWords: ['nunez'], patientId: 12 }, []],
  ['an expected delivery from a date on', { dateBounds: [bound('expectedDeliveryDate', '>=', '08')] }, [8, 7, 4]],
  ['an expected delivery before a date', { dateBounds: [bound('expectedDeliveryDate', '<', '08')] }, [5, 3, 1]],
  [
    'deliveries within two bounds',
    { dateBounds: [bound('maxDeliveryDate', '>=', '11'), bound('maxDeliveryDate', '<', '14')] },
    [7, 5, 3],
  ],
  [
    'deliveries within bounds that exclude each other',
    { dateBounds: [bound('maxDeliveryDate', '>=', '31'), bound('maxDeliveryDate', '<', '01')] },
    [],
  ],
  [
    'a delivery from a date on, with a status',
    { dateBounds: [bound('maxDeliveryDate', '>=', '13')], paymentStatuses: ['credit', 'unpaid'] },
    [7, 4],
  ],
];

/** Returns the place of one of the eight orders in a list. */
function placeOf(id: number): Place {
  const { createdAt = '', expectedDeliveryDate = null } = ORDERS[id - 1] ?? {};
  return { id, createdAt, expectedDeliveryDate };
}

/** Contains offsets and limits from both ends. */
const PARTS = Array.from({ length: 9 }, (_, offset) => [1, 3, 100].map((limit) => ({ offset, limit }))).flat();
const FEW_PARTS = PARTS.filter(({ offset, limit }) => limit === 3 && offset % 2 === 0);

/** Expects that each part of a list is what it is of its ids. */
async function expectParts(asked: Partial<OrderSelection>, ids: readonly number[], from: Table, parts: typeof PARTS) {
  for (const part of parts) {
    const { count, orders } = await readOrderPage(from, selection({ ...asked, ...part }));
    const shown = ids.slice(part.offset, part.offset + part.limit);
    expect({ part, count, ids: idsIn(orders) }).toEqual({ part, count: ids.length, ids: shown });
  }
}

describe('a list of orders', () => {
  it.each([...BY_CREATION, ...FILTERED])('has %s', async (_, asked, ids) => {
    await history();
    const { count, orders } = await readOrderPage(table, selection(asked));
    expect({ count, ids: idsIn(orders) }).toEqual({ count: ids.length, ids });
  });

  it.each(BY_CREATION)('has every part of %s as its pages', async (_, asked, ids) => {
    await history();
    await expectParts(asked, ids, table, PARTS);
    await expectParts(asked, ids, withShortPages(2), FEW_PARTS);
  });

  it.each(FILTERED)('has parts of %s as its pages', async (_, asked, ids) => {
    await history();
    await expectParts(asked, ids, table, FEW_PARTS);
    await expectParts(asked, ids, withShortPages(2), FEW_PARTS.slice(1, 2));
  });

  it.each([...BY_CREATION, ...FILTERED])('goes on behind each order of %s', async (_, asked, ids) => {
    await history();
    for (const [index, id] of ids.entries()) {
      const { count, orders } = await readOrderPage(table, selection({ ...asked, after: placeOf(id), limit: 3 }));
      expect({ id, count, ids: idsIn(orders) }).toEqual({
        id,
        count: ids.length,
        ids: ids.slice(index + 1, index + 4),
      });
    }
  });

  it('goes on behind an order that is not in it', async () => {
    await history();
    const behind = async (id: number, asked: Partial<OrderSelection>) =>
      idsIn((await readOrderPage(table, selection({ ...asked, after: placeOf(id) }))).orders);
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
const LONG = 3_000;
// Of any ten orders, five are delivered and paid, three approved and unpaid, and two shipped and on credit.
const STATUSES: readonly (readonly [OrderStatus, PaymentStatus])[] = [
  ...Array(5).fill(['delivered', 'paid']),
  ...Array(3).fill(['approved', 'unpaid']),
  ...Array(2).fill(['shipped', 'credit']),
];
let writtenLong: Promise<void> | undefined;
/** Writes orders 1 to 3,000, one for each minute from 1 March 2026, 00:01 UTC on; all tests only read them. */
function longHistory(): Promise<void> {
  writtenLong ??= storeOrders(
    String(process.env.TABLE_NAME),
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

describe('the cost of a page of 3,000 orders', () => {
  const read = async (asked: Partial<OrderSelection>) => {
    await longHistory();
    const { table: told, reads } = withReads();
    const page = await readOrderPage(told, selection({ clientId: LONG_HISTORY, limit: 20, ...asked }));
    return { count: page.count, ids: idsIn(page.orders), reads };
  };

  // The client has 16 counters, which are read before and after.
  it.each([
    ['the first page', {}, 3_000, downFrom(3_000, 2_981), { pages: 3, items: 32 + 20 }],
    ['the last page', { offset: 2_980 }, 3_000, downFrom(20, 1), { pages: 3, items: 32 + 20 }],
    ['a short last page', { offset: 2_990 }, 3_000, downFrom(10, 1), { pages: 3, items: 32 + 10 }],
    ['a page past the end', { offset: 3_000 }, 3_000, [], { pages: 2, items: 32 }],
    [
      'the first page of one pair',
      { orderStatuses: ['shipped'], limit: 4 },
      600,
      [3_000, 2_999, 2_990, 2_989],
      { pages: 3, items: 32 + 4 },
    ],
    [
      'the last page of one pair',
      { paymentStatuses: ['credit'], offset: 598 },
      600,
      [10, 9],
      { pages: 3, items: 32 + 2 },
    ],
    [
      'the first page of three pairs',
      { orderStatuses: ['shipped', 'approved', 'delivered'], limit: 4 },
      3_000,
      downFrom(3_000, 2_997),
      { pages: 5, items: 32 + 12 },
    ],
    [
      'the last page of three pairs',
      { orderStatuses: ['shipped', 'approved', 'delivered'], limit: 4, offset: 2_996 },
      3_000,
      downFrom(4, 1),
      { pages: 5, items: 32 + 12 },
    ],
    // Of the 104 orders up to its end, 62 or 63 are approved: they are read in two pages of 54, those that are shipped in one.
    [
      'page 26 of two pairs',
      { orderStatuses: ['shipped', 'approved'], limit: 4, offset: 100 },
      1_500,
      downFrom(2_800, 2_797),
      { pages: 5, items: 32 + 108 + 54 },
    ],
    ['a patient', { patientId: 10_299 }, 10, downFrom(3_000, 2_991), { pages: 3, items: 8 + 10 }],
    ['a doctor without orders', { viewer: 'doctor#20' }, 0, [], { pages: 2, items: 0 }],
    [
      'both statuses',
      { orderStatuses: ['shipped', 'approved'], paymentStatuses: ['credit', 'paid'], limit: 2 },
      600,
      [3_000, 2_999],
      { pages: 3, items: 32 + 2 },
    ],
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
    for (const id of [undefined, 2_500, 1_500, 500]) {
      const after = id === undefined ? id : { id, createdAt: new Date(Date.UTC(2026, 2, 1, 0, id)).toISOString() };
      expect((await read({ ...asked, after })).reads).toEqual({ ...reads, batches: 1, keys: 20 });
    }
  });

  it('is a query for the name, and one for each patient found', async () => {
    expect(await read({ nameWords: ['paciente299'] })).toEqual({
      count: 10,
      ids: downFrom(3_000, 2_991),
      reads: { pages: 2, items: 1 + 10, batches: 1, keys: 10 },
    });
  });

  it('is what was created within the bounds of dates', async () => {
    // Orders 1,000 to 1,009 are due on 1 March 2026 from 16:40 on, before 16:50 UTC.
    const at = (time: string) => `2026-03-01T${time}:00.000Z`;
    const dateBounds = [
      { field: 'expectedDeliveryDate', comparison: '>=', instant: at('16:40') },
      { field: 'maxDeliveryDate', comparison: '<', instant: at('16:50') },
    ] as const;
    const { count, ids, reads } = await read({ dateBounds });
    expect({ count, ids }).toEqual({ count: 10, ids: downFrom(1_009, 1_000) });
    // The last bound is read with its instant.
    expect(reads).toEqual({ pages: 1, items: 11, batches: 1, keys: 10 });
  });

  it('is what was created within bounds, of the pairs that are asked for', async () => {
    // Orders 1,000 to 1,009 were placed then, of which the first and the last are shipped.
    const at = (comparison: '>=' | '<', time: string) =>
      ({ field: 'createdAt', comparison, instant: `2026-03-01T${time}:00.000Z` }) as const;
    const dateBounds = [at('>=', '16:40'), at('<', '16:50')];
    expect(await read({ dateBounds, ordering: [up('createdAt')], limit: 2 })).toEqual({
      count: 10,
      ids: [1_000, 1_001],
      reads: { pages: 1, items: 11, batches: 1, keys: 2 },
    });
    expect(await read({ dateBounds, orderStatuses: ['shipped'] })).toEqual({
      count: 2,
      ids: [1_009, 1_000],
      reads: { pages: 3, items: 32 + 3, batches: 1, keys: 2 },
    });
  });

  it('is one read for a folio', async () => {
    const found = { count: 1, ids: [1_000], reads: { pages: 1, items: 1, batches: 0, keys: 0 } };
    expect(await read({ orderId: 1_000, orderStatuses: ['shipped'], nameWords: ['paciente99'] })).toEqual(found);
    expect(await read({ orderId: 1_000, viewer: 'patient#10099' })).toEqual(found);
    const none = { count: 0, ids: [], reads: { pages: 1, items: 0, batches: 0, keys: 0 } };
    expect(await read({ orderId: 1_000, viewer: 'patient#10098' })).toEqual(none);
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
    let [counted, shown] = [0, 0];
    const moving = disturbed('all', async () => {
      counted += 1;
      if (counted === 2) await move('in_process');
    });
    const busy = disturbed(
      'getAll',
      async () => {
        shown += 1;
        if (shown === 2) await move('ready');
      },
      moving,
    );
    const page = await readOrderPage(busy, selection({ clientId, orderStatuses: ['approved', 'in_process'] }));
    expect(order).toMatchObject({ orderStatus: 'ready', version: 3 });
    expect(page).toMatchObject({ count: 1, orders: [{ id: 1, orderStatus: 'in_process', version: 3 }] });
  });

  it('counts the orders that are there when it is read once more', async () => {
    await placed({ id: 1 });
    let id = 1;
    const busy = disturbed('all', async () => {
      if (id < 3) await placed({ id: ++id });
    });
    const { count, orders } = await readOrderPage(busy, selection({ clientId, limit: 2 }));
    expect({ count, ids: idsIn(orders) }).toEqual({ count: 3, ids: [3, 2] });
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
    const asked = selection({
      clientId,
      ordering: [{ field: 'createdAt', isDescending: false }],
      limit: 3,
      offset: 27,
    });
    const { orders } = await readOrderPage(busy, asked);
    expect(idsIn(orders)).toEqual([28, 29, 30]);
    expect(id).toBeGreaterThan(30);
  });

  it.each([{}, { nameWords: ['ana'] }])('shows an order once that is in two pairs, with %j', async (more) => {
    const order = await listed({ id: 1 });
    // This is what a reader sees who reads one pair before the order moves, and the other one after.
    const moved: Order = { ...order, orderStatus: 'ready' };
    await table.putAll(listItems(moved));
    await table.putAll([{ ...counterKey(clientId, 'client', 15), ru: 1, changes: 1 }]);
    await table.putAll([{ ...counterKey(clientId, 'patient#10', 3), ru: 1, changes: 1 }]);
    const asked = selection({ clientId, orderStatuses: ['approved', 'ready'], ...more });
    const { count, orders } = await readOrderPage(table, asked);
    expect({ count, ids: idsIn(orders) }).toEqual({ count: 1, ids: [1] });
  });

  it('fills a page on which an order is in two pairs', async () => {
    await placed({ id: 1, createdAt: '2026-01-01T18:00:00.000Z' });
    const order = await placed({ id: 2 });
    await table.putAll(listItems({ ...order, orderStatus: 'ready' }));
    await table.putAll([{ ...counterKey(clientId, 'client', 15), ru: 1, changes: 1 }]);
    const asked = selection({ clientId, orderStatuses: ['approved', 'ready'], limit: 2 });
    expect(idsIn((await readOrderPage(table, asked)).orders)).toEqual([2, 1]);
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
    const { count, orders } = await readOrderPage(
      table,
      selection({ clientId, dateBounds: [{ field, comparison, instant }] }),
    );
    expect(orders).toHaveLength(count);
    return idsIn(orders);
  };

  it('find an order that is due exactly after the longest delay', async () => {
    await listed({ id: 1, createdAt: NOON, expectedDeliveryDate: null, maxDeliveryDate: '2026-03-04T12:00:00.000Z' });
    expect(await within('>=', '2026-03-04T12:00:00.000Z', 'maxDeliveryDate')).toEqual([1]);
    expect(await within('>=', '2026-03-04T12:00:00.001Z', 'maxDeliveryDate')).toEqual([]);
    expect(await within('<', '2026-03-04T12:00:00.000Z', 'maxDeliveryDate')).toEqual([]);
    expect(await within('<', '2026-03-04T12:00:00.001Z', 'maxDeliveryDate')).toEqual([1]);
  });

  it('find an order that was due before it was placed', async () => {
    await listed({ id: 1, createdAt: NOON, expectedDeliveryDate: '2026-03-01T11:00:00.000Z', maxDeliveryDate: NOON });
    expect(await within('<', '2026-03-01T11:00:00.001Z', 'expectedDeliveryDate')).toEqual([1]);
    expect(await within('<', '2026-03-01T11:00:00.000Z', 'expectedDeliveryDate')).toEqual([]);
    expect(await within('>=', '2026-03-01T11:00:00.000Z', 'expectedDeliveryDate')).toEqual([1]);
    expect(await within('<', '2026-03-01T12:00:00.001Z', 'maxDeliveryDate')).toEqual([1]);
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
    await listed({ id: 3, ...due('01T09:00:00.000Z') });
    expect(await within('>=', '2026-03-09T12:00:00.000Z', 'maxDeliveryDate')).toEqual([2]);
    expect(await within('<', '2026-03-03T12:00:00.001Z', 'maxDeliveryDate')).toEqual([3, 1]);
    expect(await within('<', '2026-03-01T09:00:00.001Z', 'maxDeliveryDate')).toEqual([3]);
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
  const view = (of: number) => ({ clientId: of, viewer: 'client' }) as const;
  const instant = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString();
  const ids = (from: number, until: number) => Array.from({ length: until - from }, (_, index) => from + index);

  /** Writes entries 0 and so on of a client, of which only the time is different. */
  async function writeEntries(of: number, times: readonly string[]): Promise<void> {
    const [like] = listItems(newOrder({ id: 1, clientId: of }));
    const client = DynamoDBDocumentClient.from(new DynamoDBClient());
    const items = times.map((time, id) => ({ ...like, sk: creationKey(time, id) }));
    await putItems(client, String(process.env.TABLE_NAME), items);
    client.destroy();
  }

  let writtenMany: Promise<unknown> | undefined;
  /** Writes 12,000 entries, two for each minute, and for another client 7,000 at one instant, after one and before two others. */
  function manyEntries(): Promise<unknown> {
    writtenMany ??= Promise.all([
      writeEntries(
        MANY,
        Array.from({ length: 12_000 }, (_, id) => instant(Math.floor(id / 2))),
      ),
      writeEntries(CROWD, [instant(0), ...Array(7_000).fill(instant(1)), instant(2), instant(3)]),
    ]);
    return writtenMany;
  }

  const find = async (of: number, range = WHOLE_VIEW, isWanted: Parameters<typeof readWanted>[3] = () => true) => {
    await manyEntries();
    const { table: told, reads } = withReads();
    const found = await readWanted(told, [viewSource(view(of))], range, isWanted);
    return { ids: found.map(({ entry }) => entry.id).sort((a, b) => a - b), items: reads.items };
  };

  it('has each entry once, and reads little more than each once', async () => {
    const { ids: found, items } = await find(MANY);
    expect(found).toEqual(ids(0, 12_000));
    // The last entry is read to know how to split the rest.
    expect(items).toBe(12_001);
  });

  // Minute 2,499 has the entries 4,998 and 4,999.
  it.each([
    ['one page less one entry', instant(0), creationKey(instant(2_499), 4_998), 0, 4_999],
    ['exactly a page', instant(0), `${instant(2_499)}$`, 0, 5_000],
    ['a page and one entry', instant(0), creationKey(instant(2_500), 5_000), 0, 5_001],
    ['a page and two entries of one instant', instant(0), `${instant(2_500)}$`, 0, 5_002],
    ['two pages from the middle', instant(500), `${instant(5_499)}$`, 1_000, 11_000],
    ['the end', instant(3_000), WHOLE_VIEW.until, 6_000, 12_000],
    ['nothing', instant(6_000), WHOLE_VIEW.until, 12_000, 12_000],
  ])('has each entry of a range once: %s', async (_, from, until, first, end) => {
    expect((await find(MANY, { from, until })).ids).toEqual(ids(first, end));
  });

  it('has each entry once where most have one instant', async () => {
    expect((await find(CROWD)).ids).toEqual(ids(0, 7_003));
    const range = { from: instant(1), until: `${instant(1)}$` };
    expect((await find(CROWD, range)).ids).toEqual(ids(1, 7_001));
  });

  it('has only the wanted entries', async () => {
    const { ids: found } = await find(MANY, WHOLE_VIEW, ({ id }) => id % 4_000 === 1);
    expect(found).toEqual([1, 4_001, 8_001]);
  });

  it('has the entries of several sources', async () => {
    await manyEntries();
    // Both clients have an entry 7,002.
    const sources = [viewSource(view(MANY)), viewSource(view(CROWD))];
    const found = await readWanted(table, sources, WHOLE_VIEW, ({ id }) => id === 11_999 || id === 7_002);
    expect(found.map(({ entry }) => entry.id).sort((a, b) => a - b)).toEqual([7_002, 7_002, 11_999]);
  });
});
