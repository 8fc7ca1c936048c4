import type { Cents } from '../../domain/money.ts';
import { addMinutes, startOfNextMonth } from '../../domain/working-day.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import { ARCHIVED_PARTS, type ArchivedPart, type MailStatus } from './document-values.ts';
import { toIssueInstant } from './place-of-issue.ts';
import {
  type Cancellation,
  endTask,
  FIRST_LOOK_MINUTES,
  getPauseMinutes,
  repeatTask,
  setTask,
  startTask,
  type TaxDocument,
} from './tax-document.ts';

export type NewDocument = Pick<TaxDocument, 'kind' | 'key' | 'amountCents' | 'paymentMethod' | 'paymentForm'> &
  Partial<Pick<TaxDocument, 'relatedUuid'>>;

const MINUTE_MS = 60_000;

/** Returns a new attempt, to be stored before the provider is called. */
export const startAttempt = (document: NewDocument, now: Date): TaxDocument => ({
  relatedUuid: null,
  ...document,
  status: 'requested',
  providerId: '',
  stamp: null,
  cancellation: null,
  requestedAt: now.toISOString(),
  issuedAt: null,
  reason: null,
  mail: null,
  kept: [],
  handled: [],
  tasks: { issue: { tries: 0, dueAt: addMinutes(now, FIRST_LOOK_MINUTES) } },
});

export const isInProgress = (document: TaxDocument | null): boolean => document?.status === 'requested';

/** Closes the attempt without a document; an operator decides. */
export const markNotIssued = (attempt: TaxDocument, reason: string): TaxDocument =>
  endTask({ ...attempt, status: 'not_issued', reason }, 'issue');

/** Closes an attempt whose data were refused; its caller learns why. */
export const markRefused = (attempt: TaxDocument): TaxDocument =>
  endTask({ ...attempt, status: 'refused', reason: 'refused' }, 'issue');

/** `until`: the end of a job's attempts; null if there is none. */
export type Postponement = {
  readonly reason: string;
  readonly now: Date;
  readonly until: Date | null;
  /** The pause that the provider asks for. */
  readonly retryAfterSeconds?: number | undefined;
};

/** Schedules the next attempt with exponential backoff, no earlier than the provider asks; closes the attempt after its time. */
export function postponeAttempt(attempt: TaxDocument, postponement: Postponement): TaxDocument {
  const { reason, now, until, retryAfterSeconds = 0 } = postponement;
  if (until && now > until) return markNotIssued(attempt, reason);
  const pauseMs = Math.max(getPauseMinutes(attempt.retries ?? 0) * MINUTE_MS, retryAfterSeconds * 1_000);
  const dueMs = Math.min(now.getTime() + pauseMs, until?.getTime() ?? Number.POSITIVE_INFINITY);
  return startTask({ ...attempt, status: 'retrying', reason }, 'issue', new Date(dueMs).toISOString());
}

/** The next attempt has a new key, because the provider may still know the old one. */
export const restartAttempt = (
  { retries: _, ...attempt }: TaxDocument,
  changes: Pick<TaxDocument, 'key'> & Partial<NewDocument>,
  now: Date,
): TaxDocument => startAttempt({ ...attempt, ...changes }, now);

export const countRetry = (attempt: TaxDocument, { retries = 0 }: TaxDocument): TaxDocument => ({
  ...attempt,
  retries: retries + 1,
});

/** A document as the provider issued it, its stamp's time in the provider's format. */
export type IssuedDocument = Pick<TaxDocument, 'stamp'> & { readonly id: string; readonly totalCents: Cents };

type Issuing = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly now: Date;
  /** That of the place of issue. */
  readonly timeZone: string;
};

/** Claims the mail of the issued document, and cancels the invoice of an order that was cancelled meanwhile. */
export function markIssued(
  attempt: TaxDocument,
  { id: providerId, stamp, totalCents }: IssuedDocument,
  issuing: Issuing,
): TaxDocument {
  const { orderStatus, now, timeZone } = issuing;
  const changes = {
    status: 'issued',
    providerId,
    stamp: stamp && { ...stamp, at: toIssueInstant(stamp.at, timeZone) },
    issuedAt: now.toISOString(),
    reason: null,
    // A provider rounds by its own rules; an operator judges a difference of a cent.
    ...(totalCents !== attempt.amountCents && { issuedCents: totalCents }),
  } as const;
  const issued = scheduleCopy(endTask({ ...attempt, ...changes }, 'issue'), now);
  // A global invoice's credit notes have no receiver to mail.
  if (attempt.globalZipcode !== undefined) return issued;
  if (orderStatus !== 'cancelled' || attempt.kind !== 'invoice') return claimMail(addPaymentTerm(issued, issuing), now);
  return cancelInvoice(startTask(issued, 'archive', now.toISOString()), now);
}

// A call lasts 5 s at most, so an attempt that the provider does not know after this was never received.
const LOST_AFTER_MS = 15 * MINUTE_MS;

export const isAttemptLost = ({ requestedAt }: TaxDocument, now: Date): boolean =>
  now.getTime() - Date.parse(requestedAt) >= LOST_AFTER_MS;

// A claimed mail is sent within seconds.
const CLAIM_MINUTES = 10;

/** The caller that stores the claim sends the mail. */
export const claimMail = (document: TaxDocument, now: Date): TaxDocument =>
  setMail(document, 'sending', getMailTries(document) + 1, addMinutes(now, CLAIM_MINUTES));

const getMailTries = ({ tasks }: TaxDocument): number => tasks.mail?.tries ?? 0;

const setMail = (document: TaxDocument, mail: MailStatus, tries: number, dueAt: string | null): TaxDocument =>
  setTask({ ...document, mail }, 'mail', { tries, dueAt });

// Almost three days in total, longer than an outage of SES or of the sender's domain.
const MAIL_PAUSES_MINUTES = [1, 5, 15, 60, 180, 360, 720, 1_440, 1_440];

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

/** True if a mail is due or being sent. While a cancellation is in progress, the mail waits for its outcome. */
export const isMailWaiting = ({ status, mail }: TaxDocument): boolean =>
  MAILED_STATUSES.includes(status) && (mail === 'due' || mail === 'sending');

/** A PUE invoice that is not paid yet must be paid by the end of its local month (RMF 2.7.1.39, fractions I and III). */
function addPaymentTerm(invoice: TaxDocument, { paymentStatus, now, timeZone }: Issuing): TaxDocument {
  const isOpen = invoice.kind === 'invoice' && invoice.paymentMethod === 'PUE' && paymentStatus !== 'paid';
  if (!isOpen) return invoice;
  const issuedAt = invoice.stamp ? new Date(invoice.stamp.at) : now;
  return { ...invoice, payBy: startOfNextMonth(issuedAt, timeZone).toISOString() };
}

export type PaidOrder = { readonly paymentStatus: PaymentStatus; readonly paymentDate: string | null };

/** True if a valid invoice must still be paid within its month. */
export const isAwaitingPayment = ({ status, payBy, isOverdue }: TaxDocument, { paymentStatus }: PaidOrder): boolean =>
  status === 'issued' && payBy !== undefined && !isOverdue && paymentStatus !== 'paid' && paymentStatus !== 'credit';

/**
 * True if the order of a PUE invoice went to credit or was not paid within the month: it must be replaced by one with PPD and
 * form 99 (RMF 2.7.1.39, last paragraphs). A later payment changes nothing, unless it pays a credit within the month.
 */
export function isUnpaidInMonth({ status, payBy, isOverdue }: TaxDocument, order: PaidOrder): boolean {
  if (status !== 'issued' || payBy === undefined) return false;
  const isPaidLate = order.paymentStatus === 'paid' && order.paymentDate !== null && order.paymentDate >= payBy;
  return isOverdue === true || isPaidLate || order.paymentStatus === 'credit';
}

export const NO_SALE: Cancellation = { motive: '03', substitution: null };

/** Cancels an issued document and stops its retries; an attempt in progress is cancelled once it is issued. */
export function cancelInvoice(document: TaxDocument, now: Date): TaxDocument {
  if (document.status === 'retrying')
    return endTask({ ...document, status: 'not_issued', reason: 'order_cancelled' }, 'issue');
  return document.status === 'issued' ? startCancellation(document, NO_SALE, now) : document;
}

/** A job asks the provider at once. */
export const startCancellation = (document: TaxDocument, cancellation: Cancellation | null, now: Date): TaxDocument =>
  startTask({ ...document, status: 'cancelling', cancellation }, 'cancel', now.toISOString());

/** `expired`: the receiver did not answer, which counts as consent once it is requested again (RMF 2.7.1.34). */
export type CancellationResult = keyof typeof CANCELLATION_STATUSES;

const CANCELLATION_STATUSES = {
  accepted: 'cancelled',
  pending: 'cancellation_pending',
  rejected: 'cancellation_rejected',
  not_cancelable: 'cancellation_rejected',
  expired: 'cancelling',
  none: 'cancelling',
} as const satisfies Record<string, TaxDocument['status']>;

/** Applies the provider's answer; without news, schedules the next check. */
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

// The document may have reached the receiver.
const KNOWN_TO_RECEIVER: readonly (MailStatus | null)[] = ['sending', 'sent', 'unconfirmed'];

/** Mails the cancellation if the document may have reached the receiver; an unsent mail is dropped. */
function claimCancellationMail(document: TaxDocument, now: Date): TaxDocument {
  if (!KNOWN_TO_RECEIVER.includes(document.mail)) return dropMail(document);
  const handled = document.handled.filter((action) => action !== 'mail_unconfirmed' && action !== 'mail_given_up');
  return claimMail({ ...document, handled }, now);
}

export function repeatCancellation(document: TaxDocument, now: Date): TaxDocument {
  const handled = document.handled.filter((action) => action !== 'cancellation_rejected');
  return startCancellation({ ...document, reason: null, handled }, document.cancellation, now);
}

// The issuing run mails the document within seconds, and archives it for that.
const FIRST_COPY_MINUTES = 1;

export const scheduleCopy = (document: TaxDocument, now: Date): TaxDocument =>
  startTask(document, 'archive', addMinutes(now, FIRST_COPY_MINUTES));

/** Includes the receipt of a cancelled document. */
export function listMissingParts({ status, kept, tasks }: TaxDocument): ArchivedPart[] {
  if (!tasks.archive) return [];
  const parts: readonly ArchivedPart[] = status === 'cancelled' ? ARCHIVED_PARTS : ['files'];
  return parts.filter((part) => !kept.includes(part));
}

export function recordCopy(document: TaxDocument, copied: readonly ArchivedPart[]): TaxDocument {
  if (!document.tasks.archive) return document;
  const next = { ...document, kept: [...new Set([...document.kept, ...copied])] };
  return listMissingParts(next).length === 0 ? endTask(next, 'archive') : next;
}

// Some two days. A provider may offer no receipt; SAT's own page has it.
const RECEIPT_TRIES = 48;

// Limits the backoff of failures, which do not count towards RECEIPT_TRIES.
const COUNTED_FAILURES = 6;

/** Schedules the next copy with exponential backoff. Gives up on a receipt that the provider, while reachable, never offers. */
export function postponeCopy(document: TaxDocument, now: Date, cause: 'failed' | 'not_offered'): TaxDocument {
  const { kept, tasks } = document;
  if (!tasks.archive) return document;
  const before = tasks.archive.tries;
  const tries = cause === 'failed' && before >= COUNTED_FAILURES ? before : before + 1;
  const isGivenUp = cause === 'not_offered' && tries > RECEIPT_TRIES && kept.includes('files');
  if (isGivenUp) return endTask(document, 'archive');
  return setTask(document, 'archive', { tries, dueAt: addMinutes(now, getPauseMinutes(tries - 1)) });
}
