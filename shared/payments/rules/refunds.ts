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
 * Returns the credit notes of what was remitted before the rest was paid, which does not go back. A provider collects the whole
 * total all the same, and of an order that was remitted whole, as it was cancelled unpaid, whatever came goes back.
 */
export function listUnpaidRemissions({ documents = [], payment, orderStatus, totalCents }: Refunded): TaxDocument[] {
  const remissions = listRemissions(documents);
  const isWhole = sumAmounts(remissions) >= totalCents && orderStatus === 'cancelled';
  return isWhole || typeof payment?.paidBy === 'number' ? [] : remissions;
}

/** Returns what has not gone back of what was paid for an order that is paid. */
export const getRefundableCents = (order: Refunded): Cents =>
  order.totalCents - sumAmounts(listUnpaidRemissions(order)) - sumRefunds(order);

/** True if an order was cancelled and some of what came for it has not gone back. */
export const isRefundDue = (order: Refunded): boolean =>
  order.orderStatus === 'cancelled' &&
  (getSurplusCents(order) > 0 || (order.paymentStatus === 'paid' && getRefundableCents(order) > 0));

/** True if an order was paid and all of it has gone back, or is on its way: nothing more is done for it. */
export const isWhollyRefunded = (order: Refunded): boolean =>
  order.paymentStatus === 'paid' && sumRefunds(order) > 0 && getRefundableCents(order) <= 0;
