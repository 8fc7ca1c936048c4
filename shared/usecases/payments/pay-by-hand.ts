import { findOpenAttempt } from '../../domain/order-payment.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { movePayment, type PaymentMove, refusePaymentMove } from '../operations/move-order.ts';
import { commitOperation, seenOrder } from '../operations/operate-order.ts';
import { refusedToOperator } from '../operations/operator-refusal.ts';
import type { PaymentDeps } from './settle-payment.ts';
import { withdrawPayment } from './withdraw-payment.ts';

/**
 * Moves the payment of an order as an operator does. What the patient could still pay it by is cancelled with the provider
 * first, so that nobody pays twice. Throws `move_not_allowed`, or `unavailable` if the provider cannot be asked.
 */
export async function payByHand(move: PaymentMove, deps: PaymentDeps): Promise<Order> {
  const before = await seenOrder(deps.table, move);
  if (!findOpenAttempt(before)) return movePayment(move, deps);
  refusePaymentMove(before, move);
  const payment = await withdraw(before, { by: { operator: move.operator }, now: move.now }, deps);
  if (!payment) return movePayment(move, deps);
  const { version } = await commitOperation(deps.table, before, { ...before, payment }, move);
  return movePayment({ ...move, version }, deps);
}

async function withdraw(order: Order, act: Act, deps: PaymentDeps) {
  try {
    return await withdrawPayment(order, act, deps);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'order_paid') throw error;
    throw refusedToOperator('order_paid_meanwhile', { order: order.id });
  }
}
