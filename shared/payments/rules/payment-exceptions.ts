import type { Cents } from '../../domain/money.ts';
import {
  type CollectedOrder,
  findOpenAttempt,
  isPayable,
  type OrderAttempt,
  type OrderPayment,
} from './order-payment.ts';

/**
 * Returns the money that came for an order and is not its payment: less than the total, more than it, or for a superseded
 * attempt.
 */
export function getMismatchCents(order: Receiving): Cents {
  return listDifferences(order).reduce((sum, { cents }) => sum + cents, order.payment?.unmatchedCents ?? 0);
}

type Receiving = Pick<CollectedOrder, 'payment' | 'totalCents'>;

/** Returns the attempts of an order with the money that each brought beside the total. */
export const listDifferences = ({ payment, totalCents }: Receiving): { attempt: OrderAttempt; cents: Cents }[] =>
  (payment?.attempts ?? []).map((attempt) => {
    const paidCents = attempt.number === payment?.paidBy ? totalCents : 0;
    return { attempt, cents: Math.max(0, attempt.receivedCents - paidCents) };
  });

/**
 * Returns the money beside the total of an order that is to go back: nobody has dealt with it, and it is no part of what the
 * patient is still paying.
 */
export function getSurplusCents(order: Receiving & Pick<CollectedOrder, 'orderStatus'>): Cents {
  const open = order.orderStatus === 'cancelled' ? undefined : findOpenAttempt(order);
  const handledCents = order.payment?.handledCents ?? 0;
  return Math.max(0, getMismatchCents(order) - handledCents - (open?.receivedCents ?? 0));
}

export const PAYMENT_LISTS = ['mismatch', 'disputed', 'not_made', 'refund_failed'] as const;
export type PaymentList = (typeof PAYMENT_LISTS)[number];

/** The part of a refund that says what became of it with the provider; without it, an operator gave it back. */
type ProvidedRefund = { readonly provided?: { readonly status: string; readonly isHandled?: boolean } };
type Refunded = { readonly refunds?: readonly ProvidedRefund[] };

export function listPaymentExceptions(order: CollectedOrder & Refunded): PaymentList[] {
  const { payment, refunds = [] } = order;
  const [attempts, mismatchCents] = [payment?.attempts ?? [], getMismatchCents(order)];
  const isIn: Readonly<Record<PaymentList, boolean>> = {
    mismatch: mismatchCents > 0 && mismatchCents !== payment?.handledCents,
    disputed: attempts.some(({ dispute }) => dispute && dispute.status !== 'won' && !dispute.isHandled),
    not_made: findNotMade(order)?.superseded === false,
    refund_failed: refunds.some(({ provided }) => provided?.status === 'failed' && !provided.isHandled),
  };
  return PAYMENT_LISTS.filter((list) => isIn[list]);
}

/** Returns the last attempt of an order that is to be paid, if the provider made no reference of it. */
function findNotMade(order: CollectedOrder): OrderAttempt | undefined {
  const last = order.payment?.attempts.at(-1);
  return last?.status === 'not_made' && isPayable(order) ? last : undefined;
}

/** True if an operator has dealt with the missing reference of an order, and no other attempt followed. */
export const isNotMadeHandled = (order: CollectedOrder): boolean => findNotMade(order)?.superseded === true;

/** Marks as handled by an operator: the money beside the total, disputes, and a reference that was not made. */
export const handleExceptions = (order: CollectedOrder & { readonly payment: OrderPayment }): OrderPayment => ({
  ...order.payment,
  handledCents: getMismatchCents(order),
  attempts: order.payment.attempts.map((attempt) => ({
    ...attempt,
    // Should it come all the same, it is cancelled.
    superseded: attempt.superseded || attempt.status === 'not_made',
    dispute: attempt.dispute && { ...attempt.dispute, isHandled: true },
  })),
});
