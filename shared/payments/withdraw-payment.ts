import { type Refusal, unavailable } from '../domain/refusal.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { PaymentsUnavailable } from './provider.ts';
import { changePayment, limitCall, type PaymentDeps, writePayment } from './reconcile-payment.ts';
import { findOpenAttempt, type OrderPayment, supersedeAttempts } from './rules/order-payment.ts';
import { applyProvided } from './rules/payment-state.ts';

const PROVIDER_MS = 3_000;

type Withdrawing = {
  readonly order: Order;
  readonly act: Act;
  /** A request withdraws, in at most 3 calls, and leaves the pages that are open to a job. */
  readonly end: 'withdraw' | 'cancel';
  /** The refusal if it is paid. */
  readonly refusePaid: () => Refusal;
};

/**
 * Ends with the provider what an order can be paid by, before something else takes its place. Returns its payment with all
 * attempts superseded: a voucher that was shown cannot be cancelled, and one whose outcome is not known is found by a job.
 * Throws `refusePaid` if it turns out to be paid, or being paid, and `unavailable` if nobody can tell. When what was to take
 * its place is not stored then, the reference is gone all the same, and the order is `rejected` at the next look.
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
  // If the order was changed meanwhile, a job looks at it again.
  await writePayment(order, changePayment(order, change, act), act, deps);
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
