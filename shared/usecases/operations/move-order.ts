import { FORM_TO_BE_DEFINED } from '../../domain/invoices/content/invoice.ts';
import { cancelSale, listOwed } from '../../domain/invoices/owed-documents.ts';
import {
  canMoveOrder,
  canMovePayment,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../domain/order.ts';
import {
  findCovering,
  findUncovered,
  markDispensed,
  type UncoveredQuantity,
} from '../../domain/prescriptions/prescription.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Text } from '../../messages/say.ts';
import {
  ORDER_STATUS_TEXTS,
  PAYMENT_STATUS_TEXTS,
  quoteStatus,
  type StatusTexts,
} from '../../messages/status-texts.ts';
import type { Business } from '../../runtime/settings.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Table } from '../../store/table.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { refuseReplacementUnderWay } from './invoices/correct-invoice.ts';
import { commitOperation, type Operation, quantityText, type Seen, seenOrder } from './operate-order.ts';
import { joinTexts, refusedToOperator } from './operator-refusal.ts';

type Move<Status> = Operation & Seen & { readonly to: Status };
type Deps = { readonly table: Table; readonly business: Business };

/** Moves an order as an operator does; dispensing, shipping and receiving it sets its date. */
export async function moveOrder(move: Move<OrderStatus>, { table, business }: Deps): Promise<Order> {
  const { to, now } = move;
  const before = await seenOrder(table, move);
  const { shippingDate, receivingDate } = before;
  const today = localDate(now, business.timeZone);
  refuseMove(before, to, today);
  const time = now.toISOString();
  const under = findCovering(before.prescriptions, today).map((prescription) => prescription.id);
  const moved = {
    orderStatus: to,
    shippingDate: to === 'shipped' ? time : shippingDate,
    receivingDate: to === 'delivered' ? time : receivingDate,
    dispensed: markDispensed(before.dispensed, to, { at: time, under }),
    ...(to === 'cancelled' ? cancelSale(before, toStarting(before, now)) : {}),
  };
  return commitOperation(table, before, { ...before, ...moved }, move);
}

/** Throws `move_not_allowed` if an operator may not move an order to this status on the shop's local date `today`. */
export function refuseMove(order: Order, to: OrderStatus, today: string): void {
  const { id, orderStatus: from } = order;
  const allowed = ORDER_STATUSES.filter((status) => canMoveOrder(from, status));
  if (!allowed.includes(to)) {
    const move = describeMove({ from, to, allowed }, ORDER_STATUS_TEXTS);
    throw refusedToOperator('order_moves_elsewhere', { order: id, ...move });
  }
  if (NEEDS_PRESCRIPTIONS.includes(to)) refuseUncovered(order, today);
}

type PaymentMove = Move<PaymentStatus> & {
  /** SAT's c_FormaPago in which the order was paid; without it, that of its payment method. */
  readonly form?: string | undefined;
  /** Why the payment was rejected; the API shows it until the payment moves on. */
  readonly reason?: string | undefined;
};

/** Moves the payment of an order as an operator does; paying it sets its date and form, rejecting it its reason. */
export async function movePayment(move: PaymentMove, { table }: Pick<Deps, 'table'>): Promise<Order> {
  const { to, form, reason, now } = move;
  const before = await seenOrder(table, move);
  refusePaymentMove(before, move);
  const paid = to === 'paid' ? { paymentDate: now.toISOString(), paymentForm: form ?? null } : {};
  const rejectionReason = to === 'rejected' ? (reason ?? null) : null;
  const moved = { ...before, ...paid, rejectionReason, paymentStatus: to };
  const owed = listOwed(moved, toStarting(before, now));
  return commitOperation(table, before, { ...moved, documents: [...moved.documents, ...owed] }, move);
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
