import { findOpenAttempt } from '../../domain/order-payment.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { movePayment, type PaymentMove } from '../operations/move-order.ts';
import { refusedToOperator } from '../operations/operator-refusal.ts';
import type { PaymentDeps } from './settle-payment.ts';
import { withdrawPayment } from './withdraw-payment.ts';

/**
 * Moves the payment of an order as an operator does. What the patient could still pay it by is cancelled with the provider
 * first, so that nobody pays twice. Throws `move_not_allowed`, or `unavailable` if the provider cannot be asked.
 */
export function payByHand(move: PaymentMove, deps: PaymentDeps): Promise<Order> {
  const act = { by: { operator: move.operator }, now: move.now };
  return movePayment(move, { table: deps.table, withdraw: (order) => withdrawOpen(order, act, deps) });
}

async function withdrawOpen(order: Order, act: Act, deps: PaymentDeps): Promise<Order['payment']> {
  if (!findOpenAttempt(order)) return undefined;
  try {
    return await withdrawPayment(order, act, deps);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'order_paid') throw error;
    throw refusedToOperator('order_paid_meanwhile', { order: order.id });
  }
}
