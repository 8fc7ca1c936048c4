import { unavailable } from '../domain/refusal.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { listOwed } from '../invoices/rules/owed-documents.ts';
import { isPatientErased, type Order } from '../order/order.ts';
import type { Act } from '../order/order-history.ts';
import { replaceOrderWrites } from '../order/order-writes.ts';
import { getOrder, nextVersion } from '../order/orders.ts';
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
import {
  findLastProvided,
  findPresent,
  isAttemptOver,
  isUnwanted,
  type OrderAttempt,
  type PaymentChange,
  putAttempt,
  recordReference,
  refuseAttempt,
  restartAttempt,
} from './rules/order-payment.ts';
import type { Collection, PaymentAttempt } from './rules/payment.ts';
import { hearNews } from './rules/payment-troubles.ts';

export type PaymentDeps = {
  readonly table: Table;
  /** Opened on first use, so that orders that are not collected do not depend on its configuration. */
  readonly payments: () => PaymentProvider;
};

/** An order whose payments are to be settled, and the time limit of each call to the provider. */
export type Settling = {
  readonly order: Order;
  readonly timeoutMs: number;
  /** The attempts to ask about: all that are not over, the present one alone in at most 4 calls, or that of a number, over or not. */
  readonly attempts: 'all' | 'present' | number;
};

/** An order as it is then; `isOpen` if the provider could not be asked for all that there was to do. */
export type Settled = { readonly order: Order; readonly isOpen: boolean };

// An order changes rarely, so ten conflicts in a row mean that something else is wrong.
const TRIES = 10;

// The request has 7 s in all, of which its invoice and mail need some; a job does what does not fit.
const REQUEST_MS = 3_000;

/**
 * Brings the payments of an order up to what the provider says: asks for what was not asked for, cancels what is not wanted
 * any more, and looks at the rest. May run at the same time elsewhere: what was read of the provider is recorded only if the
 * order has not changed since, else it is read again, so that no older state replaces a newer one.
 */
export async function settlePayment(
  { order: known, ...settling }: Settling,
  act: Act,
  deps: PaymentDeps,
): Promise<Settled> {
  let before = known;
  for (let tries = 0; tries < TRIES; tries++) {
    const { change, isOpen } = await askProvider({ order: before, ...settling }, act, deps);
    if (!change) return { order: before, isOpen };
    const after = changePayment(before, change, act);
    if (await writePayment(before, after, deps)) {
      if (settling.attempts !== 'all' || !hasNewAttempt(before, after)) return { order: after, isOpen };
      before = after;
      continue;
    }
    const fresh = await getOrder(deps.table, before);
    if (!fresh) return { order: before, isOpen: false };
    if (settling.attempts === 'present') return { order: fresh, isOpen: true };
    before = fresh;
  }
  throw unavailable();
}

/** Writes what the provider has said of an order. Returns false if the order was changed since it was read. */
export async function writePayment(before: Order, after: Order, { table }: PaymentDeps): Promise<boolean> {
  const isWritten = await table.tryWrite(replaceOrderWrites(before, after));
  const { id: orderId, paymentStatus: status } = after;
  if (isWritten && before.paymentStatus !== status) logInfo('payment moved', { orderId, status });
  return isWritten;
}

/**
 * Asks the provider for what an order is to be paid by, or to withdraw what it is not to be paid by any more, as far as a
 * request has time for it. Returns the order as it is then; a job does the rest. Never throws.
 */
export async function askForPayment(order: Order, act: Act, deps: PaymentDeps): Promise<Order> {
  try {
    return (await settlePayment({ order, timeoutMs: REQUEST_MS, attempts: 'present' }, act, deps)).order;
  } catch (error) {
    logError('a payment could not be asked for', error, { orderId: order.id });
    return order;
  }
}

/** Returns the next version of an order with what its payment changes; what it owes once it is paid is added. */
export function changePayment(before: Order, change: PaymentChange, act: Act): Order {
  const moved = { ...before, ...change };
  const isMoved = moved.paymentStatus !== before.paymentStatus;
  const owed = isMoved ? listOwed(moved, toStarting(before, act.now)) : [];
  const documents = [...moved.documents, ...owed];
  return nextVersion(before, { ...moved, documents, updatedAt: act.now.toISOString() }, act);
}

const hasNewAttempt = (before: Order, after: Order): boolean =>
  findPresent(after)?.status === 'requested' && findPresent(after)?.number !== findPresent(before)?.number;

type Asked = { readonly change: PaymentChange | undefined; readonly isOpen: boolean };

/** Asks the provider about each attempt in turn. One that it cannot be asked about leaves the others alone. */
async function askProvider(settling: Settling, act: Act, deps: PaymentDeps): Promise<Asked> {
  let { order } = settling;
  let isOpen = false;
  for (const { number } of listToSettle(settling)) {
    const attempt = order.payment?.attempts.find((one) => one.number === number);
    if (!attempt) continue;
    try {
      const change = await settleAttempt(order, attempt, { ...settling, act, provider: deps.payments() });
      order = { ...order, ...change };
    } catch (error) {
      if (!(error instanceof PaymentsUnavailable || error instanceof PaymentOutcomeUnknown)) throw error;
      logError('the payment provider could not be asked', error, { orderId: order.id });
      isOpen = true;
    }
  }
  return { change: diffPayment(settling.order, order), isOpen };
}

/**
 * If the provider knows none of the attempts that are not over, money to the account of the order's customer is read through the
 * last one that it knows.
 */
function listToSettle({ order, attempts }: Settling): readonly OrderAttempt[] {
  const { payment } = order;
  if (!payment) return [];
  if (typeof attempts === 'number') return payment.attempts.filter(({ number }) => number === attempts);
  const open = payment.attempts.filter((attempt) => !isAttemptOver(attempt));
  // To find one and then withdraw it takes more calls than a request makes.
  const isForRequest = (one: OrderAttempt) => one.providerId !== null || !isUnwanted(one, order);
  if (attempts === 'present') return open.filter((one) => one === findPresent(order) && isForRequest(one));
  const account = payment.isAccountWatched ? findLastProvided(payment) : undefined;
  return account && open.every(({ providerId }) => providerId === null) ? [account, ...open] : open;
}

/** Returns what an order has become, if that is anything else than it was. */
function diffPayment(before: Order, after: Order): PaymentChange | undefined {
  const { payment, paymentStatus, paymentDate, paymentForm, rejectionReason } = after;
  const fields = { payment, paymentStatus, paymentDate, paymentForm, rejectionReason };
  const isSame = Object.entries(fields).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(before[name as keyof typeof fields]),
  );
  return isSame ? undefined : (fields as PaymentChange);
}

type Calling = Pick<Settling, 'timeoutMs' | 'attempts'> & { readonly act: Act; readonly provider: PaymentProvider };

async function settleAttempt(
  order: Order,
  attempt: OrderAttempt,
  calling: Calling,
): Promise<PaymentChange | undefined> {
  if (attempt.providerId === null) return requestAttempt(order, attempt, calling);
  const { provider, act, attempts } = calling;
  const end = attempts === 'all' ? 'cancel' : 'withdraw';
  const isToEnd = !isAttemptOver(attempt) && (isUnwanted(attempt, order) || hasEnded(attempt, order, act.now));
  const provided = await provider[isToEnd ? end : 'look'](attempt.providerId, limitCall(calling));
  return hearNews(order, provided, act.now);
}

// Time to record the provider's answer, before the request's own deadline.
const RECORD_MS = 1_000;

/** Returns the signal that ends a call of the provider. Throws PaymentsUnavailable if there is no time left to call it. */
export function limitCall({ timeoutMs }: Pick<Calling, 'timeoutMs'>): AbortSignal {
  const ms = Math.min(timeoutMs, timeLeftMs() - RECORD_MS);
  if (ms <= 0) throw new PaymentsUnavailable('there is no time left to call it');
  return AbortSignal.timeout(ms);
}

/**
 * True if the time of an attempt is over; a voucher ends by itself. The page of a card is `processing` only if it was withdrawn
 * for a change that was not stored.
 */
const hasEnded = ({ expiresAt, status }: OrderAttempt, { paymentMethod: { collection } }: Order, now: Date): boolean =>
  (collection === 'card' && status === 'processing') || (collection !== 'oxxo' && expiresAt <= now.toISOString());

const HOUR_MS = 3_600_000;
// The provider forgets the key of a call after 24 hours; then the same call would make another reference.
const ASKED_FOR_MS = 23 * HOUR_MS;
// A call lasts some seconds: what the provider does not know so long after the last call can have begun, it never received.
const LOST_AFTER_MS = 15 * 60_000;

/** Asks for the reference of an attempt, or finds out what became of it if that may not be asked any more. */
async function requestAttempt(
  order: Order,
  attempt: OrderAttempt,
  calling: Calling,
): Promise<PaymentChange | undefined> {
  const time = calling.act.now.getTime();
  const askedMs = time - Date.parse(attempt.askedSince);
  const isWanted = !isUnwanted(attempt, order) && !isPatientErased(order);
  if (isWanted && askedMs < ASKED_FOR_MS) return askForReference(order, attempt, calling);
  const found = await findReference(order, attempt, calling);
  if (found) return recordFound(order, attempt, found, calling);
  if (isWanted) return askedMs < ASKED_FOR_MS + LOST_AFTER_MS ? undefined : closeAttempt(order, attempt, 'not_made');
  // Somebody who read the order before the change since which it is not wanted may still have asked for it.
  return time - getUnwantedSinceMs(order, attempt) < LOST_AFTER_MS
    ? undefined
    : closeAttempt(order, attempt, 'cancelled');
}

/** Returns when an attempt was still wanted at the latest: when the next one took its place, else when its order last changed. */
function getUnwantedSinceMs({ payment, updatedAt }: Order, { number }: OrderAttempt): number {
  const next = payment?.attempts.find((one) => one.number > number);
  return Date.parse(next?.createdAt ?? updatedAt);
}

/** Records a reference that was found; one that is not wanted any more is cancelled. */
async function recordFound(order: Order, attempt: OrderAttempt, found: RequestedPayment, calling: Calling) {
  const change = recordRequested(order, attempt, found);
  const known = change?.payment.attempts.find(({ number }) => number === attempt.number);
  if (!known || !isUnwanted(known, order)) return change;
  return (await settleAttempt({ ...order, ...change }, known, calling)) ?? change;
}

async function askForReference(order: Order, attempt: OrderAttempt, calling: Calling) {
  const signal = limitCall(calling);
  try {
    const requested = await calling.provider.request(toProviderAttempt(order, attempt), signal);
    return recordRequested(order, attempt, requested);
  } catch (error) {
    if (error instanceof PaymentRefused) return refuseAttempt(order, attempt, error.reason);
    if (!(error instanceof PaymentOutcomeUnknown && error.isStored)) throw error;
    // The provider repeats its answer for ever: what it knows is the reference, and what it does not needs another number.
    const found = await findReference(order, attempt, calling);
    if (found) return recordRequested(order, attempt, found);
    if (isLookedFor(order)) throw error;
    return renewAttempt(order, attempt, calling.act.now);
  }
}

/**
 * True while a reference is looked for that an earlier attempt may yet bring. The next one waits for that, so that whoever asks
 * every few seconds does not pile up attempts.
 */
const isLookedFor = ({ payment }: Order): boolean =>
  payment?.attempts.some(({ isLeft, status }) => isLeft && status === 'requested') ?? false;

const findReference = (order: Order, attempt: OrderAttempt, calling: Calling) =>
  calling.provider.find(toProviderAttempt(order, attempt), limitCall(calling));

type Collected = Order & { readonly payment: NonNullable<Order['payment']> };
const hasPayment = (order: Order): order is Collected => order.payment !== undefined;

const recordRequested = (
  order: Order,
  attempt: OrderAttempt,
  requested: RequestedPayment,
): PaymentChange | undefined =>
  hasPayment(order) ? { payment: withoutErased(order, recordReference(order.payment, attempt, requested)) } : undefined;

/** Returns a payment without its references if the patient is erased: the provider's page names them. */
const withoutErased = (order: Order, payment: Collected['payment']): Collected['payment'] =>
  isPatientErased(order)
    ? { ...payment, attempts: payment.attempts.map((attempt) => ({ ...attempt, reference: null })) }
    : payment;

const closeAttempt = (order: Order, attempt: OrderAttempt, status: 'not_made' | 'cancelled') =>
  hasPayment(order) ? { payment: putAttempt(order.payment, { ...attempt, status }) } : undefined;

const renewAttempt = (order: Order, attempt: OrderAttempt, now: Date): PaymentChange | undefined =>
  hasPayment(order) ? { payment: restartAttempt(order.payment, attempt, now) } : undefined;

/** Returns an attempt as the provider is asked for it: the same at each call, as a repeated key has to repeat every parameter. */
function toProviderAttempt(order: Order, attempt: OrderAttempt): PaymentAttempt {
  const { id: orderId, patient, sentPerson, paymentMethod } = order;
  // A doctor, who may not learn what is known of the patient, sees the provider's page.
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
