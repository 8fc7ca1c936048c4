import type { Cents } from '../../domain/money.ts';
import { listRemissions, sumAmounts, type TaxDocument } from '../../invoices/rules/tax-document.ts';
import { type PaymentStatus, type Refund, sumRefunds } from '../../order/rules/status.ts';
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

type Refunded = Parameters<typeof getSurplusCents>[0] & {
  readonly paymentStatus: PaymentStatus;
  readonly refunds?: readonly Refund[];
  readonly documents?: readonly TaxDocument[];
};

/**
 * Returns the credit notes for what was remitted before the rest was paid, which is not refundable. A provider collects the
 * whole total nevertheless, and an order that was remitted entirely, when cancelled unpaid, gets back whatever was received.
 */
export function listUnpaidRemissions({ documents = [], payment, orderStatus, totalCents }: Refunded): TaxDocument[] {
  const remissions = listRemissions(documents);
  const isWhole = sumAmounts(remissions) >= totalCents && orderStatus === 'cancelled';
  return isWhole || typeof payment?.paidBy === 'number' ? [] : remissions;
}

/** Returns the part of a paid order's payment that has not been refunded. */
export const getRefundableCents = (order: Refunded): Cents =>
  order.totalCents - sumAmounts(listUnpaidRemissions(order)) - sumRefunds(order);

/** Returns what a cancelled order has yet to pay back. */
export function getDueRefundCents(order: Refunded): Cents {
  if (order.orderStatus !== 'cancelled') return 0;
  const paidCents = order.paymentStatus === 'paid' ? Math.max(0, getRefundableCents(order)) : 0;
  return getSurplusCents(order) + paidCents;
}

export const isRefundDue = (order: Refunded): boolean => getDueRefundCents(order) > 0;

/** True if a paid order is refunded entirely, or the refund is in progress. */
export const isWhollyRefunded = (order: Refunded): boolean =>
  order.paymentStatus === 'paid' && sumRefunds(order) > 0 && getRefundableCents(order) <= 0;
