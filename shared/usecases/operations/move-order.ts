import { cancelSale } from '../../domain/invoices/cancelled-sale.ts';
import { FORM_TO_BE_DEFINED } from '../../domain/invoices/content/invoice.ts';
import { listOwed } from '../../domain/invoices/owed-documents.ts';
import {
  canMoveOrder,
  canMovePayment,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../domain/order.ts';
import { findCovering, findUncovered, type UncoveredQuantity } from '../../domain/prescriptions/coverage.ts';
import { markDispensed } from '../../domain/prescriptions/dispensing.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Table } from '../../store/table.ts';
import { refuseReplacementUnderWay } from '../invoices/corrections/credit-invoice.ts';
import { newKey } from '../invoices/issuing/invoice-attempt.ts';
import {
  commitOperation,
  type Operation,
  quantityText,
  refusedToOperator,
  type Seen,
  seenOrder,
} from './operate-order.ts';

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
    ...(to === 'cancelled' ? cancelSale(before, { newKey: () => newKey(before), now }) : {}),
  };
  return commitOperation(table, before, { ...before, ...moved }, move);
}

/** Throws `move_not_allowed` if an operator may not move an order to this status on the shop's local date `today`. */
export function refuseMove(order: Order, to: OrderStatus, today: string): void {
  const { id, orderStatus: from } = order;
  const allowed = ORDER_STATUSES.filter((status) => canMoveOrder(from, status));
  if (!allowed.includes(to)) throw refusedMove(`Order ${id}`, { from, to, allowed });
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
  const owed = listOwed(moved, { newKey: () => newKey(before), now });
  return commitOperation(table, before, { ...moved, documents: [...moved.documents, ...owed] }, move);
}

/** Throws `move_not_allowed` if an operator may not move the payment of an order to this status, paid in this form. */
export function refusePaymentMove(order: Order, { to, form }: Pick<PaymentMove, 'to' | 'form'>): void {
  const { id, orderStatus, paymentStatus: from } = order;
  const allowed = PAYMENT_STATUSES.filter((status) => canMovePayment(order, status));
  if (!allowed.includes(to)) {
    const subject = `The payment of ${orderStatus === 'cancelled' ? 'the cancelled order' : 'order'} ${id}`;
    throw refusedMove(subject, { from, to, allowed });
  }
  if (to === 'paid' && form === undefined) refuseUndefinedForm(order);
  // Its complement relates to the invoice that will be valid.
  if (to === 'paid') refuseReplacementUnderWay(order);
}

function refuseUndefinedForm({ id, paymentMethod: { name, sat_payment_form: form } }: Order): void {
  if (form !== FORM_TO_BE_DEFINED) return;
  throw refusedToOperator(
    'move_not_allowed',
    `The payment method of order ${id}, ${name}, does not say in which form it is paid: --form does (SAT's c_FormaPago).`,
  );
}

type Refused = { readonly from: string; readonly to: string; readonly allowed: readonly string[] };

const refusedMove = (subject: string, { from, to, allowed }: Refused) =>
  refusedToOperator(
    'move_not_allowed',
    `${subject} cannot go from ${from} to ${to}; allowed: ${allowed.join(', ') || 'nothing more'}.`,
  );

const NEEDS_PRESCRIPTIONS: readonly OrderStatus[] = ['approved', 'in_process'];

/** Refuses to approve or prepare more of a product that requires a prescription than was verified (LGS art. 226). */
function refuseUncovered({ id, lines, prescriptions }: Order, today: string): void {
  const uncovered = findUncovered(lines, prescriptions, today);
  if (uncovered.length === 0) return;
  throw refusedToOperator(
    'move_not_allowed',
    `Order ${id} has no verified prescription that is still valid for: ${uncovered.map(uncoveredText).join(', ')}.`,
  );
}

const uncoveredText = (uncovered: UncoveredQuantity): string =>
  uncovered.coveredQuantity === null
    ? quantityText(uncovered)
    : `${quantityText(uncovered)} (verified: ${uncovered.coveredQuantity})`;
