import type { OrderListItem } from '../../api/orders/order-list.ts';
import type { ListedPart } from '../../api/orders/order-parts.ts';
import type { Order as OrderAnswer } from '../../api/orders/orders.ts';
import { formatCents } from '../../domain/money.ts';
import { findShown, isUnwanted, type OrderAttempt } from '../../payments/rules/order-payment.ts';
import { getDueRefundCents, getMismatchCents, listPaymentExceptions } from '../../payments/rules/payment-exceptions.ts';
import type { Role } from '../../people/rules/roles.ts';
import type { Order } from '../order.ts';
import { formatFolio, getRefundStatus } from '../rules/status.ts';

export type Reader = { readonly id: number; readonly role: Role };

/** A doctor sees the address only if it came with the order. */
export const seesShipping = ({ isShippingSent }: Order, { role }: Reader): boolean =>
  role !== 'doctor' || isShippingSent;

/** Empty for readers who may not see the address, since a tracking number leads to it. */
export const representShipments = (order: Order, reader: Reader): NonNullable<OrderListItem['shipments']> =>
  (seesShipping(order, reader) ? (order.shipments ?? []) : []).map(
    ({ carrier, trackingNumber, trackingUrl, shippedAt }) => ({
      carrier,
      tracking_number: trackingNumber,
      tracking_url: trackingUrl,
      shipped_at: shippedAt,
    }),
  );

export function representListedParts(
  order: Order,
  reader: Reader,
  include: readonly ListedPart[] = [],
): Partial<Pick<OrderListItem, ListedPart | 'folio'>> {
  const lines = order.lines.map(({ productId: product, name, presentation, quantity }) => {
    return { product, name, presentation, quantity };
  });
  return {
    ...(include.includes('lines') && { folio: formatFolio(order.id), lines }),
    ...(include.includes('shipments') && { shipments: representShipments(order, reader) }),
    ...(include.includes('comments') && { comments: order.comments }),
  };
}

// Shown where the address is longer than the interface allows; the patient can pay by the reference alone.
const NO_PAGE = 'about:blank';

export function representReferences(order: Order): OrderAnswer['payment_references'] {
  const attempt = findShown(order);
  if (!attempt?.reference) return [];
  // A voucher of a cancelled order can still be paid, but should not be.
  if (order.orderStatus === 'cancelled' && attempt.status !== 'paid') return [];
  const { reference, institution, externalUrl } = attempt.reference;
  const { referenceId: id, collection: method, createdAt: created_at } = attempt;
  const stamps = { created_at, updated_at: created_at };
  return [{ id, ...stamps, order: order.id, method, reference, institution, external_url: externalUrl || NO_PAGE }];
}

export function representRefunds(order: Order): NonNullable<OrderAnswer['refunds']> {
  const made = (order.refunds ?? []).map((refund) => ({
    amount: formatCents(refund.cents),
    form: refund.form,
    refunded_at: refund.at,
    status: getRefundStatus(refund),
  }));
  const dueCents = getDueRefundCents(order);
  if (dueCents === 0) return made;
  return [...made, { amount: formatCents(dueCents), form: null, refunded_at: null, status: 'due' }];
}

type PaymentTry = NonNullable<OrderAnswer['payments']>[number];

const TRY_STATUSES: Readonly<Record<OrderAttempt['status'], PaymentTry['status'] | null>> = {
  // The provider has not answered, or never made it.
  requested: null,
  not_made: null,
  open: 'open',
  processing: 'processing',
  paid: 'paid',
  failed: 'rejected',
  expired: 'expired',
  cancelled: 'expired',
};

/** Lists what the provider was asked for, the latest first. What can still be paid but should not be counts as expired. */
export const representPayments = (order: Order): PaymentTry[] =>
  (order.payment?.attempts ?? []).toReversed().flatMap((attempt) => {
    const known = TRY_STATUSES[attempt.status];
    if (known === null) return [];
    const { collection, reference, amountCents, receivedCents, expiresAt: expires_at } = attempt;
    const status = known === 'open' && isUnwanted(attempt, order) ? 'expired' : known;
    return {
      collection,
      reference: reference?.reference ?? null,
      institution: reference?.institution ?? null,
      external_url: status === 'open' ? reference?.externalUrl || NO_PAGE : null,
      amount: formatCents(amountCents),
      received: formatCents(receivedCents),
      status,
      expires_at,
    };
  });

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
