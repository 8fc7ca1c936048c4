import type { Order as OrderAnswer } from '../../api/orders/orders.ts';
import { formatCents } from '../../domain/money.ts';
import { findShown } from '../../payments/rules/order-payment.ts';
import { getMismatchCents, listPaymentExceptions } from '../../payments/rules/payment-exceptions.ts';
import type { Order } from '../order.ts';
import { getRefundStatus } from '../rules/status.ts';

// An address longer than the interface allows is not shown; what has to be paid to stands in the reference.
const NO_PAGE = 'about:blank';

/** Represents the reference that the patient is to pay by, or has paid by. */
export function representReferences(order: Order): OrderAnswer['payment_references'] {
  const attempt = findShown(order);
  const method = order.paymentMethod.collection;
  if (!attempt?.reference || !method) return [];
  // A voucher of a cancelled order can still be paid, and nobody should.
  if (order.orderStatus === 'cancelled' && attempt.status !== 'paid') return [];
  const { reference, institution, externalUrl } = attempt.reference;
  const { referenceId: id, createdAt: created_at } = attempt;
  const stamps = { created_at, updated_at: created_at };
  return [{ id, ...stamps, order: order.id, method, reference, institution, external_url: externalUrl || NO_PAGE }];
}

/** Represents what goes back of an order. */
export const representRefunds = ({ refunds = [] }: Order): NonNullable<OrderAnswer['refunds']> =>
  refunds.map((refund) => ({
    amount: formatCents(refund.cents),
    form: refund.form,
    refunded_at: refund.at,
    status: getRefundStatus(refund),
  }));

/** Represents for its operator what was asked for with the payment provider, and what came; null if nothing was. */
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
    /** Money that came and is not the payment of the order. */
    besides: formatCents(getMismatchCents(order)),
    troubles: listPaymentExceptions(order),
  };
}
