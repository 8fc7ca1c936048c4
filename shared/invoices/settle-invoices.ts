import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-history.ts';
import { getOrder } from '../order/orders.ts';
import { dueInvoices, type InvoiceRow } from '../order/rows/invoice-rows.ts';
import { logError } from '../runtime/log.ts';
import { unlessPaused } from '../store/pause.ts';
import type { Table } from '../store/table.ts';
import { getPart } from './global/global-parts.ts';
import {
  type Attempted,
  expectDocument,
  type InvoiceDeps,
  recordIssued,
  recordNotIssued,
  recordPostponed,
  repeatAttempt,
} from './invoice-attempt.ts';
import { changeDocument } from './invoice-changes.ts';
import { type IssueOutcome, issueAndMail } from './issue-document.ts';
import { archiveDueDocuments, mailDocument } from './mail-document.ts';
import { type Outcomes, processInBatches } from './process-in-batches.ts';
import type { ProvidedDocument } from './provider.ts';
import { countRetry, isAttemptLost, markNotIssued, postponeAttempt } from './rules/attempts.ts';
import { isWaitingForPart } from './rules/global/standing.ts';
import {
  documentRefusal,
  getIssueEnd,
  INVOICE_LIST_STATUSES,
  isCheckDue,
  isPaymentOverdue,
} from './rules/invoice-status.ts';
import { applyCancellation, type CancellationResult, postponeCheck } from './rules/issued-document.ts';
import { findDocument, findRelated, listDocuments, type TaxDocument } from './rules/tax-document.ts';

// A run ends before the next one starts, which begins with the invoices that are left.
const RUN_MS = 4 * 60 * 1_000;
const ROWS_PER_STATUS = 500;
const PROVIDER_MS = 5_000;

/**
 * Checks every tax document that is due: finds the outcome of unknown attempts, makes those anew of which nothing was issued,
 * mails issued documents, cancels at the provider those of cancelled orders, and notes the invoices that were not paid in
 * their month. Safe to run concurrently. Returns the number of documents by outcome.
 */
export async function settleInvoices(act: Act, deps: InvoiceDeps): Promise<Outcomes> {
  // An order that has a mail to send is listed for that alone, whatever else is due.
  const due = await Promise.all(
    INVOICE_LIST_STATUSES.map((status) => dueInvoices(deps.table, status, { now: act.now, limit: ROWS_PER_STATUS })),
  );
  return processInBatches(
    due.flat(),
    RUN_MS,
    unlessPaused(deps.table, (row) => settleOrder(row, act, deps)),
  );
}

async function settleOrder(row: InvoiceRow, act: Act, deps: InvoiceDeps): Promise<string[]> {
  let order = await readOrder(row, deps);
  const outcomes: string[] = [];
  for (const { key } of listDue(order, act.now)) {
    if (outcomes.length > 0) order = await readOrder(row, deps);
    const isStillDue = listDue(order, act.now).some((document) => document.key === key);
    if (isStillDue) outcomes.push(await settleOrPostpone({ order, key }, act, deps));
  }
  const archived = await archiveOrder(outcomes.length > 0 ? await readOrder(row, deps) : order, act, deps);
  return [...outcomes, ...archived];
}

/** Copies what is due of an order's documents. Returns the outcomes to be counted. */
async function archiveOrder(order: Order, act: Act, deps: InvoiceDeps): Promise<string[]> {
  try {
    await archiveDueDocuments(order, act, deps);
    return [];
  } catch (error) {
    logError('a document could not be copied', error, { orderId: order.id });
    return ['failed'];
  }
}

const listDue = (order: Order, now: Date): TaxDocument[] =>
  listDocuments(order).filter((document) => isToSettle(document, now) || isPaymentOverdue(document, order, now));

async function readOrder({ clientId, orderId: id }: InvoiceRow, { table }: InvoiceDeps): Promise<Order> {
  const order = await getOrder(table, { clientId, id });
  if (!order) throw new Error('an invoice is of no order');
  return order;
}

/** A document that fails every time must not hold up the others. */
async function settleOrPostpone(settling: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  try {
    return await settleDocument(settling, act, deps);
  } catch (error) {
    logError('work on an order failed', error, { orderId: settling.order.id });
    await recordCheck(settling, act, deps);
    return 'failed';
  }
}

const SETTLED: readonly TaxDocument['status'][] = ['requested', 'retrying', 'cancelling', 'cancellation_pending'];

/** True if a document waits for the provider and its time has come; the mail of an issued one is the work of another job. */
const isToSettle = (document: TaxDocument, now: Date): boolean =>
  SETTLED.includes(document.status) && isCheckDue(document, now);

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
  if (isMailClaimed) await mailDocument({ ...settling, order }, act, deps);
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
  if (isMailClaimed) await mailDocument({ ...settling, order }, act, deps);
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

/**
 * Makes an attempt anew of which nothing was issued, if it may still be issued. The new attempt and its key are stored before
 * the provider is called. Returns the outcome.
 */
async function retryDocument(retrying: Attempted, act: Act, deps: InvoiceDeps): Promise<string> {
  const known = expectDocument(retrying);
  const part = isWaitingForPart(known) ? await findCreditedPart(retrying.order, deps.table) : undefined;
  let next: TaxDocument = known;
  const { order, isChanged } = await changeDocument(deps.table, retrying, act, (document, fresh) => {
    if (document.status !== 'retrying') return undefined;
    next = toNextAttempt(applyPart(document, part), fresh, act, deps);
    return next;
  });
  if (!isChanged) return 'settled';
  if (next.status !== 'requested') return next.status;
  const { outcome } = await issueAndMail({ order, key: next.key, timeoutMs: PROVIDER_MS }, act, deps);
  return OUTCOMES[outcome];
}

/** The outcomes as jobs count them. */
const OUTCOMES = {
  issued: 'issued',
  refused: 'not_issued',
  failed: 'not_issued',
  unavailable: 'retrying',
  unknown: 'later',
} as const satisfies Record<IssueOutcome['outcome'], string>;

/** The data of its part that a credit note of a global invoice states. */
type CreditedPart = Pick<TaxDocument, 'relatedUuid' | 'globalZipcode'>;

/** Returns the part of an order, for its credit note; undefined while it is not issued. */
async function findCreditedPart({ global }: Order, table: Table): Promise<CreditedPart | undefined> {
  const part = global ? await getPart(table, global) : undefined;
  return part?.stamp ? { relatedUuid: part.stamp.uuid, globalZipcode: part.zipcode } : undefined;
}

const applyPart = (document: TaxDocument, part: CreditedPart | undefined): TaxDocument =>
  isWaitingForPart(document) ? { ...document, ...part } : document;

function toNextAttempt(document: TaxDocument, order: Order, { now }: Act, { business }: InvoiceDeps): TaxDocument {
  if (isWaitingForPart(document)) return { ...postponeCheck(document, now), reason: 'global_not_issued' };
  const until = getIssueEnd(document, order, business.timeZone);
  const related = document.kind === 'invoice' ? undefined : findRelated(order, document)?.status;
  if (related === 'cancelled') return markNotIssued(document, 'invoice_cancelled');
  // SAT cancels no invoice with a valid document that relates to it.
  if (related && BEING_CANCELLED.includes(related)) {
    return postponeAttempt(document, { reason: 'invoice_cancelling', now, until });
  }
  const refusal = documentRefusal(document, order);
  // A rejected payment may be made anew while the window is open.
  if (refusal === 'payment_rejected') return postponeAttempt(document, { reason: refusal, now, until });
  if (refusal) return markNotIssued(document, refusal);
  if (until && now > until) return markNotIssued(document, 'invoice_window_closed');
  return countRetry(repeatAttempt(document, order, now), document);
}

const BEING_CANCELLED: readonly TaxDocument['status'][] = ['cancelling', 'cancellation_pending'];
