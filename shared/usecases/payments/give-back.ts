import type { Order } from '../../store/orders/order.ts';
import { refundOrder } from '../operations/move-order.ts';
import type { PaymentDeps } from './settle-payment.ts';
import { settleRefunds } from './settle-refunds.ts';

type Refunding = Parameters<typeof refundOrder>[0];

/**
 * Refunds an order, or a part of it. What came by card goes back through the payment provider, once: the refund is recorded
 * before the provider is asked, and a job asks again under the same number while its outcome is not known.
 */
export async function giveBack(refunding: Refunding, deps: PaymentDeps): Promise<Order> {
  const order = await refundOrder(refunding, deps.table);
  if (!order.refunds?.at(-1)?.provided) return order;
  return settleRefunds(order, { by: { operator: refunding.operator }, now: refunding.now }, deps);
}
