import { isDeepStrictEqual } from 'node:util';
import type { Order } from '../order/order.ts';
import { type Act, type Happening, listDocumentEvents } from '../order/order-events.ts';
import { replaceOrderWrites, retryOnConflict } from '../order/order-writes.ts';
import { nextVersion } from '../order/orders.ts';
import { isRefundAccepted, sumGivenBack } from '../order/rules/status.ts';
import { logError } from '../runtime/log.ts';
import { refundedEvent } from './payment-events.ts';
import {
  PaymentOutcomeUnknown,
  type PaymentProvider,
  PaymentRefused,
  PaymentsUnavailable,
  type RefundRequest,
} from './provider.ts';
import { limitCall, type PaymentDeps, type Reconciled } from './reconcile-payment.ts';
import { creditRefund, putRefunds, type Refunding, refundOrder } from './refund-order.ts';

type Refund = NonNullable<Order['refunds']>[number];
type Status = NonNullable<Refund['provided']>['status'];

const PROVIDER_MS = 8_000;

const OPEN: readonly Status[] = ['requested', 'pending'];

/** Records a refund before a card payment is refunded by the provider; a job repeats it under the same number. */
export async function giveBack(refunding: Refunding, deps: PaymentDeps): Promise<Order> {
  const order = await refundOrder(refunding, deps.table);
  if (!order.refunds?.at(-1)?.provided) return order;
  const act = { by: { operator: refunding.operator }, now: refunding.now };
  return (await reconcileRefunds(order, act, deps)).order;
}

/** Repeats requests of unknown outcome, by the same number, and refreshes pending refunds, or all after a provider's call. */
export const reconcileRefunds = (
  order: Order,
  act: Act,
  deps: PaymentDeps,
  due: readonly Status[] = OPEN,
): Promise<Reconciled> =>
  retryOnConflict(deps.table, order, async (before) => {
    const { refunds, isOpen } = await askProvider(before, due, deps);
    if (!refunds || isDeepStrictEqual(refunds, before.refunds)) return { order: before, isOpen };
    const changed = { ...putRefunds(before, refunds), updatedAt: act.now.toISOString() };
    const after = nextVersion(before, creditAccepted(before, changed, act.now));
    const events = [...listRefundEvents(before, after), ...listDocumentEvents(before, after)];
    const writes = replaceOrderWrites(before, after, act, ...events);
    return (await deps.table.tryTransact(writes)) ? { order: after, isOpen } : undefined;
  });

function listRefundEvents(before: Order, after: Order): Happening[] {
  const changeCents = sumGivenBack(after) - sumGivenBack(before);
  if (changeCents === 0) return [];
  return [changeCents < 0 ? { what: 'refund_failed' } : refundedEvent(before, after)];
}

function creditAccepted(before: Order, changed: Order, now: Date): Order {
  const accepted = (changed.refunds ?? []).filter(
    (refund, index) => isRefundAccepted(refund) && !isRefundAccepted(before.refunds?.[index] ?? refund),
  );
  let { documents } = changed;
  for (const refund of accepted) documents = creditRefund({ ...changed, documents }, refund, now);
  return { ...changed, documents };
}

async function askProvider(order: Order, due: readonly Status[], { payments }: PaymentDeps) {
  let isOpen = false;
  const refunds: Refund[] = [];
  for (const refund of order.refunds ?? []) {
    const { provided } = refund;
    const request = provided && due.includes(provided.status) ? toRequest(order, refund, provided) : undefined;
    const status = request && provided && (await readStatus(provided.status, request, payments));
    isOpen ||= status === 'unknown';
    refunds.push(
      provided && status && status !== 'unknown' ? { ...refund, provided: { ...provided, status } } : refund,
    );
  }
  return { refunds: order.refunds && refunds, isOpen };
}

/** Undefined if the refund's payment is unknown to the provider. */
function toRequest(
  { id: orderId, payment }: Order,
  { cents: amountCents }: Refund,
  { number, attempt = payment?.paidBy ?? undefined }: NonNullable<Refund['provided']>,
): RefundRequest | undefined {
  const providerId = payment?.attempts.find((item) => item.number === attempt)?.providerId;
  return providerId ? { orderId, number, payment: providerId, amountCents } : undefined;
}

const limit = (): AbortSignal => limitCall(PROVIDER_MS);

/** A refund whose outcome is known is never requested again. */
async function readStatus(
  status: Status,
  request: RefundRequest,
  payments: () => PaymentProvider,
): Promise<Status | 'unknown'> {
  try {
    if (status !== 'requested') return (await payments().findRefund(request, limit()))?.status ?? status;
    return await requestRefund(request, payments());
  } catch (error) {
    if (!(error instanceof PaymentsUnavailable || error instanceof PaymentOutcomeUnknown)) throw error;
    logError('a refund could not be asked for', error, { orderId: request.orderId });
    return 'unknown';
  }
}

async function requestRefund(request: RefundRequest, provider: PaymentProvider): Promise<Status> {
  try {
    return (await provider.refund(request, limit())).status;
  } catch (error) {
    if (error instanceof PaymentRefused) return 'failed';
    if (!(error instanceof PaymentOutcomeUnknown && error.isStored)) throw error;
    // The provider repeats this error for ever: a refund that it cannot find was never made.
    return (await provider.findRefund(request, limit()))?.status ?? 'failed';
  }
}
