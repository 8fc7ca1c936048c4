import type { Cents } from '../../domain/money.ts';
import {
  type CollectedOrder,
  findOpenAttempt,
  isPayable,
  type OrderAttempt,
  type OrderPayment,
} from './order-payment.ts';

/** Returns the money received for an order beyond its payment: partial, surplus, or for a superseded attempt. */
export const getMismatchCents = (order: PaidOrder): Cents =>
  listDifferences(order).reduce((sum, { cents }) => sum + cents, order.payment?.unmatchedCents ?? 0);

type PaidOrder = Pick<CollectedOrder, 'payment' | 'totalCents'>;

/** Returns the attempts with the money that each received beyond the total. */
export const listDifferences = ({ payment, totalCents }: PaidOrder): { attempt: OrderAttempt; cents: Cents }[] =>
  (payment?.attempts ?? []).map((attempt) => {
    const paidCents = attempt.number === payment?.paidBy ? totalCents : 0;
    return { attempt, cents: Math.max(0, attempt.receivedCents - paidCents) };
  });

/** Returns the mismatch to pay back: not yet handled, and no part of a payment in progress. */
export function getSurplusCents(order: PaidOrder & Pick<CollectedOrder, 'orderStatus'>): Cents {
  const open = order.orderStatus === 'cancelled' ? undefined : findOpenAttempt(order);
  const handledCents = order.payment?.handledCents ?? 0;
  return Math.max(0, getMismatchCents(order) - handledCents - (open?.receivedCents ?? 0));
}

export const PAYMENT_LISTS = ['mismatch', 'disputed', 'not_made', 'refund_failed'] as const;
export type PaymentList = (typeof PAYMENT_LISTS)[number];

/** `provided` is absent from a refund that an operator made by hand. */
type ProvidedRefund = { readonly provided?: { readonly status: string; readonly isHandled?: boolean } };
type RefundedOrder = { readonly refunds?: readonly ProvidedRefund[] };

export function listPaymentExceptions(order: CollectedOrder & RefundedOrder): PaymentList[] {
  const { payment, refunds = [] } = order;
  const [attempts, mismatchCents] = [payment?.attempts ?? [], getMismatchCents(order)];
  const last = attempts.at(-1);
  const isIn: Readonly<Record<PaymentList, boolean>> = {
    mismatch: mismatchCents > 0 && mismatchCents !== payment?.handledCents,
    disputed: attempts.some(({ dispute }) => dispute && dispute.status !== 'won' && !dispute.isHandled),
    not_made: last?.status === 'not_made' && !last.superseded && isPayable(order),
    refund_failed: refunds.some(({ provided }) => provided?.status === 'failed' && !provided.isHandled),
  };
  return PAYMENT_LISTS.filter((list) => isIn[list]);
}

/** Marks mismatch, disputes and a missing reference as handled by an operator. */
export const handleExceptions = (order: CollectedOrder & { readonly payment: OrderPayment }): OrderPayment => ({
  ...order.payment,
  handledCents: getMismatchCents(order),
  attempts: order.payment.attempts.map((attempt) => ({
    ...attempt,
    // A reference that arrives after all is cancelled.
    superseded: attempt.superseded || attempt.status === 'not_made',
    dispute: attempt.dispute && { ...attempt.dispute, isHandled: true },
  })),
});
