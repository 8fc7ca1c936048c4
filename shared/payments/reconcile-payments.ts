import { type Outcomes, processInBatches } from '../invoices/process-in-batches.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { replaceOrderWrites } from '../order/order-writes.ts';
import { getOrder } from '../order/orders.ts';
import { type WatchedPayment, watchedPayments } from '../order/rows/payment-rows.ts';
import { unlessPaused } from '../store/pause.ts';
import { changePayment, type PaymentDeps, reconcilePayment } from './reconcile-payment.ts';
import { reconcileRefunds } from './reconcile-refunds.ts';
import { findCurrentAttempt } from './rules/order-payment.ts';
import { ACCOUNT_DAYS } from './rules/payment.ts';

// A run ends before the next one starts.
const RUN_MS = 4 * 60 * 1_000;
const PROVIDER_MS = 8_000;

/**
 * Reconciles the payments of all orders with the provider: requests missing references at every run, and reads what is open,
 * the pages of cards at every run and the rest in turn within the hour, so that a lost call of the provider loses no payment.
 * Where only money to a CLABE may still come, or a refund is under way, it reads once a day. Safe to run concurrently.
 */
export async function reconcilePayments(act: Act, deps: PaymentDeps, which: 'due' | 'all' = 'due'): Promise<Outcomes> {
  const due: WatchedPayment[] = [];
  for await (const page of watchedPayments(deps.table))
    due.push(...page.filter((row) => which === 'all' || isDue(row, act.now)));
  return processInBatches(
    due,
    RUN_MS,
    unlessPaused(deps.table, (row) => reconcileRow(row, which, act, deps)),
  );
}

const isDue = (row: WatchedPayment, now: Date): boolean => isReadDue(row, now) || mayLackReference(row, now);

const RUN_MINUTES = 5;
const RUNS_OF_HOUR = 60 / RUN_MINUTES;
const RUNS_OF_DAY = 24 * RUNS_OF_HOUR;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** True if a run is the one of its hour, or of its day, that reads an order: they take turns by their ids. */
function isReadDue({ collection, isIdle, orderId }: WatchedPayment, now: Date): boolean {
  const run = Math.floor(now.getTime() / (RUN_MINUTES * MINUTE_MS));
  if (isIdle) return run % RUNS_OF_DAY === orderId % RUNS_OF_DAY;
  return collection === 'card' || run % RUNS_OF_HOUR === orderId % RUNS_OF_HOUR;
}

/** True while the provider may still be asked for a reference; only the order says whether it has one. */
const mayLackReference = ({ askedAt, isIdle }: WatchedPayment, now: Date): boolean =>
  !isIdle && now.getTime() - Date.parse(askedAt) < DAY_MS;

// Whoever has stored an attempt asks for it within seconds.
const FIRST_READ_MS = MINUTE_MS;

async function reconcileRow(row: WatchedPayment, which: 'due' | 'all', act: Act, deps: PaymentDeps): Promise<string> {
  const order = await getOrder(deps.table, { clientId: row.clientId, id: row.orderId });
  if (!order) throw new Error('a payment is of no order');
  if (act.now.getTime() - Date.parse(row.askedAt) < FIRST_READ_MS) return 'later';
  const isMissing = order.payment?.attempts.some(({ status }) => status === 'requested') ?? false;
  if (which === 'due' && !isMissing && !isReadDue(row, act.now)) return 'later';
  const paid = await reconcilePayment({ order, timeoutMs: PROVIDER_MS, attempts: 'all' }, act, deps);
  const { order: after } = await reconcileRefunds(paid.order, act, deps);
  await closeAccount(after, row, act, deps);
  if (paid.isOpen) return 'unavailable';
  return after.version === order.version ? 'unchanged' : (findCurrentAttempt(after)?.status ?? 'reconciled');
}

/** Ends the daily reading of what else comes to the CLABE of an order. */
async function closeAccount(order: Order, { isIdle, askedAt }: WatchedPayment, act: Act, { table }: PaymentDeps) {
  const isOld = act.now.getTime() - Date.parse(askedAt) > ACCOUNT_DAYS * DAY_MS;
  if (!isIdle || !isOld || !order.payment?.isAccountWatched) return;
  const after = changePayment(order, { payment: { ...order.payment, isAccountWatched: false } }, act);
  // A conflict leaves it to the run of the next day.
  await table.tryWrite(replaceOrderWrites(order, after, act));
}
