import { findOpenAttempt, leaveAttempts, type OrderPayment } from '../../domain/payments/order-payment.ts';
import { hearNews } from '../../domain/payments/payment-troubles.ts';
import { Refusal, unavailable } from '../../domain/refusal.ts';
import { PaymentsUnavailable } from '../../payments/provider.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { limitCall, type PaymentDeps, settlePayment } from './settle-payment.ts';

const PROVIDER_MS = 3_000;

/**
 * Cancels with the provider what an order can be paid by, before something else takes its place. Returns its payment with all
 * attempts left: a voucher that was shown cannot be cancelled, and one whose outcome is not known is found by a job. Throws
 * Refusal `order_paid` if it turns out to be paid, or being paid, and `unavailable` if nobody can tell. When what was to take
 * its place is not stored then, the reference is gone all the same, and the order is `rejected` at the next look.
 */
export async function withdrawPayment(order: Order, act: Act, deps: PaymentDeps): Promise<OrderPayment | undefined> {
  const open = findOpenAttempt(order);
  if (!order.payment || !open || open.providerId === null) return order.payment && leaveAttempts(order.payment);
  const change = hearNews(order, await cancelAttempt(open.providerId, deps), act.now);
  if (!change || change.paymentStatus === 'paid' || change.paymentStatus === 'in_process') {
    await settlePayment({ order, timeoutMs: PROVIDER_MS }, act, deps);
    throw new Refusal('order_paid');
  }
  return leaveAttempts(change.payment);
}

async function cancelAttempt(providerId: string, { payments }: PaymentDeps) {
  try {
    return await payments().cancel(providerId, limitCall({ timeoutMs: PROVIDER_MS }));
  } catch (cause) {
    if (cause instanceof PaymentsUnavailable) throw unavailable({ cause });
    throw cause;
  }
}
