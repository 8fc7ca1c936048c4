import { addMinutes, startOfNextMonth } from '../../domain/working-day.ts';
import type { PaymentStatus } from '../../order/rules/status.ts';
import {
  ARCHIVED_PARTS,
  type Archive,
  type ArchivedPart,
  type Cancellation,
  type DocumentMail,
  type TaxDocument,
} from './tax-document.ts';

/** A request lasts 10 s at most, so after a minute nobody else is waiting for the provider. */
export const FIRST_LOOK_MINUTES = 1;

// The receiver has three days to answer SAT (RMF 2.7.1.34), and a provider may be down for a night.
const LONGEST_PAUSE_MINUTES = 60;

/** Returns the pause after this many checks or attempts: 2, 4, 8 … minutes, at most an hour. */
export const getPauseMinutes = (before: number): number => Math.min(2 ** (before + 1), LONGEST_PAUSE_MINUTES);

/** Schedules the next check with exponential backoff: after 2, 4, 8 … minutes, at most an hour. */
export const postponeCheck = (document: TaxDocument, now: Date): TaxDocument => ({
  ...document,
  checks: document.checks + 1,
  dueAt: addMinutes(now, getPauseMinutes(document.checks)),
});

// A claimed mail is sent within seconds.
const CLAIM_MINUTES = 10;

/** Claims the mail: whoever stores this sends it. */
export const claimMail = (document: TaxDocument, now: Date): TaxDocument =>
  setMail(document, { status: 'sending', tries: getTries(document) + 1 }, addMinutes(now, CLAIM_MINUTES));

const getTries = ({ mail }: TaxDocument): number => mail?.tries ?? 0;

const MAILED_STATUSES: readonly TaxDocument['status'][] = ['issued', 'cancellation_rejected', 'cancelled'];

/** True if a document has a mail: a valid one its own, and a cancelled one that of its cancellation. */
const hasMail = ({ status }: TaxDocument): boolean => MAILED_STATUSES.includes(status);

/** Sets the mail's state. A document that is being cancelled keeps the time of its next check. */
const setMail = (document: TaxDocument, mail: DocumentMail, dueAt: string | null): TaxDocument => ({
  ...document,
  mail,
  dueAt: hasMail(document) ? dueAt : document.dueAt,
});

// Nearly three days in all, which outlasts an outage of SES or of the sender's domain.
const MAIL_PAUSES_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440];

/** Schedules the next attempt to send the mail with growing pauses; gives up after the last one. */
export function postponeMail(document: TaxDocument, now: Date): TaxDocument {
  const tries = getTries(document);
  const pause = MAIL_PAUSES_MINUTES[tries - 1];
  if (pause === undefined) return finishMail(document, 'given_up');
  return setMail(document, { status: 'due', tries }, addMinutes(now, pause));
}

/** Ends the automatic sending of the mail. */
export const finishMail = (document: TaxDocument, status: 'sent' | 'unconfirmed' | 'given_up'): TaxDocument =>
  setMail(document, { status, tries: getTries(document) }, null);

// The states of a mail that may have reached the receiver.
const KNOWN_TO_RECEIVER: readonly (DocumentMail['status'] | undefined)[] = ['sending', 'sent', 'unconfirmed'];

/**
 * Claims the mail of a cancellation if the receiver may have got the document; another mail, which was never sent, is
 * dropped.
 */
function claimCancellationMail(document: TaxDocument, now: Date): TaxDocument {
  const handled = document.handled.filter((action) => action !== 'mail_unconfirmed' && action !== 'mail_given_up');
  if (KNOWN_TO_RECEIVER.includes(document.mail?.status)) return claimMail({ ...document, handled }, now);
  return { ...document, mail: null };
}

/** True if the mail of a document has to be sent, or somebody is sending it. */
export const isMailWaiting = (document: TaxDocument): boolean =>
  hasMail(document) && (document.mail?.status === 'due' || document.mail?.status === 'sending');

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
    return { ...document, status: 'not_issued', reason: 'order_cancelled', dueAt: null };
  if (document.status !== 'issued') return document;
  return { ...document, status: 'cancelling', cancellation: NO_SALE, checks: 0, dueAt: now.toISOString() };
}

/**
 * The provider's answer about a requested cancellation. `expired`: the receiver did not answer in time, which counts as
 * consent once it is asked for again (RMF 2.7.1.34). `not_cancelable`: SAT cancels no such document.
 */
export type CancellationResult = 'accepted' | 'pending' | 'rejected' | 'expired' | 'not_cancelable' | 'none';

/** The status of a document by the provider's answer. */
const CANCELLATION_STATUSES = {
  accepted: 'cancelled',
  pending: 'cancellation_pending',
  rejected: 'cancellation_rejected',
  not_cancelable: 'cancellation_rejected',
  expired: 'cancelling',
  none: 'cancelling',
} as const satisfies Record<CancellationResult, TaxDocument['status']>;

/** Applies the provider's answer about a cancellation; without news, schedules the next check. */
export function applyCancellation(document: TaxDocument, result: CancellationResult, now: Date): TaxDocument {
  const status = CANCELLATION_STATUSES[result];
  if (status === document.status) return postponeCheck(document, now);
  const changed = { ...document, status, checks: 0 };
  if (status === 'cancelled') {
    const archive = completeArchive(document.archive, now);
    return claimCancellationMail({ ...changed, archive, cancelledAt: now.toISOString(), dueAt: null }, now);
  }
  // The document stays valid, so that a mail of it that is not sent yet is due.
  if (status === 'cancellation_rejected')
    return { ...changed, reason: result, dueAt: isMailWaiting(changed) ? now.toISOString() : null };
  return { ...changed, dueAt: addMinutes(now, FIRST_LOOK_MINUTES) };
}

/** Asks for a rejected cancellation again. */
export const repeatCancellation = (document: TaxDocument, now: Date): TaxDocument => ({
  ...document,
  status: 'cancelling',
  reason: null,
  handled: document.handled.filter((action) => action !== 'cancellation_rejected'),
  checks: 0,
  dueAt: now.toISOString(),
});

// Whoever issues a document mails it within seconds, and copies it for that.
const FIRST_COPY_MINUTES = 1;

/** Schedules the first copy of a document that was issued and is being mailed. */
export const startArchive = (now: Date): Archive => ({
  kept: [],
  tries: 0,
  dueAt: addMinutes(now, FIRST_COPY_MINUTES),
});

/** Schedules the copy of what a document lacks for now: a job makes it next. */
export const completeArchive = (archive: Archive | null, now: Date): Archive => ({
  kept: archive?.kept ?? [],
  tries: 0,
  dueAt: now.toISOString(),
});

/** Returns what a document lacks of its copy: a receipt if it was cancelled. */
export function listMissingParts({ status, archive }: Pick<TaxDocument, 'status' | 'archive'>): ArchivedPart[] {
  if (!archive) return [];
  const wanted: readonly ArchivedPart[] = status === 'cancelled' ? ARCHIVED_PARTS : ['files'];
  return wanted.filter((part) => !archive.kept.includes(part));
}

/** Records the parts that were copied; without a part that is missing, nothing is due any more. */
export function recordCopy(document: TaxDocument, copied: readonly ArchivedPart[]): TaxDocument {
  if (!document.archive) return document;
  const archive = { ...document.archive, kept: [...new Set([...document.archive.kept, ...copied])] };
  const isComplete = listMissingParts({ ...document, archive }).length === 0;
  return { ...document, archive: isComplete ? { ...archive, tries: 0, dueAt: null } : archive };
}

// Some two days. A provider may offer no receipt; SAT's own page has it.
const RECEIPT_TRIES = 48;

// After these, the pause grows no more.
const COUNTED_FAILURES = 6;

/**
 * Schedules the next copy with exponential backoff: after 2, 4, 8 … minutes, at most an hour. A receipt that the provider
 * does not offer is given up at last; while the provider is down, that is not known.
 */
export function postponeCopy(document: TaxDocument, now: Date, cause: 'failed' | 'not_offered'): TaxDocument {
  const { archive } = document;
  if (!archive) return document;
  const tries = cause === 'failed' && archive.tries >= COUNTED_FAILURES ? archive.tries : archive.tries + 1;
  const isGivenUp = cause === 'not_offered' && tries > RECEIPT_TRIES && archive.kept.includes('files');
  const dueAt = isGivenUp ? null : addMinutes(now, getPauseMinutes(tries - 1));
  return { ...document, archive: { ...archive, tries, dueAt } };
}

/** True if a job has to copy what is missing by now. */
export const isCopyDue = ({ archive }: TaxDocument, now: Date): boolean =>
  typeof archive?.dueAt === 'string' && archive.dueAt <= now.toISOString();
