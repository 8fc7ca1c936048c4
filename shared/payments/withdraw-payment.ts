import { type Refusal, unavailable } from '../domain/refusal.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { PaymentsUnavailable } from './provider.ts';
import { limitCall, type PaymentDeps, writePayment } from './reconcile-payment.ts';
import { findOpenAttempt, type OrderPayment, supersedeAttempts } from './rules/order-payment.ts';
import { applyProvided } from './rules/payment-state.ts';

const PROVIDER_MS = 3_000;

type Withdrawing = {
  readonly order: Order;
  readonly act: Act;
  /** A request withdraws, in at most 3 calls, and leaves open pages to a job. */
  readonly end: 'withdraw' | 'cancel';
  readonly refusePaid: () => Refusal;
};

/**
 * Ends an order's open reference before another payment replaces it, and returns the payment with all attempts superseded. A
 * shown voucher cannot be cancelled, and a job looks up an attempt of unknown outcome. Throws `refusePaid` if the order is
 * paid or being paid, and `unavailable` without the provider. If the caller then stores nothing, the next run rejects the
 * order's payment.
 */
export async function withdrawPayment(
  { order, act, end, refusePaid }: Withdrawing,
  deps: PaymentDeps,
): Promise<OrderPayment | undefined> {
  const open = findOpenAttempt(order);
  if (!order.payment || !open || open.providerId === null) return order.payment && supersedeAttempts(order.payment);
  const change = applyProvided(order, await endAttempt(open.providerId, end, deps), act.now);
  if (!change) throw refusePaid();
  if (change.paymentStatus !== 'paid' && change.paymentStatus !== 'in_process')
    return supersedeAttempts(change.payment);
  // After a conflict, a job reads it again.
  await writePayment(order, change, act, deps);
  throw refusePaid();
}

async function endAttempt(providerId: string, end: Withdrawing['end'], { payments }: PaymentDeps) {
  try {
    return await payments()[end](providerId, limitCall(PROVIDER_MS));
  } catch (cause) {
    if (cause instanceof PaymentsUnavailable) throw unavailable({ cause });
    throw cause;
  }
}
