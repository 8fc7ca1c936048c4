import type { Cents } from '../../domain/money.ts';
import type { PaymentStatus } from '../../order/rules/status.ts';
import {
  type AttemptDispute,
  type AttemptStatus,
  type CollectedOrder,
  findCurrentAttempt,
  isAttemptOver,
  isUnwanted,
  type OrderAttempt,
  type OrderPayment,
  putAttempt,
} from './order-payment.ts';
import type { CollectedForm, ProvidedReference, ProvidedState } from './payment.ts';
import { getMismatchCents } from './payment-exceptions.ts';

export type PaymentChange = {
  readonly payment: OrderPayment;
  readonly paymentStatus?: PaymentStatus;
  readonly paymentDate?: string;
  readonly paymentForm?: CollectedForm;
  readonly rejectionReason?: string | null;
};

type Provided = {
  readonly attempt: number;
  readonly state: ProvidedState;
  readonly unmatchedCents: Cents;
  readonly dispute: Omit<AttemptDispute, 'isHandled'> | null;
};

type Requested = Pick<OrderAttempt, 'customer' | 'expiresAt'> & {
  readonly id: string;
  readonly reference: ProvidedReference;
};

/** Applies the provider's state. A mismatch that has gone was the handled part, so that a new one is listed again. */
export function applyProvided(order: CollectedOrder, provided: Provided, now: Date): PaymentChange | undefined {
  const attempt = order.payment?.attempts.find(({ number }) => number === provided.attempt);
  if (!order.payment || !attempt) return undefined;
  const { state, unmatchedCents, dispute } = provided;
  const next: OrderAttempt = {
    ...attempt,
    status: toStatus(attempt, state, now),
    receivedCents: 'receivedCents' in state ? state.receivedCents : 0,
    dispute: mergeDispute(attempt.dispute, dispute),
  };
  const updated = { ...putAttempt(order.payment, next), unmatchedCents };
  const change = { payment: updated, ...moveOrderPayment({ ...order, payment: updated }, next, state) };
  const goneCents = getMismatchCents(order) - getMismatchCents({ ...order, payment: change.payment });
  const handledCents = Math.max(0, updated.handledCents - Math.max(0, goneCents));
  return { ...change, payment: { ...change.payment, handledCents } };
}

/** A card's page and a CLABE stay open until they are cancelled, even after their term. */
function toStatus({ expiresAt }: OrderAttempt, { status }: ProvidedState, now: Date): AttemptStatus {
  if (status === 'partly_paid') return 'open';
  return status === 'cancelled' && expiresAt <= now.toISOString() ? 'expired' : status;
}

// A dispute that changes again is open again.
function mergeDispute(before: AttemptDispute | null, provided: Provided['dispute']): AttemptDispute | null {
  if (!provided) return before;
  const { status, amountCents } = provided;
  if (before?.status === status && before.amountCents === amountCents) return before;
  return { status, amountCents, isHandled: false };
}

const COLLECTED_STATUSES: readonly PaymentStatus[] = ['unpaid', 'in_process', 'rejected'];

/** Only the current attempt moves an order's payment, and only until it is paid. */
function moveOrderPayment(
  order: CollectedOrder & { readonly payment: OrderPayment },
  attempt: OrderAttempt,
  state: ProvidedState,
): Partial<PaymentChange> {
  const { payment, paymentStatus, orderStatus, totalCents } = order;
  if (findCurrentAttempt(order) !== attempt || !COLLECTED_STATUSES.includes(paymentStatus)) return {};
  if (state.status === 'paid') {
    // Less than the total is not paid, even if the provider says so.
    if (state.receivedCents < totalCents) return {};
    const { paidAt: paymentDate, form: paymentForm } = state;
    const paid = { ...payment, paidBy: attempt.number };
    return { payment: paid, paymentStatus: 'paid', paymentDate, paymentForm, rejectionReason: null };
  }
  if (attempt.status === 'processing') return { paymentStatus: 'in_process' };
  // A cancelled order's payment in process ends here too.
  if (isAttemptOver(attempt) && (orderStatus !== 'cancelled' || paymentStatus === 'in_process'))
    return rejectPayment(state.status === 'failed' ? state.reason : attempt.status);
  return {};
}

// The API's limit of `rejection_reason`.
const MOST_REASON = 50;

const rejectPayment = (reason: string): Pick<PaymentChange, 'paymentStatus' | 'rejectionReason'> => ({
  paymentStatus: 'rejected',
  rejectionReason: reason.slice(0, MOST_REASON),
});

type Collected = CollectedOrder & { readonly payment: OrderPayment };

export function refuseAttempt(order: Collected, attempt: OrderAttempt, reason: string): PaymentChange {
  const payment = putAttempt(order.payment, { ...attempt, status: 'failed' });
  const isCurrent = findCurrentAttempt(order)?.number === attempt.number && order.orderStatus !== 'cancelled';
  return isCurrent && COLLECTED_STATUSES.includes(order.paymentStatus)
    ? { payment, ...rejectPayment(reason) }
    : { payment };
}

export function recordReference(
  payment: OrderPayment,
  attempt: OrderAttempt,
  { id: providerId, customer, reference: { method, ...reference }, expiresAt }: Requested,
): OrderPayment {
  const next = { ...attempt, status: 'open', providerId, reference, expiresAt } as const;
  const isAccountWatched = payment.isAccountWatched || method === 'spei';
  // An order's money is that of the customer whose CLABE it has shown.
  const orderCustomer = attempt.superseded ? (payment.customer ?? customer) : (customer ?? payment.customer);
  return { ...putAttempt(payment, next), customer: orderCustomer, isAccountWatched };
}

/** The provider's answer in this pass. `fixed error`: it repeats its error for this key for ever. */
export type Answer = 'none yet' | 'fixed error' | 'unknown attempt';

export type Step =
  /** Request the reference, under the attempt's key. */
  | 'request'
  /** Find out whether an earlier call made it. */
  | 'look up'
  | 'read'
  /** Cancel or withdraw the payment, and read its state. */
  | 'end'
  /** Start the attempt anew under the next number. */
  | 'restart'
  /** Record that the provider made no reference; an alarm calls an operator. */
  | 'give up'
  /** Record that an unwanted attempt was never made. */
  | 'close'
  /** Wait for time to pass. */
  | 'wait'
  /** Wait for the lookup of an earlier attempt. */
  | 'postpone';

type Situation = {
  readonly answer: Answer;
  readonly now: Date;
  /** Nothing more is requested for an erased patient. */
  readonly isErased: boolean;
};
type OrderOfAttempt = Pick<CollectedOrder, 'orderStatus' | 'payment'> & {
  readonly updatedAt: string;
};

// The provider forgets a call's key after 24 hours, and would then make another reference.
const REQUESTED_FOR_MS = 23 * 3_600_000;
// A call lasts some seconds: an attempt that the provider does not know by then was never received.
const LOST_AFTER_MS = 15 * 60_000;

export function nextStep(attempt: OrderAttempt, order: OrderOfAttempt, { answer, now, isErased }: Situation): Step {
  const isWanted = !isUnwanted(attempt, order) && !isErased;
  if (attempt.providerId !== null) return isToEnd(attempt, order, now) ? 'end' : 'read';

  const requestedMs = now.getTime() - Date.parse(attempt.firstRequestedAt);
  const isRequestable = isWanted && requestedMs < REQUESTED_FOR_MS;
  if (answer === 'none yet') return isRequestable ? 'request' : 'look up';
  if (answer === 'fixed error') return 'look up';

  if (isRequestable) return isEarlierLookedUp(order) ? 'postpone' : 'restart';
  if (isWanted) return requestedMs < REQUESTED_FOR_MS + LOST_AFTER_MS ? 'wait' : 'give up';
  // A concurrent request may still be creating it at the provider.
  return now.getTime() - getUnwantedSinceMs(attempt, order) < LOST_AFTER_MS ? 'wait' : 'close';
}

/** A voucher expires by itself. A card's page is `processing` only if it was withdrawn for a change that was not stored. */
function isToEnd(attempt: OrderAttempt, order: OrderOfAttempt, now: Date): boolean {
  if (isAttemptOver(attempt)) return false;
  const { collection } = attempt;
  const isWithdrawn = collection === 'card' && attempt.status === 'processing';
  const hasExpired = collection !== 'oxxo' && attempt.expiresAt <= now.toISOString();
  return isUnwanted(attempt, order) || isWithdrawn || hasExpired;
}

/** True while an earlier attempt is looked up; the next one waits, so that frequent requests do not pile up attempts. */
const isEarlierLookedUp = ({ payment }: OrderOfAttempt): boolean =>
  payment?.attempts.some(({ superseded, status }) => superseded && status === 'requested') ?? false;

/** Returns the time at which the next attempt replaced this one, or else of the order's last change. */
function getUnwantedSinceMs({ number }: OrderAttempt, { payment, updatedAt }: OrderOfAttempt): number {
  const next = payment?.attempts.find((other) => other.number > number);
  return Date.parse(next?.createdAt ?? updatedAt);
}
