import type { UserCaller } from '../access/authenticate.ts';
import type { CatalogPaymentMethod } from '../catalog/catalog.ts';
import { Refusal, refuseInvalid, unavailable } from '../domain/refusal.ts';
import { type Order, toViewer } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { findOrder } from '../order/orders.ts';
import type { Collecting } from '../runtime/config.ts';
import type { Ids } from '../store/ids.ts';
import { PaymentsUnavailable } from './provider.ts';
import { limitCall, type PaymentDeps, reconcilePayment, writePayment } from './reconcile-payment.ts';
import {
  findOpenAttempt,
  isPayable,
  mayAddReference,
  type OrderPayment,
  supersedeAttempts,
} from './rules/order-payment.ts';
import { applyProvided } from './rules/payment-state.ts';
import { collectionErrors, startPaymentAttempt } from './start-payment.ts';

type Retrying = {
  readonly id: number;
  readonly caller: UserCaller;
  readonly now: Date;
  /** The method that replaces that of the order; undefined to keep it. */
  readonly method?: CatalogPaymentMethod | undefined;
};
type Deps = PaymentDeps & { readonly ids: Ids; readonly collecting: Collecting | null };

export type RetriedPayment = { readonly order: Order; readonly isNew: boolean };

const PROVIDER_MS = 4_000;

/**
 * Requests a new reference for an order that is neither paid nor being paid, unless the current one still works; always for
 * another payment method. Throws `not_payable`, `too_many_references`, `order_changed_meanwhile`, `invalid_input` if the method
 * does not collect the total, or `unavailable` if the provider has made none yet: repeating is safe.
 */
export async function retryPayment({ id, caller, now, method }: Retrying, deps: Deps): Promise<RetriedPayment> {
  const request = { clientId: caller.client.id, id, viewer: toViewer(caller.user) };
  const [before] = await Promise.all([findOrder(deps.table, request), caller.confirmed]);
  if (!before) throw new Refusal('not_found');
  const act: Act = { by: { user: caller.user.id }, now };
  if (method && method.id !== before.paymentMethod.id) return replaceMethod(before, method, act, deps);
  const open = requirePayable(before);
  if (open?.providerId === null) return requestAgain(before, act, deps);
  const isUsable = open !== undefined && open.expiresAt > now.toISOString();
  return isUsable ? { order: before, isNew: false } : replaceReference(before, act, deps);
}

/** Returns the attempt by which an order can be paid, if any. Throws `not_payable`. */
function requirePayable(order: Order) {
  if (!isPayable(order)) throw new Refusal('not_payable');
  return findOpenAttempt(order);
}

const reconcile = async (order: Order, act: Act, deps: Deps): Promise<Order> =>
  (await reconcilePayment({ order, timeoutMs: PROVIDER_MS, attempts: 'current' }, act, deps)).order;

/** Requests a missing reference again; if the provider refuses it for good, requests another. */
async function requestAgain(before: Order, act: Act, deps: Deps): Promise<RetriedPayment> {
  const order = await reconcile(before, act, deps);
  const open = requirePayable(order);
  if (open?.reference) return { order, isNew: true };
  if (open) throw unavailable();
  return replaceReference(order, act, deps);
}

function replaceMethod(before: Order, paymentMethod: CatalogPaymentMethod, act: Act, deps: Deps) {
  refuseInvalid(collectionErrors(paymentMethod, before.totalCents, ['payment_method']));
  if (!isPayable({ ...before, paymentMethod })) throw new Refusal('not_payable');
  return replaceReference(before, act, deps, { paymentMethod });
}

/** Withdraws the present reference and requests the next one. A final refusal leaves the order rejected again. */
async function replaceReference(
  before: Order,
  act: Act,
  deps: Deps,
  change: Partial<Pick<Order, 'paymentMethod'>> = {},
): Promise<RetriedPayment> {
  if (!mayAddReference(before)) throw new Refusal('too_many_references');
  const refusePaid = () => new Refusal('not_payable');
  const superseded = await withdrawPayment({ order: before, act, end: 'withdraw', refusePaid }, deps);
  const [referenceId] = (await deps.ids.take('record', 1)) as [number];
  const unpaid = { paymentStatus: 'unpaid', rejectionReason: null, ...change } as const;
  const open = { ...before, ...(superseded && { payment: superseded }), ...unpaid };
  const { payment } = startPaymentAttempt(open, { referenceId, collecting: deps.collecting, now: act.now });
  if (!payment) throw new Refusal('not_payable');
  const next = await writePayment(before, { payment, ...unpaid }, act, deps);
  if (!next) throw new Refusal('order_changed_meanwhile');
  const order = await reconcile(next, act, deps);
  if (findOpenAttempt(order)?.reference === null) throw unavailable();
  return { order, isNew: true };
}

const WITHDRAWAL_MS = 3_000;

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
    return await payments()[end](providerId, limitCall(WITHDRAWAL_MS));
  } catch (cause) {
    if (cause instanceof PaymentsUnavailable) throw unavailable({ cause });
    throw cause;
  }
}
