import { refusedToOperator } from '../domain/operator-refusal.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { type PaymentException, paymentExceptions } from '../order/rows/payment-rows.ts';
import type { Table } from '../store/table.ts';
import {
  handleExceptions,
  listPaymentExceptions,
  PAYMENT_LISTS,
  type PaymentList,
} from './rules/payment-exceptions.ts';

const MOST_COUNTED = 1_000;

/** Counts the orders with a payment exception, up to 1,000 per list, long after the alarm. */
export const countPaymentExceptions = async (table: Table): Promise<number> =>
  (await findPaymentExceptions(table, PAYMENT_LISTS, MOST_COUNTED)).length;

/** Returns each list's orders, oldest first, at most `limit` of each. */
export async function findPaymentExceptions(
  table: Table,
  lists: readonly PaymentList[],
  limit: number,
): Promise<readonly (PaymentException & { readonly list: PaymentList })[]> {
  const rows = await Promise.all(
    lists.map(async (list) => (await paymentExceptions(table, list, limit)).map((row) => ({ ...row, list }))),
  );
  return rows.flat();
}

/** Records that an operator has resolved an order's payment exceptions. Throws `move_not_allowed`. */
export async function handlePayment(handling: Operation & Seen, table: Table): Promise<Order> {
  const before = await seenOrder(table, handling);
  const { payment, refunds } = before;
  if (!payment || listPaymentExceptions(before).length === 0) {
    throw refusedToOperator('no_payment_exception', { order: before.id });
  }
  const changes = {
    ...before,
    payment: handleExceptions({ ...before, payment }),
    ...(refunds && { refunds: refunds.map(markHandled) }),
  };
  return commitOperation(table, before, changes, handling, { what: 'payment_handled' });
}

const markHandled = (refund: NonNullable<Order['refunds']>[number]) =>
  refund.provided?.status === 'failed'
    ? { ...refund, provided: { ...refund.provided, isHandled: true as const } }
    : refund;
