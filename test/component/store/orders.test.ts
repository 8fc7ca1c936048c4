import { describe, expect, it } from 'vitest';
import { closePatient, removePerson, reopenPatient } from '../../../shared/erasure/patient-records.ts';
import { readCounts } from '../../../shared/order/lists/counters.ts';
import { readOrderPage } from '../../../shared/order/lists/order-page.ts';
import { toViewer } from '../../../shared/order/order.ts';
import { changeOrderWrites, createOrderWrites, replaceOrderWrites } from '../../../shared/order/order-writes.ts';
import { findOrder, getOrder, getOrderOfAnyClient, getOrders } from '../../../shared/order/orders.ts';
import { documentMarkKey } from '../../../shared/store/keys.ts';
import { BY_JOB, forceVersion } from '../../support/orders/forced-order.ts';
import {
  changed,
  clientId,
  idsIn,
  newOrder,
  placed,
  selection,
  storePatient,
  table,
  useOrderTable,
  withDocument,
} from '../../support/orders/order-table.ts';

useOrderTable();

describe('an order', () => {
  it('is found as it was written by the client, its patient and the doctor who placed it, and by no other user', async () => {
    const order = withDocument(newOrder({ id: 7, doctor: 20 }), `documents/found-${clientId}`);
    await table.transact(createOrderWrites(order));
    expect(await getOrder(table, { clientId, id: 7 })).toEqual(order);
    for (const viewer of ['client', 'patient#10', 'doctor#20'] as const) {
      expect(await findOrder(table, { clientId, id: 7, viewer })).toEqual(order);
    }
    for (const viewer of ['patient#1', 'patient#20', 'doctor#10', 'doctor#2'] as const) {
      expect(await findOrder(table, { clientId, id: 7, viewer })).toBeUndefined();
    }
    expect(await findOrder(table, { clientId: clientId + 1, id: 7, viewer: 'client' })).toBeUndefined();
    expect(await getOrder(table, { clientId: clientId + 1, id: 7 })).toBeUndefined();
  });

  it.each([
    ['patient', 'patient#3'],
    ['doctor', 'doctor#3'],
    ['insurance_employee', 'client'],
  ] as const)('is seen by a %s through the view %s', (role, viewer) => {
    expect(toViewer({ id: 3, role })).toBe(viewer);
  });

  it('is written once under its id, and changed from its latest version only, in its item, entries and counters', async () => {
    const first = await placed({ id: 7 });
    expect(await table.tryTransact(createOrderWrites(newOrder({ id: 7, orderStatus: 'quoted' })))).toBe(false);
    const second = await changed(first, { orderStatus: 'cancelled' });
    const late = forceVersion(first, { comments: 'late' });
    expect(await table.tryTransact(replaceOrderWrites(first, late, BY_JOB))).toBe(false);
    expect(await getOrder(table, { clientId, id: 7 })).toEqual(second);
    expect((await readCounts(table, { clientId, viewer: 'client' })).counts).toEqual([
      { orderStatus: 'cancelled', paymentStatus: 'unpaid', orders: 1 },
    ]);
    const { orders } = await readOrderPage(table, selection({ clientId }));
    expect(orders).toMatchObject([{ id: 7, orderStatus: 'cancelled' }]);
    await expect(table.tryTransact([])).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('is changed, once it is finished, only while its patient is there and not being erased, and always later', async () => {
    const first = await placed({ id: 7, orderStatus: 'delivered' });
    const second = forceVersion(first, { comments: 'Llamar antes' });
    expect(await table.tryTransact(changeOrderWrites(first, second, BY_JOB))).toBe(false);
    const patient = await storePatient(first);
    expect(await table.tryTransact(changeOrderWrites(first, second, BY_JOB))).toBe(true);
    await closePatient(table, patient, new Date());
    const third = forceVersion(second, { comments: 'No llamar' });
    expect(await table.tryTransact(changeOrderWrites(second, third, BY_JOB))).toBe(false);
    await reopenPatient(table, patient);
    expect(await table.tryTransact(changeOrderWrites(second, third, BY_JOB))).toBe(true);
    await removePerson(table, patient);
    const erased = forceVersion(third, {
      patient: { ...third.patient, email: '', deletedAt: '2026-01-03T18:00:00.000Z' },
    });
    expect(await table.tryTransact(changeOrderWrites(third, forceVersion(third, {}), BY_JOB))).toBe(false);
    expect(await table.tryTransact(replaceOrderWrites(third, erased, BY_JOB))).toBe(true);
    const moved = forceVersion(erased, { orderStatus: 'cancelled' });
    expect(await table.tryTransact(changeOrderWrites(erased, moved, BY_JOB))).toBe(true);
    expect(await getOrder(table, { clientId, id: 7 })).toEqual(moved);
  });

  it('marks each of its documents once, and refuses a document of another order', async () => {
    const [one, two, taken] = ['one', 'two', 'taken'].map((name) => `documents/${name}-${clientId}`) as [
      string,
      string,
      string,
    ];
    await table.transact([{ Put: { Item: documentMarkKey(taken) } }]);
    const order = withDocument(newOrder({ id: 7 }), one);
    await table.transact(createOrderWrites(order));
    expect(await table.get(documentMarkKey(one))).toMatchObject({ clientId, orderId: 7 });

    const second = forceVersion(order, withDocument(order, one, two));
    expect(await table.tryTransact(replaceOrderWrites(order, second, BY_JOB))).toBe(true);
    expect(await table.get(documentMarkKey(two))).toMatchObject({ clientId, orderId: 7 });
    const third = forceVersion(second, withDocument(second, one, two, taken));
    expect(await table.tryTransact(replaceOrderWrites(second, third, BY_JOB))).toBe(false);
    expect(await table.tryTransact(createOrderWrites(withDocument(newOrder({ id: 8 }), taken)))).toBe(false);
  });

  it('is found by its id alone among the orders of many clients, or by its client among many ids in their order', async () => {
    for (const owner of [1_001, 1_100, 1_101]) await placed({ id: 500_000 + owner, clientId: owner });
    expect(await getOrderOfAnyClient(table, 501_100)).toMatchObject({ clientId: 1_100, id: 501_100 });
    expect(await getOrderOfAnyClient(table, 499_999)).toBeUndefined();
    for (const id of [1, 100, 101, 150]) await placed({ id });
    const ids = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(idsIn(await getOrders(table, clientId, ids))).toEqual([150, 101, 100, 1]);
    expect(await getOrders(table, clientId, [])).toEqual([]);
  });
});
