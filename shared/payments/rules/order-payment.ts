import type { Cents } from '../../domain/money.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import { type Collection, isCollectable, type ProvidedReference } from './payment.ts';

/**
 * The statuses of an attempt to collect an order. `requested`: no answer of the provider is recorded yet. `not_made`: the
 * provider made no reference of it in 23 hours. The others are those of the provider.
 */
export const ATTEMPT_STATUSES = [
  'requested',
  'open',
  'processing',
  'paid',
  'failed',
  'expired',
  'cancelled',
  'not_made',
] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

export type AttemptDispute = {
  readonly status: 'open' | 'won' | 'lost';
  readonly amountCents: Cents;
  readonly isHandled: boolean;
};

/** One attempt to collect an order, stored before the provider is asked. */
export type OrderAttempt = {
  readonly number: number;
  /** The id of the PaymentReference that it brings. */
  readonly referenceId: number;
  readonly amountCents: Cents;
  readonly createdAt: string;
  /** When the provider was first asked, by this attempt or by those that it began anew. */
  readonly firstRequestedAt: string;
  /** The instant until which it may be paid: as asked for, then by the provider's own rules. */
  readonly expiresAt: string;
  readonly returnUrl: string | null;
  /** The provider's id of the order's customer when it was stored. */
  readonly customer: string | null;
  readonly status: AttemptStatus;
  /** The provider's id of what was asked for; null before its answer. */
  readonly providerId: string | null;
  /** Null before the provider's answer, and once the patient is erased. */
  readonly reference: Omit<ProvidedReference, 'method'> | null;
  readonly receivedCents: Cents;
  /** Replaced by a later attempt or closed by an operator: money it still receives is a mismatch. */
  readonly superseded: boolean;
  readonly dispute: AttemptDispute | null;
};

/** The attempts to collect an order, the oldest first, and the money beside them. */
export type OrderPayment = {
  readonly attempts: readonly OrderAttempt[];
  /** The provider's id of the order's customer, once an attempt brought one. */
  readonly customer: string | null;
  /** The number of the attempt that paid the order. */
  readonly paidBy: number | null;
  /** Money of the customer that belongs to no attempt. */
  readonly unmatchedCents: Cents;
  /** The part of the mismatch that an operator has dealt with. */
  readonly handledCents: Cents;
  /** True while money may still come to the customer's CLABE, whatever became of the attempts. */
  readonly isAccountWatched: boolean;
};

export type CollectedOrder = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly paymentMethod: { readonly collection?: Collection | undefined };
  readonly payment?: OrderPayment | undefined;
};

const NO_ATTEMPTS: OrderPayment = {
  attempts: [],
  customer: null,
  paidBy: null,
  unmatchedCents: 0,
  handledCents: 0,
  isAccountWatched: false,
};

const HOUR_MS = 3_600_000;

type NewAttempt = {
  readonly referenceId: number;
  readonly amountCents: Cents;
  readonly now: Date;
  readonly termHours: number;
  readonly returnUrl: string | null;
  readonly firstRequestedAt?: string;
};

/** Adds the next attempt to those of an order and supersedes the earlier ones; those that brought nothing are forgotten. */
export function startAttempt(
  payment: OrderPayment = NO_ATTEMPTS,
  { referenceId, amountCents, now, termHours, returnUrl, firstRequestedAt = now.toISOString() }: NewAttempt,
): OrderPayment {
  const attempt: OrderAttempt = {
    number: (payment.attempts.at(-1)?.number ?? 0) + 1,
    referenceId,
    amountCents,
    createdAt: now.toISOString(),
    firstRequestedAt,
    expiresAt: new Date(now.getTime() + termHours * HOUR_MS).toISOString(),
    returnUrl,
    customer: payment.customer,
    status: 'requested',
    providerId: null,
    reference: null,
    receivedCents: 0,
    superseded: false,
    dispute: null,
  };
  // A CLABE takes money also when nothing else is expected of the attempt that showed it.
  const account = payment.customer === null ? undefined : findAccountAttempt(payment)?.number;
  const earlier = supersedeAttempts(payment).attempts.filter((one) => broughtSomething(one) || one.number === account);
  return { ...payment, attempts: [...earlier, attempt] };
}

export function restartAttempt(payment: OrderPayment, attempt: OrderAttempt, now: Date): OrderPayment {
  const termHours = (Date.parse(attempt.expiresAt) - Date.parse(attempt.createdAt)) / HOUR_MS;
  return startAttempt(payment, { ...attempt, now, termHours });
}

/** Returns the last attempt that the provider knows: the money of an order's customer is read through it. */
export const findAccountAttempt = ({ attempts }: OrderPayment): OrderAttempt | undefined =>
  attempts.findLast(({ providerId }) => providerId !== null);

const UNPAID: readonly AttemptStatus[] = ['failed', 'expired', 'cancelled'];
const broughtSomething = ({ status, receivedCents }: OrderAttempt): boolean =>
  !UNPAID.includes(status) || receivedCents > 0;

/** Supersedes all attempts of an order but the one that paid it. */
export const supersedeAttempts = (payment: OrderPayment): OrderPayment => ({
  ...payment,
  attempts: payment.attempts.map((one) => (one.number === payment.paidBy ? one : { ...one, superseded: true })),
});

const OVER: readonly AttemptStatus[] = ['paid', 'failed', 'expired', 'cancelled', 'not_made'];

/** True if nothing more is expected of an attempt. */
export const isAttemptOver = ({ status }: Pick<OrderAttempt, 'status'>): boolean => OVER.includes(status);

/** Returns the attempt that an order is to be paid by, or was; undefined if there is none. */
export function findCurrentAttempt({ payment }: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const last = payment?.attempts.at(-1);
  return last?.superseded ? undefined : last;
}

/** Returns the current attempt of an order while the patient may still pay it, or be paying it. */
export function findOpenAttempt(order: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const current = findCurrentAttempt(order);
  return current && !isAttemptOver(current) ? current : undefined;
}

export const isUnwanted = (attempt: OrderAttempt, { orderStatus }: Pick<CollectedOrder, 'orderStatus'>): boolean =>
  attempt.superseded || orderStatus === 'cancelled';

export const putAttempt = (payment: OrderPayment, next: OrderAttempt): OrderPayment => ({
  ...payment,
  attempts: payment.attempts.map((attempt) => (attempt.number === next.number ? next : attempt)),
});

/** Returns the attempt whose reference an order shows: the current one, while it can be paid or once it is. */
export function findShown(order: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const current = findCurrentAttempt(order);
  return current?.reference && !UNPAID.includes(current.status) ? current : undefined;
}

/** True if an order can get new references: it is collected, in its bounds, and neither paid nor being paid, nor cancelled. */
export const isPayable = ({ orderStatus, paymentStatus, totalCents, paymentMethod }: CollectedOrder): boolean =>
  paymentMethod.collection !== undefined &&
  orderStatus !== 'cancelled' &&
  isCollectable(paymentMethod.collection, totalCents) &&
  (paymentStatus === 'unpaid' || paymentStatus === 'rejected');

// A job looks at each, and a voucher that was replaced can be paid for days.
const MOST_PAYABLE = 5;

/** True if an order may get another reference beside those that could still be paid. */
export const mayAddReference = ({ payment }: Pick<CollectedOrder, 'payment'>): boolean =>
  payment === undefined || payment.attempts.filter((attempt) => !isAttemptOver(attempt)).length < MOST_PAYABLE;
