import { describe, expect, it } from 'vitest';
import type { PublicEvent } from '../../../shared/api/events/events.ts';
import { erase } from '../../../shared/domain/erasure.ts';
import { feedWrites, lastSequence, readFeed } from '../../../shared/events/feed.ts';
import { countOrders, readCounts } from '../../../shared/order/lists/counters.ts';
import { listItems, parseEntry } from '../../../shared/order/lists/entries.ts';
import { type Order, storedOrder } from '../../../shared/order/order.ts';
import { keyUseWrite } from '../../../shared/order/rows/idempotency.ts';
import { Ids } from '../../../shared/store/ids.ts';
import {
  counterKey,
  counterPartition,
  idempotencyKey,
  idsKey,
  toKey,
  type Viewer,
} from '../../../shared/store/keys.ts';
import { writesOfKinds } from '../../support/orders/forced-order.ts';
import { changed, clientId, newOrder, placed, table, useOrderTable } from '../../support/orders/order-table.ts';

/* What an order writes beside its item, the ids that it takes, and the feed of its events. */

useOrderTable();

const TIME = '2026-01-02T18:00:00.000Z';
const SORT_KEY = '2026-01-02T18:00:00.000Z#000000000000007';

const LISTS = ['CREATED', 'PAIR', 'OPEN'] as const;

describe('the entries of an order', () => {
  const partitions = async (order: Order) => {
    const items = await table.getAll(listItems(order).map(toKey));
    return items.map((item) => item?.pk);
  };

  it('are two in each of its views, and one in the queue of open orders, with what lists filter, search and sort by', async () => {
    const order = await placed({
      id: 7,
      doctor: 20,
      patient: { id: 10, firstName: 'José', lastName: 'Núñez\tRuiz', secondLastName: 'Peña' },
      sentPerson: { phone: '+525512345678' },
    });
    expect(await partitions(order)).toEqual([
      `CREATED#${clientId}#client`,
      `PAIR#${clientId}#client#au`,
      `CREATED#${clientId}#patient#10`,
      `PAIR#${clientId}#patient#10#au`,
      `CREATED#${clientId}#doctor#20`,
      `PAIR#${clientId}#doctor#20#au`,
      'OPEN#approved',
    ]);
    expect(await table.get({ pk: 'OPEN#approved', sk: SORT_KEY })).toEqual({
      pk: 'OPEN#approved',
      sk: SORT_KEY,
      format: 1,
      clientId,
      paymentStatus: 'unpaid',
      totalCents: 19_300,
      patient: 'José Núñez\tRuiz Peña',
      dueAt: '2026-01-08T23:00:00.000Z',
      waits: [{ until: null, waits: ['preparation', 'payment'] }],
    });
    const item = await table.get({ pk: `CREATED#${clientId}#client`, sk: SORT_KEY });
    expect(parseEntry(item ?? {})).toEqual({
      id: 7,
      createdAt: '2026-01-02T18:00:00.000Z',
      patientId: 10,
      doctorId: 20,
      expectedDeliveryDate: '2026-01-08T23:00:00.000Z',
      maxDeliveryDate: '2026-01-12T23:00:00.000Z',
      searchName: 'jose nunez ruiz pena',
      placedBy: 20,
      sentPhone: '+525512345678',
      storeId: null,
      insuranceRefundStatus: 'not_started',
    });
  });

  it('lose the name in the queue when the patient is erased', () => {
    const order = newOrder({ id: 7, orderStatus: 'cancelled', paymentStatus: 'paid' });
    const inQueue = { pk: 'OPEN#refund_due', dueAt: TIME };
    expect(listItems(order).at(-1)).toMatchObject({ ...inQueue, patient: 'Ana Paz' });
    const writes = writesOfKinds(['OPEN'], order, erase(storedOrder, order));
    expect(writes.at(-1)).toMatchObject({ Put: { Item: { ...inQueue, patient: '' } } });
  });

  it('move with its statuses, and leave the queue when it is finished', async () => {
    const second = await changed(await placed({ id: 7 }), { orderStatus: 'quoted', paymentStatus: 'paid' });
    expect(await partitions(second)).toEqual([
      `CREATED#${clientId}#client`,
      `PAIR#${clientId}#client#qp`,
      `CREATED#${clientId}#patient#10`,
      `PAIR#${clientId}#patient#10#qp`,
      'OPEN#quoted',
    ]);
    await changed(second, { orderStatus: 'delivered' });
    for (const pk of [`PAIR#${clientId}#client#au`, `PAIR#${clientId}#client#qp`, 'OPEN#approved', 'OPEN#quoted']) {
      expect(await table.get({ pk, sk: SORT_KEY })).toBeUndefined();
    }
  });

  it('are written only where they differ', () => {
    const order = newOrder({ id: 7 });
    expect(writesOfKinds(LISTS, order, { ...order, cfdi: 'blue bell', version: 2 })).toEqual([]);
    // Another pair of statuses: one put and one delete for the client and for the patient, and one put in the queue.
    expect(writesOfKinds(LISTS, order, { ...order, paymentStatus: 'paid' })).toHaveLength(5);
    expect(writesOfKinds(LISTS, null, order)).toHaveLength(5);
    // Another total: the entry of the queue.
    expect(writesOfKinds(LISTS, order, { ...order, totalCents: 1, version: 2 })).toMatchObject([
      { Put: { Item: { pk: 'OPEN#approved', totalCents: 1 } } },
    ]);
  });
});

describe('the counters', () => {
  const shards = (viewer: Viewer) => table.all({ pk: counterPartition(clientId, viewer) });

  it('of a view are sharded by the id of the order, and follow its statuses: 16 for a client, 4 for others', async () => {
    const first = await placed({ id: 23, doctor: 20 });
    const one = (pk: string, sk: string) => [{ pk: `COUNT#${clientId}#${pk}`, sk, changes: 1, au: 1 }];
    expect(await shards('client')).toEqual(one('client', 'SHARD#07'));
    expect(await shards('patient#10')).toEqual(one('patient#10', 'SHARD#03'));
    expect(await shards('doctor#20')).toEqual(one('doctor#20', 'SHARD#03'));
    expect(await shards('doctor#5')).toEqual([]);
    const second = await changed(first, { comments: 'blue bell' });
    expect(await shards('client')).toEqual(one('client', 'SHARD#07'));
    await changed(second, { orderStatus: 'cancelled' });
    expect(await shards('client')).toMatchObject([{ sk: 'SHARD#07', changes: 2, au: 0, cu: 1 }]);
  });

  it('are summed without their other attributes, and without pairs that no order has any more', async () => {
    for (const id of [1, 2, 17]) await placed({ id });
    await changed(await placed({ id: 3, orderStatus: 'quoted' }), { orderStatus: 'approved', paymentStatus: 'paid' });
    await table.transact([{ Put: { Item: { ...counterKey(clientId, 'client', 15), zz: 9 } } }]);
    expect(await readCounts(table, { clientId, viewer: 'client' })).toMatchObject({
      changes: 5,
      counts: [
        { orderStatus: 'approved', paymentStatus: 'unpaid', orders: 3 },
        { orderStatus: 'approved', paymentStatus: 'paid', orders: 1 },
      ],
    });
    expect(await countOrders(table, { clientId, viewer: 'client' })).toBe(4);
    expect(await countOrders(table, { clientId, viewer: 'doctor#20' })).toBe(0);
  });
});

it('an idempotency key is removed by DynamoDB, at a time in whole seconds', async () => {
  const use = { clientId, userId: 5, key: 'again', fingerprint: 'of the body' };
  await table.transact([keyUseWrite(use, 7, new Date('2026-01-02T18:00:00.001Z'))]);
  // This is 3 January 2026, 18:00:01 UTC.
  expect(await table.get(idempotencyKey(clientId, 5, 'again'))).toMatchObject({ ttl: 1_767_463_201 });
});

describe('ids', () => {
  const last = async (kind: 'client' | 'order' | 'record') => Number((await table.get(idsKey(kind)))?.lastId ?? 0);

  it('are consecutive, and reserved in blocks', async () => {
    const ids = new Ids(table);
    const before = await last('order');
    expect(await ids.take('order', 3)).toEqual([before + 1, before + 2, before + 3]);
    expect(await last('order')).toBe(before + 100);
    expect(await ids.take('order', 98)).toEqual(Array.from({ length: 98 }, (_, index) => before + 4 + index));
    expect(await last('order')).toBe(before + 200);
    expect(await ids.take('order', 0)).toEqual([]);
  });

  it('are distinct in two processes, and for two requests at the same time', async () => {
    const [one, two] = [new Ids(table), new Ids(table)];
    const before = await last('order');
    const taken = await Promise.all([one.take('order', 60), two.take('order', 30), one.take('order', 30)]);
    expect(new Set(taken.flat()).size).toBe(120);
    // The first process takes 90 ids from its first block.
    expect(await last('order')).toBe(before + 200);
  });
});

describe('the feed of a client', () => {
  // DynamoDB Local removes what has expired.
  const NOW = new Date();
  const event = (order: number, version: number): PublicEvent => ({
    id: `evt_${order}_${version}_0`,
    type: 'order.changed',
    time: '2026-01-02T18:00:00.000Z',
    order: { id: order, folio: 'RX-00000007', order_status: 'approved', payment_status: 'unpaid', version },
    move: null,
    shipment: null,
    refunded: null,
    reason: null,
    prescriptions: [],
  });
  const read = (after: number, limit = 10, of = clientId) => readFeed(table, { clientId: of, after, limit });
  const add = (last: number, ...events: PublicEvent[]) =>
    table.tryTransact(feedWrites({ clientId, last, events }, NOW));

  it('numbers events without gaps, and takes nothing from a publisher whose end is no longer the end', async () => {
    expect([await lastSequence(table, clientId), await read(0)]).toEqual([0, []]);
    expect(await add(0, event(7, 1), event(8, 1))).toBe(true);
    expect(await add(0, event(7, 1))).toBe(false);
    expect(await add(2, event(7, 2))).toBe(true);
    expect(await lastSequence(table, clientId)).toBe(3);
    expect(await read(0)).toEqual([
      { sequence: 1, event: event(7, 1) },
      { sequence: 2, event: event(8, 1) },
      { sequence: 3, event: event(7, 2) },
    ]);
    expect((await read(1, 1)).map(({ sequence }) => sequence)).toEqual([2]);
    expect(await read(0, 10, clientId + 1_000)).toEqual([]);
  });

  it('lets events expire after 35 days', () => {
    const addition = { clientId: 1, last: 0, events: [event(7, 1)] };
    const [, ...rows] = feedWrites(addition, new Date('2026-01-02T18:00:00.000Z'));
    expect(rows).toMatchObject([{ Put: { Item: { ttl: 1_770_400_800 } } }]);
  });
});
