import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '../domain/refusal.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { listOwed } from '../invoices/rules/owed-documents.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import { type Act, type Happening, requestedEvents } from '../order/order-events.ts';
import { replaceOrderWrites, retryOnConflict, tryOrderWrites } from '../order/order-writes.ts';
import { getOrder, nextVersion } from '../order/orders.ts';
import { formatFolio } from '../order/rules/status.ts';
import { timeLeftMs } from '../runtime/clock.ts';
import { logError, logInfo } from '../runtime/log.ts';
import { leaveOut } from '../stock/rules/reservation.ts';
import type { Table } from '../store/table.ts';
import { listPaymentEvents } from './payment-events.ts';
import {
  PaymentOutcomeUnknown,
  type PaymentProvider,
  PaymentRefused,
  PaymentsUnavailable,
  type RequestedPayment,
} from './provider.ts';
import {
  findAccountAttempt,
  findCurrentAttempt,
  findShown,
  isAttemptOver,
  isUnwanted,
  type OrderAttempt,
  type OrderPayment,
  putAttempt,
  restartAttempt,
} from './rules/order-payment.ts';
import type { PaymentAttempt } from './rules/payment.ts';
import {
  type Answer,
  applyProvided,
  nextStep,
  recordReference,
  refuseAttempt,
  type Step,
} from './rules/payment-state.ts';

export type PaymentDeps = {
  readonly table: Table;
  /** Opened on first use, so that orders that are not collected do not depend on its configuration. */
  readonly payments: () => PaymentProvider;
};

type Reconciling = {
  readonly order: Order;
  readonly timeoutMs: number;
  /**
   * All unfinished attempts; the current one only, in at most 4 calls; the `first` one of a new order, whose answer tells of
   * it; or one by its number, finished or not.
   */
  readonly attempts: 'all' | 'current' | 'first' | number;
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
    const { order, events, isOpen } = await askProvider({ ...reconciling, order: before }, act, deps);
    if (isDeepStrictEqual(order, before)) return { order, isOpen };
    const after = await writePayment(before, order, act, deps, ...events);
    const isRestarted = after && attempts === 'all' && hasNewAttempt(before, after);
    if (isRestarted) return reconcilePayment({ ...reconciling, order: after }, act, deps);
    if (after) return { order: after, isOpen };
    if (attempts === 'all' || typeof attempts === 'number') return undefined;
    // A request has no time for a second pass.
    return { order: (await getOrder(deps.table, before)) ?? before, isOpen: true };
  });
}

/**
 * Writes the next version of an order with changes of its payment and the documents that these require. Returns undefined if
 * the order was changed since it was read. Throws `out_of_stock` if a rejected order is to be paid again and what it freed is
 * sold.
 */
export async function writePayment(
  before: Order,
  changes: Partial<Order>,
  act: Act,
  deps: PaymentDeps,
  ...events: Happening[]
): Promise<Order | undefined> {
  const changed = { ...before, ...changes };
  const { id: orderId, paymentStatus: status } = changed;
  const isMoved = status !== before.paymentStatus;
  const owed = isMoved ? listOwed(changed, toStarting(before, act.now)) : [];
  const documents = [...changed.documents, ...owed];
  const after = nextVersion(before, { ...changed, documents, updatedAt: act.now.toISOString() });
  const all = [...listPaymentEvents(before, after), ...events, ...requestedEvents(owed)];
  const { isWritten, lacking } = await tryOrderWrites(deps.table, replaceOrderWrites(before, after, act, ...all));
  if (lacking.length > 0 && status === 'unpaid') throw new Refusal('out_of_stock');
  // Money that came after a rejection is recorded all the same; filling the order takes what is there then.
  if (after.stock && lacking.length > 0)
    return writePayment(before, { ...changes, stock: leaveOut(after.stock, lacking) }, act, deps, ...events);
  if (!isWritten) return undefined;
  if (isMoved) logInfo('payment moved', { orderId, status });
  return after;
}

/** Requests an order's reference, or withdraws an unwanted one, within a request; a job does the rest. Never throws. */
export async function askForPayment(
  order: Order,
  act: Act,
  deps: PaymentDeps,
  attempts: 'current' | 'first' = 'current',
): Promise<Order> {
  try {
    return (await reconcilePayment({ order, timeoutMs: REQUEST_MS, attempts }, act, deps)).order;
  } catch (error) {
    logError('a payment could not be asked for', error, { orderId: order.id });
    return order;
  }
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

/** Asks the provider about each attempt in turn; a failure does not stop the others. */
async function askProvider(reconciling: Reconciling, { now }: Act, deps: PaymentDeps) {
  let { order } = reconciling;
  let isOpen = false;
  const events: Happening[] = [];
  for (const { number } of listAttempts(reconciling)) {
    try {
      const outcome = await reconcileAttempt(order, number, { ...reconciling, now, provider: deps.payments() });
      order = outcome.order;
      events.push(...(outcome.events ?? []));
      isOpen ||= outcome.isOpen ?? false;
    } catch (error) {
      if (!(error instanceof PaymentsUnavailable || error instanceof PaymentOutcomeUnknown)) throw error;
      logError('the payment provider could not be asked', error, { orderId: order.id });
      isOpen = true;
    }
  }
  return { order, events, isOpen };
}

/** Without a known open attempt, money in the customer's account is read through the last attempt known to the provider. */
function listAttempts({ order, attempts }: Reconciling): readonly OrderAttempt[] {
  const { payment } = order;
  if (!payment) return [];
  if (typeof attempts === 'number') return payment.attempts.filter(({ number }) => number === attempts);
  const open = payment.attempts.filter((attempt) => !isAttemptOver(attempt));
  // Finding an unknown attempt and withdrawing it takes more calls than a request makes.
  const isForRequest = (attempt: OrderAttempt) => attempt.providerId !== null || !isUnwanted(attempt, order);
  if (attempts !== 'all')
    return open.filter((attempt) => attempt === findCurrentAttempt(order) && isForRequest(attempt));
  const account = payment.isAccountWatched ? findAccountAttempt(payment) : undefined;
  return account && open.every(({ providerId }) => providerId === null) ? [account, ...open] : open;
}

type Collected = Order & { readonly payment: OrderPayment };
type Pass = Omit<Reconciling, 'order'> & { readonly now: Date; readonly provider: PaymentProvider };
/** With an `answer`, another step follows. */
type Outcome = {
  readonly order: Order;
  readonly events?: readonly Happening[];
  readonly answer?: Answer;
  readonly isOpen?: boolean;
};

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
  'give up': (order, attempt) => ({
    ...closeAttempt(order, attempt, 'not_made'),
    events: [{ what: 'payment_not_made' }],
  }),
  close: (order, attempt) => closeAttempt(order, attempt, 'cancelled'),
  wait: (order) => ({ order }),
  postpone: (order) => ({ order, isOpen: true }),
};

async function requestReference(order: Collected, attempt: OrderAttempt, pass: Pass): Promise<Outcome> {
  const signal = limitCall(pass.timeoutMs);
  try {
    return putReference(order, await pass.provider.request(toProviderAttempt(order, attempt), signal), attempt, pass);
  } catch (error) {
    if (error instanceof PaymentRefused) return { order: { ...order, ...refuseAttempt(order, attempt, error.reason) } };
    if (error instanceof PaymentOutcomeUnknown && error.isStored) return { order, answer: 'fixed error' };
    throw error;
  }
}

async function lookUpReference(order: Collected, attempt: OrderAttempt, pass: Pass): Promise<Outcome> {
  const match = await pass.provider.find(toProviderAttempt(order, attempt), limitCall(pass.timeoutMs));
  if (!match) return { order, answer: 'unknown attempt' };
  const outcome = putReference(order, match, attempt, pass);
  return isUnwanted(attempt, order) ? { ...outcome, answer: 'none yet' } : outcome;
}

/** An erased patient's reference is recorded without the provider's page, which names them. */
function putReference(
  order: Collected,
  requested: RequestedPayment,
  attempt: OrderAttempt,
  { attempts }: Pass,
): Outcome {
  const payment = recordReference(order.payment, attempt, requested);
  if (isPatientErased(order)) return { order: { ...order, payment: removeReferences(payment) } };
  // With an event, one put of 4 write units would be a transaction of 10.
  const isNews = attempts !== 'first' && findShown({ payment })?.number === attempt.number;
  return { order: { ...order, payment }, events: isNews ? [{ what: 'payment_requested' }] : [] };
}

const removeReferences = (payment: OrderPayment): OrderPayment => ({
  ...payment,
  attempts: payment.attempts.map((attempt) => ({ ...attempt, reference: null })),
});

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
  const { id: orderId, patient, sentPerson } = order;
  // A doctor, who may not learn the patient's data, sees the provider's page.
  const { firstName, lastName } = { ...patient, ...sentPerson };
  const { number, collection, amountCents, createdAt, expiresAt, returnUrl, customer } = attempt;
  return {
    orderId,
    folio: formatFolio(orderId),
    number,
    collection,
    amountCents,
    payerName: `${firstName} ${lastName}`,
    payerEmail: patient.email,
    customer,
    returnUrl,
    createdAt,
    expiresAt,
  };
}
