import { formatCents } from '../domain/money.ts';
import type { Order } from '../order/order.ts';
import type { Happening } from '../order/order-events.ts';
import { sumGivenBack } from '../order/rules/status.ts';
import { getMismatchCents, listPaymentExceptions, type PaymentList } from './rules/payment-exceptions.ts';

const MOVES: Readonly<Partial<Record<Order['paymentStatus'], Happening['what']>>> = {
  paid: 'paid',
  rejected: 'payment_rejected',
};

/** Compares, since a provider answers with a payment's state and not with what changed. */
export function listPaymentEvents(before: Order, after: Order): Happening[] {
  const { paymentStatus: from } = before;
  const { paymentStatus: to, rejectionReason } = after;
  const reason = to === 'rejected' && rejectionReason !== null ? { reason: rejectionReason } : {};
  return [
    ...(from === to ? [] : [{ what: MOVES[to] ?? 'payment_moved', from, to, ...reason }]),
    ...listExceptions(before, after),
  ];
}

function listExceptions(before: Order, after: Order): Happening[] {
  const [former, lists] = [listPaymentExceptions(before), listPaymentExceptions(after)];
  const isNew = (list: PaymentList) => lists.includes(list) && !former.includes(list);
  const mismatchCents = getMismatchCents(after);
  const isOtherMismatch = lists.includes('mismatch') && mismatchCents !== getMismatchCents(before);
  return [
    ...(isOtherMismatch ? [{ what: 'payment_mismatched', reason: formatCents(mismatchCents) } as const] : []),
    ...(isNew('disputed') ? [{ what: 'payment_disputed' } as const] : []),
  ];
}

/** `reason`: the operator's. */
export const refundedEvent = (before: Order, after: Order, reason?: string): Happening => ({
  what: 'refunded',
  from: formatCents(sumGivenBack(before)),
  to: formatCents(sumGivenBack(after)),
  ...(reason !== undefined && { reason }),
});
