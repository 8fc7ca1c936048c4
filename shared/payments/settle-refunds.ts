import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-history.ts';
import { replaceOrderWrites } from '../order/order-writes.ts';
import { getOrder, nextVersion } from '../order/orders.ts';
import { isRefundAccepted, REFUND_STATUSES } from '../order/rules/status.ts';
import { logError } from '../runtime/log.ts';
import { PaymentOutcomeUnknown, PaymentRefused, PaymentsUnavailable, type ProvidedRefund } from './provider.ts';
import { creditRefund, putRefunds } from './refund-order.ts';
import { limitCall, type PaymentDeps, type Settled } from './settle-payment.ts';

type Refunds = NonNullable<Order['refunds']>;
type Refund = Refunds[number];
type Status = NonNullable<Refund['provided']>['status'];

const PROVIDER_MS = 8_000;
const TRIES = 10;

const DUE: Readonly<Record<'open' | 'all', readonly Status[]>> = {
  open: ['requested', 'pending'],
  all: REFUND_STATUSES,
};

/**
 * Brings the refunds of an order that the provider gives up to what it says: asks for those whose outcome is not recorded, by
 * the same number, and looks at the others while they are pending, or at `all` of them when the provider says that something
 * changed.
 */
export async function settleRefunds(
  known: Order,
  act: Act,
  deps: PaymentDeps,
  which: keyof typeof DUE = 'open',
): Promise<Settled> {
  const due = DUE[which];
  let before = known;
  for (let tries = 0; tries < TRIES; tries++) {
    const { refunds, isOpen } = await askProvider(before, due, deps);
    if (!refunds || JSON.stringify(refunds) === JSON.stringify(before.refunds)) return { order: before, isOpen };
    const changed = { ...putRefunds(before, refunds), updatedAt: act.now.toISOString() };
    const after = nextVersion(before, creditAccepted(before, changed, act.now), act);
    if (await deps.table.tryWrite(replaceOrderWrites(before, after))) return { order: after, isOpen };
    before = (await getOrder(deps.table, before)) ?? before;
  }
  return { order: before, isOpen: true };
}

/** Adds the credit notes of the refunds that the provider has accepted since. */
function creditAccepted(before: Order, changed: Order, now: Date): Order {
  const accepted = (changed.refunds ?? []).filter(
    (refund, index) => isRefundAccepted(refund) && !isRefundAccepted(before.refunds?.[index] ?? refund),
  );
  let { documents } = changed;
  for (const refund of accepted) documents = creditRefund({ ...changed, documents }, refund, now);
  return { ...changed, documents };
}

async function askProvider(order: Order, due: readonly Status[], deps: PaymentDeps) {
  let isOpen = false;
  const next: Refund[] = [];
  for (const refund of order.refunds ?? []) {
    const isDue = refund.provided && due.includes(refund.provided.status);
    const asked = isDue ? await askAbout(order, refund, deps) : refund;
    if (!asked) isOpen = true;
    next.push(asked ?? refund);
  }
  return { refunds: order.refunds && next, isOpen };
}

/** Returns a refund as the provider tells it; undefined if the provider cannot be asked. */
async function askAbout(order: Order, refund: Refund, { payments }: PaymentDeps): Promise<Refund | undefined> {
  const { provided, cents: amountCents } = refund;
  const brought = provided?.attempt ?? order.payment?.paidBy;
  const payment = order.payment?.attempts.find(({ number }) => number === brought)?.providerId;
  if (!provided || !payment) return refund;
  const request = { orderId: order.id, number: provided.number, payment, amountCents };
  try {
    // One whose outcome is known is never asked for again.
    const found =
      provided.status === 'requested'
        ? await payments().refund(request, limit())
        : await payments().findRefund(request, limit());
    return found ? putStatus(refund, found.status) : refund;
  } catch (error) {
    if (error instanceof PaymentRefused) return putStatus(refund, 'failed');
    if (error instanceof PaymentOutcomeUnknown && error.isStored) return lookUp(order, refund, request, payments);
    if (!(error instanceof PaymentsUnavailable || error instanceof PaymentOutcomeUnknown)) throw error;
    logError('a refund could not be asked for', error, { orderId: order.id });
    return undefined;
  }
}

const limit = (): AbortSignal => limitCall({ timeoutMs: PROVIDER_MS });

type Request = Parameters<ReturnType<PaymentDeps['payments']>['refund']>[0];

/** The provider repeats its answer for ever: what it does not know of the refund was never made. */
async function lookUp(
  order: Order,
  refund: Refund,
  request: Request,
  payments: PaymentDeps['payments'],
): Promise<Refund | undefined> {
  try {
    const found: ProvidedRefund | undefined = await payments().findRefund(request, limit());
    return putStatus(refund, found?.status ?? 'failed');
  } catch (error) {
    logError('a refund could not be looked up', error, { orderId: order.id });
    return undefined;
  }
}

const putStatus = (refund: Refund, status: Status): Refund =>
  refund.provided ? { ...refund, provided: { ...refund.provided, status } } : refund;
