import * as z from 'zod';
import type { MessageCode } from '../messages/messages.ts';
import { invoicingInput } from './addresses.ts';
import { contract } from './contract.ts';
import { id, pathId } from './fields.ts';
import { order } from './orders.ts';

// The interface has two forms of one request: the fields themselves, answered with the ids of the related objects, and
// the fields or the id of a stored record inside of `invoicing`, answered with the whole order.

/** An order whose related objects are ids; that of a coupon is for this alone. */
export const orderReference = order.extend({
  patient: z.int(),
  shipping: z.int().nullable(),
  store: z.int().nullable(),
  payment: z.int().nullable(),
  wallet_agreement: z.int().nullable(),
  payment_method: z.int(),
  coupon: z.int().nullable(),
  generated_by: z.int().nullable(),
  updated_by: z.int().nullable(),
  invoicing: z.int().nullable(),
  shipping_method: z.int(),
});
export type OrderReference = z.infer<typeof orderReference>;

const requesting = {
  authentication: 'user',
  caching: 'never',
  path: z.object({ id: pathId }),
  refusals: [
    'order_cancelled',
    'order_invoiced',
    'invoice_in_progress',
    'invoice_window_closed',
    'nothing_to_invoice',
    'order_changed_meanwhile',
  ],
} as const;

export const requestInvoiceContract = contract({
  ...requesting,
  body: invoicingInput,
  answers: { 200: orderReference },
});

export const requestInvoiceInFullContract = contract({
  ...requesting,
  body: z.object({ invoicing: z.union([id, invoicingInput], 'not_an_invoicing' satisfies MessageCode) }),
  answers: { 200: order },
});
/** The fields of a receiver, or the id of a stored one. */
export type InvoicingChoice = z.infer<typeof requestInvoiceInFullContract.body>['invoicing'];
