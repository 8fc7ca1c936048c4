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

/** True if a cancelled order has money to pay back. */
export const isRefundDue = (order: Refunded): boolean =>
  order.orderStatus === 'cancelled' &&
  (getSurplusCents(order) > 0 || (order.paymentStatus === 'paid' && getRefundableCents(order) > 0));

/** True if a paid order is refunded entirely, or the refund is in progress. */
export const isWhollyRefunded = (order: Refunded): boolean =>
  order.paymentStatus === 'paid' && sumRefunds(order) > 0 && getRefundableCents(order) <= 0;
