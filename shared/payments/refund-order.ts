import { isDeepStrictEqual } from 'node:util';
import { type Cents, formatCents } from '../domain/money.ts';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { describeParts, listOpenParts, type SalePart, splitParts, sumParts } from '../domain/sale-parts.ts';
import {
  addCredit,
  chooseParts,
  getCreditableCents,
  listCredits,
  type PartsRequest,
  refuseReplacementUnderWay,
} from '../invoices/correct-invoice.ts';
import { chooseCreditOfRefund } from '../invoices/rules/owed-documents.ts';
import { listCreditedParts } from '../invoices/rules/tax-document.ts';
import { PAYMENT_STATUS_TEXTS, quoteStatus } from '../messages/status-texts.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { listDocumentEvents } from '../order/order-events.ts';
import type { Refund } from '../order/order-parts.ts';
import { isGivenBack, sumGivenBack, sumRefunds } from '../order/rules/status.ts';
import type { Table } from '../store/table.ts';
import { refundedEvent } from './payment-events.ts';
import {
  getMismatchCents,
  getRefundableCents,
  getSurplusCents,
  listDifferences,
  listUnpaidRemissions,
} from './rules/payment-exceptions.ts';

export type Refunding = Operation &
  Seen &
  PartsRequest & {
    /** Refunds money paid on top of the total: the amount, or all of it. */
    readonly isSurplus?: boolean;
    /** SAT's c_FormaPago of the refund; without it, the provider refunds a card payment. */
    readonly form?: string | undefined;
    /** Why, for the history. */
    readonly reason?: string | undefined;
  };

/**
 * Records an operator's refund of an order, cancelled or not. Refuses more than was received and, without a version, the same
 * refund twice in a row. Jobs issue its credit note; money on top of the total was never sold and gets none.
 */
export async function refundOrder(refunding: Refunding, table: Table): Promise<Order> {
  const { now, reason } = refunding;
  const before = await seenOrder(table, refunding);
  const newRefund = isOfSurplus(before, refunding) ? chooseSurplus(before, refunding) : chooseReturn(before, refunding);
  const refund = { ...newRefund, at: now.toISOString(), ...(reason === undefined ? {} : { reason }) };
  refuseRepeated(before, refund, refunding);
  const refunded = putRefunds(before, [...(before.refunds ?? []), refund]);
  // A refund by the provider gets its credit note once the provider accepts it.
  const documents = refund.provided ? before.documents : creditRefund(refunded, refund, now);
  const after = { ...refunded, documents };
  const events = [refundedEvent(before, after, reason), ...listDocumentEvents(before, after)];
  return commitOperation(table, before, after, refunding, ...events);
}

/** An unpaid order has sold nothing, so an amount, or all, is of the surplus. */
const isOfSurplus = (order: Order, { isSurplus = false, isAll, amountCents }: Refunding): boolean =>
  isSurplus || (order.paymentStatus !== 'paid' && (isAll || amountCents !== undefined) && getSurplusCents(order) > 0);

type NewRefund = Omit<Refund, 'at'>;

function chooseReturn(order: Order, request: Refunding): NewRefund {
  refuseRefund(order, request.amountCents ?? 0);
  const way = chooseRefundWay(order, request.form);
  const parts = chooseParts(order, listRefundableParts(order), request);
  return { ...way, parts, cents: sumParts(parts) };
}

export function listRefundableParts(order: Order): SalePart[] {
  const refunded = (order.refunds ?? []).filter(isGivenBack).flatMap(({ parts }) => parts);
  const closedParts = [...refunded, ...listCreditedParts(listUnpaidRemissions(order))];
  // The provider may still make a refund that an operator made in its place.
  return listOpenParts(order, splitParts(closedParts, listOpenParts(order, [])).within);
}

function chooseSurplus(order: Order, { form, amountCents }: Refunding): NewRefund {
  const surplusCents = getSurplusCents(order);
  const card = form === undefined ? findCardSurplus(order) : undefined;
  const isProvided = form === undefined && surplusCents > 0;
  if (isProvided && !card) throw refusedToOperator('refund_form_needed', { order: order.id });
  const remainingCents = Math.min(surplusCents, card?.cents ?? surplusCents);
  const cents = amountCents ?? remainingCents;
  if (cents === 0 || cents > remainingCents) {
    throw refusedToOperator('surplus_too_large', { order: order.id, left: formatCents(remainingCents) });
  }
  const way = form === undefined ? provideRefund(order, card?.attempt) : { form };
  return { ...way, parts: [], cents, isSurplus: true };
}

/** Returns a card attempt with a surplus that the provider has not refunded yet. */
function findCardSurplus(order: Order) {
  const refunds = (order.refunds ?? []).filter((refund) => refund.isSurplus && isGivenBack(refund));
  return listDifferences(order)
    .filter(({ attempt: { collection } }) => collection === 'card')
    .map(({ attempt: { number: attempt }, cents }) => {
      const same = refunds.filter(({ provided }) => provided?.attempt === attempt);
      return { attempt, cents: cents - sumGivenBack({ refunds: same }) };
    })
    .find(({ cents }) => cents > 0);
}

/** Replaces an order's refunds. A refunded surplus counts as handled, until the provider fails to refund it. */
export function putRefunds(before: Order, refunds: readonly Refund[]): Order {
  const after = { ...before, refunds };
  if (!before.payment) return after;
  const refundedCents = before.payment.handledCents + sumSurplus(after) - sumSurplus(before);
  const handledCents = Math.max(0, Math.min(refundedCents, getMismatchCents(before)));
  return { ...after, payment: { ...before.payment, handledCents } };
}

const sumSurplus = (order: Order): Cents => sumGivenBack(order) - sumRefunds(order);

/**
 * Adds the credit note of a refund to an order's valid or global invoice, at most for the uncredited refunds. None while the
 * invoice is being cancelled, since SAT does not cancel an invoice with a valid credit note; without an invoice, issuing one
 * adds the note.
 */
export function creditRefund(order: Order, refund: NewRefund, now: Date): Order['documents'] {
  if (getCreditableCents(order) === undefined) return order.documents;
  const parts = chooseCreditOfRefund(order, refund, listCredits(order));
  return parts.length === 0 ? order.documents : addCredit(order, { parts, paymentForm: refund.form }, now);
}

/** In the form that the operator names, or else through the provider for a card payment. */
function chooseRefundWay(order: Order, form: string | undefined): Pick<Refund, 'form' | 'provided'> {
  if (form !== undefined) return { form };
  if (!isRefundProvided(order)) throw refusedToOperator('refund_form_needed', { order: order.id });
  return provideRefund(order);
}

// SAT's c_FormaPago of a card page that was paid after the order got another payment method.
const CREDIT_CARD = '04';

function provideRefund(order: Order, attempt?: number): Pick<Refund, 'form' | 'provided'> {
  const { paymentForm, paymentMethod, payment, refunds = [] } = order;
  const number = refunds.filter(({ provided }) => provided).length + 1;
  const provided = { number, status: 'requested', ...(attempt !== undefined && { attempt }) } as const;
  // A surplus attempt may have come in another form than the payment of the order.
  const isOther = attempt !== undefined && attempt !== payment?.paidBy;
  const cardForm = paymentMethod.collection === 'card' ? paymentMethod.sat_payment_form : CREDIT_CARD;
  return { form: (isOther ? null : paymentForm) ?? cardForm, provided };
}

/** True if the provider refunds an order's payment; cash and transfers are refunded by hand. */
export const isRefundProvided = ({ payment }: Order): boolean =>
  payment?.attempts.find(({ number }) => number === payment.paidBy)?.collection === 'card';

/** Throws `move_not_allowed` if this amount cannot be refunded now. */
export function refuseRefund(order: Order, cents: Cents): void {
  refuseUnpaid(order);
  refuseTooMuch(order, cents);
  refuseReplacementUnderWay(order);
}

function refuseUnpaid(order: Order): void {
  const { id, paymentStatus } = order;
  if (paymentStatus === 'paid') return;
  const status = quoteStatus(paymentStatus, PAYMENT_STATUS_TEXTS);
  const surplusCents = getSurplusCents(order);
  if (surplusCents === 0) throw refusedToOperator('order_not_paid', { order: id, status });
  throw refusedToOperator('only_surplus_left', { order: id, status, left: formatCents(surplusCents) });
}

function refuseTooMuch(order: Order, cents: Cents): void {
  const openCents = getRefundableCents(order);
  if (cents <= openCents) return;
  throw refusedToOperator('refund_too_large', { order: order.id, left: formatCents(openCents) });
}

// An operator who is unsure of a command repeats it within minutes.
const REPEATED_WITHIN_MS = 60 * 60_000;

function refuseRepeated(order: Order, refund: NewRefund, { version, now }: Refunding): void {
  const { id, refunds = [], version: current } = order;
  const last = refunds.findLast(isGivenBack);
  if (version !== undefined || !last || last.form !== refund.form) return;
  if (!isDeepStrictEqual(describeRefund(last), describeRefund(refund))) return;
  if (now.getTime() - Date.parse(last.at) >= REPEATED_WITHIN_MS) return;
  const left = formatCents(refund.isSurplus ? getSurplusCents(order) : getRefundableCents(order));
  throw refusedToOperator('refund_repeated', { order: id, amount: formatCents(last.cents), version: current, left });
}

const describeRefund = ({ isSurplus, cents, parts }: NewRefund) => (isSurplus ? { cents } : describeParts(parts));
