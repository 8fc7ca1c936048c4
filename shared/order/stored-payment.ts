import * as z from 'zod';
import { erases } from '../domain/erasure.ts';
import { ATTEMPT_STATUSES } from '../payments/rules/order-payment.ts';

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
  /** The provider's page names the patient. */
  reference: erases(
    z.object({ reference: z.string(), institution: z.string(), externalUrl: z.string() }).nullable(),
    null,
  ),
  receivedCents: z.number(),
  superseded: z.boolean(),
  dispute: z
    .object({ status: z.enum(['open', 'won', 'lost']), amountCents: z.number(), isHandled: z.boolean() })
    .nullable(),
});

export const storedPayment = z.object({
  attempts: z.array(storedAttempt).readonly(),
  customer: z.string().nullable(),
  paidBy: z.number().nullable(),
  unmatchedCents: z.number(),
  handledCents: z.number(),
  isAccountWatched: z.boolean(),
});
