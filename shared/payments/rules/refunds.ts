import type { Cents } from '../../domain/money.ts';
import { listRemissions, sumAmounts, type TaxDocument } from '../../invoices/rules/tax-document.ts';
import { type PaymentStatus, type Refund, sumRefunds } from '../../order/rules/status.ts';
import { getSurplusCents } from './payment-exceptions.ts';

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
