import type { Cents } from '../../domain/money.ts';
import { addMinutes } from '../../domain/working-day.ts';
import type { OrderStatus, PaymentStatus } from '../../order/rules/status.ts';
import { addPaymentTerm, cancelInvoice, claimMail, scheduleCopy } from './issued-document.ts';
import { toIssueInstant } from './place-of-issue.ts';
import { endTask, FIRST_LOOK_MINUTES, getPauseMinutes, startTask } from './tasks.ts';
import type { TaxDocument } from './tax-document.ts';

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

/** True if the outcome of an attempt is not known yet. */
export const isInProgress = (document: TaxDocument | null): boolean => document?.status === 'requested';

/** Closes the attempt without a document; an operator has to see to it. */
export const markNotIssued = (attempt: TaxDocument, reason: string): TaxDocument =>
  endTask({ ...attempt, status: 'not_issued', reason }, 'issue');

/** Closes an attempt whose data were refused, as its caller is told. */
export const markRefused = (attempt: TaxDocument): TaxDocument =>
  endTask({ ...attempt, status: 'refused', reason: 'refused' }, 'issue');

/** Why nothing was issued, and until when a job may try again; null if it goes on until it is issued. */
export type Postponement = {
  readonly reason: string;
  readonly now: Date;
  readonly until: Date | null;
  /** The pause that the provider asks for. */
  readonly retryAfterSeconds?: number | undefined;
};

/**
 * Schedules the next attempt at a document of which nothing was issued with exponential backoff, and not before the provider
 * asks for it. Closes the attempt if its time is over.
 */
export function postponeAttempt(attempt: TaxDocument, postponement: Postponement): TaxDocument {
  const { reason, now, until, retryAfterSeconds = 0 } = postponement;
  if (until && now > until) return markNotIssued(attempt, reason);
  const pauseMs = Math.max(getPauseMinutes(attempt.retries ?? 0) * MINUTE_MS, retryAfterSeconds * 1_000);
  const dueMs = Math.min(now.getTime() + pauseMs, until?.getTime() ?? Number.POSITIVE_INFINITY);
  return startTask({ ...attempt, status: 'retrying', reason }, 'issue', new Date(dueMs).toISOString());
}

/** Returns the next attempt at a document, which has a key of its own because the provider may still know the former one. */
export function restartAttempt(
  { retries: _, ...attempt }: TaxDocument,
  changes: Pick<TaxDocument, 'key'> & Partial<NewDocument>,
  now: Date,
): TaxDocument {
  return startAttempt({ ...attempt, ...changes }, now);
}

/** Counts an attempt that a job makes after `former`. */
export const countRetry = (attempt: TaxDocument, { retries = 0 }: TaxDocument): TaxDocument => ({
  ...attempt,
  retries: retries + 1,
});

/** The provider's answer about a document that it has issued; its stamp has the time as the provider writes it. */
export type IssuedDocument = Pick<TaxDocument, 'stamp'> & { readonly id: string; readonly totalCents: Cents };

type Issuing = {
  readonly orderStatus: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly now: Date;
  /** That of the place of issue. */
  readonly timeZone: string;
};

/** Marks the attempt as issued and claims its mail; cancels the invoice of an order that was cancelled meanwhile. */
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
    // A provider rounds by itself, so that a cent of difference is possible, and is for a person to judge.
    ...(totalCents !== attempt.amountCents && { issuedCents: totalCents }),
  } as const;
  const issued = scheduleCopy(endTask({ ...attempt, ...changes }, 'issue'), now);
  // A global invoice and its credit notes have no receiver to whom they could be mailed.
  if (attempt.globalZipcode !== undefined) return issued;
  if (orderStatus !== 'cancelled' || attempt.kind !== 'invoice') return claimMail(addPaymentTerm(issued, issuing), now);
  return cancelInvoice(startTask(issued, 'archive', now.toISOString()), now);
}

// A call lasts 5 s at most: a provider that does not know the attempt by then never received it.
const LOST_AFTER_MS = 15 * MINUTE_MS;

/** True if an attempt that the provider does not know was never received. */
export const isAttemptLost = ({ requestedAt }: TaxDocument, now: Date): boolean =>
  now.getTime() - Date.parse(requestedAt) >= LOST_AFTER_MS;
