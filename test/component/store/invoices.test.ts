import { describe, expect, it } from 'vitest';
import { changeInvoice, type InvoiceChange } from '../../../shared/invoices/invoice-changes.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import { getOrder } from '../../../shared/order/orders.ts';
import { dueInvoices, latestInvoices } from '../../../shared/order/rows/invoice-rows.ts';
import type { Table } from '../../../shared/store/table.ts';
import { taxDocument } from '../../support/invoices/tax-documents.ts';
import { BY_JOB } from '../../support/orders/forced-order.ts';
import {
  changed,
  clientId,
  disturbed,
  placed,
  storePatient,
  table,
  useOrderTable,
  withReads,
} from '../../support/orders/order-table.ts';

useOrderTable();

const INVOICE = taxDocument({ key: 'attempt-1', tasks: { issue: { tries: 0, dueAt: '2026-01-02T18:01:00.000Z' } } });

describe('the invoice of an order', () => {
  const rows = async (status: Parameters<typeof latestInvoices>[1]) =>
    (await latestInvoices(table, status, 1_000)).filter((row) => row.clientId === clientId);

  it('has one row, which moves with its status', async () => {
    const order = await placed({ id: 7, invoice: INVOICE });
    expect(await rows('requested')).toMatchObject([
      // The order has four boxes of 28.50, and 79.00 of shipping.
      { orderId: 7, clientId, cfdi: '', totalCents: 19_300, dueAt: '2026-01-02T18:01:00.000Z' },
    ]);
    const invoice: TaxDocument = {
      ...INVOICE,
      status: 'issued',
      paymentMethod: 'PPD',
      stamp: { uuid: 'UUID-1', series: 'F', folio: '1', at: '2026-01-02T18:00:30.000Z' },
      issuedAt: '2026-01-02T18:00:30.000Z',
      mail: 'sent',
      tasks: {},
    };
    const issued = await changed(order, { invoice, cfdi: 'cfdi-1' });
    expect(await rows('requested')).toEqual([]);
    expect(await rows('issued')).toMatchObject([{ orderId: 7, cfdi: 'cfdi-1', mail: 'sent' }]);

    const paid = await changed(issued, { paymentStatus: 'paid' });
    expect(await rows('issued')).toEqual([]);
    expect(await rows('complement_due')).toMatchObject([{ orderId: 7, openActions: ['complement_due'] }]);

    await changed(paid, { invoice: null });
    expect(await rows('complement_due')).toEqual([]);
  });

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
