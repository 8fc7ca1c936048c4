import { refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseReplacementUnderWay } from '../invoices/correct-invoice.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { FORM_TO_BE_DEFINED } from '../invoices/rules/build/invoice.ts';
import { listOwed } from '../invoices/rules/owed-documents.ts';
import { PAYMENT_STATUS_TEXTS } from '../messages/status-texts.ts';
import { commitOperation, describeMove, type Move, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { requestedEvents } from '../order/order-events.ts';
import { canMovePayment, PAYMENT_STATUSES, type PaymentStatus } from '../order/rules/status.ts';
import type { Table } from '../store/table.ts';
import { listPaymentEvents } from './payment-events.ts';
import type { PaymentDeps } from './reconcile-payment.ts';
import { withdrawPayment } from './retry-payment.ts';

export type PaymentMove = Move<PaymentStatus> & {
  /** SAT's c_FormaPago of the payment; that of its payment method by default. */
  readonly form?: string | undefined;
  /** Why the payment was rejected; the API shows it until the payment moves on. */
  readonly reason?: string | undefined;
};

type PaymentMoveDeps = {
  readonly table: Table;
  /** Cancels an order's open references and returns its payment. */
  readonly withdraw?: (order: Order) => Promise<Order['payment']>;
};

/**
 * Moves an order's payment for an operator. Open references are cancelled first, so that nobody pays twice, and all attempts
 * are superseded: the provider's later answers do not move the order. Throws `move_not_allowed`, or `unavailable` without the
 * provider.
 */
export function payByHand(move: PaymentMove, deps: PaymentDeps): Promise<Order> {
  const act = { by: { operator: move.operator }, now: move.now };
  const refusePaid = () => refusedToOperator('order_paid_meanwhile', { order: move.id });
  const withdraw = (order: Order) => withdrawPayment({ order, act, end: 'cancel', refusePaid }, deps);
  return movePayment(move, { table: deps.table, withdraw });
}

export async function movePayment(move: PaymentMove, { table, withdraw }: PaymentMoveDeps): Promise<Order> {
  const { to, form, reason, now } = move;
  const seen = await seenOrder(table, move);
  refusePaymentMove(seen, move);
  const payment = await withdraw?.(seen);
  const before = payment ? { ...seen, payment } : seen;
  const paymentFields = to === 'paid' ? { paymentDate: now.toISOString(), paymentForm: form ?? null } : {};
  const rejectionReason = to === 'rejected' ? (reason ?? null) : null;
  const moved = { ...before, ...paymentFields, rejectionReason, paymentStatus: to };
  const owed = listOwed(moved, toStarting(before, now));
  const after = { ...moved, documents: [...moved.documents, ...owed] };
  return commitOperation(table, seen, after, move, ...listPaymentEvents(seen, after), ...requestedEvents(owed));
}

/** Throws `move_not_allowed` if an operator may not make this move. */
export function refusePaymentMove(order: Order, { to, form }: Pick<PaymentMove, 'to' | 'form'>): void {
  const { id, orderStatus, paymentStatus: from } = order;
  const allowed = PAYMENT_STATUSES.filter((status) => canMovePayment(order, status));
  if (!allowed.includes(to)) {
    const move = { order: id, ...describeMove({ from, to, allowed }, PAYMENT_STATUS_TEXTS) };
    if (orderStatus === 'cancelled') throw refusedToOperator('cancelled_payment_moves_elsewhere', move);
    throw refusedToOperator('payment_moves_elsewhere', move);
  }
  if (to === 'paid' && form === undefined) refuseUndefinedForm(order);
  // The complement of a payment relates to the invoice that will be valid.
  if (to === 'paid') refuseReplacementUnderWay(order);
}

function refuseUndefinedForm({ id, paymentMethod: { name, sat_payment_form: form } }: Order): void {
  if (form !== FORM_TO_BE_DEFINED) return;
  throw refusedToOperator('payment_form_undefined', { order: id, method: name });
}
