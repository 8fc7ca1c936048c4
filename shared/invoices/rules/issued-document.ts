import { addMinutes, startOfNextMonth } from '../../domain/working-day.ts';
import type { PaymentStatus } from '../../order/rules/status.ts';
import { ARCHIVED_PARTS, type ArchivedPart, type MailStatus } from './document-values.ts';
import { endTask, FIRST_LOOK_MINUTES, getPauseMinutes, repeatTask, setTask, startTask } from './tasks.ts';
import type { Cancellation, TaxDocument } from './tax-document.ts';

// A claimed mail is sent within seconds.
const CLAIM_MINUTES = 10;

/** Claims the mail: whoever stores this sends it. */
export const claimMail = (document: TaxDocument, now: Date): TaxDocument =>
  setMail(document, 'sending', getMailTries(document) + 1, addMinutes(now, CLAIM_MINUTES));

const getMailTries = ({ tasks }: TaxDocument): number => tasks.mail?.tries ?? 0;

const setMail = (document: TaxDocument, mail: MailStatus, tries: number, dueAt: string | null): TaxDocument =>
  setTask({ ...document, mail }, 'mail', { tries, dueAt });

// Nearly three days in all, which outlasts an outage of SES or of the sender's domain.
const MAIL_PAUSES_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440];

/** Schedules the next attempt to send the mail with growing pauses; gives up after the last one. */
export function postponeMail(document: TaxDocument, now: Date): TaxDocument {
  const tries = getMailTries(document);
  const pause = MAIL_PAUSES_MINUTES[tries - 1];
  if (pause === undefined) return finishMail(document, 'given_up');
  return setMail(document, 'due', tries, addMinutes(now, pause));
}

export const finishMail = (document: TaxDocument, mail: 'sent' | 'unconfirmed' | 'given_up'): TaxDocument =>
  setMail(document, mail, getMailTries(document), null);

export const dropMail = (document: TaxDocument): TaxDocument => endTask({ ...document, mail: null }, 'mail');

const MAILED_STATUSES: readonly TaxDocument['status'][] = ['issued', 'cancellation_rejected', 'cancelled'];

/**
 * True if the mail of a document has to be sent, or somebody is sending it: a valid one has its own, a cancelled one that of
 * its cancellation, and one that is being cancelled waits for the outcome.
 */
export const isMailWaiting = ({ status, mail }: TaxDocument): boolean =>
  MAILED_STATUSES.includes(status) && (mail === 'due' || mail === 'sending');

type Issuing = { readonly paymentStatus: PaymentStatus; readonly now: Date; readonly timeZone: string };

/**
 * Adds the end of the local month to an invoice that says that it is paid at once (PUE) and is not paid yet, as it has to be
 * paid by then (RMF 2.7.1.39, fractions I and III).
 */
export function addPaymentTerm(invoice: TaxDocument, { paymentStatus, now, timeZone }: Issuing): TaxDocument {
  const isOpen = invoice.kind === 'invoice' && invoice.paymentMethod === 'PUE' && paymentStatus !== 'paid';
  if (!isOpen) return invoice;
  const issuedAt = invoice.stamp ? new Date(invoice.stamp.at) : now;
  return { ...invoice, payBy: startOfNextMonth(issuedAt, timeZone).toISOString() };
}

/** The part of an order that says whether its invoice was paid in time. */
export type PaidOrder = { readonly paymentStatus: PaymentStatus; readonly paymentDate: string | null };

/** True if a valid invoice has still to be paid within its month. */
export const isAwaitingPayment = ({ status, payBy, isOverdue }: TaxDocument, { paymentStatus }: PaidOrder): boolean =>
  status === 'issued' && payBy !== undefined && !isOverdue && paymentStatus !== 'paid' && paymentStatus !== 'credit';

/**
 * True if a valid invoice says that it is paid at once (PUE) and its order went to credit, or was not paid within the month:
 * it has to be cancelled and replaced by one with PPD and form 99 (RMF 2.7.1.39, last paragraphs). So paying later changes
 * nothing; paying an order on credit within the month does.
 */
export function isUnpaidInMonth({ status, payBy, isOverdue }: TaxDocument, order: PaidOrder): boolean {
  if (status !== 'issued' || payBy === undefined) return false;
  const isPaidLate = order.paymentStatus === 'paid' && order.paymentDate !== null && order.paymentDate >= payBy;
  return isOverdue === true || isPaidLate || order.paymentStatus === 'credit';
}

/** The cancellation of the documents of an order that was cancelled. */
export const NO_SALE: Cancellation = { motive: '03', substitution: null };

/**
 * Starts the cancellation of an issued document, and ends the attempts to issue it anew. One in progress is left alone, and
 * cancelled once it is issued.
 */
export function cancelInvoice(document: TaxDocument, now: Date): TaxDocument {
  if (document.status === 'retrying')
    return endTask({ ...document, status: 'not_issued', reason: 'order_cancelled' }, 'issue');
  return document.status === 'issued' ? startCancellation(document, NO_SALE, now) : document;
}

/** Starts the cancellation of a document, for a job to ask the provider for at once. */
export const startCancellation = (document: TaxDocument, cancellation: Cancellation | null, now: Date): TaxDocument =>
  startTask({ ...document, status: 'cancelling', cancellation }, 'cancel', now.toISOString());

/**
 * The provider's answer about a requested cancellation. `expired`: the receiver did not answer in time, which counts as
 * consent once it is asked for again (RMF 2.7.1.34). `not_cancelable`: SAT cancels no such document.
 */
export type CancellationResult = keyof typeof CANCELLATION_STATUSES;

const CANCELLATION_STATUSES = {
  accepted: 'cancelled',
  pending: 'cancellation_pending',
  rejected: 'cancellation_rejected',
  not_cancelable: 'cancellation_rejected',
  expired: 'cancelling',
  none: 'cancelling',
} as const satisfies Record<string, TaxDocument['status']>;

/** Applies the provider's answer about a cancellation; without news, schedules the next check. */
export function applyCancellation(document: TaxDocument, result: CancellationResult, now: Date): TaxDocument {
  const status = CANCELLATION_STATUSES[result];
  if (status === document.status) return repeatTask(document, 'cancel', now);
  const ended = endTask({ ...document, status }, 'cancel');
  if (status === 'cancelled') return finishCancellation(ended, now);
  if (status === 'cancellation_rejected') return { ...ended, reason: result };
  return startTask(ended, 'cancel', addMinutes(now, FIRST_LOOK_MINUTES));
}

function finishCancellation(document: TaxDocument, now: Date): TaxDocument {
  const at = now.toISOString();
  return claimCancellationMail(startTask({ ...document, cancelledAt: at }, 'archive', at), now);
}

// The states of a mail that may have reached the receiver.
const KNOWN_TO_RECEIVER: readonly (MailStatus | null)[] = ['sending', 'sent', 'unconfirmed'];

/**
 * Claims the mail of a cancellation if the receiver may have got the document; another mail, which was never sent, is
 * dropped.
 */
function claimCancellationMail(document: TaxDocument, now: Date): TaxDocument {
  if (!KNOWN_TO_RECEIVER.includes(document.mail)) return dropMail(document);
  const handled = document.handled.filter((action) => action !== 'mail_unconfirmed' && action !== 'mail_given_up');
  return claimMail({ ...document, handled }, now);
}

export function repeatCancellation(document: TaxDocument, now: Date): TaxDocument {
  const handled = document.handled.filter((action) => action !== 'cancellation_rejected');
  return startCancellation({ ...document, reason: null, handled }, document.cancellation, now);
}

// Whoever issues a document mails it within seconds, and copies it for that.
const FIRST_COPY_MINUTES = 1;

/** Schedules the first copy of a document that was issued and is being mailed. */
export const scheduleCopy = (document: TaxDocument, now: Date): TaxDocument =>
  startTask(document, 'archive', addMinutes(now, FIRST_COPY_MINUTES));

/** Returns the parts of a document that are still to be copied: its receipt too if it was cancelled. */
export function listMissingParts({ status, kept, tasks }: TaxDocument): ArchivedPart[] {
  if (!tasks.archive) return [];
  const parts: readonly ArchivedPart[] = status === 'cancelled' ? ARCHIVED_PARTS : ['files'];
  return parts.filter((part) => !kept.includes(part));
}

/** Records the parts that were copied, unless nothing was to be copied any more. */
export function recordCopy(document: TaxDocument, copied: readonly ArchivedPart[]): TaxDocument {
  if (!document.tasks.archive) return document;
  const next = { ...document, kept: [...new Set([...document.kept, ...copied])] };
  return listMissingParts(next).length === 0 ? endTask(next, 'archive') : next;
}

// Some two days. A provider may offer no receipt; SAT's own page has it.
const RECEIPT_TRIES = 48;

// After these, the pause grows no more.
const COUNTED_FAILURES = 6;

/**
 * Schedules the next copy with exponential backoff. A receipt that the provider does not offer is given up at last; while
 * the provider is down, that is not known.
 */
export function postponeCopy(document: TaxDocument, now: Date, cause: 'failed' | 'not_offered'): TaxDocument {
  const { kept, tasks } = document;
  if (!tasks.archive) return document;
  const before = tasks.archive.tries;
  const tries = cause === 'failed' && before >= COUNTED_FAILURES ? before : before + 1;
  const isGivenUp = cause === 'not_offered' && tries > RECEIPT_TRIES && kept.includes('files');
  if (isGivenUp) return endTask(document, 'archive');
  return setTask(document, 'archive', { tries, dueAt: addMinutes(now, getPauseMinutes(tries - 1)) });
}
