import type { Cents } from '../../domain/money.ts';
import { addMinutes } from '../../domain/working-day.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import { addPaymentTerm, cancelInvoice, claimMail, scheduleCopy } from './issued-document.ts';
import { toIssueInstant } from './place-of-issue.ts';
import { FIRST_LOOK_MINUTES, type TaxDocument, endTask, getPauseMinutes, startTask } from './tax-document.ts';

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
