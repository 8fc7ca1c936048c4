import type { Cents } from '../../domain/money.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import {
  type CollectedForm,
  type Collection,
  isCollectable,
  type ProvidedReference,
  type ProvidedState,
} from './payment.ts';

/**
 * The statuses of an attempt to collect an order. `requested`: no answer of the provider is recorded yet. `not_made`: the
 * provider made no reference of it in 23 hours. The others are those of the provider.
 */
export const ATTEMPT_STATUSES = [
  'requested',
  'open',
  'processing',
  'paid',
  'failed',
  'expired',
  'cancelled',
  'not_made',
] as const;
type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** A payer's complaint to the bank, as it was last seen. */
type AttemptDispute = {
  readonly status: 'open' | 'won' | 'lost';
  readonly amountCents: Cents;
  readonly isHandled: boolean;
};

/** One attempt to collect an order, stored before the provider is asked. */
export type OrderAttempt = {
  /** 1 for the first attempt of an order. */
  readonly number: number;
  /** The id of the PaymentReference that it brings. */
  readonly referenceId: number;
  readonly amountCents: Cents;
  readonly createdAt: string;
  /** When the provider was first asked, by this attempt or by those that it began anew. */
  readonly askedSince: string;
  /** The instant until which it may be paid: as asked for, then by the provider's own rules. */
  readonly expiresAt: string;
  readonly returnUrl: string | null;
  /** The provider's id of the order's customer when it was stored. */
  readonly customer: string | null;
  readonly status: AttemptStatus;
  /** The provider's id of what was asked for; null before its answer. */
  readonly providerId: string | null;
  /** Null before the provider's answer, and once the patient is erased. */
  readonly reference: Omit<ProvidedReference, 'method'> | null;
  readonly receivedCents: Cents;
  /** True once something else took its place, or an operator dealt with it: its money is not for the order any more. */
  readonly isLeft: boolean;
  readonly dispute: AttemptDispute | null;
};

/** The attempts to collect an order, the oldest first, and the money beside them. */
export type OrderPayment = {
  readonly attempts: readonly OrderAttempt[];
  /** The provider's id of the order's customer, once an attempt brought one. */
  readonly customer: string | null;
  /** The number of the attempt that paid the order. */
  readonly paidBy: number | null;
  /** Money of the customer that no attempt has taken. */
  readonly keptCents: Cents;
  /** The money beside the order's total that an operator has dealt with. */
  readonly handledCents: Cents;
  /** True while money may still come to the customer's CLABE, whatever became of the attempts. */
  readonly isAccountWatched: boolean;
};

/** The part of an order that says how it is paid. */
export type CollectedOrder = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly totalCents: Cents;
  readonly paymentMethod: { readonly collection?: Collection | undefined };
  readonly payment?: OrderPayment | undefined;
};

const NOTHING_YET: OrderPayment = {
  attempts: [],
  customer: null,
  paidBy: null,
  keptCents: 0,
  handledCents: 0,
  isAccountWatched: false,
};

const HOUR_MS = 3_600_000;

type NewAttempt = {
  readonly referenceId: number;
  readonly amountCents: Cents;
  readonly now: Date;
  readonly termHours: number;
  readonly returnUrl: string | null;
  readonly askedSince?: string;
};

/** Adds the next attempt to those of an order, whose earlier ones are left; those that brought nothing are forgotten. */
export function startCollecting(
  payment: OrderPayment = NOTHING_YET,
  { referenceId, amountCents, now, termHours, returnUrl, askedSince = now.toISOString() }: NewAttempt,
): OrderPayment {
  const attempt: OrderAttempt = {
    number: getLastNumber(payment) + 1,
    referenceId,
    amountCents,
    createdAt: now.toISOString(),
    askedSince,
    expiresAt: new Date(now.getTime() + termHours * HOUR_MS).toISOString(),
    returnUrl,
    customer: payment.customer,
    status: 'requested',
    providerId: null,
    reference: null,
    receivedCents: 0,
    isLeft: false,
    dispute: null,
  };
  // A CLABE takes money also when nothing else is expected of the attempt that showed it.
  const account = payment.customer === null ? undefined : findLastProvided(payment)?.number;
  const remembered = leaveAttempts(payment).attempts.filter((one) => isRemembered(one) || one.number === account);
  return { ...payment, attempts: [...remembered, attempt] };
}

/** Begins an attempt anew under the next number, since the provider can neither be asked for it again nor tell of it. */
export function restartAttempt(payment: OrderPayment, attempt: OrderAttempt, now: Date): OrderPayment {
  const termHours = (Date.parse(attempt.expiresAt) - Date.parse(attempt.createdAt)) / HOUR_MS;
  return startCollecting(payment, { ...attempt, now, termHours });
}

/** Returns the last attempt that the provider knows: the money of an order's customer is read through it. */
export const findLastProvided = ({ attempts }: OrderPayment): OrderAttempt | undefined =>
  attempts.findLast(({ providerId }) => providerId !== null);

const getLastNumber = ({ attempts }: OrderPayment): number => attempts.at(-1)?.number ?? 0;

const UNPAID: readonly AttemptStatus[] = ['failed', 'expired', 'cancelled'];
const isRemembered = ({ status, receivedCents }: OrderAttempt): boolean =>
  !UNPAID.includes(status) || receivedCents > 0;

/** Leaves all attempts of an order: what they still bring is not for the order. */
export const leaveAttempts = (payment: OrderPayment): OrderPayment => ({
  ...payment,
  attempts: payment.attempts.map((one) => (one.number === payment.paidBy ? one : { ...one, isLeft: true })),
});

const OVER: readonly AttemptStatus[] = ['paid', 'failed', 'expired', 'cancelled', 'not_made'];

/** True if nothing more is expected of an attempt. */
export const isAttemptOver = ({ status }: Pick<OrderAttempt, 'status'>): boolean => OVER.includes(status);

/** Returns the attempt that an order is to be paid by, or was; undefined if there is none. */
export function findPresent({ payment }: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const last = payment?.attempts.at(-1);
  return last?.isLeft ? undefined : last;
}

/** Returns the present attempt of an order while the patient may still pay it, or be paying it. */
export function findOpenAttempt(order: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const present = findPresent(order);
  return present && !isAttemptOver(present) ? present : undefined;
}

/** True if an attempt is to be cancelled with the provider: another took its place, or its order is cancelled. */
export const isUnwanted = (attempt: OrderAttempt, { orderStatus }: Pick<CollectedOrder, 'orderStatus'>): boolean =>
  attempt.isLeft || orderStatus === 'cancelled';

/** Replaces an attempt of an order by its number. */
export const putAttempt = (payment: OrderPayment, next: OrderAttempt): OrderPayment => ({
  ...payment,
  attempts: payment.attempts.map((attempt) => (attempt.number === next.number ? next : attempt)),
});

/** Returns the attempt whose reference an order shows: the present one, while it can be paid or once it is. */
export function findShown(order: Pick<CollectedOrder, 'payment'>): OrderAttempt | undefined {
  const present = findPresent(order);
  return present?.reference && !UNPAID.includes(present.status) ? present : undefined;
}

/** The provider's state of an attempt, with the money of its customer that no attempt has taken. */
export type ProvidedNews = {
  readonly attempt: number;
  readonly state: ProvidedState;
  readonly keptCents: Cents;
  readonly dispute: { readonly status: AttemptDispute['status']; readonly amountCents: Cents } | null;
};

/** The fields of an order that change with the state of an attempt. */
export type PaymentChange = {
  readonly payment: OrderPayment;
  readonly paymentStatus?: PaymentStatus;
  readonly paymentDate?: string;
  readonly paymentForm?: CollectedForm;
  readonly rejectionReason?: string | null;
};

/** Returns what the provider's news of an attempt change of its order. An attempt that the order does not have changes nothing. */
export function applyNews(order: CollectedOrder, news: ProvidedNews, now: Date): PaymentChange | undefined {
  const { payment } = order;
  const attempt = payment?.attempts.find(({ number }) => number === news.attempt);
  if (!payment || !attempt) return undefined;
  const next: OrderAttempt = {
    ...attempt,
    status: toStatus(attempt, news.state, now),
    receivedCents: 'receivedCents' in news.state ? news.state.receivedCents : 0,
    dispute: mergeDispute(attempt.dispute, news.dispute),
  };
  const known = { ...putAttempt(payment, next), keptCents: news.keptCents };
  return { payment: known, ...moveOrderPayment({ ...order, payment: known }, next, news.state) };
}

/** The page of a card and a CLABE stay open until they are cancelled, also when their time is over. */
function toStatus({ expiresAt }: OrderAttempt, { status }: ProvidedState, now: Date): AttemptStatus {
  if (status === 'partly_paid') return 'open';
  return status === 'cancelled' && expiresAt <= now.toISOString() ? 'expired' : status;
}

/** A dispute that changes again is to be looked at again. */
function mergeDispute(known: AttemptDispute | null, told: ProvidedNews['dispute']): AttemptDispute | null {
  if (!told) return known;
  const { status, amountCents } = told;
  if (known?.status === status && known.amountCents === amountCents) return known;
  return { status, amountCents, isHandled: false };
}

const COLLECTED_STATUSES: readonly PaymentStatus[] = ['unpaid', 'in_process', 'rejected'];

/** Returns how the payment of an order moves with its present attempt. Others move nothing, nor does one once it is paid. */
function moveOrderPayment(
  order: CollectedOrder & { readonly payment: OrderPayment },
  attempt: OrderAttempt,
  state: ProvidedState,
): Partial<PaymentChange> {
  const { payment, paymentStatus, orderStatus, totalCents } = order;
  if (findPresent(order) !== attempt || !COLLECTED_STATUSES.includes(paymentStatus)) return {};
  if (state.status === 'paid') {
    // Less than the total is not paid, whatever the provider calls it.
    if (state.receivedCents < totalCents) return {};
    const { paidAt: paymentDate, form: paymentForm } = state;
    const paid = { ...payment, paidBy: attempt.number };
    return { payment: paid, paymentStatus: 'paid', paymentDate, paymentForm, rejectionReason: null };
  }
  if (attempt.status === 'processing') return { paymentStatus: 'in_process' };
  // The provider has worked on it until now, and a cancelled order waits for it no longer.
  if (isAttemptOver(attempt) && (orderStatus !== 'cancelled' || paymentStatus === 'in_process'))
    return rejectPayment(state.status === 'failed' ? state.reason : attempt.status);
  return {};
}

// The interface's bound of `rejection_reason`.
const MOST_REASON = 50;

const rejectPayment = (reason: string): Pick<PaymentChange, 'paymentStatus' | 'rejectionReason'> => ({
  paymentStatus: 'rejected',
  rejectionReason: reason.slice(0, MOST_REASON),
});

/** Returns what changes of an order when the provider refuses an attempt for good. */
export function refuseAttempt(order: CollectedOrder, attempt: OrderAttempt, reason: string): PaymentChange | undefined {
  if (!order.payment) return undefined;
  const payment = putAttempt(order.payment, { ...attempt, status: 'failed' });
  const isPresent = findPresent(order)?.number === attempt.number && order.orderStatus !== 'cancelled';
  return isPresent && COLLECTED_STATUSES.includes(order.paymentStatus)
    ? { payment, ...rejectPayment(reason) }
    : { payment };
}

/** The provider's answer to what was asked for. */
type Provided = {
  readonly id: string;
  readonly customer: string | null;
  readonly reference: ProvidedReference;
  readonly expiresAt: string;
};

/** Returns the payment of an order with the reference that an attempt brought. */
export function recordReference(
  payment: OrderPayment,
  attempt: OrderAttempt,
  { id: providerId, customer, reference: { method, ...reference }, expiresAt }: Provided,
): OrderPayment {
  const next = { ...attempt, status: 'open', providerId, reference, expiresAt } as const;
  const isAccountWatched = payment.isAccountWatched || method === 'spei';
  // The money of an order is that of the customer whose CLABE it has shown.
  const known = attempt.isLeft ? (payment.customer ?? customer) : (customer ?? payment.customer);
  return { ...putAttempt(payment, next), customer: known, isAccountWatched };
}

/** True if an order can get new references: it is collected, in its bounds, and neither paid nor being paid, nor cancelled. */
export const isPayable = ({ orderStatus, paymentStatus, totalCents, paymentMethod }: CollectedOrder): boolean =>
  paymentMethod.collection !== undefined &&
  orderStatus !== 'cancelled' &&
  isCollectable(paymentMethod.collection, totalCents) &&
  (paymentStatus === 'unpaid' || paymentStatus === 'rejected');

// A job looks at each, and a voucher that was replaced can be paid for days.
const MOST_PAYABLE = 5;

/** True if an order may get another reference beside those that could still be paid. */
export const mayAddReference = ({ payment }: Pick<CollectedOrder, 'payment'>): boolean =>
  payment === undefined || payment.attempts.filter((attempt) => !isAttemptOver(attempt)).length < MOST_PAYABLE;
