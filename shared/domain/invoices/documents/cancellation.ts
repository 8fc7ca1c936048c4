import { addMinutes } from '../../working-day.ts';
import { completeArchive } from '../archive.ts';
import type { Cancellation, TaxDocument } from '../tax-document.ts';
import { claimCancellationMail, isMailWaiting } from './mail.ts';
import { FIRST_LOOK_MINUTES, getPauseMinutes } from './pauses.ts';

/** The cancellation of the documents of an order that was cancelled. */
export const NO_SALE: Cancellation = { motive: '03', substitution: null };

/**
 * Starts the cancellation of an issued document, and ends the attempts to issue it anew. One in progress is left alone, and
 * cancelled once it is issued.
 */
export function cancelInvoice(document: TaxDocument, now: Date, cancellation: Cancellation = NO_SALE): TaxDocument {
  if (document.status === 'retrying')
    return { ...document, status: 'not_issued', reason: 'order_cancelled', dueAt: null };
  if (document.status !== 'issued') return document;
  return { ...document, status: 'cancelling', cancellation, checks: 0, dueAt: now.toISOString() };
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
  if (status === document.status) {
    const { checks } = document;
    return { ...document, checks: checks + 1, dueAt: addMinutes(now, getPauseMinutes(checks)) };
  }
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
