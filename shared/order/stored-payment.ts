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
type Attempt = z.infer<typeof storedAttempt>;

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

/** Drops the last values that say nothing. */
const trim = (values: unknown[]): unknown[] => values.slice(0, values.findLastIndex((value) => Boolean(value)) + 1);

/**
 * Packs how an order is collected into values without names: 60 bytes before the provider has answered, and some 250 then.
 * Each KB of an order costs 2 write units whenever it changes.
 */
export const packPayment = ({ attempts, customer, paidBy, unmatchedCents, ...more }: OrderPayment): unknown[] =>
  trim([attempts.map(packAttempt), customer, paidBy, unmatchedCents, more.handledCents, more.isAccountWatched]);

const packAttempt = ({ reference, dispute, ...attempt }: OrderPayment['attempts'][number]): unknown[] =>
  trim([
    attempt.number,
    attempt.referenceId,
    attempt.amountCents,
    Date.parse(attempt.createdAt),
    Date.parse(attempt.expiresAt),
    ATTEMPT_STATUSES.indexOf(attempt.status),
    attempt.providerId,
    reference && [reference.reference, reference.institution, reference.externalUrl],
    attempt.receivedCents,
    attempt.superseded,
    attempt.returnUrl,
    dispute && [dispute.status, dispute.amountCents, dispute.isHandled],
    attempt.customer,
    attempt.firstRequestedAt !== attempt.createdAt && Date.parse(attempt.firstRequestedAt),
  ]);

/** Unpacks a stored payment, undefined if the order has none; the schema of orders checks it. */
export function unpackPayment(packed: unknown): unknown {
  if (!Array.isArray(packed)) return packed;
  const [attempts, customer = null, paidBy = null, unmatchedCents = 0, handledCents = 0, isAccountWatched = false] =
    packed;
  return {
    attempts: Array.isArray(attempts) ? attempts.map((attempt) => unpackAttempt(attempt)) : attempts,
    ...{ customer, paidBy, unmatchedCents, handledCents, isAccountWatched },
  };
}

function unpackAttempt(packed: unknown): unknown {
  if (!Array.isArray(packed)) return packed;
  const [number, referenceId, amountCents, createdMs, expiresMs, status = 0, providerId = null, ...more] = packed;
  const [reference = null, receivedCents = 0, superseded = false, returnUrl = null, dispute = null, ...last] = more;
  const [customer = null, askedMs = false] = last;
  return {
    ...{ number, referenceId, amountCents, providerId, receivedCents, superseded, returnUrl, customer },
    createdAt: toTime(createdMs),
    firstRequestedAt: toTime(askedMs || createdMs),
    expiresAt: toTime(expiresMs),
    status: ATTEMPT_STATUSES[Number(status)],
    reference: Array.isArray(reference) ? unpackReference(reference) : reference,
    dispute: Array.isArray(dispute) ? unpackDispute(dispute) : dispute,
  } satisfies Record<keyof Attempt, unknown>;
}

const toTime = (ms: unknown): string | undefined => (typeof ms === 'number' ? new Date(ms).toISOString() : undefined);
const unpackReference = ([reference, institution, externalUrl]: unknown[]) => ({
  reference,
  institution,
  externalUrl,
});
const unpackDispute = ([status, amountCents, isHandled]: unknown[]) => ({ status, amountCents, isHandled });
