import { isDeepStrictEqual } from 'node:util';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { listOwed } from '../invoices/rules/owed-documents.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { replaceOrderWrites, retryOnConflict } from '../order/order-writes.ts';
import { getOrder, nextVersion } from '../order/orders.ts';
import { listSaleEvents } from '../order/payment-events.ts';
import { formatFolio } from '../order/rules/status.ts';
import { timeLeftMs } from '../runtime/clock.ts';
import { logError, logInfo } from '../runtime/log.ts';
import type { Table } from '../store/table.ts';
import {
  PaymentOutcomeUnknown,
  type PaymentProvider,
  PaymentRefused,
  PaymentsUnavailable,
  type RequestedPayment,
} from './provider.ts';
import { type Answer, nextStep, type Step } from './rules/next-step.ts';
import {
  findAccountAttempt,
  findCurrentAttempt,
  isAttemptOver,
  isUnwanted,
  type OrderAttempt,
  type OrderPayment,
  putAttempt,
  restartAttempt,
} from './rules/order-payment.ts';
import type { Collection, PaymentAttempt } from './rules/payment.ts';
import { applyProvided, type PaymentChange, recordReference, refuseAttempt } from './rules/payment-state.ts';

export type PaymentDeps = {
  readonly table: Table;
  /** Opened on first use, so that orders that are not collected do not depend on its configuration. */
  readonly payments: () => PaymentProvider;
};

type Reconciling = {
  readonly order: Order;
  readonly timeoutMs: number;
  /** All unfinished attempts; the current one only, in at most 4 calls; or one by its number, finished or not. */
  readonly attempts: 'all' | 'current' | number;
};

/** `isOpen`: some of the work remains, as the provider could not be reached. */
export type Reconciled = { readonly order: Order; readonly isOpen: boolean };

// The request has 7 s in total and needs some for its invoice and mail; a job does the rest.
const REQUEST_MS = 3_000;

/**
 * Reconciles an order's payment attempts with the provider: creates missing ones, cancels unwanted ones, refreshes the rest.
 * May run concurrently: answers are recorded only if the order has not changed, else read again, so that no older state
 * replaces a newer one.
 */
export async function reconcilePayment(reconciling: Reconciling, act: Act, deps: PaymentDeps): Promise<Reconciled> {
  const { attempts } = reconciling;
  return retryOnConflict(deps.table, reconciling.order, async (before) => {
    const { order: reconciled, isOpen } = await askProvider({ ...reconciling, order: before }, act, deps);
    const change = diffPayment(before, reconciled);
    if (!change) return { order: before, isOpen };
    const after = changePayment(before, change, act);
    const isWritten = await writePayment(before, after, act, deps);
    // A request has no time for a second pass.
    if (!isWritten && attempts === 'current')
      return { order: (await getOrder(deps.table, before)) ?? before, isOpen: true };
    if (!isWritten) return undefined;
    const isRestarted = attempts === 'all' && hasNewAttempt(before, after);
    return isRestarted ? reconcilePayment({ ...reconciling, order: after }, act, deps) : { order: after, isOpen };
  });
}

/** Returns false if the order was changed since it was read. */
export async function writePayment(before: Order, after: Order, act: Act, { table }: PaymentDeps): Promise<boolean> {
  const writes = replaceOrderWrites(before, after, act, ...listSaleEvents(before, after));
  const isWritten = await table.tryWrite(writes);
  const { id: orderId, paymentStatus: status } = after;
  if (isWritten && before.paymentStatus !== status) logInfo('payment moved', { orderId, status });
  return isWritten;
}

/** Requests an order's reference, or withdraws an unwanted one, within a request; a job does the rest. Never throws. */
export async function askForPayment(order: Order, act: Act, deps: PaymentDeps): Promise<Order> {
  try {
    return (await reconcilePayment({ order, timeoutMs: REQUEST_MS, attempts: 'current' }, act, deps)).order;
  } catch (error) {
    logError('a payment could not be asked for', error, { orderId: order.id });
    return order;
  }
}

/** Returns the next version of an order with its payment's changes and the documents that a payment requires. */
export function changePayment(before: Order, change: PaymentChange, act: Act): Order {
  const moved = { ...before, ...change };
  const isMoved = moved.paymentStatus !== before.paymentStatus;
  const owed = isMoved ? listOwed(moved, toStarting(before, act.now)) : [];
  const documents = [...moved.documents, ...owed];
  return nextVersion(before, { ...moved, documents, updatedAt: act.now.toISOString() });
}

// Time to record the provider's answer, before the request's own deadline.
const RECORD_MS = 1_000;

/** Returns the signal that ends a provider's call. Throws PaymentsUnavailable if no time is left. */
export function limitCall(timeoutMs: number): AbortSignal {
  const ms = Math.min(timeoutMs, timeLeftMs() - RECORD_MS);
  if (ms <= 0) throw new PaymentsUnavailable('there is no time left to call it');
  return AbortSignal.timeout(ms);
}

const hasNewAttempt = (before: Order, after: Order): boolean =>
  findCurrentAttempt(after)?.status === 'requested' &&
  findCurrentAttempt(after)?.number !== findCurrentAttempt(before)?.number;

function diffPayment(before: Order, after: Order): PaymentChange | undefined {
  const pick = ({ payment, paymentStatus, paymentDate, paymentForm, rejectionReason }: Order) =>
    ({ payment, paymentStatus, paymentDate, paymentForm, rejectionReason }) as PaymentChange;
  return isDeepStrictEqual(pick(before), pick(after)) ? undefined : pick(after);
}

/** Asks the provider about each attempt in turn; a failure does not stop the others. */
async function askProvider(reconciling: Reconciling, { now }: Act, deps: PaymentDeps): Promise<Reconciled> {
  let { order } = reconciling;
  let isOpen = false;
  for (const { number } of listAttempts(reconciling)) {
    try {
      const outcome = await reconcileAttempt(order, number, { ...reconciling, now, provider: deps.payments() });
      order = outcome.order;
      isOpen ||= outcome.isOpen ?? false;
    } catch (error) {
      if (!(error instanceof PaymentsUnavailable || error instanceof PaymentOutcomeUnknown)) throw error;
      logError('the payment provider could not be asked', error, { orderId: order.id });
      isOpen = true;
    }
  }
  return { order, isOpen };
}

/** Without a known open attempt, money in the customer's account is read through the last attempt known to the provider. */
function listAttempts({ order, attempts }: Reconciling): readonly OrderAttempt[] {
  const { payment } = order;
  if (!payment) return [];
  if (typeof attempts === 'number') return payment.attempts.filter(({ number }) => number === attempts);
  const open = payment.attempts.filter((attempt) => !isAttemptOver(attempt));
  // Finding an unknown attempt and withdrawing it takes more calls than a request makes.
  const isForRequest = (attempt: OrderAttempt) => attempt.providerId !== null || !isUnwanted(attempt, order);
  if (attempts === 'current')
    return open.filter((attempt) => attempt === findCurrentAttempt(order) && isForRequest(attempt));
  const account = payment.isAccountWatched ? findAccountAttempt(payment) : undefined;
  return account && open.every(({ providerId }) => providerId === null) ? [account, ...open] : open;
}

type Collected = Order & { readonly payment: OrderPayment };
type Pass = Omit<Reconciling, 'order'> & { readonly now: Date; readonly provider: PaymentProvider };
/** With an `answer`, another step follows. */
type Outcome = { readonly order: Order; readonly answer?: Answer; readonly isOpen?: boolean };

/** Takes one attempt's steps, each chosen by the provider's last answer. */
async function reconcileAttempt(before: Order, number: number, pass: Pass): Promise<Outcome> {
  let outcome: Outcome = { order: before, answer: 'none yet' };
  while (outcome.answer) {
    const { order, answer } = outcome;
    const attempt = order.payment?.attempts.find((item) => item.number === number);
    if (!attempt || !hasPayment(order)) return { order };
    const step = nextStep(attempt, order, { answer, now: pass.now, isErased: isPatientErased(order) });
    outcome = await STEPS[step](order, attempt, pass);
  }
  return outcome;
}

const hasPayment = (order: Order): order is Collected => order.payment !== undefined;

const STEPS: Readonly<
  Record<Step, (order: Collected, attempt: OrderAttempt, pass: Pass) => Outcome | Promise<Outcome>>
> = {
  request: requestReference,
  'look up': lookUpReference,
  read: (order, attempt, pass) => readState('look', order, attempt, pass),
  end: (order, attempt, pass) => readState(pass.attempts === 'all' ? 'cancel' : 'withdraw', order, attempt, pass),
  restart: (order, attempt, { now }) => ({ order: { ...order, payment: restartAttempt(order.payment, attempt, now) } }),
  'give up': (order, attempt) => closeAttempt(order, attempt, 'not_made'),
  close: (order, attempt) => closeAttempt(order, attempt, 'cancelled'),
  wait: (order) => ({ order }),
  postpone: (order) => ({ order, isOpen: true }),
};

async function requestReference(order: Collected, attempt: OrderAttempt, pass: Pass): Promise<Outcome> {
  const signal = limitCall(pass.timeoutMs);
  try {
    return putReference(order, attempt, await pass.provider.request(toProviderAttempt(order, attempt), signal));
  } catch (error) {
    if (error instanceof PaymentRefused) return { order: { ...order, ...refuseAttempt(order, attempt, error.reason) } };
    if (error instanceof PaymentOutcomeUnknown && error.isStored) return { order, answer: 'fixed error' };
    throw error;
  }
}

async function lookUpReference(order: Collected, attempt: OrderAttempt, pass: Pass): Promise<Outcome> {
  const match = await pass.provider.find(toProviderAttempt(order, attempt), limitCall(pass.timeoutMs));
  if (!match) return { order, answer: 'unknown attempt' };
  const outcome = putReference(order, attempt, match);
  return isUnwanted(attempt, order) ? { ...outcome, answer: 'none yet' } : outcome;
}

/** An erased patient's reference is recorded without the provider's page, which names them. */
function putReference(order: Collected, attempt: OrderAttempt, requested: RequestedPayment): Outcome {
  const payment = recordReference(order.payment, attempt, requested);
  if (!isPatientErased(order)) return { order: { ...order, payment } };
  const attempts = payment.attempts.map((item) => ({ ...item, reference: null }));
  return { order: { ...order, payment: { ...payment, attempts } } };
}

type Reading = 'look' | 'cancel' | 'withdraw';

async function readState(reading: Reading, order: Collected, attempt: OrderAttempt, pass: Pass): Promise<Outcome> {
  const provided = await pass.provider[reading](attempt.providerId ?? '', limitCall(pass.timeoutMs));
  return { order: { ...order, ...applyProvided(order, provided, pass.now) } };
}

const closeAttempt = (order: Collected, attempt: OrderAttempt, status: 'not_made' | 'cancelled'): Outcome => ({
  order: { ...order, payment: putAttempt(order.payment, { ...attempt, status }) },
});

/** Every call for an attempt is the same: an idempotency key must repeat every parameter. */
function toProviderAttempt(order: Order, attempt: OrderAttempt): PaymentAttempt {
  const { id: orderId, patient, sentPerson, paymentMethod } = order;
  // A doctor, who may not learn the patient's data, sees the provider's page.
  const { firstName, lastName } = { ...patient, ...sentPerson };
  const { number, amountCents, createdAt, expiresAt, returnUrl, customer } = attempt;
  return {
    orderId,
    folio: formatFolio(orderId),
    number,
    collection: paymentMethod.collection as Collection,
    amountCents,
    payerName: `${firstName} ${lastName}`,
    payerEmail: patient.email,
    customer,
    returnUrl,
    createdAt,
    expiresAt,
  };
}
