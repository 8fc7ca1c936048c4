import type { Cents } from '../../domain/money.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import { type Collection, isCollectable, type ProvidedReference } from './payment.ts';

/** `requested`: without an answer. `not_made`: the provider made no reference in 23 hours. The others are the provider's. */
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

/** Stored before the provider is asked. */
export type OrderAttempt = {
  readonly number: number;
  /** The id of its PaymentReference. */
  readonly referenceId: number;
  /** That of the payment method when it was stored, which may be another by now. */
  readonly collection: Collection;
  readonly amountCents: Cents;
  readonly createdAt: string;
  /** The first request to the provider, by this attempt or the ones that it restarts. */
  readonly firstRequestedAt: string;
  /** The end of its term: as requested, then by the provider's own rules. */
  readonly expiresAt: string;
  readonly returnUrl: string | null;
  /** The provider's id of the order's customer when it was stored. */
  readonly customer: string | null;
  readonly status: AttemptStatus;
  /** Null before the provider's answer. */
  readonly providerId: string | null;
  /** Null before the provider's answer and after the patient's erasure. */
  readonly reference: Omit<ProvidedReference, 'method'> | null;
  readonly receivedCents: Cents;
  /** Replaced by a later attempt or closed by an operator; money it still receives is a mismatch. */
  readonly superseded: boolean;
  readonly dispute: AttemptDispute | null;
};

export type OrderPayment = {
  readonly attempts: readonly OrderAttempt[];
  /** The provider's id of the order's customer, once known. */
  readonly customer: string | null;
  readonly paidBy: number | null;
  /** Money of the customer that belongs to no attempt. */
  readonly unmatchedCents: Cents;
  /** The part of the mismatch that operators have handled. */
  readonly handledCents: Cents;
  /** True while the customer's CLABE may still receive money, whatever happened to the attempts. */
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
  readonly collection: Collection;
  readonly amountCents: Cents;
  readonly now: Date;
  readonly termHours: number;
  readonly returnUrl: string | null;
  readonly firstRequestedAt?: string;
};

/** Adds the next attempt, supersedes the earlier ones and drops those without a result. */
export function startAttempt(
  payment: OrderPayment = NO_ATTEMPTS,
  { referenceId, collection, amountCents, now, termHours, returnUrl, firstRequestedAt = now.toISOString() }: NewAttempt,
): OrderPayment {
  const attempt: OrderAttempt = {
    number: (payment.attempts.at(-1)?.number ?? 0) + 1,
    referenceId,
    collection,
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
  // A CLABE still takes money after its attempt is over.
  const account = payment.customer === null ? undefined : findAccountAttempt(payment)?.number;
  const earlier = supersedeAttempts(payment).attempts.filter((item) => hasResult(item) || item.number === account);
  return { ...payment, attempts: [...earlier, attempt] };
}

export function restartAttempt(payment: OrderPayment, attempt: OrderAttempt, now: Date): OrderPayment {
  const termHours = (Date.parse(attempt.expiresAt) - Date.parse(attempt.createdAt)) / HOUR_MS;
  return startAttempt(payment, { ...attempt, now, termHours });
}

/** Returns the last attempt known to the provider, through which the customer's money is read. */
export const findAccountAttempt = ({ attempts }: OrderPayment): OrderAttempt | undefined =>
  attempts.findLast(({ providerId }) => providerId !== null);

const UNPAID: readonly AttemptStatus[] = ['failed', 'expired', 'cancelled'];
const hasResult = ({ status, receivedCents }: OrderAttempt): boolean => !UNPAID.includes(status) || receivedCents > 0;

/** Supersedes all attempts except the one that paid the order. */
export const supersedeAttempts = (payment: OrderPayment): OrderPayment => ({
  ...payment,
  attempts: payment.attempts.map((item) => (item.number === payment.paidBy ? item : { ...item, superseded: true })),
});

const OVER: readonly AttemptStatus[] = ['paid', 'failed', 'expired', 'cancelled', 'not_made'];

export const isAttemptOver = ({ status }: Pick<OrderAttempt, 'status'>): boolean => OVER.includes(status);

/** Returns the attempt that is to pay, or paid, an order. */
export function findCurrentAttempt({ payment }: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const last = payment?.attempts.at(-1);
  return last?.superseded ? undefined : last;
}

/** Returns the current attempt while the patient may still pay it or is paying it. */
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

/** Returns the attempt whose reference an order shows: the current one, unless it ended unpaid. */
export function findShown(order: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const current = findCurrentAttempt(order);
  return current?.reference && !UNPAID.includes(current.status) ? current : undefined;
}

/** True if an order can get new references: collectable, and neither paid, being paid nor cancelled. */
export const isPayable = ({ orderStatus, paymentStatus, totalCents, paymentMethod }: CollectedOrder): boolean =>
  paymentMethod.collection !== undefined &&
  orderStatus !== 'cancelled' &&
  isCollectable(paymentMethod.collection, totalCents) &&
  (paymentStatus === 'unpaid' || paymentStatus === 'rejected');

// A job reads each of them, and a replaced voucher can be paid for days.
const MOST_PAYABLE = 5;

export const mayAddReference = ({ payment }: Pick<CollectedOrder, 'payment'>): boolean =>
  payment === undefined || payment.attempts.filter((attempt) => !isAttemptOver(attempt)).length < MOST_PAYABLE;
