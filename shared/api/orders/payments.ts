import * as z from 'zod';
import { contract } from '../contract.ts';
import { pathId } from '../fields.ts';
import { order } from './orders.ts';

export const payOrderContract = contract({
  operationId: 'payOrder',
  tag: 'Orders',
  summary: 'Get a new reference to pay an order',
  description:
    'Gets a new reference for an order that is collected online (by card, at OXXO or by SPEI), is `unpaid` or `rejected` and not cancelled: 201, and the order is `unpaid` again. While the present reference still works it is answered with 200. After a 503 asking again is safe: an order never has two references that can be paid at a time, except for a voucher, which cannot be taken back.',
  authentication: 'user',
  caching: 'never',
  path: z.object({ id: pathId }),
  refusals: ['not_payable', 'too_many_references', 'order_changed_meanwhile', 'rebuilding'],
  answers: { 200: order, 201: order },
});

export const PROVIDER_CALL_PATH = '/api/payments/stripe/';

/** The payment provider's calls have no API key; the signature over the body authenticates them. */
export const providerCallContract = contract({
  authentication: 'none',
  caching: 'never',
  headers: z.object({ 'Stripe-Signature': z.string().max(2_000).optional() }),
  refusals: ['call_not_signed'],
  answers: { 200: z.strictObject({ received: z.boolean() }) },
});
