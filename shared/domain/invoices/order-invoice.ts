import type { RefusalCode } from '../../messages/refusals.ts';
import type { Cents } from '../money.ts';
import type { OrderStatus } from '../order.ts';
import { localDate } from '../working-day.ts';

/**
 * The status of an order's invoice. `requested`: the provider has been or is being asked. `not_issued`: nothing was issued,
 * and the invoice can be requested again. `cancelling`: the provider has yet to be told. `cancellation_pending`: SAT waits
 * for the receiver. `cancellation_rejected`: the receiver refused, and the invoice stays valid.
 */
export const INVOICE_STATUSES = [
  'requested',
  'not_issued',
  'issued',
  'cancelling',
  'cancellation_pending',
  'cancellation_rejected',
  'cancelled',
] as const;
type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/**
 * The state of an invoice's mail. `sending`: somebody has claimed it and is sending it. `unconfirmed`: it is unknown whether
 * it was sent, which only an operator can find out.
 */
export const MAIL_STATUSES = ['due', 'sending', 'sent', 'unconfirmed', 'given_up'] as const;
type InvoiceMailState = {
  readonly status: (typeof MAIL_STATUSES)[number];
  readonly tries: number;
};

/**
 * Actions that an operator has to take. `complement_due`: the invoice says paid later (PPD) and the order has been paid
 * since, so SAT requires a payment complement. `cancellation_rejected`: the order is cancelled, its invoice is still valid.
 */
export const INVOICE_ACTIONS = [
  'cancellation_rejected',
  'complement_due',
  'mail_unconfirmed',
  'mail_given_up',
] as const;
export type InvoiceAction = (typeof INVOICE_ACTIONS)[number];

/** The latest attempt to invoice an order and its outcome. Times are `2026-11-21T23:00:00.000Z`. */
export type OrderInvoice = {
  readonly status: InvoiceStatus;
  /** The provider's idempotency key for this attempt. */
  readonly key: string;
  /** SAT's c_MetodoPago. */
  readonly paymentMethod: 'PUE' | 'PPD';
  readonly requestedAt: string;
  readonly issuedAt: string | null;
  /** The reason why no invoice was issued. */
  readonly reason: string | null;
  readonly mail: InvoiceMailState | null;
  /** The actions that an operator has taken. */
  readonly handled: readonly InvoiceAction[];
  /** The number of checks by a job since the status changed. */
  readonly checks: number;
  /** The time of the next check by a job; null if there is nothing left to do. */
  readonly dueAt: string | null;
};

/** The part of an order that the rules of its invoice need. */
export type InvoiceableOrder = {
  readonly orderStatus: OrderStatus;
  readonly totalCents: Cents;
  readonly cfdi: string;
  readonly invoice: OrderInvoice | null;
  readonly createdAt: string;
};

/** Returns the reason why no invoice can be requested now (the interface's "Limits"), or null. */
export function invoiceRefusal(order: InvoiceableOrder, now: Date, timeZone: string): RefusalCode | null {
  if (order.orderStatus === 'cancelled') return 'order_cancelled';
  if (order.cfdi !== '') return 'order_invoiced';
  if (isInProgress(order.invoice)) return 'invoice_in_progress';
  if (order.totalCents === 0) return 'nothing_to_invoice';
  return isWithinWindow(new Date(order.createdAt), now, timeZone) ? null : 'invoice_window_closed';
}

/** The time after an order in which its invoice can be requested. */
export const INVOICE_WINDOW_MS = 72 * 60 * 60 * 1_000;
const MONTH = 'YYYY-MM'.length;

/** True up to 72 hours after the order was placed, within the same local month (the interface's "Limits"). */
export function isWithinWindow(createdAt: Date, now: Date, timeZone: string): boolean {
  const getMonth = (instant: Date) => localDate(instant, timeZone).slice(0, MONTH);
  return now.getTime() - createdAt.getTime() <= INVOICE_WINDOW_MS && getMonth(now) === getMonth(createdAt);
}

/** True if the outcome of an attempt is not known yet. */
export const isInProgress = (invoice: OrderInvoice | null): boolean => invoice?.status === 'requested';

const MINUTE_MS = 60_000;
const addMinutes = (now: Date, minutes: number): string => new Date(now.getTime() + minutes * MINUTE_MS).toISOString();

// A request lasts 10 s at most, so after a minute nobody else is waiting for the provider.
const FIRST_LOOK_MINUTES = 1;

/** Returns a new attempt, to be stored before the provider is called. */
export const startAttempt = (key: string, paymentMethod: OrderInvoice['paymentMethod'], now: Date): OrderInvoice => ({
  status: 'requested',
  key,
  paymentMethod,
  requestedAt: now.toISOString(),
  issuedAt: null,
  reason: null,
  mail: null,
  handled: [],
  checks: 0,
  dueAt: addMinutes(now, FIRST_LOOK_MINUTES),
});

/** Closes the attempt without an invoice. */
export const markNotIssued = (invoice: OrderInvoice, reason: string): OrderInvoice => ({
  ...invoice,
  status: 'not_issued',
  reason,
  checks: 0,
  dueAt: null,
});

/** Marks the attempt as issued and claims its mail; if the order was cancelled meanwhile, starts the cancellation instead. */
export function markIssued(invoice: OrderInvoice, orderStatus: OrderStatus, now: Date): OrderInvoice {
  const known: OrderInvoice = { ...invoice, status: 'issued', issuedAt: now.toISOString(), checks: 0, dueAt: null };
  return orderStatus === 'cancelled' ? cancelInvoice(known, now) : claimMail(known, now);
}

/** Starts the cancellation of an issued invoice. One in progress is left alone, and cancelled once it is issued. */
export function cancelInvoice(invoice: OrderInvoice, now: Date): OrderInvoice {
  if (invoice.status !== 'issued') return invoice;
  return { ...invoice, status: 'cancelling', checks: 0, dueAt: now.toISOString() };
}

/** The provider's answer about a requested cancellation. */
export type CancellationResult = 'accepted' | 'pending' | 'rejected' | 'none';

/** Applies the provider's answer about a cancellation; without news, schedules the next check. */
export function applyCancellation(invoice: OrderInvoice, news: CancellationResult, now: Date): OrderInvoice {
  const status = CANCELLATIONS[news];
  if (status === invoice.status) return postponeCheck(invoice, now);
  const isOver = status === 'cancelled' || status === 'cancellation_rejected';
  const dueAt = isOver ? null : addMinutes(now, FIRST_LOOK_MINUTES);
  return { ...invoice, status, checks: 0, dueAt };
}

const CANCELLATIONS = {
  accepted: 'cancelled',
  pending: 'cancellation_pending',
  rejected: 'cancellation_rejected',
  none: 'cancelling',
} as const satisfies Record<CancellationResult, InvoiceStatus>;

// The receiver has three working days to answer SAT (RMF 2.7.1.34), and a provider may be down for a night.
const LONGEST_PAUSE_MINUTES = 60;

/** Schedules the next check with exponential backoff: after 2, 4, 8 … minutes, at most an hour. */
export function postponeCheck(invoice: OrderInvoice, now: Date): OrderInvoice {
  const looks = invoice.checks + 1;
  return { ...invoice, checks: looks, dueAt: addMinutes(now, Math.min(2 ** looks, LONGEST_PAUSE_MINUTES)) };
}

// A call lasts 5 s at most: a provider that does not know the attempt by then never received it.
const LOST_AFTER_MS = 15 * MINUTE_MS;

/** True if an attempt that the provider does not know can be closed. */
export const isAttemptLost = ({ requestedAt }: OrderInvoice, now: Date): boolean =>
  now.getTime() - Date.parse(requestedAt) >= LOST_AFTER_MS;

// A claimed mail is sent within seconds.
const CLAIM_MINUTES = 10;

/** Claims the mail: whoever stores this sends it. */
export const claimMail = (invoice: OrderInvoice, now: Date): OrderInvoice =>
  setMail(invoice, { status: 'sending', tries: getTries(invoice) + 1 }, addMinutes(now, CLAIM_MINUTES));

const getTries = ({ mail }: OrderInvoice): number => mail?.tries ?? 0;

/** Sets the mail's state. An invoice that is being cancelled keeps the time of its next check. */
const setMail = (invoice: OrderInvoice, mail: InvoiceMailState, dueAt: string | null): OrderInvoice => ({
  ...invoice,
  mail,
  dueAt: invoice.status === 'issued' ? dueAt : invoice.dueAt,
});

// Nearly three days in all, which outlasts an outage of SES or of the sender's domain.
const MAIL_PAUSES_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440];

/** Schedules the next attempt to send the mail with growing pauses; gives up after the last one. */
export function postponeMail(invoice: OrderInvoice, now: Date): OrderInvoice {
  const tries = getTries(invoice);
  const pause = MAIL_PAUSES_MINUTES[tries - 1];
  if (pause === undefined) return finishMail(invoice, 'given_up');
  return setMail(invoice, { status: 'due', tries }, addMinutes(now, pause));
}

/** Ends the automatic sending of the mail. */
export const finishMail = (invoice: OrderInvoice, status: 'sent' | 'unconfirmed' | 'given_up'): OrderInvoice =>
  setMail(invoice, { status, tries: getTries(invoice) }, null);
