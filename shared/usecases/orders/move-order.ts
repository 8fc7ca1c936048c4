import { FORM_TO_BE_DEFINED } from '../../domain/invoices/invoice.ts';
import { cancelInvoice } from '../../domain/invoices/order-invoice.ts';
import {
  canMoveOrder,
  canMovePayment,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../../domain/order.ts';
import { findUncovered, type UncoveredQuantity } from '../../domain/prescriptions/coverage.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Table } from '../../store/table.ts';
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

/** Moves an order as an operator does; shipping and receiving it sets its date. */
export async function moveOrder(move: Move<OrderStatus>, { table, business }: Deps): Promise<Order> {
  const { to, now } = move;
  const before = await seenOrder(table, move);
  const { id, orderStatus: from, shippingDate, receivingDate, invoice } = before;
  const allowed = ORDER_STATUSES.filter((status) => canMoveOrder(from, status));
  if (!allowed.includes(to)) throw refusedMove(`Order ${id}`, { from, to, allowed });
  if (NEEDS_PRESCRIPTIONS.includes(to)) refuseUncovered(before, localDate(now, business.timeZone));
  const time = now.toISOString();
  const moved = {
    orderStatus: to,
    shippingDate: to === 'shipped' ? time : shippingDate,
    receivingDate: to === 'delivered' ? time : receivingDate,
    invoice: invoice && to === 'cancelled' ? cancelInvoice(invoice, now) : invoice,
  };
  return commitOperation(table, before, { ...before, ...moved }, move);
}

type PaymentMove = Move<PaymentStatus> & {
  /** SAT's c_FormaPago in which the order was paid; without it, that of its payment method. */
  readonly form?: string | undefined;
};

/** Moves the payment of an order as an operator does; paying it sets its date and form. */
export async function movePayment(move: PaymentMove, { table }: Pick<Deps, 'table'>): Promise<Order> {
  const { to, form, now } = move;
  const before = await seenOrder(table, move);
  const { id, paymentStatus: from } = before;
  const allowed = PAYMENT_STATUSES.filter((status) => canMovePayment(from, status));
  if (!allowed.includes(to)) throw refusedMove(`The payment of order ${id}`, { from, to, allowed });
  if (to === 'paid' && form === undefined) refuseUndefinedForm(before);
  const paid = to === 'paid' ? { paymentDate: now.toISOString(), paymentForm: form ?? null } : {};
  return commitOperation(table, before, { ...before, ...paid, paymentStatus: to }, move);
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
