import { Refusal, unavailable } from '../domain/refusal.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { getOrder, getOrderOfAnyClient } from '../order/orders.ts';
import { type WatchedPayment, watchedPayments } from '../order/rows/payment-rows.ts';
import { REFUND_STATUSES } from '../order/rules/status.ts';
import { createPace } from '../runtime/async.ts';
import { noteRequest } from '../runtime/log.ts';
import { type Outcomes, processInBatches, refuseWhilePaused } from '../store/pause.ts';
import { canCollect } from './configured.ts';
import { CallNotSigned, type PaymentSign, PaymentsUnavailable, type ProviderCall } from './provider.ts';
import { limitCall, type PaymentDeps, reconcilePayment, writePayment } from './reconcile-payment.ts';
import { reconcileRefunds } from './reconcile-refunds.ts';
import { findAccountAttempt, findCurrentAttempt } from './rules/order-payment.ts';
import { ACCOUNT_DAYS } from './rules/payment.ts';

// A run ends before the next one starts.
const RUN_MS = 4 * 60 * 1_000;
const PROVIDER_MS = 8_000;
const AT_ONCE = 25;
// Stripe refuses more than 25 calls a second of one kind (https://docs.stripe.com/rate-limits), those of requests included. An
// order takes one of a kind or two: 4,800 orders a run, where 27,000 open payments need some 3,300.
const ORDERS_PER_SECOND = 20;

/**
 * Reconciles all orders' payments with the provider, new ones first: requests missing references and reads cards' pages at
 * every run while they are new, all open payments in turn once an hour, so that a lost call loses no payment. Idle orders (late
 * money to a CLABE, pending refunds) are read once a day. Safe to run concurrently.
 */
export async function reconcilePayments(
  act: Act,
  deps: PaymentDeps,
  which: 'due' | 'all' = 'due',
  ordersPerSecond = ORDERS_PER_SECOND,
): Promise<Outcomes> {
  const due: WatchedPayment[] = [];
  for await (const page of watchedPayments(deps.table))
    due.push(...page.filter((row) => which === 'all' || isDue(row, act.now)));
  const awaitTurn = createPace(ordersPerSecond);
  return processInBatches(deps.table, sortDue(due, act.now), { timeoutMs: RUN_MS, atOnce: AT_ONCE }, (row) =>
    reconcileRow(row, { which, awaitTurn }, act, deps),
  );
}

const isDue = (row: WatchedPayment, now: Date): boolean => isReadDue(row, now) || (!row.isIdle && isRecent(row, now));

const RUN_MINUTES = 5;
const RUNS_OF_HOUR = 60 / RUN_MINUTES;
const RUNS_OF_DAY = 24 * RUNS_OF_HOUR;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
// Most cards are paid at once.
const NEW_CARD_MS = HOUR_MS;
const MISSING_MS = 3 * HOUR_MS;

/** Orders take turns by their ids: one run of the hour, or of the day, reads an order. */
function isReadDue({ collection, isIdle, orderId, askedAt }: WatchedPayment, now: Date): boolean {
  const run = Math.floor(now.getTime() / (RUN_MINUTES * MINUTE_MS));
  if (isIdle) return run % RUNS_OF_DAY === orderId % RUNS_OF_DAY;
  const isNewCard = collection === 'card' && now.getTime() - Date.parse(askedAt) < NEW_CARD_MS;
  return isNewCard || run % RUNS_OF_HOUR === orderId % RUNS_OF_HOUR;
}

/** True while a reference may be missing, which only the order itself shows; later it is requested in its turn. */
const isRecent = ({ askedAt }: WatchedPayment, now: Date): boolean => now.getTime() - Date.parse(askedAt) < MISSING_MS;

// Seven starts meet every hour of the day, at which an idle order is read, within a week.
const STARTS = 7;

/**
 * Puts payments of the last hours first. The older ones start at another place each hour: a run that is too short for all of
 * them leaves out others than the one before, so that none waits for ever.
 */
export function sortDue(newestFirst: readonly WatchedPayment[], now: Date): WatchedPayment[] {
  const { recent = [], older = [] } = Object.groupBy(newestFirst, (row) => (isRecent(row, now) ? 'recent' : 'older'));
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const start = Math.floor((older.length * (hour % STARTS)) / STARTS);
  return [...recent, ...older.slice(start), ...older.slice(0, start)];
}

// The caller that stores an attempt requests it within seconds.
const FIRST_READ_MS = MINUTE_MS;

type Run = { readonly which: 'due' | 'all'; awaitTurn(): Promise<void> };

async function reconcileRow(
  row: WatchedPayment,
  { which, awaitTurn }: Run,
  act: Act,
  deps: PaymentDeps,
): Promise<string> {
  const order = await getOrder(deps.table, { clientId: row.clientId, id: row.orderId });
  if (!order) throw new Error('a payment is of no order');
  if (act.now.getTime() - Date.parse(row.askedAt) < FIRST_READ_MS) return 'later';
  const isMissing = order.payment?.attempts.some(({ status }) => status === 'requested') ?? false;
  if (which === 'due' && !isMissing && !isReadDue(row, act.now)) return 'later';
  await awaitTurn();
  const payment = await reconcilePayment({ order, timeoutMs: PROVIDER_MS, attempts: 'all' }, act, deps);
  const { order: after } = await reconcileRefunds(payment.order, act, deps);
  await closeAccount(after, row, act, deps);
  if (payment.isOpen) return 'unavailable';
  return after.version === order.version ? 'unchanged' : (findCurrentAttempt(after)?.status ?? 'reconciled');
}

/** Ends the daily reading of an order's CLABE. */
async function closeAccount(order: Order, { isIdle, askedAt }: WatchedPayment, act: Act, deps: PaymentDeps) {
  const isOld = act.now.getTime() - Date.parse(askedAt) > ACCOUNT_DAYS * DAY_MS;
  if (!isIdle || !isOld || !order.payment?.isAccountWatched) return;
  // After a conflict, the next day's run does it.
  await writePayment(order, { payment: { ...order.payment, isAccountWatched: false } }, act, deps);
}

const CALL_MS = 3_000;

/** Reads the order's state from the provider, so that repeated, late and reordered calls do no harm. */
export async function receiveCall(call: ProviderCall, act: Act, deps: PaymentDeps): Promise<void> {
  const sign = await readCall(call, deps);
  const order = sign && (await getOrderOfAnyClient(deps.table, sign.orderId));
  if (!sign || !order) return;
  noteRequest({ orderId: order.id });
  await refuseWhilePaused(deps.table, order.clientId);
  // A customer's money is read through the last attempt known to the provider.
  const attempt = sign.attempt ?? (order.payment && findAccountAttempt(order.payment)?.number) ?? 0;
  const payment = await reconcilePayment({ order, timeoutMs: CALL_MS, attempts: attempt }, act, deps);
  const refunded =
    sign.about === 'refund' ? await reconcileRefunds(payment.order, act, deps, REFUND_STATUSES) : undefined;
  if (payment.isOpen || refunded?.isOpen) throw unavailable();
}

async function readCall(call: ProviderCall, { payments }: PaymentDeps): Promise<PaymentSign | undefined> {
  if (!canCollect()) throw new Refusal('call_not_signed');
  try {
    return await payments().readCall(call, limitCall(CALL_MS));
  } catch (cause) {
    if (cause instanceof CallNotSigned) throw new Refusal('call_not_signed', { cause });
    if (cause instanceof PaymentsUnavailable) throw unavailable({ cause });
    throw cause;
  }
}
