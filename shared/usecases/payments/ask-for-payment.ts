import { logError } from '../../runtime/log.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { type PaymentDeps, settlePayment } from './settle-payment.ts';

// The request has 7 s in all, of which its invoice and mail need some; a job does what does not fit.
const PROVIDER_MS = 3_000;

/**
 * Asks the provider for what an order is to be paid by, or to cancel what it is not to be paid by any more, as far as a
 * request has time for it. Returns the order as it is then; a job does the rest. Never throws.
 */
export async function askForPayment(order: Order, act: Act, deps: PaymentDeps): Promise<Order> {
  try {
    return (await settlePayment({ order, timeoutMs: PROVIDER_MS }, act, deps)).order;
  } catch (error) {
    logError('a payment could not be asked for', error, { orderId: order.id });
    return order;
  }
}
