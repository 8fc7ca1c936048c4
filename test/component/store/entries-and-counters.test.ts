import { describe, expect, it } from 'vitest';
import { erase } from '../../../shared/domain/erasure.ts';
import { countOrders, readCounts } from '../../../shared/order/lists/counters.ts';
import { listItems, parseEntry } from '../../../shared/order/lists/entries.ts';
import { type Order, storedOrder } from '../../../shared/order/order.ts';
import { counterKey, counterPartition, toKey, type Viewer } from '../../../shared/store/keys.ts';
import { writesOfKinds } from '../../support/orders/derived-writes.ts';
import { changed, clientId, newOrder, placed, table, useOrderTable } from '../../support/orders/order-table.ts';

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
