import type { RefusalCode } from '../../messages/refusals.ts';
import type { Cents } from '../money.ts';
import type { OrderStatus } from '../order.ts';
import { localDate } from '../working-day.ts';
import type { InvoiceMatter } from './invoice-status.ts';

/**
 * Where the invoice of an order stands. `requested`: a provider was or is being asked; `not_issued`: that came to
 * nothing, and it may be asked for anew; `cancelling`: the provider is to be told; `cancellation_pending`: SAT waits for
 * the receiver; `cancellation_rejected`: the receiver said no, the invoice stays valid.
 */
export type InvoiceStatus =
  | 'requested'
  | 'not_issued'
  | 'issued'
  | 'cancelling'
  | 'cancellation_pending'
  | 'cancellation_rejected'
  | 'cancelled';

/**
 * The mail that brings an invoice. It is `sending` from before it is sent, so that nobody else sends it too;
 * `unconfirmed`: it may have been sent or not, which only a person can find out.
 */
export type InvoiceMailState = {
  readonly status: 'due' | 'sending' | 'sent' | 'unconfirmed' | 'given_up';
  readonly tries: number;
};

/** The latest attempt to invoice an order, and what became of it. Times are `2026-11-21T23:00:00.000Z`. */
export type OrderInvoice = {
  readonly status: InvoiceStatus;
  /** What the provider knows this attempt by; each has its own. */
  readonly key: string;
  /** SAT's c_MetodoPago. */
  readonly paymentMethod: 'PUE' | 'PPD';
  readonly requestedAt: string;
  readonly issuedAt: string | null;
  /** Why it was not issued. */
  readonly reason: string | null;
  readonly mail: InvoiceMailState | null;
  /** What waited for a person, and was seen to. */
  readonly handled: readonly InvoiceMatter[];
  /** How often a job looked at it since its status changed. */
  readonly looks: number;
  /** When a job is to look at it next; null when nothing is left to do. */
  readonly dueAt: string | null;
};

/** An order as the rules of its invoice see it. */
export type InvoiceableOrder = {
  readonly orderStatus: OrderStatus;
  readonly totalCents: Cents;
  readonly cfdi: string;
  readonly invoice: OrderInvoice | null;
  readonly createdAt: string;
};

/** Why no invoice can be asked for now (rules of the interface and of the shop), or null. */
export function invoiceRefusal(order: InvoiceableOrder, now: Date, timeZone: string): RefusalCode | null {
  if (order.orderStatus === 'cancelled') return 'order_cancelled';
  if (order.cfdi !== '') return 'order_invoiced';
  if (isInProgress(order.invoice)) return 'invoice_in_progress';
  if (order.totalCents === 0) return 'nothing_to_invoice';
  return isWithinWindow(new Date(order.createdAt), now, timeZone) ? null : 'invoice_window_closed';
}

const WINDOW_MS = 72 * 60 * 60 * 1_000;
const MONTH = 'YYYY-MM'.length;

/** Up to 72 hours after the order was placed, and in the same month where the shop is. */
export function isWithinWindow(createdAt: Date, now: Date, timeZone: string): boolean {
  const monthOf = (instant: Date) => localDate(instant, timeZone).slice(0, MONTH);
  return now.getTime() - createdAt.getTime() <= WINDOW_MS && monthOf(now) === monthOf(createdAt);
}

/** Whether an attempt is under way whose outcome is not known yet. */
export const isInProgress = (invoice: OrderInvoice | null): boolean => invoice?.status === 'requested';

const MINUTE_MS = 60_000;
const inMinutes = (now: Date, minutes: number): string => new Date(now.getTime() + minutes * MINUTE_MS).toISOString();

// A request lives 10 s: after a minute nobody is still waiting for what the provider says.
const FIRST_LOOK_MINUTES = 1;

/** A new attempt, to be written down before the provider is called. */
export const newAttempt = (key: string, paymentMethod: OrderInvoice['paymentMethod'], now: Date): OrderInvoice => ({
  status: 'requested',
  key,
  paymentMethod,
  requestedAt: now.toISOString(),
  issuedAt: null,
  reason: null,
  mail: null,
  handled: [],
  looks: 0,
  dueAt: inMinutes(now, FIRST_LOOK_MINUTES),
});

/** The attempt came to nothing. */
export const notIssued = (invoice: OrderInvoice, reason: string): OrderInvoice => ({
  ...invoice,
  status: 'not_issued',
  reason,
  looks: 0,
  dueAt: null,
});

/** It was issued, and its mail is about to be sent; unless the order was cancelled meanwhile, and the invoice is to be, too. */
export function issued(invoice: OrderInvoice, orderStatus: OrderStatus, now: Date): OrderInvoice {
  const known: OrderInvoice = { ...invoice, status: 'issued', issuedAt: now.toISOString(), looks: 0, dueAt: null };
  return orderStatus === 'cancelled' ? cancelledWithOrder(known, now) : mailClaimed(known, now);
}

/** What cancelling an order does to its invoice. One in progress stays so: what comes of it is cancelled then. */
export function cancelledWithOrder(invoice: OrderInvoice, now: Date): OrderInvoice {
  if (invoice.status !== 'issued') return invoice;
  return { ...invoice, status: 'cancelling', looks: 0, dueAt: now.toISOString() };
}

/** As the provider tells of a cancellation that it was asked for. */
export type CancellationNews = 'accepted' | 'pending' | 'rejected' | 'none';

/** The invoice after news of its cancellation; no news is another look later. */
export function afterCancellation(invoice: OrderInvoice, news: CancellationNews, now: Date): OrderInvoice {
  const status = CANCELLATIONS[news];
  if (status === invoice.status) return lookedAt(invoice, now);
  const isOver = status === 'cancelled' || status === 'cancellation_rejected';
  const dueAt = isOver ? null : inMinutes(now, FIRST_LOOK_MINUTES);
  return { ...invoice, status, looks: 0, dueAt };
}

const CANCELLATIONS = {
  accepted: 'cancelled',
  pending: 'cancellation_pending',
  rejected: 'cancellation_rejected',
  none: 'cancelling',
} as const satisfies Record<CancellationNews, InvoiceStatus>;

// The receiver has three working days to answer SAT, and a provider may be down for a night.
const LONGEST_PAUSE_MINUTES = 60;

/** Nothing new: the next look is after 2, 4, 8 and so on minutes, in the end every hour. */
export function lookedAt(invoice: OrderInvoice, now: Date): OrderInvoice {
  const looks = invoice.looks + 1;
  return { ...invoice, looks, dueAt: inMinutes(now, Math.min(2 ** looks, LONGEST_PAUSE_MINUTES)) };
}

// A provider that has never heard of an attempt by then did not take it: a call lasts 5 s.
const LOST_AFTER_MS = 15 * MINUTE_MS;

/** Whether an attempt that its provider does not know of is over. */
export const isLost = ({ requestedAt }: OrderInvoice, now: Date): boolean =>
  now.getTime() - Date.parse(requestedAt) >= LOST_AFTER_MS;

// Whoever claims a mail sends it within seconds.
const CLAIM_MINUTES = 10;

/** The mail is about to be sent by whoever writes this down. */
export const mailClaimed = (invoice: OrderInvoice, now: Date): OrderInvoice =>
  withMail(invoice, { status: 'sending', tries: triesOf(invoice) + 1 }, inMinutes(now, CLAIM_MINUTES));

const triesOf = ({ mail }: OrderInvoice): number => mail?.tries ?? 0;

/** An invoice that is being cancelled meanwhile stays due for that. */
const withMail = (invoice: OrderInvoice, mail: InvoiceMailState, dueAt: string | null): OrderInvoice => ({
  ...invoice,
  mail,
  dueAt: invoice.status === 'issued' ? dueAt : invoice.dueAt,
});

// Nearly three days: an outage of SES, or of a sender's verified domain, is over by then.
const MAIL_PAUSES_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440];

/** The mail was not sent: it is due again after a pause that grows, until it is given up. */
export function mailRefused(invoice: OrderInvoice, now: Date): OrderInvoice {
  const tries = triesOf(invoice);
  const pause = MAIL_PAUSES_MINUTES[tries - 1];
  if (pause === undefined) return mailOver(invoice, 'given_up');
  return withMail(invoice, { status: 'due', tries }, inMinutes(now, pause));
}

/** Nothing more is done about the mail by itself. */
export const mailOver = (invoice: OrderInvoice, status: 'sent' | 'unconfirmed' | 'given_up'): OrderInvoice =>
  withMail(invoice, { status, tries: triesOf(invoice) }, null);
