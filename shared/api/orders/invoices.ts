import * as z from 'zod';
import type { MessageCode } from '../../messages/messages.ts';
import { contract } from '../contract.ts';
import { id, pathId, updatedBy } from '../fields.ts';
import { invoicingInput } from '../people/addresses.ts';
import { order } from './orders.ts';

// The API has two forms of this request. PATCH takes the fields and answers related records as ids; PUT takes `invoicing`,
// with the fields or a stored record's id, and answers the whole order.

const related = z.int();

/** Related records are ids; a coupon has an id only here. */
const orderReference = order
  .extend({
    patient: related.describe('The patient whom the order is for, by id.'),
    shipping: related.nullable().describe('The address that it is delivered to, by id; null for a pickup.'),
    store: related.nullable().describe('The store where it is picked up, by id; null for a delivery.'),
    payment: related.nullable().describe('The card that it is paid with, by id, or null.'),
    wallet_agreement: related.nullable().describe('The wallet agreement that it is paid by, by id, or null.'),
    payment_method: related.describe('The payment method, by id.'),
    coupon: related.nullable().describe('The coupon that was applied, by id, or null.'),
    generated_by: related.nullable().describe('The user who placed it, by id.'),
    updated_by: updatedBy,
    invoicing: related.nullable().describe('The tax data that it is invoiced to, by id, or null.'),
    shipping_method: related.describe('The shipping method, by id.'),
  })
  .meta({ id: 'OrderReference', description: 'An order whose related records are ids.' });
export type OrderReference = z.infer<typeof orderReference>;

const requesting = {
  tag: 'Orders',
  authentication: 'user',
  path: z.object({ id: pathId }),
  refusals: [
    'order_cancelled',
    'order_invoiced',
    'invoice_in_progress',
    'invoice_window_closed',
    'nothing_to_invoice',
    'payment_rejected',
    'order_changed_meanwhile',
    'too_many_invoices',
    'rebuilding',
  ],
} as const;

export const requestInvoiceContract = contract({
  ...requesting,
  operationId: 'requestInvoice',
  summary: 'Request an invoice, answered with ids',
  description:
    'Invoices an order of the last 72 hours and of this month to the tax data sent, and mails it. The answer shows related records as ids. For a new integration PUT is better: it answers with the whole order, and takes stored tax data by id.',
  body: invoicingInput,
  answers: { 200: orderReference },
});

export const requestInvoiceInFullContract = contract({
  ...requesting,
  refusals: [...requesting.refusals, 'too_many_attempts'],
  operationId: 'requestInvoiceInFull',
  summary: 'Request an invoice',
  description:
    'Invoices an order of the last 72 hours and of this month, and mails it: to the tax data in `invoicing`, or to those that the patient has already, by their id, which a doctor may not name. The answer shows the whole order. Use this one, unless your program was made for PATCH, which takes the tax data flat and answers with ids.',
  body: z
    .object({
      invoicing: z
        .union([id, invoicingInput], 'not_an_invoicing' satisfies MessageCode)
        .describe('Tax data, or the id of those that the patient has already.'),
    })
    .meta({ id: 'InvoiceRequest', description: 'The receiver of the invoice of an order.' }),
  answers: { 200: order },
});
/** The fields of a receiver, or a stored receiver's id. */
export type InvoicingChoice = z.infer<typeof requestInvoiceInFullContract.body>['invoicing'];
