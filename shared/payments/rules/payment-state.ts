import type { Cents } from '../../domain/money.ts';
import type { PaymentStatus } from '../../order/rules/status.ts';
import {
  type AttemptDispute,
  type AttemptStatus,
  type CollectedOrder,
  findCurrentAttempt,
  isAttemptOver,
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

/**
 * Returns what the provider's state of an attempt changes of its order; undefined if the order has no such attempt. Money
 * beside the total that is gone was what an operator has dealt with, so that other money of the same amount is listed again.
 */
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
  const known = { ...putAttempt(order.payment, next), unmatchedCents };
  const change = { payment: known, ...moveOrderPayment({ ...order, payment: known }, next, state) };
  const goneCents = getMismatchCents(order) - getMismatchCents({ ...order, payment: change.payment });
  const handledCents = Math.max(0, known.handledCents - Math.max(0, goneCents));
  return { ...change, payment: { ...change.payment, handledCents } };
}

/** The page of a card and a CLABE stay open until they are cancelled, also when their time is over. */
function toStatus({ expiresAt }: OrderAttempt, { status }: ProvidedState, now: Date): AttemptStatus {
  if (status === 'partly_paid') return 'open';
  return status === 'cancelled' && expiresAt <= now.toISOString() ? 'expired' : status;
}

// A dispute that changes again is to be looked at again.
function mergeDispute(before: AttemptDispute | null, provided: Provided['dispute']): AttemptDispute | null {
  if (!provided) return before;
  const { status, amountCents } = provided;
  if (before?.status === status && before.amountCents === amountCents) return before;
  return { status, amountCents, isHandled: false };
}

const COLLECTED_STATUSES: readonly PaymentStatus[] = ['unpaid', 'in_process', 'rejected'];

/** Returns how the payment of an order moves with its current attempt. Others move nothing, nor does one once it is paid. */
function moveOrderPayment(
  order: CollectedOrder & { readonly payment: OrderPayment },
  attempt: OrderAttempt,
  state: ProvidedState,
): Partial<PaymentChange> {
  const { payment, paymentStatus, orderStatus, totalCents } = order;
  if (findCurrentAttempt(order) !== attempt || !COLLECTED_STATUSES.includes(paymentStatus)) return {};
  if (state.status === 'paid') {
    // Less than the total is not paid, whatever the provider calls it.
    if (state.receivedCents < totalCents) return {};
    const { paidAt: paymentDate, form: paymentForm } = state;
    const paid = { ...payment, paidBy: attempt.number };
    return { payment: paid, paymentStatus: 'paid', paymentDate, paymentForm, rejectionReason: null };
  }
  if (attempt.status === 'processing') return { paymentStatus: 'in_process' };
  // The provider has worked on it until now, and a cancelled order waits for it no longer.
  if (isAttemptOver(attempt) && (orderStatus !== 'cancelled' || paymentStatus === 'in_process'))
    return rejectPayment(state.status === 'failed' ? state.reason : attempt.status);
  return {};
}

// The interface's bound of `rejection_reason`.
const MOST_REASON = 50;

const rejectPayment = (reason: string): Pick<PaymentChange, 'paymentStatus' | 'rejectionReason'> => ({
  paymentStatus: 'rejected',
  rejectionReason: reason.slice(0, MOST_REASON),
});

type Collected = CollectedOrder & { readonly payment: OrderPayment };

/** Returns what changes of an order when the provider refuses an attempt for good. */
export function refuseAttempt(order: Collected, attempt: OrderAttempt, reason: string): PaymentChange {
  const payment = putAttempt(order.payment, { ...attempt, status: 'failed' });
  const isCurrent = findCurrentAttempt(order)?.number === attempt.number && order.orderStatus !== 'cancelled';
  return isCurrent && COLLECTED_STATUSES.includes(order.paymentStatus)
    ? { payment, ...rejectPayment(reason) }
    : { payment };
}

/** Returns the payment of an order with the reference that an attempt brought. */
export function recordReference(
  payment: OrderPayment,
  attempt: OrderAttempt,
  { id: providerId, customer, reference: { method, ...reference }, expiresAt }: Requested,
): OrderPayment {
  const next = { ...attempt, status: 'open', providerId, reference, expiresAt } as const;
  const isAccountWatched = payment.isAccountWatched || method === 'spei';
  // The money of an order is that of the customer whose CLABE it has shown.
  const ofOrder = attempt.superseded ? (payment.customer ?? customer) : (customer ?? payment.customer);
  return { ...putAttempt(payment, next), customer: ofOrder, isAccountWatched };
}
