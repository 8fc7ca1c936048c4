import { refusedToOperator } from '../domain/operator-refusal.ts';
import type { Order } from '../order/order.ts';
import { movePayment, type PaymentMove } from './move-payment.ts';
import type { PaymentDeps } from './reconcile-payment.ts';
import { reconcileRefunds } from './reconcile-refunds.ts';
import { refundOrder } from './refund-order.ts';
import { withdrawPayment } from './withdraw-payment.ts';

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

type Refunding = Parameters<typeof refundOrder>[0];

/** Records a refund before a card payment is refunded by the provider; a job repeats it under the same number. */
export async function giveBack(refunding: Refunding, deps: PaymentDeps): Promise<Order> {
  const order = await refundOrder(refunding, deps.table);
  if (!order.refunds?.at(-1)?.provided) return order;
  const act = { by: { operator: refunding.operator }, now: refunding.now };
  return (await reconcileRefunds(order, act, deps)).order;
}
