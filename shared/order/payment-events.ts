import { isDeepStrictEqual } from 'node:util';
import { formatCents } from '../domain/money.ts';
import { findShown } from '../payments/rules/order-payment.ts';
import {
  getMismatchCents,
  isNotMadeHandled,
  listPaymentExceptions,
  type PaymentList,
} from '../payments/rules/payment-exceptions.ts';
import { listDocumentEvents } from './document-events.ts';
import type { Order } from './order.ts';
import type { Happening } from './order-events.ts';
import { sumGivenBack } from './rules/status.ts';

export const listSaleEvents = (before: Order, after: Order): Happening[] => [
  ...listPaymentEvents(before, after),
  ...listDocumentEvents(before, after),
];

export const listPaymentEvents = (before: Order, after: Order): Happening[] => [
  ...listMoves(before, after),
  ...listReferences(before, after),
  ...listExceptions(before, after),
  ...listRefunds(before, after),
];

const MOVES: Readonly<Partial<Record<Order['paymentStatus'], Happening['what']>>> = {
  paid: 'paid',
  rejected: 'payment_rejected',
};

function listMoves({ paymentStatus: from }: Order, { paymentStatus: to, rejectionReason }: Order): Happening[] {
  if (from === to) return [];
  const why = to === 'rejected' && rejectionReason !== null ? { reason: rejectionReason } : {};
  return [{ what: MOVES[to] ?? 'payment_moved', from, to, ...why }];
}

function listReferences(before: Order, after: Order): Happening[] {
  const reference = findShown(after);
  return reference && findShown(before)?.number !== reference.number ? [{ what: 'payment_requested' }] : [];
}

function listExceptions(before: Order, after: Order): Happening[] {
  const mismatchCents = getMismatchCents(after);
  const [former, lists] = [listPaymentExceptions(before), listPaymentExceptions(after)];
  const isNew = (list: PaymentList) => lists.includes(list) && !former.includes(list);
  const isMismatched = lists.includes('mismatch') && mismatchCents !== getMismatchCents(before);
  const isOver = former.some((list) => !lists.includes(list));
  const isHandled = isOver && !isDeepStrictEqual(listHandled(before), listHandled(after));
  return [
    ...(isMismatched ? [{ what: 'payment_mismatched', reason: formatCents(mismatchCents) } as const] : []),
    ...(isNew('disputed') ? [{ what: 'payment_disputed' } as const] : []),
    ...(isNew('not_made') ? [{ what: 'payment_not_made' } as const] : []),
    ...(isNew('refund_failed') ? [{ what: 'refund_failed' } as const] : []),
    ...(isHandled ? [{ what: 'payment_handled' } as const] : []),
  ];
}

const listHandled = (order: Order) => [
  order.payment?.handledCents,
  ...(order.payment?.attempts ?? []).filter(({ dispute }) => dispute?.isHandled).map(({ number }) => number),
  ...(order.refunds ?? []).filter(({ provided }) => provided?.isHandled).map(({ provided }) => provided?.number),
  isNotMadeHandled(order),
];

function listRefunds(before: Order, after: Order): Happening[] {
  const [from, to] = [sumGivenBack(before), sumGivenBack(after)];
  const { reason } = after.refunds?.[before.refunds?.length ?? 0] ?? {};
  const why = reason === undefined ? {} : { reason };
  // A failed refund has an event of its own.
  return to <= from ? [] : [{ what: 'refunded', from: formatCents(from), to: formatCents(to), ...why }];
}
