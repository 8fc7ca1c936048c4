import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Cents } from '../../../../shared/domain/money.ts';
import {
  COLLECTIONS,
  type CollectedForm,
  type Collection,
  type PaymentAttempt,
  type ProvidedState,
} from '../../../../shared/payments/rules/payment.ts';

const storedPayment = z.object({
  number: z.number(),
  /** The hash of the requested attempt; a repetition has the same. */
  attempt: z.string(),
  folio: z.string(),
  collection: z.enum(COLLECTIONS),
  amountCents: z.number(),
  returnUrl: z.string().nullable(),
  expiresAt: z.string(),
  receivedCents: z.number().default(0),
  paidAt: z.string().nullable().default(null),
  /** Null unless the payment ended unpaid. */
  ended: z.enum(['failed', 'expired', 'cancelled']).nullable().default(null),
});
export type SandboxPayment = Readonly<z.infer<typeof storedPayment>>;

export const sandboxOrder = z.object({
  version: z.number(),
  keptCents: z.number(),
  payments: z.array(storedPayment).readonly(),
  refunds: z.array(z.object({ number: z.number(), payment: z.number(), amountCents: z.number() })).readonly(),
});
export type SandboxOrder = Readonly<z.infer<typeof sandboxOrder>>;

/** The payer is not stored, as nothing would erase them here. */
export const hashAttempt = (attempt: PaymentAttempt): string =>
  createHash('sha256').update(JSON.stringify(attempt)).digest('hex');

export const OUTCOMES = ['paid', 'rejected', 'expired'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const sandboxId = (orderId: number, number: number): string => `sandbox-${orderId}-${number}`;
export function parseSandboxId(id: string): { orderId: number; number: number } | undefined {
  const [, order, number] = /^sandbox-(\d{1,15})-(\d{1,9})$/.exec(id) ?? [];
  return order === undefined ? undefined : { orderId: Number(order), number: Number(number) };
}

export const isPaid = ({ receivedCents, amountCents }: SandboxPayment): boolean => receivedCents >= amountCents;

const FORMS: Readonly<Record<Collection, CollectedForm>> = { card: '04', oxxo: '01', spei: '03' };

/** Only a voucher expires by itself. */
export function readSandboxState(payment: SandboxPayment, now: Date): ProvidedState {
  const { ended, receivedCents, paidAt, collection, expiresAt } = payment;
  if (isPaid(payment)) return { status: 'paid', receivedCents, paidAt: paidAt ?? '', form: FORMS[collection] };
  if (ended === 'failed') return { status: 'failed', reason: collection === 'card' ? 'card_declined' : 'rejected' };
  if (ended) return { status: ended };
  if (collection === 'oxxo' && expiresAt < now.toISOString()) return { status: 'expired' };
  return receivedCents > 0 ? { status: 'partly_paid', receivedCents } : { status: 'open' };
}

/** Adds a transfer: the oldest waiting payment takes it, and the rest is kept. */
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
  const next = { ...payment, receivedCents: payment.receivedCents + cents };
  return isPaid(next) ? { ...next, paidAt: now.toISOString() } : next;
}

export function decide(order: SandboxOrder, number: number, outcome: Outcome, now: Date): SandboxOrder {
  const payment = findPayment(order, number);
  if (!payment) return order;
  const { status } = readSandboxState(payment, now);
  const isOpen = status === 'open' || status === 'partly_paid';
  if (outcome !== 'paid')
    return isOpen ? endPayment(order, payment, outcome === 'rejected' ? 'failed' : 'expired') : order;
  // A CLABE takes money after its payment is over, too.
  if (payment.collection === 'spei')
    return addMoney(order, payment.amountCents - (isOpen ? payment.receivedCents : 0), now);
  return isOpen ? replace(order, receive(payment, payment.amountCents, now)) : order;
}

/** Cancels a payment, unless it is final or a shown voucher. */
export function cancelPayment(order: SandboxOrder, number: number, now: Date): SandboxOrder {
  const payment = findPayment(order, number);
  if (!payment || payment.collection === 'oxxo') return order;
  const { status } = readSandboxState(payment, now);
  if (status !== 'open' && status !== 'partly_paid') return order;
  return endPayment(order, payment, 'cancelled');
}

/** Keeps what was partly paid. */
function endPayment(order: SandboxOrder, payment: SandboxPayment, ended: SandboxPayment['ended']): SandboxOrder {
  const after = replace(order, { ...payment, receivedCents: 0, ended });
  return { ...after, keptCents: order.keptCents + payment.receivedCents };
}

export const findPayment = ({ payments }: SandboxOrder, number: number): SandboxPayment | undefined =>
  payments.find((payment) => payment.number === number);

const replace = (order: SandboxOrder, next: SandboxPayment): SandboxOrder => ({
  ...order,
  payments: order.payments.map((payment) => (payment.number === next.number ? next : payment)),
});
