import { isAttemptLost, postponeAttempt, postponeCheck } from '../../../domain/invoices/documents/attempts.ts';
import { applyCancellation, type CancellationResult } from '../../../domain/invoices/documents/cancellation.ts';
import { isDue, isPaymentOverdue } from '../../../domain/invoices/invoice-status.ts';
import { getIssueEnd } from '../../../domain/invoices/invoice-window.ts';
import { findDocument } from '../../../domain/invoices/order-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import type { ProvidedDocument } from '../../../invoicing/provider.ts';
import { logError } from '../../../runtime/log.ts';
import { changeDocument } from '../../../store/invoices/invoice-changes.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import {
  type Attempted,
  expectDocument,
  recordIssued,
  recordNotIssued,
  recordPostponed,
} from '../issuing/invoice-attempt.ts';
import { retryDocument } from '../issuing/retry-document.ts';
import { mailDocument } from './mail-document.ts';

const PROVIDER_MS = 5_000;
const MAIL_MS = 10_000;

const SETTLED: readonly TaxDocument['status'][] = ['requested', 'retrying', 'cancelling', 'cancellation_pending'];

/** True if a document waits for the provider and its time has come; the mail of an issued one is the work of another job. */
export const isToSettle = (document: TaxDocument, now: Date): boolean =>
  SETTLED.includes(document.status) && isDue(document, now);

/** Brings a due document of an order on. Returns the outcome. Throws an Error if the provider cannot tell it. */
export async function settleDocument(settling: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  const { status } = expectDocument(settling);
  if (status === 'requested') return settleAttempt(settling, act, deps);
  if (status === 'retrying') return retryDocument(settling, act, deps);
  if (status === 'issued') return noteOverduePayment(settling, act, deps);
  return settleCancellation(settling, act, deps);
}

async function settleAttempt(settling: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  const attempt = expectDocument(settling);
  const found = await deps.invoicing().find(attempt.key, limitTime());
  if (found?.status === 'valid') return recordAndMail(settling, found, act, deps);
  if (found?.status === 'cancelled') {
    await recordNotIssued(settling, 'cancelled_with_provider', act, deps);
    return 'not_issued';
  }
  if (found?.status === 'failed') return postpone(settling, 'failed_with_provider', act, deps);
  if (!found && isAttemptLost(attempt, act.now)) return postpone(settling, 'not_found', act, deps);
  return recordCheck(settling, act, deps);
}

/** Leaves an attempt of which nothing was issued to a later run. Returns the status of the document. */
async function postpone(settling: Attempted, reason: string, act: Act, deps: InvoiceDeps): Promise<string> {
  const { order } = await recordPostponed(settling, { reason }, act, deps);
  return findDocument(order, settling.key)?.status ?? 'settled';
}

async function recordAndMail(
  settling: Attempted,
  found: ProvidedDocument,
  act: Act,
  deps: InvoiceDeps,
): Promise<string> {
  const { order, isMailClaimed } = await recordIssued(settling, found, act, deps);
  if (isMailClaimed) await mailDocument({ ...settling, order }, { ...act, timeoutMs: MAIL_MS }, deps);
  return 'issued';
}

async function settleCancellation(settling: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  const before = expectDocument(settling);
  const result = toCancellationResult(await cancelOrFind(before, deps));
  const { order, isChanged } = await changeDocument(deps.table, settling, act, (document) =>
    document.status === before.status ? applyCancellation(document, result, act.now) : undefined,
  );
  const after = findDocument(order, settling.key);
  if (!isChanged || !after) return 'settled';
  const isMailClaimed = after.status === 'cancelled' && after.mail?.status === 'sending';
  if (isMailClaimed) await mailDocument({ ...settling, order }, { ...act, timeoutMs: MAIL_MS }, deps);
  if (after.status === 'cancellation_rejected') reportRejection(order, after);
  return after.status;
}

const reportRejection = ({ id: orderId }: Order, { reason }: TaxDocument): void =>
  logError('cancellation rejected', new Error('the document stays valid'), { orderId, reason: reason ?? undefined });

/** Only looks up a cancellation that waits for the receiver: cancelling again might restart it. */
function cancelOrFind({ status, key, providerId, cancellation }: TaxDocument, { invoicing }: InvoiceDeps) {
  if (status !== 'cancelling') return invoicing().find(key, limitTime());
  if (!cancellation) throw new Error('a document that is to be cancelled has a motive');
  return invoicing().cancel(providerId, cancellation, limitTime());
}

function toCancellationResult(provided: ProvidedDocument | undefined): CancellationResult {
  if (!provided) throw new Error('the provider does not know an invoice that is being cancelled');
  return provided.status === 'cancelled' ? 'accepted' : provided.cancellation;
}

const limitTime = (): AbortSignal => AbortSignal.timeout(PROVIDER_MS);

/** Notes that an invoice was not paid in its month, so that it is listed as such from now on. */
async function noteOverduePayment(settling: Attempted, act: Act, { table }: InvoiceDeps): Promise<string> {
  const { isChanged } = await changeDocument(table, settling, act, (document, order) =>
    isPaymentOverdue(document, order, act.now) ? { ...document, isOverdue: true } : undefined,
  );
  return isChanged ? 'pue_unpaid' : 'settled';
}

/** Schedules the next check of a document, unless it has changed. */
export async function recordCheck(settling: Attempted, act: Act, { table, business }: InvoiceDeps): Promise<'later'> {
  const { status } = expectDocument(settling);
  await changeDocument(table, settling, act, (document, order) => {
    // The end of the month stays the time of an issued one.
    if (document.status !== status || status === 'issued') return undefined;
    if (status !== 'retrying') return postponeCheck(document, act.now);
    const until = getIssueEnd(document, order, business.timeZone);
    return postponeAttempt(document, { reason: document.reason ?? 'failed', now: act.now, until });
  });
  return 'later';
}
