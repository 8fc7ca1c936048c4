import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createTable } from '../../infra/local/engines/table.ts';
import type { OrderInvoice } from '../../shared/domain/invoices/order-invoice.ts';
import { ORDER_STATUSES } from '../../shared/domain/order.ts';
import { runWithDeadline } from '../../shared/runtime/deadline.ts';
import { Ids } from '../../shared/store/ids.ts';
import { changeInvoice, type InvoiceChange } from '../../shared/store/invoices/invoice-changes.ts';
import { dueInvoices, latestInvoices } from '../../shared/store/invoices/invoice-rows.ts';
import {
  counterKey,
  creationKey,
  documentMarkKey,
  entryPartition,
  idempotencyKey,
  idsKey,
  type Viewer,
  viewPartition,
} from '../../shared/store/keys.ts';
import { countedPage } from '../../shared/store/order-lists/order-counted-page.ts';
import { countOrders, readCounts, readShards, replaceShard } from '../../shared/store/order-lists/order-counters.ts';
import { listOrders } from '../../shared/store/order-lists/order-list.ts';
import { checkLists, placeOf } from '../../shared/store/order-lists/order-list-check.ts';
import { recountView } from '../../shared/store/order-lists/order-recount.ts';
import { listItems } from '../../shared/store/order-lists/order-rows.ts';
import { latestOrders, orderById, ordersByIds } from '../../shared/store/order-lists/order-search.ts';
import type { OrderSelection } from '../../shared/store/order-lists/order-selection.ts';
import { walkedPage } from '../../shared/store/order-lists/order-walked-page.ts';
import { currentKeyUse, type Idempotency, keyUseWrite } from '../../shared/store/orders/idempotency.ts';
import type { Order } from '../../shared/store/orders/order.ts';
import { changeOrderWrites, createOrderWrites } from '../../shared/store/orders/order-writes.ts';
import { findOrder, orderOf, viewerOf } from '../../shared/store/orders/orders.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { syntheticOrder } from '../support/orders/synthetic-orders.ts';

/*
 * What the order store does, from function to function against a table, without a handler. Orders with their people are
 * syntheticOrder's: approved and unpaid, of patient 10, placed by employee 5 on 2 January 2026 at 18:00.
 */

let table: Table;
/** A client of each test's own, with no order yet. */
let clientId = 0;

beforeAll(async () => {
  const name = `test-${randomUUID()}`;
  Object.assign(process.env, inject('serverEnvironment'), { TABLE_NAME: name });
  await createTable(name);
  table = openTable();
});
beforeEach(() => {
  clientId += 1;
});

type Asked = Parameters<typeof syntheticOrder>[0];
const newOrder = (asked: Asked): Order => syntheticOrder({ clientId, ...asked });

async function placed(asked: Asked): Promise<Order> {
  const order = newOrder(asked);
  await table.transact(createOrderWrites(order));
  return order;
}

const withChanges = (before: Order, changes: Partial<Order>): Order => ({
  ...before,
  ...changes,
  version: before.version + 1,
});

async function changed(before: Order, changes: Partial<Order>): Promise<Order> {
  const after = withChanges(before, changes);
  await table.transact(changeOrderWrites(before, after));
  return after;
}

const withDocument = (order: Order, ...documents: string[]): Order => ({
  ...order,
  prescriptions: documents.map((documentKey, index) => ({
    id: index + 1,
    issueDate: '2026-01-01',
    expiringDate: null,
    documentKey,
    documentName: 'receta.pdf',
    documentType: 'application/pdf',
    isVerified: false,
    createdAt: '2026-01-02T18:00:00.000Z',
    updatedAt: '2026-01-02T18:00:00.000Z',
    updatedBy: null,
  })),
});

/** A table on which something else happens before each call of one kind. */
function disturbed(method: 'all' | 'getAll' | 'get', disturb: () => Promise<unknown>): Table {
  const busy = openTable();
  const quiet = busy[method].bind(busy) as (...asked: unknown[]) => Promise<never>;
  return Object.assign(busy, {
    [method]: async (...asked: unknown[]) => {
      await disturb();
      return quiet(...asked);
    },
  });
}

/** A table whose queries have a few items on a page, as those have that are stopped at a megabyte. */
function withShortPages(items: number): Table {
  const short = openTable();
  const pages = short.pages.bind(short);
  return Object.assign(short, {
    pages: (query: Parameters<Table['pages']>[0]) =>
      pages({ ...query, pageSize: Math.min(items, query.pageSize ?? items) }),
  });
}

/** A table that tells how many items its queries have read. */
function withReads(): { readonly table: Table; readonly read: () => number } {
  const told = openTable();
  const pages = told.pages.bind(told);
  let read = 0;
  const counted: Table['pages'] = async function* (query) {
    for await (const page of pages(query)) {
      read += page.length;
      yield page;
    }
  };
  return { table: Object.assign(told, { pages: counted }), read: () => read };
}

const idsIn = (orders: readonly { readonly id: number }[]) => orders.map(({ id }) => id);

describe('an order', () => {
  it('is found as it was written by the client, its patient and the doctor who placed it, and by nobody else', async () => {
    const order = withDocument(newOrder({ id: 7, doctor: 20 }), `documents/found-${clientId}`);
    await table.transact(createOrderWrites(order));
    expect(await orderOf(table, { clientId, id: 7 })).toEqual(order);
    for (const viewer of ['client', 'patient#10', 'doctor#20'] as const) {
      expect(await findOrder(table, { clientId, id: 7, viewer })).toEqual(order);
    }
    for (const viewer of ['patient#1', 'patient#20', 'doctor#10', 'doctor#2'] as const) {
      expect(await findOrder(table, { clientId, id: 7, viewer })).toBeUndefined();
    }
    expect(await findOrder(table, { clientId: clientId + 1, id: 7, viewer: 'client' })).toBeUndefined();
    expect(await orderOf(table, { clientId: clientId + 1, id: 7 })).toBeUndefined();
  });

  it.each([
    ['patient', 'patient#3'],
    ['doctor', 'doctor#3'],
    ['insurance_employee', 'client'],
  ] as const)('is looked at by a %s as %s', (role, viewer) => {
    expect(viewerOf({ id: 3, role })).toBe(viewer);
  });

  it('is not written a second time under its id', async () => {
    const order = await placed({ id: 7 });
    expect(await table.tryTransact(createOrderWrites(newOrder({ id: 7, orderStatus: 'quoted' })))).toBe(false);
    expect(await orderOf(table, { clientId, id: 7 })).toEqual(order);
    expect((await readCounts(table, clientId, 'client')).counts).toEqual([
      { orderStatus: 'approved', paymentStatus: 'unpaid', orders: 1 },
    ]);
  });

  it('is changed by whoever saw its latest version, in all that is kept of it', async () => {
    const first = await placed({ id: 7 });
    const second = await changed(first, { orderStatus: 'cancelled' });
    expect(await table.tryTransact(changeOrderWrites(first, withChanges(first, { comments: 'late' })))).toBe(false);
    expect(await orderOf(table, { clientId, id: 7 })).toEqual(second);
    const { rows } = await listOrders(table, selection({ clientId }));
    expect(rows).toMatchObject([{ id: 7, orderStatus: 'cancelled' }]);
  });

  it('tells a failure from a condition that did not hold', async () => {
    await expect(table.tryTransact([])).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('marks each of its documents once, and does not get one that is taken', async () => {
    const [one, two, taken] = ['one', 'two', 'taken'].map((name) => `documents/${name}-${clientId}`) as [
      string,
      string,
      string,
    ];
    await table.transact([{ Put: { Item: documentMarkKey(taken) } }]);
    const order = withDocument(newOrder({ id: 7 }), one);
    await table.transact(createOrderWrites(order));
    expect(await table.get(documentMarkKey(one))).toMatchObject({ clientId, orderId: 7 });

    const second = withDocument(withChanges(order, {}), one, two);
    expect(await table.tryTransact(changeOrderWrites(order, second))).toBe(true);
    expect(await table.get(documentMarkKey(two))).toMatchObject({ clientId, orderId: 7 });
    const third = withDocument(withChanges(second, {}), one, two, taken);
    expect(await table.tryTransact(changeOrderWrites(second, third))).toBe(false);
    expect(await table.tryTransact(createOrderWrites(withDocument(newOrder({ id: 8 }), taken)))).toBe(false);
  });

  it('is found by its id alone, whichever of many clients it belongs to', async () => {
    await table.transact([{ Put: { Item: { ...idsKey('client'), lastId: 1_201 } } }]);
    const owners = [1_001, 1_100, 1_101, 1_150, 1_201, 1_202];
    for (const owner of owners) await placed({ id: 500_000 + owner, clientId: owner });
    const found = await Promise.all(owners.map((owner) => orderById(table, 500_000 + owner)));
    expect(found.map((order) => order?.clientId)).toEqual([1_001, 1_100, 1_101, 1_150, 1_201, undefined]);
    expect(found[0]?.lines).toHaveLength(3);
    expect(await orderById(table, 499_999)).toBeUndefined();
    await table.transact([{ Delete: { Key: idsKey('client') } }]);
    expect(await orderById(table, 500_000 + 1_001)).toBeUndefined();
  });

  it('is found by its client among many ids, in their order', async () => {
    for (const id of [1, 100, 101, 150]) await placed({ id });
    const ids = Array.from({ length: 200 }, (_, index) => 200 - index);
    const orders = await ordersByIds(table, clientId, ids);
    expect(orders.map(({ id }) => id)).toEqual([150, 101, 100, 1]);
    expect(await ordersByIds(table, clientId, [])).toEqual([]);
  });
});

describe('the row of an order', () => {
  const rowOf = async (viewer: Viewer) => (await listOrders(table, selection({ clientId, viewer }))).rows[0];

  it('shows what a list needs', async () => {
    await placed({
      id: 7,
      patient: { id: 10, firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' },
      quantities: [2, 1],
      coupon: { id: 1, code: 'DIEZ', description: '', value: '0.10', has_free_shipping: false },
    });
    expect(await rowOf('client')).toEqual({
      id: 7,
      createdAt: '2026-01-02T18:00:00.000Z',
      orderStatus: 'approved',
      paymentStatus: 'unpaid',
      patientId: 10,
      searchName: 'jose nunez pena',
      expectedDeliveryDate: '2026-01-08T23:00:00.000Z',
      maxDeliveryDate: '2026-01-12T23:00:00.000Z',
      patientName: 'José Núñez Peña',
      lines: [
        { defaultImage: 'https://images.demo.example/products/0.webp', quantity: 2 },
        { defaultImage: 'https://images.demo.example/products/1.webp', quantity: 1 },
      ],
      shipping: { street: 'Calle de Durango', exteriorNumber: '245', city: 'Ciudad de México' },
      paymentMethod: 'Tarjeta',
      couponCode: 'DIEZ',
      // Three boxes of 28.50, and 79.00 to ship them.
      totalCents: 16_450,
      origin: 'demo',
    });
  });

  it('does without a second last name, a coupon and an address', async () => {
    await placed({ id: 7, shipping: null });
    expect(await rowOf('patient#10')).toMatchObject({ patientName: 'Ana Paz', couponCode: null, shipping: null });
  });

  it('shows a doctor no address but one that came with the order', async () => {
    const order = await placed({ id: 7, doctor: 20, isShippingSent: false });
    expect((await rowOf('doctor#20'))?.shipping).toBeNull();
    expect((await rowOf('client'))?.shipping).toMatchObject({ street: 'Calle de Durango' });
    await changed(order, { isShippingSent: true });
    expect((await rowOf('doctor#20'))?.shipping).toMatchObject({ street: 'Calle de Durango' });
  });
});

describe('the counters', () => {
  it('of a view have each order where its id says: 16 for a client, 4 for others', async () => {
    await placed({ id: 23, doctor: 20 });
    const one = { changes: 1, pairs: new Map([['au', 1]]) };
    expect(await readShards(table, clientId, 'client')).toEqual([{ number: 7, ...one }]);
    expect(await readShards(table, clientId, 'patient#10')).toEqual([{ number: 3, ...one }]);
    expect(await readShards(table, clientId, 'doctor#20')).toEqual([{ number: 3, ...one }]);
    expect(await readShards(table, clientId, 'doctor#5')).toEqual([]);
  });

  it('follow the statuses of an order, and tell of every change', async () => {
    const first = await placed({ id: 23 });
    const second = await changed(first, { comments: 'blue bell' });
    expect(await readShards(table, clientId, 'client')).toEqual([
      { number: 7, changes: 2, pairs: new Map([['au', 1]]) },
    ]);
    await changed(second, { orderStatus: 'cancelled' });
    expect(await readShards(table, clientId, 'client')).toEqual([
      {
        number: 7,
        changes: 3,
        pairs: new Map([
          ['au', 0],
          ['cu', 1],
        ]),
      },
    ]);
  });

  it('are added up, whatever else stands in them', async () => {
    for (const id of [1, 2, 17]) await placed({ id });
    await placed({ id: 3, paymentStatus: 'paid' });
    await table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', 15), zz: 9 } } }]);
    const { changes, counts } = await readCounts(table, clientId, 'client');
    expect(changes).toBe(4);
    expect(counts).toEqual([
      { orderStatus: 'approved', paymentStatus: 'unpaid', orders: 3 },
      { orderStatus: 'approved', paymentStatus: 'paid', orders: 1 },
    ]);
    expect(await countOrders(table, clientId, 'client')).toBe(4);
    expect(await countOrders(table, clientId, 'doctor#20')).toBe(0);
  });

  it('are replaced only as they were read', async () => {
    await placed({ id: 23 });
    const view = { clientId, viewer: 'client' } as const;
    const pairs = new Map([['dp', 4]]);
    const [shard] = await readShards(table, clientId, 'client');
    if (!shard) throw new Error('there is no counter');
    expect(await replaceShard(table, view, shard, pairs)).toBe(true);
    expect(await readShards(table, clientId, 'client')).toEqual([{ number: 7, changes: 2, pairs }]);
    expect(await replaceShard(table, view, shard, new Map())).toBe(false);
    expect(await replaceShard(table, view, { ...shard, changes: undefined }, new Map())).toBe(false);
    expect(await replaceShard(table, view, { ...shard, number: 8, changes: undefined }, pairs)).toBe(true);
    expect(await readShards(table, clientId, 'client')).toEqual([
      { number: 7, changes: 2, pairs },
      { number: 8, changes: 1, pairs },
    ]);
    const nameless = replaceShard(table, view, shard, new Map([['', 1]]));
    await expect(nameless).rejects.toMatchObject({ name: 'ValidationException' });
  });
});

/** All orders of a client, the newest first, unless something else is asked. */
function selection(asked: Partial<OrderSelection>): OrderSelection {
  return {
    clientId: HISTORY,
    viewer: 'client',
    patientId: undefined,
    orderStatuses: undefined,
    paymentStatuses: undefined,
    nameWords: [],
    dateBounds: [],
    ordering: [{ field: 'createdAt', isDescending: true }],
    offset: 0,
    limit: 100,
    ...asked,
  };
}

const HISTORY = 100_000;
const JOSE = { id: 11, firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
const MARIA = { id: 12, firstName: 'María José', lastName: 'López', secondLastName: null };

/** Orders 1 to 8 of one client: 3 and 4 of one instant, 2 and 6 without dates. */
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
/** Written when it is first asked for, and only read from then on. */
function history(): Promise<void> {
  written ??= (async () => {
    for (const order of ORDERS) await placed({ ...order, clientId: HISTORY });
  })();
  return written;
}

const LONG_HISTORY = 200_000;
let writtenLong: Promise<void> | undefined;
/** Orders 1 to 104 of another client, in each status in turn. Only what lists read of them is written. */
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
    // Of the 100 writes that a transaction may have, two are an order's.
    for (const start of [0, 50, 100]) await table.transact(writes.slice(start, start + 50).flat());
  })();
  return writtenLong;
}
/** The ids from one down to another. */
const downFrom = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);

const up = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: false }) as const;
const down = (field: 'createdAt' | 'expectedDeliveryDate') => ({ field, isDescending: true }) as const;
const bound = (field: 'expectedDeliveryDate' | 'maxDeliveryDate', comparison: '>=' | '<', day: string) =>
  ({ field, comparison, instant: `2026-03-${day}T23:00:00.000Z` }) as const;

type Case = readonly [title: string, asked: Partial<OrderSelection>, ids: readonly number[]];

/** Lists that the counters can count. */
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

/** Lists for which the whole view is gone through. */
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
  ['a name that nobody has', { nameWords: ['jose', 'nadie'] }, []],
  ['an expected delivery from a date on', { dateBounds: [bound('expectedDeliveryDate', '>=', '08')] }, [8, 7, 4]],
  ['an expected delivery before a date', { dateBounds: [bound('expectedDeliveryDate', '<', '08')] }, [5, 3, 1]],
  [
    'deliveries within two bounds',
    { dateBounds: [bound('maxDeliveryDate', '>=', '11'), bound('maxDeliveryDate', '<', '14')] },
    [7, 5, 3],
  ],
];

/** Offsets and limits: from both ends, and with pages before that are skipped. */
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
  ])('is not counted for ten statuses any deeper: $offset, $limit', async ({ ids, ...part }) => {
    await longHistory();
    const asked = selection({ clientId: LONG_HISTORY, orderStatuses: ORDER_STATUSES, ...part });
    expect(await countedPage(table, asked)).toBeUndefined();
    const page = await listOrders(table, asked);
    expect({ count: page.count, ids: idsIn(page.rows) }).toEqual({ count: 104, ids });
  });

  it.each([
    // Eight counters, before and after.
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
    // Of the patient's four counters three are in use, before and after.
    expect(read()).toBe(3 + 1 + 3);
  });

  it('is the same however short the pages of the table are', async () => {
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

  it('shows each order with the values by which it was found, though it was changed since', async () => {
    const order = await placed({ id: 1 });
    const busy = disturbed('getAll', () => changed(order, { orderStatus: 'cancelled' }));
    const asked = selection({ clientId, orderStatuses: ['approved'], nameWords: ['paz'] });
    const page = await listOrders(busy, asked);
    expect(page).toMatchObject({ count: 1, rows: [{ id: 1, orderStatus: 'approved', patientName: 'Ana Paz' }] });
  });

  it('has a count that goes with its rows, though orders come in between', async () => {
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

  it('is left uncounted if orders come all the time, or if there are fewer than are counted', async () => {
    await placed({ id: 1 });
    let id = 1;
    const busy = disturbed('all', () => placed({ id: ++id }));
    expect(await countedPage(busy, selection({ clientId }))).toBeUndefined();
    // Two readings, and four more tries.
    expect(id).toBe(7);

    await table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', 15), au: 1, changes: 1 } } }]);
    expect(await countedPage(table, selection({ clientId }))).toBeUndefined();
    expect((await listOrders(table, selection({ clientId }))).count).toBe(7);
    // With 26 counted, the page begins behind the last one.
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

  it('are all that is read', async () => {
    await history();
    const { table: told, read } = withReads();
    expect(await latest({ limit: 2 }, told)).toEqual([8, 7]);
    expect(read()).toBe(2);
  });
});

describe('a check of lists', () => {
  async function faults(viewer: Viewer, members: readonly string[] = [], from = table) {
    const found = [];
    for await (const part of checkLists(from, { clientId, viewer }, members)) found.push(...part.faults);
    return found.toSorted((a, b) => a.orderId - b.orderId);
  }
  const at = (partition: typeof viewPartition, viewer: Viewer, order: Order) => ({
    pk: partition(clientId, viewer),
    sk: placeOf(order),
  });
  const drop = (partition: typeof viewPartition, viewer: Viewer, order: Order) =>
    table.transact([{ Delete: { Key: at(partition, viewer, order) } }]);
  const spoil = (partition: typeof viewPartition, viewer: Viewer, order: Order, name: string) =>
    table.update({
      Key: at(partition, viewer, order),
      UpdateExpression: 'SET #name = :wrong',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':wrong': 'wrong' },
    });

  it('finds nothing in lists as they are written', async () => {
    const orders = [await placed({ id: 1 }), await placed({ id: 2, doctor: 20 }), await placed({ id: 3 })];
    for (const viewer of ['client', 'patient#10', 'doctor#20', 'doctor#21'] as const) {
      expect(await faults(viewer)).toEqual([]);
    }
    const members = orders.map(placeOf);
    expect(members[0]).toBe('2026-01-02T18:00:00.000Z#000000000000001');
    expect(await faults('client', members)).toEqual([]);
  });

  it('answers the orders of a view, which are read 100 at a time', async () => {
    const orders = [await placed({ id: 1 }), await placed({ id: 2 })];
    const parts = [];
    for await (const part of checkLists(table, { clientId, viewer: 'client' }, [])) parts.push(part.orders);
    expect(parts.flat()).toEqual(orders);
  });

  it('tells what is missing, different and stray', async () => {
    const [one, two, three, four] = [
      await placed({ id: 1 }),
      await placed({ id: 2 }),
      await placed({ id: 3, createdAt: '2026-01-03T18:00:00.000Z' }),
      await placed({ id: 4, createdAt: '2026-01-04T18:00:00.000Z' }),
    ];
    await drop(viewPartition, 'client', one);
    await drop(entryPartition, 'client', two);
    await spoil(viewPartition, 'client', three, 'patientName');
    await spoil(entryPartition, 'client', four, 'entry');
    const viewer = 'client';
    expect(await faults(viewer)).toEqual([
      { viewer, orderId: 1, part: 'row', fault: 'missing' },
      { viewer, orderId: 2, part: 'entry', fault: 'missing' },
      { viewer, orderId: 3, part: 'row', fault: 'different' },
      { viewer, orderId: 4, part: 'entry', fault: 'different' },
    ]);
    expect(await faults('patient#10')).toEqual([]);
  });

  it('finds rows and entries of no order of the view, before, between and after the others', async () => {
    const order = await placed({ id: 5, createdAt: '2026-01-05T18:00:00.000Z' });
    const strays = [
      { pk: entryPartition(clientId, 'client'), sk: creationKey('2026-01-01T18:00:00.000Z', 1) },
      { pk: viewPartition(clientId, 'client'), sk: creationKey('2026-01-05T18:00:00.000Z', 4) },
      // Of order 5, at another time.
      { pk: viewPartition(clientId, 'client'), sk: creationKey('2026-01-06T18:00:00.000Z', 5) },
      { pk: entryPartition(clientId, 'client'), sk: creationKey('2026-01-09T18:00:00.000Z', 9) },
      { pk: viewPartition(clientId, 'doctor#20'), sk: placeOf(order) },
    ];
    await table.transact(strays.map((Item) => ({ Put: { Item } })));
    const viewer = 'client';
    const found = [
      { viewer, orderId: 1, part: 'entry', fault: 'stray' },
      { viewer, orderId: 4, part: 'row', fault: 'stray' },
      { viewer, orderId: 5, part: 'row', fault: 'stray' },
      { viewer, orderId: 9, part: 'entry', fault: 'stray' },
    ];
    expect(await faults('client')).toEqual(found);
    expect(await faults('client', [], withShortPages(1))).toEqual(found);
    expect(await faults('doctor#20')).toEqual([{ viewer: 'doctor#20', orderId: 5, part: 'row', fault: 'stray' }]);
  });

  it('looks only once at orders that are as they are listed', async () => {
    await placed({ id: 1 });
    await placed({ id: 2 });
    let reads = 0;
    const told = disturbed('getAll', async () => {
      reads += 1;
    });
    expect(await faults('client', [], told)).toEqual([]);
    expect(reads).toBe(1);
  });

  it('finds an order missing that is listed only where it should not be', async () => {
    const order = await placed({ id: 1 });
    await drop(viewPartition, 'client', order);
    await drop(entryPartition, 'client', order);
    const sk = creationKey('2026-01-06T18:00:00.000Z', 1);
    await table.transact([{ Put: { Item: { pk: viewPartition(clientId, 'client'), sk } } }]);
    expect(await faults('client')).toEqual([
      { viewer: 'client', orderId: 1, part: 'row', fault: 'stray' },
      { viewer: 'client', orderId: 1, part: 'row', fault: 'missing' },
      { viewer: 'client', orderId: 1, part: 'entry', fault: 'missing' },
    ]);
  });

  it('finds an order that is missing altogether, if it is known to be of the view', async () => {
    const [one, two] = [await placed({ id: 1 }), await placed({ id: 2 })];
    await drop(viewPartition, 'client', two);
    await drop(entryPartition, 'client', two);
    expect(await faults('client')).toEqual([]);
    expect(await faults('client', [placeOf(one), placeOf(two)])).toEqual([
      { viewer: 'client', orderId: 2, part: 'row', fault: 'missing' },
      { viewer: 'client', orderId: 2, part: 'entry', fault: 'missing' },
    ]);
  });

  it('is not misled by an order that is changed meanwhile', async () => {
    let order = await placed({ id: 1 });
    let changes = 0;
    const busy = disturbed('getAll', async () => {
      if (changes++ < 2) order = await changed(order, { orderStatus: changes === 1 ? 'quoted' : 'cancelled' });
    });
    expect(await faults('client', [], busy)).toEqual([]);
    // The first look, one that a change came into, and one at rest.
    expect(changes).toBe(3);
  });

  it('gives up on an order that is changed without a pause', async () => {
    let order = await placed({ id: 1 });
    let tries = 0;
    const busy = disturbed('getAll', async () => {
      tries += 1;
      order = await changed(order, { orderStatus: tries % 2 === 0 ? 'quoted' : 'cancelled' });
    });
    const late = { code: 'unavailable', retryAfterSeconds: 2 };
    await expect(faults('client', [], busy)).rejects.toMatchObject(late);
    // The first look and ten more.
    expect(tries).toBe(11);
  });
});

describe('a recount', () => {
  const recount = (
    purpose: 'proof' | 'repair',
    viewer: Viewer = 'client',
    suspects: readonly number[] = [],
    from = table,
  ) => recountView(from, { clientId, viewer }, { purpose, suspects: new Set(suspects) });
  const EXACT = { differences: [], unsettled: [] };
  const tamper = (shard: number, counts: Readonly<Record<string, number>>) =>
    table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', shard), changes: 1, ...counts } } }]);
  const unpaid = { viewer: 'client', orderStatus: 'approved', paymentStatus: 'unpaid' } as const;

  it('finds counters exact as orders write them', async () => {
    const order = await placed({ id: 1, doctor: 20 });
    await placed({ id: 17 });
    await placed({ id: 2 });
    await changed(order, { orderStatus: 'cancelled' });
    for (const viewer of ['client', 'patient#10', 'doctor#20', 'doctor#21'] as const) {
      expect(await recount('repair', viewer)).toEqual(EXACT);
    }
  });

  it('tells what differs, and repairs it when that is its purpose', async () => {
    for (const id of [1, 17, 2]) await placed({ id });
    await tamper(1, { au: 3, qc: -1, zz: 4 });
    await tamper(5, { au: 2 });
    const differences = [
      { ...unpaid, shard: 1, orders: 2, counter: 3 },
      { viewer: 'client', orderStatus: 'quoted', paymentStatus: 'credit', shard: 1, orders: 0, counter: -1 },
      { ...unpaid, shard: 5, orders: 0, counter: 2 },
    ];
    const sorted = (found: Awaited<ReturnType<typeof recount>>) => ({
      ...found,
      differences: found.differences.toSorted((a, b) => a.shard - b.shard || b.orders - a.orders),
    });
    expect(sorted(await recount('proof'))).toEqual({ differences, unsettled: [] });
    expect(sorted(await recount('repair'))).toEqual({ differences, unsettled: [] });
    expect(await recount('repair')).toEqual(EXACT);
    expect((await readShards(table, clientId, 'client')).map(({ number, changes }) => [number, changes])).toEqual([
      [1, 2],
      [2, 1],
      [5, 2],
    ]);
  });

  it('makes a counter that is not there', async () => {
    await placed({ id: 1 });
    await table.transact([{ Delete: { Key: counterKey(clientId, 'client', 1) } }]);
    const differences = [{ ...unpaid, shard: 1, orders: 1, counter: 0 }];
    expect(await recount('repair')).toEqual({ differences, unsettled: [] });
    expect(await readShards(table, clientId, 'client')).toEqual([
      { number: 1, changes: 1, pairs: new Map([['au', 1]]) },
    ]);
  });

  it('counts an order that the list may be wrong about by itself, in the views that it belongs to', async () => {
    const [order] = [await placed({ id: 1, doctor: 20 }), await placed({ id: 2 })];
    await table.transact([
      { Delete: { Key: { pk: entryPartition(clientId, 'client'), sk: placeOf(order) } } },
      { Put: { Item: { pk: entryPartition(clientId, 'doctor#21'), sk: placeOf(order), entry: 'approved\tunpaid' } } },
    ]);
    expect(await recount('proof', 'client', [1, 2])).toEqual(EXACT);
    expect(await recount('proof', 'doctor#21', [1])).toEqual(EXACT);
    expect((await recount('proof', 'client')).differences).toEqual([{ ...unpaid, shard: 1, orders: 0, counter: 1 }]);
  });

  it('counts again what was written meanwhile, and repairs nothing that it has not seen', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await placed({ id: 1 });
    await tamper(1, { au: 5 });
    let reads = 0;
    const busy = disturbed('all', async () => {
      if (++reads === 2) await placed({ id: 17 });
    });
    const differences = [{ ...unpaid, shard: 1, orders: 2, counter: 6 }];
    expect(await recount('repair', 'client', [], busy)).toEqual({ differences, unsettled: [] });
    expect(await recount('proof')).toEqual(EXACT);
    expect(reads).toBe(4);
  });

  it('tells what it repaired, though it had to count others again', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await placed({ id: 1 });
    await placed({ id: 2 });
    await tamper(1, { au: 5 });
    let reads = 0;
    const busy = disturbed('all', async () => {
      if (++reads === 2) await placed({ id: 18 });
    });
    const differences = [{ ...unpaid, shard: 1, orders: 1, counter: 5 }];
    expect(await recount('repair', 'client', [], busy)).toEqual({ differences, unsettled: [] });
    expect(reads).toBe(4);
  });

  it('knows nothing of counters that were written during every try', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await placed({ id: 2 });
    let order = await placed({ id: 1 });
    let reads = 0;
    const busy = disturbed('all', async () => {
      reads += 1;
      order = await changed(order, {});
    });
    expect(await recount('repair', 'client', [], busy)).toEqual({
      differences: [],
      unsettled: [{ viewer: 'client', shard: 1 }],
    });
    expect(reads).toBe(60);
  });
});

const INVOICE: OrderInvoice = {
  status: 'requested',
  key: 'attempt-1',
  paymentMethod: 'PUE',
  requestedAt: '2026-01-02T18:00:00.000Z',
  issuedAt: null,
  reason: null,
  mail: null,
  handled: [],
  checks: 0,
  dueAt: '2026-01-02T18:01:00.000Z',
};

describe('the invoice of an order', () => {
  const rows = async (standing: Parameters<typeof latestInvoices>[1]) =>
    (await latestInvoices(table, standing, 1_000)).filter((row) => row.clientId === clientId);

  it('is a row of its standing, which moves with it', async () => {
    const order = await placed({ id: 7, invoice: INVOICE });
    expect(await rows('requested')).toEqual([
      {
        orderId: 7,
        clientId,
        status: 'requested',
        cfdi: '',
        paymentMethod: 'PUE',
        matters: [],
        mail: null,
        reason: null,
        // Four boxes of 28.50, and 79.00 to ship them.
        totalCents: 19_300,
        requestedAt: '2026-01-02T18:00:00.000Z',
        issuedAt: null,
        dueAt: '2026-01-02T18:01:00.000Z',
      },
    ]);
    const invoice: OrderInvoice = {
      ...INVOICE,
      status: 'issued',
      paymentMethod: 'PPD',
      issuedAt: '2026-01-02T18:00:30.000Z',
      mail: { status: 'sent', tries: 1 },
      dueAt: null,
    };
    const issued = await changed(order, { invoice, cfdi: 'cfdi-1' });
    expect(await rows('requested')).toEqual([]);
    expect(await rows('issued')).toMatchObject([{ orderId: 7, status: 'issued', cfdi: 'cfdi-1', mail: 'sent' }]);

    const paid = await changed(issued, { paymentStatus: 'paid' });
    expect(await rows('issued')).toEqual([]);
    expect(await rows('complement_due')).toMatchObject([{ orderId: 7, matters: ['complement_due'] }]);

    await changed(paid, { invoice: null });
    expect(await rows('complement_due')).toEqual([]);
  });

  it('has one row when it is due later, or is another attempt', async () => {
    const order = await placed({ id: 7 });
    expect(await rows('requested')).toEqual([]);
    const asked = await changed(order, { invoice: INVOICE });
    const later = await changed(asked, { invoice: { ...INVOICE, dueAt: '2026-01-02T18:05:00.000Z' } });
    expect(await rows('requested')).toMatchObject([{ dueAt: '2026-01-02T18:05:00.000Z' }]);
    await changed(later, { invoice: { ...INVOICE, dueAt: '2026-01-02T18:05:00.000Z', reason: 'slow' } });
    expect(await rows('requested')).toMatchObject([{ reason: 'slow' }]);
  });

  it('is not written again when it stays as it is', async () => {
    const order = newOrder({ id: 7, invoice: INVOICE });
    await placed({ id: 7 });
    await changed(order, { comments: 'blue bell' });
    expect(await rows('requested')).toEqual([]);
  });

  it('is found when it is due, the longest waiting first', async () => {
    const due = (minute: string) => `2020-01-02T18:${minute}:00.000Z`;
    const waiting = (id: number, minute: string) =>
      placed({ id, invoice: { ...INVOICE, status: 'cancelling', dueAt: due(minute) } });
    await waiting(1, '03');
    await waiting(2, '01');
    await waiting(3, '02');
    await placed({ id: 4, invoice: { ...INVOICE, status: 'cancelling', dueAt: null, requestedAt: due('00') } });
    const found = async (now: string, limit: number, from = table) =>
      (await dueInvoices(from, 'cancelling', { now: new Date(now), limit })).map(({ orderId }) => orderId);
    expect(await found(due('03'), 9)).toEqual([4, 2, 3, 1]);
    expect(await found('2020-01-02T18:02:59.999Z', 9)).toEqual([4, 2, 3]);
    expect(await found(due('03'), 2)).toEqual([4, 2]);
    expect(await found(due('03'), 3, withShortPages(2))).toEqual([4, 2, 3]);
    const { table: told, read } = withReads();
    expect(await found(due('03'), 2, told)).toEqual([4, 2]);
    expect(read()).toBe(2);
    expect(await found('2020-01-02T17:59:59.999Z', 9)).toEqual([]);
    expect((await latestInvoices(table, 'cancelling', 2)).map(({ orderId }) => orderId)).toEqual([1, 3]);
    expect(await dueInvoices(table, 'mail_given_up', { now: new Date(due('03')), limit: 9 })).toEqual([]);
  });

  it('is brought on from how its order was last seen', async () => {
    const order = await placed({ id: 7, invoice: INVOICE });
    const unread = disturbed('get', () => Promise.reject(new Error('it was read')));
    const { order: after, isChanged } = await changeInvoice(unread, order, () => ({ cfdi: 'cfdi-1' }));
    expect(isChanged).toBe(true);
    expect(after).toEqual({ ...order, cfdi: 'cfdi-1', version: 2 });
    expect(await orderOf(table, { clientId, id: 7 })).toEqual(after);
    expect(await rows('requested')).toMatchObject([{ cfdi: 'cfdi-1' }]);
    expect((await readCounts(table, clientId, 'client')).changes).toBe(1);
  });

  it('is left as it is when there is nothing to change', async () => {
    const order = await placed({ id: 7, invoice: INVOICE });
    expect(await changeInvoice(table, order, () => undefined)).toEqual({ order, isChanged: false });
    expect(await orderOf(table, { clientId, id: 7 })).toEqual(order);
  });

  it('is brought on though the order was changed meanwhile, of which it keeps everything', async () => {
    const known = await placed({ id: 7, invoice: INVOICE });
    await changed(known, { orderStatus: 'cancelled' });
    const seen: string[] = [];
    const change = ({ orderStatus }: Order): InvoiceChange => {
      seen.push(orderStatus);
      return { cfdi: 'cfdi-1' };
    };
    const { order } = await changeInvoice(table, known, change);
    expect(seen).toEqual(['approved', 'cancelled']);
    expect(order).toMatchObject({ orderStatus: 'cancelled', cfdi: 'cfdi-1', version: 3 });
  });

  it('of no order is not found', async () => {
    const unwritten = newOrder({ id: 8 });
    await expect(changeInvoice(table, unwritten, () => ({ cfdi: 'x' }))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is given up after ten changes by others', async () => {
    const known = await placed({ id: 7, invoice: INVOICE });
    let latest = await changed(known, { comments: '1' });
    let reads = 0;
    const busy = disturbed('get', async () => {
      reads += 1;
    });
    const change = () => ({ cfdi: 'cfdi-1' });
    const outrun = Object.assign(busy, {
      transact: async (writes: Parameters<Table['transact']>[0]) => {
        latest = await changed(latest, { comments: `${reads}` });
        await table.transact(writes);
      },
    });
    const late = { code: 'unavailable', retryAfterSeconds: 2 };
    await expect(changeInvoice(outrun, known, change)).rejects.toMatchObject(late);
    expect(reads).toBe(10);
  });
});

describe('an idempotency key', () => {
  const NOW = new Date('2026-01-02T18:00:00.000Z');
  const DAY_LATER = new Date('2026-01-03T18:00:00.000Z');
  const use: Omit<Idempotency, 'clientId'> = { userId: 5, key: 'again', fingerprint: 'of the body' };
  const read = () => table.get(idempotencyKey(clientId, 5, 'again'));

  it('tells for a day which order it made', async () => {
    expect(currentKeyUse(await read(), NOW)).toBeUndefined();
    await table.transact([keyUseWrite({ clientId, ...use }, 7, NOW)]);
    const item = await read();
    expect(currentKeyUse(item, NOW)).toEqual({ fingerprint: 'of the body', orderId: 7 });
    expect(currentKeyUse(item, new Date(DAY_LATER.getTime() - 1))).toEqual({ fingerprint: 'of the body', orderId: 7 });
    expect(currentKeyUse(item, DAY_LATER)).toBeUndefined();
  });

  it('makes one order, and another one when its day is over', async () => {
    const write = (orderId: number, now: Date) => table.tryTransact([keyUseWrite({ clientId, ...use }, orderId, now)]);
    expect(await write(7, NOW)).toBe(true);
    expect(await write(8, new Date(DAY_LATER.getTime() - 1))).toBe(false);
    expect(await write(9, DAY_LATER)).toBe(true);
    expect(currentKeyUse(await read(), DAY_LATER)).toMatchObject({ orderId: 9 });
  });

  it('is left to DynamoDB to remove, in whole seconds', async () => {
    await table.transact([keyUseWrite({ clientId, ...use }, 7, new Date('2026-01-02T18:00:00.001Z'))]);
    // 3 January 2026, 18:00:01 UTC.
    expect(await read()).toMatchObject({ ttl: 1_767_463_201 });
  });
});

describe('ids', () => {
  const last = async (kind: 'client' | 'order' | 'record') => Number((await table.get(idsKey(kind)))?.lastId ?? 0);

  it('come one after the other, from a block at a time', async () => {
    const ids = new Ids(table);
    const before = await last('order');
    expect(await ids.take('order', 3)).toEqual([before + 1, before + 2, before + 3]);
    expect(await last('order')).toBe(before + 100);
    expect(await ids.take('order', 98)).toEqual(Array.from({ length: 98 }, (_, index) => before + 4 + index));
    expect(await last('order')).toBe(before + 200);
    expect(await ids.take('order', 0)).toEqual([]);
  });

  it.each([
    ['client', 1],
    ['record', 1_000],
  ] as const)('of a %s are taken %i at a time', async (kind, size) => {
    const before = await last(kind);
    expect(await new Ids(table).take(kind, 1)).toEqual([before + 1]);
    expect(await last(kind)).toBe(before + size);
  });

  it('are never the same in two processes, nor for two who ask at once', async () => {
    const [one, two] = [new Ids(table), new Ids(table)];
    const before = await last('order');
    const taken = await Promise.all([one.take('order', 60), two.take('order', 30), one.take('order', 30)]);
    expect(new Set(taken.flat()).size).toBe(120);
    // Of the one, 90 are out of its first block.
    expect(await last('order')).toBe(before + 200);
  });
});
