import { expect, it } from 'vitest';
import { handleInvoice } from '../../../shared/invoices/open-actions.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import { getOrder } from '../../../shared/order/orders.ts';
import { ISSUED, taxDocument } from '../../support/invoices/tax-documents.ts';
import {
  changed,
  disturbed,
  newOrder,
  placed,
  storePatient,
  table,
  useOrderTable,
} from '../../support/orders/order-table.ts';

useOrderTable();

const act = { by: { operator: 'ana' }, now: new Date('2026-01-05T18:00:00.000Z') };
const GIVEN_UP = { mail: 'given_up' } as const;
const issued = (changes: Partial<TaxDocument>): TaxDocument =>
  taxDocument({ status: 'issued', stamp: ISSUED.stamp, providerId: ISSUED.id, ...changes });

let lastId = 0;
/** Stores an order with this invoice. */
async function placeInvoiced(invoice: TaxDocument): Promise<Order> {
  await storePatient(newOrder({ id: 1 }));
  return changed(await placed({ id: ++lastId }), { invoice, cfdi: ISSUED.id });
}

/** Marks the invoice of an order as handled, while somebody else changes the order once, after it was read. */
function handleWhile(order: Order, change: () => Promise<unknown>) {
  const changes = [change];
  const busy = disturbed('tryTransact', async () => changes.pop()?.());
  return handleInvoice({ id: order.id, version: order.version }, act, busy);
}

/** Returns the actions that were marked, of each document. */
async function listHandled(order: Order) {
  const stored = await getOrder(table, order);
  return [stored?.invoice, ...(stored?.documents ?? [])].map((document) => document?.handled);
}

it('an action that comes between on the same document is not marked as handled', async () => {
  const invoice = issued({ issuedCents: 13_601 });
  const order = await placeInvoiced(invoice);
  const handling = handleWhile(order, () => changed(order, { invoice: { ...invoice, ...GIVEN_UP } }));
  expect(await handling).toEqual(['total_differs']);
  expect(await listHandled(order)).toEqual([['total_differs']]);
});

it('the same action that comes between on another document is not marked as handled', async () => {
  const order = await placeInvoiced(issued(GIVEN_UP));
  const stamp = { ...ISSUED.stamp, uuid: 'B1A2C3D4-275B-4341-B259-E8971D9F8A94' };
  const related = { relatedUuid: ISSUED.stamp.uuid, stamp, providerId: 'other' };
  const documents = [issued({ kind: 'credit', key: 'credit', amountCents: 5_000, ...related, ...GIVEN_UP })];
  expect(await handleWhile(order, () => changed(order, { documents }))).toEqual(['mail_given_up']);
  expect(await listHandled(order)).toEqual([['mail_given_up'], []]);
});

it('nothing is marked as handled if what was open is done meanwhile, and another action has come', async () => {
  const order = await placeInvoiced(issued({ issuedCents: 13_601 }));
  const handling = handleWhile(order, () => changed(order, { invoice: issued(GIVEN_UP) }));
  await expect(handling).rejects.toMatchObject({ code: 'order_changed_meanwhile' });
  expect(await listHandled(order)).toEqual([[]]);
});
