import { Refusal, unavailable } from '../domain/refusal.ts';
import type { Act } from '../order/order-events.ts';
import { getOrderOfAnyClient } from '../order/orders.ts';
import { noteRequest } from '../runtime/log.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import { canCollect } from './configured.ts';
import { CallNotSigned, type PaymentSign, PaymentsUnavailable, type ProviderCall } from './provider.ts';
import { limitCall, type PaymentDeps, reconcilePayment } from './reconcile-payment.ts';
import { reconcileRefunds } from './reconcile-refunds.ts';
import { findAccountAttempt } from './rules/order-payment.ts';

const PROVIDER_MS = 3_000;

/** Reads the order's state from the provider, so that repeated, late and reordered calls do no harm. */
export async function receiveCall(call: ProviderCall, act: Act, deps: PaymentDeps): Promise<void> {
  const sign = await readCall(call, deps);
  const order = sign && (await getOrderOfAnyClient(deps.table, sign.orderId));
  if (!sign || !order) return;
  noteRequest({ orderId: order.id });
  await refuseWhilePaused(deps.table, order.clientId);
  // A customer's money is read through the last attempt known to the provider.
  const attempt = sign.attempt ?? (order.payment && findAccountAttempt(order.payment)?.number) ?? 0;
  const payment = await reconcilePayment({ order, timeoutMs: PROVIDER_MS, attempts: attempt }, act, deps);
  const refunded = sign.about === 'refund' ? await reconcileRefunds(payment.order, act, deps, 'all') : undefined;
  if (payment.isOpen || refunded?.isOpen) throw unavailable();
}

async function readCall(call: ProviderCall, { payments }: PaymentDeps): Promise<PaymentSign | undefined> {
  if (!canCollect()) throw new Refusal('call_not_signed');
  try {
    return await payments().readCall(call, limitCall(PROVIDER_MS));
  } catch (cause) {
    if (cause instanceof CallNotSigned) throw new Refusal('call_not_signed', { cause });
    if (cause instanceof PaymentsUnavailable) throw unavailable({ cause });
    throw cause;
  }
}
