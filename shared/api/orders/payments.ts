import * as z from 'zod';
import { contract } from '../contract.ts';
import { id, optional, pathId } from '../fields.ts';
import { order } from './orders.ts';

export const payOrderContract = contract({
  operationId: 'payOrder',
  tag: 'Orders',
  summary: 'Get a new reference to pay an order',
  description:
    'Gets a new reference for an order that is collected online (by card, at OXXO or by SPEI), is `unpaid` or `rejected` and not cancelled: 201, and the order is `unpaid` again. While the present reference still works it is answered with 200. With another `payment_method` that is collected, the present reference is withdrawn and the order gets one of that method (201). After a 503 asking again is safe: an order never has two references that can be paid at a time, except for a voucher, which cannot be taken back.',
  authentication: 'user',
  path: z.object({ id: pathId }),
  body: z
    .object({
      payment_method: optional(id).describe(
        'A payment method of the client that is collected online, by id; without it, that of the order.',
      ),
    })
    .meta({ id: 'PaymentRequest', description: 'How an order is to be paid; may be left out.' }),
  isBodyOptional: true,
  refusals: ['not_payable', 'too_many_references', 'out_of_stock', 'order_changed_meanwhile', 'rebuilding'],
  answers: { 200: order, 201: order },
});

export const PROVIDER_CALL_PATH = '/api/payments/stripe/';

/** The payment provider's calls have no API key; the signature over the body authenticates them. */
export const providerCallContract = contract({
  authentication: 'none',
  headers: z.object({ 'Stripe-Signature': z.string().max(2_000).optional() }),
  refusals: ['call_not_signed'],
  answers: { 200: z.strictObject({ received: z.boolean() }) },
});
