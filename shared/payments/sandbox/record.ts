import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cents } from '../../domain/money.ts';
import type { ProvidedState } from '../rules/payment.ts';
import { COLLECTIONS, type CollectedForm, type Collection, type PaymentAttempt } from '../rules/payment.ts';

const storedPayment = z.object({
  number: z.number(),
  /** The hash of what it was asked for with; a repeated attempt has the same. */
  attempt: z.string(),
  folio: z.string(),
  collection: z.enum(COLLECTIONS),
  amountCents: z.number(),
  returnUrl: z.string().nullable(),
  expiresAt: z.string(),
  receivedCents: z.number().default(0),
  paidAt: z.string().nullable().default(null),
  /** The end of a payment that nobody paid. */
  ended: z.enum(['failed', 'expired', 'cancelled']).nullable().default(null),
});
export type SandboxPayment = Readonly<z.infer<typeof storedPayment>>;

export const sandboxOrder = z.object({
  version: z.number(),
  keptCents: z.number(),
  payments: z.array(storedPayment).readonly(),
  refunds: z.array(z.object({ number: z.number(), payment: z.number(), amountCents: z.number() })).readonly(),
});
/** The sandbox's record of an order: all its payments and refunds, in one item that is written whole. */
export type SandboxOrder = Readonly<z.infer<typeof sandboxOrder>>;

/** Returns the hash of an attempt, whose payer is not kept: nothing would erase them here. */
export const hashAttempt = (attempt: PaymentAttempt): string =>
  createHash('sha256').update(JSON.stringify(attempt)).digest('hex');

/** The outcomes that a person chooses on the sandbox's page, or a test. */
export const OUTCOMES = ['paid', 'rejected', 'expired'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Returns the ids by which the sandbox knows a payment, and back. */
export const sandboxId = (orderId: number, number: number): string => `sandbox-${orderId}-${number}`;
export function parseSandboxId(id: string): { orderId: number; number: number } | undefined {
  const [, order, number] = /^sandbox-(\d{1,15})-(\d{1,9})$/.exec(id) ?? [];
  return order === undefined ? undefined : { orderId: Number(order), number: Number(number) };
}

export const isPaid = ({ receivedCents, amountCents }: SandboxPayment): boolean => receivedCents >= amountCents;

const FORMS: Readonly<Record<Collection, CollectedForm>> = { card: '04', oxxo: '01', spei: '03' };

/** Returns the state of a payment. Only a voucher ends by its time. */
export function readSandboxState(payment: SandboxPayment, now: Date): ProvidedState {
  const { ended, receivedCents, paidAt, collection, expiresAt } = payment;
  if (isPaid(payment)) return { status: 'paid', receivedCents, paidAt: paidAt ?? '', form: FORMS[collection] };
  if (ended === 'failed') return { status: 'failed', reason: collection === 'card' ? 'card_declined' : 'rejected' };
  if (ended) return { status: ended };
  if (collection === 'oxxo' && expiresAt < now.toISOString()) return { status: 'expired' };
  return receivedCents > 0 ? { status: 'partly_paid', receivedCents } : { status: 'open' };
}

/** Returns the order after a transfer of this amount: the oldest payment that waits takes it, and the rest is kept. */
export function addMoney(order: SandboxOrder, cents: Cents, now: Date): SandboxOrder {
  let keptCents = order.keptCents + cents;
  const payments = order.payments.map((payment) => {
    if (payment.collection !== 'spei' || payment.ended || isPaid(payment)) return payment;
    const part = Math.min(keptCents, payment.amountCents - payment.receivedCents);
    keptCents -= part;
    return receive(payment, part, now);
  });
  return { ...order, payments, keptCents };
}

function receive(payment: SandboxPayment, cents: Cents, now: Date): SandboxPayment {
  const received = { ...payment, receivedCents: payment.receivedCents + cents };
  return isPaid(received) ? { ...received, paidAt: now.toISOString() } : received;
}

/** Returns the order after an outcome; the same if the payment takes none any more. */
export function decide(order: SandboxOrder, number: number, outcome: Outcome, now: Date): SandboxOrder {
  const payment = order.payments.find((one) => one.number === number);
  if (!payment) return order;
  const { status } = readSandboxState(payment, now);
  const isOpen = status === 'open' || status === 'partly_paid';
  if (outcome !== 'paid')
    return isOpen ? endPayment(order, number, outcome === 'rejected' ? 'failed' : 'expired') : order;
  // A CLABE takes money whatever became of the payment.
  if (payment.collection === 'spei')
    return addMoney(order, payment.amountCents - (isOpen ? payment.receivedCents : 0), now);
  return isOpen ? replace(order, receive(payment, payment.amountCents, now)) : order;
}

/** Returns the order after a payment was cancelled, unless that is impossible: a voucher was shown, or it is final. */
export function cancelPayment(order: SandboxOrder, number: number, now: Date): SandboxOrder {
  const payment = order.payments.find((one) => one.number === number);
  if (!payment || payment.collection === 'oxxo') return order;
  const { status } = readSandboxState(payment, now);
  if (status !== 'open' && status !== 'partly_paid') return order;
  return endPayment(order, number, 'cancelled');
}

/** Ends a payment; what was partly paid is kept. */
function endPayment(order: SandboxOrder, number: number, ended: SandboxPayment['ended']): SandboxOrder {
  const payment = order.payments.find((one) => one.number === number);
  if (!payment) return order;
  const after = replace(order, { ...payment, receivedCents: 0, ended });
  return { ...after, keptCents: order.keptCents + payment.receivedCents };
}

const replace = (order: SandboxOrder, payment: SandboxPayment): SandboxOrder => ({
  ...order,
  payments: order.payments.map((one) => (one.number === payment.number ? payment : one)),
});
