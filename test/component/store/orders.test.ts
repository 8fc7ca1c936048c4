import { describe, expect, it } from 'vitest';
import type { UserCaller } from '../../../shared/access/authenticate.ts';
import type { Refusal } from '../../../shared/domain/refusal.ts';
import { closePatient, removePerson, reopenPatient } from '../../../shared/erasure/erase-patient.ts';
import { changeInvoice, type InvoiceChange } from '../../../shared/invoices/invoice-attempt.ts';
import { readCounts } from '../../../shared/order/lists/counters.ts';
import { readOrderPage } from '../../../shared/order/lists/order-page.ts';
import type { Order } from '../../../shared/order/order.ts';
import {
  changeOrderWrites,
  createOrderWrites,
  deriveItems,
  replaceOrderWrites,
} from '../../../shared/order/order-writes.ts';
import { findOrder, getOrder, getOrderOfAnyClient, getOrders } from '../../../shared/order/orders.ts';
import { dueInvoices, latestInvoices } from '../../../shared/order/rows/invoice-rows.ts';
import { invoiceLimitRefusal, placingLimitRefusal } from '../../../shared/order/user-limits.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import { documentMarkKey } from '../../../shared/store/keys.ts';
import type { Table } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { BY_JOB, forceVersion } from '../../support/orders/forced-order.ts';
import {
  changed,
  clientId,
  disturbed,
  idsIn,
  newOrder,
  placed,
  selection,
  storePatient,
  table,
  useOrderTable,
  withDocument,
  withReads,
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

const INVOICE = taxDocument({ key: 'attempt-1', tasks: { issue: { tries: 0, dueAt: '2026-01-02T18:01:00.000Z' } } });

describe('the invoice of an order', () => {
  const rows = async (status: Parameters<typeof latestInvoices>[1]) =>
    (await latestInvoices(table, status, 1_000)).filter((row) => row.clientId === clientId);

  it('is found when it is due, the longest waiting first', async () => {
    const due = (minute: string) => `2020-01-02T18:${minute}:00.000Z`;
    const waiting = (id: number, minute: string) =>
      placed({
        id,
        invoice: { ...INVOICE, status: 'cancelling', tasks: { cancel: { tries: 0, dueAt: due(minute) } } },
      });
    await waiting(1, '03');
    await waiting(2, '01');
    await waiting(3, '02');
    // For this one no job has to do anything.
    await placed({ id: 4, invoice: { ...INVOICE, status: 'cancelling', tasks: {}, requestedAt: due('00') } });
    const found = async (now: string, limit: number, from = table) =>
      (await dueInvoices(from, 'cancelling', { now: new Date(now), limit })).map(({ orderId }) => orderId);
    expect(await found(due('03'), 9)).toEqual([2, 3, 1]);
    expect(await found('2020-01-02T18:02:59.999Z', 9)).toEqual([2, 3]);
    expect(await found(due('03'), 2)).toEqual([2, 3]);
    const { table: told, reads } = withReads();
    expect(await found(due('03'), 2, told)).toEqual([2, 3]);
    expect(reads.items).toBe(2);
    expect(await found('2020-01-02T17:59:59.999Z', 9)).toEqual([]);
    expect((await latestInvoices(table, 'cancelling', 2)).map(({ orderId }) => orderId)).toEqual([4, 1]);
    expect(await dueInvoices(table, 'mail_given_up', { now: new Date(due('03')), limit: 9 })).toEqual([]);
  });

  it('is updated from the version of its order that was last read, or left as it is', async () => {
    const order = await placed({ id: 7, invoice: INVOICE });
    await storePatient(order);
    const unread = disturbed('get', () => Promise.reject(new Error('it was read')));
    expect(await changeInvoice(unread, order, BY_JOB, () => undefined)).toEqual({ order, isChanged: false });
    const { order: after, isChanged } = await changeInvoice(unread, order, BY_JOB, () => ({ cfdi: 'cfdi-1' }));
    expect([isChanged, after]).toEqual([true, { ...order, cfdi: 'cfdi-1', version: 2 }]);
    expect(await getOrder(table, { clientId, id: 7 })).toEqual(after);
    expect(await rows('requested')).toMatchObject([{ cfdi: 'cfdi-1' }]);
  });

  it('is updated when the order was changed meanwhile, and keeps that change', async () => {
    const known = await placed({ id: 7, invoice: INVOICE });
    await storePatient(known);
    await changed(known, { orderStatus: 'cancelled' });
    const seen: string[] = [];
    const change = ({ orderStatus }: Order): InvoiceChange => {
      seen.push(orderStatus);
      return { cfdi: 'cfdi-1' };
    };
    const { order } = await changeInvoice(table, known, BY_JOB, change);
    expect(seen).toEqual(['approved', 'cancelled']);
    expect(order).toMatchObject({ orderStatus: 'cancelled', cfdi: 'cfdi-1', version: 3 });
  });

  it('is not updated after ten conflicts', async () => {
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
    await expect(changeInvoice(outrun, known, BY_JOB, change)).rejects.toMatchObject({ code: 'unavailable' });
    expect(reads).toBe(10);
  });
});

// `proofs/attacks/limits` meets the limits over HTTP.
describe('the limits of a user', () => {
  const NOW = new Date('2026-11-27T18:00:00.000Z');
  const [DOCTOR, PATIENT, EMPLOYEE] = [5, 10, 6];
  const counting = (id: number, role: Role) => ({
    caller: { client: { id: clientId }, user: { id, role } } as UserCaller,
    limits: { ordersPerHour: 60, invoicesPerDay: 10 },
    now: NOW,
  });
  const minutesAgo = (minutes: number): string => new Date(NOW.getTime() - minutes * 60_000).toISOString();

  /** Writes what lists and limits read of orders of one patient, which the doctor placed. */
  async function write(count: number, toTimes: (index: number) => { at: string; askedAt?: string }): Promise<void> {
    const rows = Array.from({ length: count }, (_, index) => {
      const { at, askedAt } = toTimes(index);
      const order = newOrder({ id: 1 + index, doctor: DOCTOR, patient: { id: PATIENT }, createdAt: at });
      const invoiceRequests = askedAt ? [{ userId: DOCTOR, at: askedAt }] : [];
      return deriveItems({ ...order, invoiceRequests }).rows;
    });
    await table.putAll(rows.flat().filter(({ pk }) => /^(CREATED|INVOICES)#/.test(String(pk))));
  }
  async function readsOf(ask: (from: Table) => Promise<Refusal | null>) {
    const { table: told, reads } = withReads();
    return { refusal: await ask(told), reads };
  }

  it.each([
    [59, 0.5, undefined],
    // The 60th newest is 29.5 minutes old, and leaves the hour in 30.5.
    [100, 0.5, 1_830],
    // The 60th newest is more than an hour old.
    [100, 1.02, undefined],
  ])('are passed or not by %i orders, one every %d minutes', async (count, minutes, retryAfterSeconds) => {
    await write(count, (index) => ({ at: minutesAgo(minutes * index) }));
    const asked = { ...counting(DOCTOR, 'doctor'), isInvoiced: false };
    const { refusal, reads } = await readsOf((from) => placingLimitRefusal(from, asked));
    expect(refusal?.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(reads.items).toBeLessThanOrEqual(120);
    // Those that others placed for the patient do not count.
    const own = { ...counting(PATIENT, 'patient'), isInvoiced: false };
    expect(await placingLimitRefusal(table, own)).toBeNull();
  });

  it('count the invoices of a day by eleven rows at most, and by no order', async () => {
    const ask = (id: number, role: Role, orderId: number | null = null) =>
      readsOf((from) => invoiceLimitRefusal(from, { ...counting(id, role), orderId }));
    await write(100, (index) => ({ at: minutesAgo(4 * index), askedAt: minutesAgo(index) }));
    const { refusal, reads } = await ask(DOCTOR, 'doctor');
    // The tenth latest request is nine minutes old.
    expect(refusal).toMatchObject({ code: 'too_many_invoices', retryAfterSeconds: 24 * 3_600 - 9 * 60 });
    expect(reads).toEqual({ pages: 1, items: 11, batches: 0, keys: 0 });
    // The order of the latest one does not count when its invoice is asked for again.
    expect((await ask(DOCTOR, 'doctor', 1)).refusal?.retryAfterSeconds).toBe(24 * 3_600 - 10 * 60);
    expect((await ask(PATIENT, 'patient')).refusal).toBeNull();
    expect((await ask(EMPLOYEE, 'insurance_employee')).reads.pages).toBe(0);
  });
});
