import { refusedToOperator } from '../domain/operator-refusal.ts';
import type { Order } from '../order/order.ts';
import { movePayment, type PaymentMove } from './move-payment.ts';
import type { PaymentDeps } from './reconcile-payment.ts';
import { reconcileRefunds } from './reconcile-refunds.ts';
import { refundOrder } from './refund-order.ts';
import { withdrawPayment } from './withdraw-payment.ts';

/**
 * Moves the payment of an order as an operator does. What the patient could still pay it by is cancelled with the provider
 * first, so that nobody pays twice, and all attempts are superseded: what the provider says of them later moves the order no more.
 * Throws `move_not_allowed`, or `unavailable` if the provider cannot be asked.
 */
export function payByHand(move: PaymentMove, deps: PaymentDeps): Promise<Order> {
  const act = { by: { operator: move.operator }, now: move.now };
  const refusePaid = () => refusedToOperator('order_paid_meanwhile', { order: move.id });
  const withdraw = (order: Order) => withdrawPayment({ order, act, end: 'cancel', refusePaid }, deps);
  return movePayment(move, { table: deps.table, withdraw });
}

type Refunding = Parameters<typeof refundOrder>[0];

/**
 * Refunds an order, or a part of it. What came by card goes back through the payment provider, once: the refund is recorded
 * before the provider is asked, and a job asks again under the same number while its outcome is not known.
 */
export async function giveBack(refunding: Refunding, deps: PaymentDeps): Promise<Order> {
  const order = await refundOrder(refunding, deps.table);
  if (!order.refunds?.at(-1)?.provided) return order;
  const act = { by: { operator: refunding.operator }, now: refunding.now };
  return (await reconcileRefunds(order, act, deps)).order;
}
