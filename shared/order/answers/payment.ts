import type { Order as OrderAnswer } from '../../api/orders/orders.ts';
import { formatCents } from '../../domain/money.ts';
import { findShown } from '../../payments/rules/order-payment.ts';
import { getMismatchCents, listPaymentExceptions } from '../../payments/rules/payment-exceptions.ts';
import type { Order } from '../order.ts';
import { getRefundStatus } from '../rules/status.ts';

// Shown where the address is longer than the interface allows; the patient can pay by the reference alone.
const NO_PAGE = 'about:blank';

export function representReferences(order: Order): OrderAnswer['payment_references'] {
  const attempt = findShown(order);
  const method = order.paymentMethod.collection;
  if (!attempt?.reference || !method) return [];
  // A voucher of a cancelled order can still be paid, but should not be.
  if (order.orderStatus === 'cancelled' && attempt.status !== 'paid') return [];
  const { reference, institution, externalUrl } = attempt.reference;
  const { referenceId: id, createdAt: created_at } = attempt;
  const stamps = { created_at, updated_at: created_at };
  return [{ id, ...stamps, order: order.id, method, reference, institution, external_url: externalUrl || NO_PAGE }];
}

export const representRefunds = ({ refunds = [] }: Order): NonNullable<OrderAnswer['refunds']> =>
  refunds.map((refund) => ({
    amount: formatCents(refund.cents),
    form: refund.form,
    refunded_at: refund.at,
    status: getRefundStatus(refund),
  }));

/** Represents the payment attempts with the provider, for the operator; null if there is none. */
export function representCollecting(order: Order) {
  const { payment, paymentMethod } = order;
  if (!payment) return null;
  return {
    method: paymentMethod.collection ?? null,
    attempts: payment.attempts.map((attempt) => ({
      number: attempt.number,
      status: attempt.status,
      is_left: attempt.superseded,
      amount: formatCents(attempt.amountCents),
      received: formatCents(attempt.receivedCents),
      reference: attempt.reference?.reference ?? null,
      payment_id: attempt.providerId,
      asked_at: attempt.createdAt,
      expires_at: attempt.expiresAt,
      dispute: attempt.dispute?.status ?? null,
    })),
    /** Money received that does not belong to the order's total. */
    besides: formatCents(getMismatchCents(order)),
    troubles: listPaymentExceptions(order),
  };
}
