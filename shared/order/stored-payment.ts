import * as z from 'zod';
import { ATTEMPT_STATUSES, type OrderPayment } from '../payments/rules/order-payment.ts';
import { type Fates, shareFate } from '../people/person.ts';

const storedAttempt = z.object({
  number: z.number(),
  referenceId: z.number(),
  amountCents: z.number(),
  createdAt: z.iso.datetime(),
  firstRequestedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  returnUrl: z.string().nullable(),
  customer: z.string().nullable(),
  status: z.enum(ATTEMPT_STATUSES),
  providerId: z.string().nullable(),
  reference: z.object({ reference: z.string(), institution: z.string(), externalUrl: z.string() }).nullable(),
  receivedCents: z.number(),
  superseded: z.boolean(),
  dispute: z
    .object({ status: z.enum(['open', 'won', 'lost']), amountCents: z.number(), isHandled: z.boolean() })
    .nullable(),
});

/** The payments of a collected order, as they are stored. */
export const storedPayment = z.object({
  attempts: z.array(storedAttempt).readonly(),
  customer: z.string().nullable(),
  paidBy: z.number().nullable(),
  unmatchedCents: z.number(),
  handledCents: z.number(),
  isAccountWatched: z.boolean(),
});

export const PAYMENT_FATES: Fates<OrderPayment> = {
  attempts: {
    ...shareFate('impersonal', 'number', 'referenceId', 'amountCents', 'createdAt', 'expiresAt', 'returnUrl', 'status'),
    firstRequestedAt: 'impersonal',
    ...shareFate('impersonal', 'customer', 'providerId', 'receivedCents', 'superseded'),
    // The provider's page names the patient.
    reference: 'null',
    dispute: shareFate('impersonal', 'status', 'amountCents', 'isHandled'),
  },
  ...shareFate('impersonal', 'customer', 'paidBy', 'unmatchedCents', 'handledCents', 'isAccountWatched'),
};
