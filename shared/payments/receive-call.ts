import { Refusal, unavailable } from '../domain/refusal.ts';
import type { Act } from '../order/order-history.ts';
import { getOrderOfAnyClient } from '../order/orders.ts';
import { noteRequest } from '../runtime/log.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import { CallNotSigned, type PaymentSign, PaymentsUnavailable, type ProviderCall } from './provider.ts';
import { findLastProvided } from './rules/order-payment.ts';
import { limitCall, type PaymentDeps, settlePayment } from './settle-payment.ts';
import { settleRefunds } from './settle-refunds.ts';

const PROVIDER_MS = 3_000;

/**
 * Takes a call of the payment provider, which is only a sign to look: the state is read from the provider, so that repeated,
 * late and reversed calls do no harm. Throws `call_not_signed`, or `unavailable` if it has to come again.
 */
export async function receiveCall(call: ProviderCall, act: Act, deps: PaymentDeps): Promise<void> {
  const sign = await readCall(call, deps);
  const order = sign && (await getOrderOfAnyClient(deps.table, sign.orderId));
  if (!sign || !order) return;
  noteRequest({ orderId: order.id });
  await refuseWhilePaused(deps.table, order.clientId);
  // Money of the order's customer is read through the last attempt that the provider knows.
  const attempt = sign.attempt ?? (order.payment && findLastProvided(order.payment)?.number) ?? 0;
  const settling = { order, timeoutMs: PROVIDER_MS, attempts: attempt };
  const settled = await settlePayment(settling, act, deps);
  const refunded = sign.about === 'refund' ? await settleRefunds(settled.order, act, deps, 'all') : undefined;
  if (settled.isOpen || refunded?.isOpen) throw unavailable();
}

async function readCall(call: ProviderCall, { payments }: PaymentDeps): Promise<PaymentSign | undefined> {
  try {
    return await payments().readCall(call, limitCall({ timeoutMs: PROVIDER_MS }));
  } catch (cause) {
    if (cause instanceof CallNotSigned) throw new Refusal('call_not_signed', { cause });
    if (cause instanceof PaymentsUnavailable) throw unavailable({ cause });
    throw cause;
  }
}
