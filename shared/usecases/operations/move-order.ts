import { isDeepStrictEqual } from 'node:util';
import { FORM_TO_BE_DEFINED } from '../../domain/invoices/content/invoice.ts';
import { cancelSale, chooseCreditOfRefund, listOwed } from '../../domain/invoices/owed-documents.ts';
import { listCreditedParts } from '../../domain/invoices/tax-document.ts';
import { type Cents, formatCents } from '../../domain/money.ts';
import {
  canMoveOrder,
  canMovePayment,
  isFurther,
  isGivenBack,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
  sumGivenBack,
  sumRefunds,
} from '../../domain/order.ts';
import { getMismatchCents, getSurplusCents, listDifferences } from '../../domain/payments/payment-troubles.ts';
import {
  findCovering,
  findUncovered,
  markDispensed,
  type UncoveredQuantity,
} from '../../domain/prescriptions/prescription.ts';
import { getRefundableCents, isWhollyRefunded, listUnpaidRemissions } from '../../domain/refunds.ts';
import { describeParts, listOpenParts, type SalePart, splitParts, sumParts } from '../../domain/sale-parts.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Text } from '../../messages/say.ts';
import {
  ORDER_STATUS_TEXTS,
  PAYMENT_STATUS_TEXTS,
  quoteStatus,
  type StatusTexts,
} from '../../messages/status-texts.ts';
import type { Business } from '../../runtime/config.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Refund } from '../../store/orders/order-parts.ts';
import type { Table } from '../../store/table.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { type AskedParts, chooseParts } from './choose-parts.ts';
import { addCredit, getCreditableCents, listCredits, refuseReplacementUnderWay } from './invoices/correct-invoice.ts';
import { commitOperation, type Operation, quantityText, type Seen, seenOrder } from './operate-order.ts';
import { joinTexts, refusedToOperator } from './operator-refusal.ts';

type Move<Status> = Operation & Seen & { readonly to: Status };
type Deps = { readonly table: Table; readonly business: Business };

/** The reasons of an operator for a move that the payment of an order does not allow. */
type MoveReasons = {
  /** Why an order that is collected is prepared before it is paid. */
  readonly unpaidReason?: string | undefined;
  /** Why an order that was wholly refunded goes further. */
  readonly refundedReason?: string | undefined;
};

type StatusMove = Move<OrderStatus> &
  MoveReasons & {
    /** The carrier and the tracking number of the shipment; both are optional. */
    readonly carrier?: string | undefined;
    readonly tracking?: string | undefined;
    /** The page of the shipment with the carrier. */
    readonly trackingUrl?: string | null | undefined;
  };

/** Moves an order as an operator does; dispensing, shipping and receiving it sets its date. */
export async function moveOrder(move: StatusMove, { table, business }: Deps): Promise<Order> {
  const { to, now, carrier = null, tracking: trackingNumber = null, trackingUrl = null } = move;
  const before = await seenOrder(table, move);
  const { shippingDate, receivingDate, refundedReason: _, ...kept } = before;
  const today = localDate(now, business.timeZone);
  refuseMove(before, to, today, move);
  const time = now.toISOString();
  const under = findCovering(before.prescriptions, today).map((prescription) => prescription.id);
  const moved = {
    orderStatus: to,
    shippingDate: to === 'shipped' ? time : shippingDate,
    receivingDate: to === 'delivered' ? time : receivingDate,
    dispensed: markDispensed(before.dispensed, to, { at: time, under }),
    ...(to === 'shipped' && (carrier ?? trackingNumber) !== null
      ? { shipments: [...(before.shipments ?? []), { carrier, trackingNumber, trackingUrl, shippedAt: time }] }
      : {}),
    ...(to === 'cancelled' ? cancelSale(before, toStarting(before, now)) : {}),
    ...chooseReasons(before, move),
  };
  return commitOperation(table, before, { ...kept, ...moved }, move);
}

/** Returns the reasons that a move needs, of those that the operator gives. */
const chooseReasons = (before: Order, { to, unpaidReason, refundedReason }: StatusMove) => ({
  ...(to === 'in_process' && unpaidReason !== undefined && { unpaidReason }),
  ...(isStoppedByRefund(before, to) && refundedReason !== undefined && { refundedReason }),
});

const isStoppedByRefund = (order: Order, to: OrderStatus): boolean => isFurther(to) && isWhollyRefunded(order);

/**
 * Throws `move_not_allowed` if an operator may not move an order to this status on the shop's local date `today`. One that is
 * collected is prepared once it is paid, and one that was wholly refunded goes no further, unless there is a reason.
 */
export function refuseMove(order: Order, to: OrderStatus, today: string, reasons: MoveReasons = {}): void {
  const { id, orderStatus: from } = order;
  const allowed = ORDER_STATUSES.filter((status) => canMoveOrder(from, status));
  if (!allowed.includes(to)) {
    const move = describeMove({ from, to, allowed }, ORDER_STATUS_TEXTS);
    throw refusedToOperator('order_moves_elsewhere', { order: id, ...move });
  }
  if (NEEDS_PRESCRIPTIONS.includes(to)) refuseUncovered(order, today);
  if (isStoppedByRefund(order, to) && reasons.refundedReason === undefined)
    throw refusedToOperator('order_refunded', { order: id });
  const { paymentMethod, paymentStatus: payment } = order;
  const isPaid = payment === 'paid' || payment === 'credit' || paymentMethod.collection === undefined;
  if (to === 'in_process' && !isPaid && reasons.unpaidReason === undefined)
    throw refusedToOperator('order_not_collected_yet', {
      order: id,
      status: quoteStatus(payment, PAYMENT_STATUS_TEXTS),
    });
}

export type PaymentMove = Move<PaymentStatus> & {
  /** SAT's c_FormaPago in which the order was paid; without it, that of its payment method. */
  readonly form?: string | undefined;
  /** Why the payment was rejected; the API shows it until the payment moves on. */
  readonly reason?: string | undefined;
};

type PaymentMoveDeps = Pick<Deps, 'table'> & {
  /** Cancels what the order could still be paid by, and returns its payment then. */
  readonly withdraw?: (order: Order) => Promise<Order['payment']>;
};

/** Moves the payment of an order as an operator does; paying it sets its date and form, rejecting it its reason. */
export async function movePayment(move: PaymentMove, { table, withdraw }: PaymentMoveDeps): Promise<Order> {
  const { to, form, reason, now } = move;
  const seen = await seenOrder(table, move);
  refusePaymentMove(seen, move);
  const payment = await withdraw?.(seen);
  const before = payment ? { ...seen, payment } : seen;
  const paid = to === 'paid' ? { paymentDate: now.toISOString(), paymentForm: form ?? null } : {};
  const rejectionReason = to === 'rejected' ? (reason ?? null) : null;
  const moved = { ...before, ...paid, rejectionReason, paymentStatus: to };
  const owed = listOwed(moved, toStarting(before, now));
  return commitOperation(table, seen, { ...moved, documents: [...moved.documents, ...owed] }, move);
}

/** Throws `move_not_allowed` if an operator may not move the payment of an order to this status, paid in this form. */
export function refusePaymentMove(order: Order, { to, form }: Pick<PaymentMove, 'to' | 'form'>): void {
  const { id, orderStatus, paymentStatus: from } = order;
  const allowed = PAYMENT_STATUSES.filter((status) => canMovePayment(order, status));
  if (!allowed.includes(to)) {
    const move = { order: id, ...describeMove({ from, to, allowed }, PAYMENT_STATUS_TEXTS) };
    if (orderStatus === 'cancelled') throw refusedToOperator('cancelled_payment_moves_elsewhere', move);
    throw refusedToOperator('payment_moves_elsewhere', move);
  }
  if (to === 'paid' && form === undefined) refuseUndefinedForm(order);
  // Its complement relates to the invoice that will be valid.
  if (to === 'paid') refuseReplacementUnderWay(order);
}

function refuseUndefinedForm({ id, paymentMethod: { name, sat_payment_form: form } }: Order): void {
  if (form !== FORM_TO_BE_DEFINED) return;
  throw refusedToOperator('payment_form_undefined', { order: id, method: name });
}

type Refused<Status> = { readonly from: Status; readonly to: Status; readonly allowed: readonly Status[] };
const NOTHING_MORE: Text = { es: 'ninguno más', en: 'nothing more' };

const describeMove = <Status extends string>({ from, to, allowed }: Refused<Status>, texts: StatusTexts<Status>) => ({
  from: quoteStatus(from, texts),
  to: quoteStatus(to, texts),
  allowed:
    allowed.length === 0
      ? NOTHING_MORE
      : joinTexts(
          allowed.map((status) => quoteStatus(status, texts)),
          ', ',
        ),
});

const NEEDS_PRESCRIPTIONS: readonly OrderStatus[] = ['approved', 'in_process'];

/** Refuses to approve or prepare more of a product that requires a prescription than was verified (LGS art. 226). */
function refuseUncovered({ id, lines, prescriptions }: Order, today: string): void {
  const uncovered = findUncovered(lines, prescriptions, today);
  if (uncovered.length === 0) return;
  throw refusedToOperator('order_uncovered', {
    order: id,
    products: joinTexts(uncovered.map(describeUncovered), ', '),
  });
}

function describeUncovered(uncovered: UncoveredQuantity): Text {
  const { productId, quantity, coveredQuantity: verified } = uncovered;
  const texts = { es: `${quantity} × producto ${productId}`, en: quantityText(uncovered) };
  return verified === null
    ? texts
    : { es: `${texts.es} (verificado: ${verified})`, en: `${texts.en} (verified: ${verified})` };
}

type Refunding = Operation &
  Seen &
  AskedParts & {
    /** True for money that came beside the total: all of it, or the amount. */
    readonly isSurplus?: boolean;
    /** SAT's c_FormaPago in which the money went back; without it, the payment provider gives back what came by card. */
    readonly form?: string | undefined;
    /** Why, for the history. */
    readonly reason?: string | undefined;
  };

/**
 * Records that an operator has paid back a part of what came for an order, or all of it, cancelled or not. Refuses more than
 * came, and without a version the same refund twice in a row. Settling issues its credit note; what came beside the total was
 * never sold, and has none.
 */
export async function refundOrder(refunding: Refunding, table: Table): Promise<Order> {
  const { now, reason } = refunding;
  const before = await seenOrder(table, refunding);
  const chosen = isOfSurplus(before, refunding) ? chooseSurplus(before, refunding) : chooseReturn(before, refunding);
  const refund = { ...chosen, at: now.toISOString(), ...(reason === undefined ? {} : { reason }) };
  refuseRepeated(before, refund, refunding);
  const after = putRefunds(before, [...(before.refunds ?? []), refund]);
  // One of the provider's gets its credit note once the provider accepts it.
  const documents = refund.provided ? before.documents : creditRefund(after, refund, now);
  return commitOperation(table, before, { ...after, documents }, refunding);
}

/** Of an order that is not paid nothing was sold, so that an amount is of what came all the same. */
const isOfSurplus = (order: Order, { isSurplus = false, amountCents }: Refunding): boolean =>
  isSurplus || (order.paymentStatus !== 'paid' && amountCents !== undefined && getSurplusCents(order) > 0);

type NewRefund = Omit<Refund, 'at'>;

function chooseReturn(order: Order, asked: Refunding): NewRefund {
  refuseRefund(order, asked.amountCents ?? 0);
  const way = chooseRefundWay(order, asked.form);
  const parts = chooseParts(order, listRefundableParts(order), asked);
  return { ...way, parts, cents: sumParts(parts) };
}

/** Returns what has not gone back of an order, by lines. */
export function listRefundableParts(order: Order): SalePart[] {
  const given = (order.refunds ?? []).filter(isGivenBack).flatMap(({ parts }) => parts);
  const taken = [...given, ...listCreditedParts(listUnpaidRemissions(order))];
  // The provider may have given after all what an operator gave in its place.
  return listOpenParts(order, splitParts(taken, listOpenParts(order, [])).within);
}

function chooseSurplus(order: Order, { form, amountCents }: Refunding): NewRefund {
  const surplusCents = getSurplusCents(order);
  const card = form === undefined ? findCardSurplus(order) : undefined;
  const isProvided = form === undefined && surplusCents > 0;
  if (isProvided && !card) throw refusedToOperator('refund_form_needed', { order: order.id });
  const leftCents = Math.min(surplusCents, card?.cents ?? surplusCents);
  const cents = amountCents ?? leftCents;
  if (cents === 0 || cents > leftCents) {
    throw refusedToOperator('surplus_too_large', { order: order.id, left: formatCents(leftCents) });
  }
  const way = form === undefined ? provideRefund(order, card?.attempt) : { form };
  return { ...way, parts: [], cents, isSurplus: true };
}

/** Returns an attempt by card with the money beside the total that has not gone back of it through the provider. */
function findCardSurplus(order: Order) {
  if (order.paymentMethod.collection !== 'card') return undefined;
  const given = (order.refunds ?? []).filter((refund) => refund.isSurplus && isGivenBack(refund));
  return listDifferences(order)
    .map(({ attempt: { number: attempt }, cents }) => {
      const same = given.filter(({ provided }) => provided?.attempt === attempt);
      return { attempt, cents: cents - sumGivenBack({ refunds: same }) };
    })
    .find(({ cents }) => cents > 0);
}

/**
 * Returns an order with these refunds. What went back of the money beside its total is dealt with, until the provider fails to
 * give it.
 */
export function putRefunds(before: Order, refunds: readonly Refund[]): Order {
  const after = { ...before, refunds };
  if (!before.payment) return after;
  const dealtCents = before.payment.handledCents + sumSurplus(after) - sumSurplus(before);
  const handledCents = Math.max(0, Math.min(dealtCents, getMismatchCents(before)));
  return { ...after, payment: { ...before.payment, handledCents } };
}

const sumSurplus = (order: Order): Cents => sumGivenBack(order) - sumRefunds(order);

/**
 * Adds the credit note of a refund that stands in an order, for at most what has gone back without one, to its valid invoice or to a
 * global one. There is none while the invoice is being cancelled, since SAT cancels no invoice with a valid credit note; nor
 * without an invoice, which then gets its credit note when it is issued; a global one is of what is left.
 */
export function creditRefund(order: Order, refund: NewRefund, now: Date): Order['documents'] {
  if (getCreditableCents(order) === undefined) return order.documents;
  const parts = chooseCreditOfRefund(order, refund, listCredits(order));
  return parts.length === 0 ? order.documents : addCredit(order, { parts, paymentForm: refund.form }, now);
}

/** Returns how money goes back: in the form that the operator names, or else through the provider, where it came by card. */
function chooseRefundWay(order: Order, form: string | undefined): Pick<Refund, 'form' | 'provided'> {
  if (form !== undefined) return { form };
  if (!isRefundProvided(order)) throw refusedToOperator('refund_form_needed', { order: order.id });
  return provideRefund(order);
}

function provideRefund(order: Order, attempt?: number): Pick<Refund, 'form' | 'provided'> {
  const { paymentForm, paymentMethod, payment, refunds = [] } = order;
  const number = refunds.filter(({ provided }) => provided).length + 1;
  const provided = { number, status: 'requested', ...(attempt !== undefined && { attempt }) } as const;
  // Another attempt than the one that paid the order may have come beside another form of payment.
  const isOther = attempt !== undefined && attempt !== payment?.paidBy;
  return { form: (isOther ? null : paymentForm) ?? paymentMethod.sat_payment_form, provided };
}

/** True if the payment provider gives back what was paid for an order: cash and transfers go back by hand. */
export const isRefundProvided = ({ payment, paymentMethod }: Order): boolean =>
  paymentMethod.collection === 'card' && typeof payment?.paidBy === 'number';

/** Throws `move_not_allowed` if this amount of an order cannot be refunded, or not now. */
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

// Whoever is not sure that a command was done runs it again within minutes.
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
