import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { getOrder } from '../order/orders.ts';
import { dueInvoices, type InvoiceRow } from '../order/rows/invoice-rows.ts';
import { logError } from '../runtime/log.ts';
import { type Outcomes, processInBatches } from '../store/pause.ts';
import { archiveDocument, postponeArchive } from './archive-document.ts';
import { cancelDocument, postponeCancellation } from './cancel-document.ts';
import { findCreditedPart } from './global/global-parts.ts';
import {
  changeDocument,
  expectDocument,
  type InvoiceDeps,
  type OrderDocument,
  recordIssued,
  recordNotIssued,
  recordPostponed,
  repeatAttempt,
} from './invoice-attempt.ts';
import { type IssueOutcome, issueAndMail } from './issue-document.ts';
import { mailDocument, sendDueMail } from './mail-document.ts';
import { countRetry, isAttemptLost, markNotIssued, postponeAttempt } from './rules/document-life.ts';
import { isWaitingForCredit, isWaitingForPart } from './rules/global/global-sale.ts';
import {
  type DueTask,
  documentRefusal,
  getIssueEnd,
  INVOICE_LIST_STATUSES,
  listDueTasks,
} from './rules/invoice-status.ts';
import { findDocument, findRelated, listDocuments, repeatTask, type TaxDocument } from './rules/tax-document.ts';

// A run ends before the next one starts, which continues with the remaining invoices.
const RUN_MS = 4 * 60 * 1_000;
const ROWS_PER_STATUS = 500;

/** Runs the due tasks on tax documents. Safe to run concurrently. Returns the number of tasks by outcome. */
export async function runDueTasks(act: Act, deps: InvoiceDeps): Promise<Outcomes> {
  // An order has one row, under the most urgent status of its documents.
  const due = await Promise.all(
    INVOICE_LIST_STATUSES.map((status) => dueInvoices(deps.table, status, { now: act.now, limit: ROWS_PER_STATUS })),
  );
  return processInBatches(deps.table, due.flat(), { timeoutMs: RUN_MS }, (row) => runOrder(row, act, deps));
}

async function runOrder(row: InvoiceRow, act: Act, deps: InvoiceDeps): Promise<string[]> {
  const outcomes: string[] = [];
  let order = await readOrder(row, deps);
  // Copies come last, as a document that was just cancelled has a receipt.
  for (const isLast of [false, true]) {
    for (const { key, task } of listDue(order, act.now).filter(({ task }) => (task === 'archive') === isLast)) {
      const isStillDue = listDue(order, act.now).some((due) => due.key === key && due.task === task);
      if (!isStillDue) continue;
      outcomes.push(await runTask(task, { order, key }, act, deps));
      order = await readOrder(row, deps);
    }
  }
  return outcomes;
}

async function readOrder({ clientId, orderId: id }: InvoiceRow, { table }: InvoiceDeps): Promise<Order> {
  const order = await getOrder(table, { clientId, id });
  if (!order) throw new Error('an invoice is of no order');
  return order;
}

const listDue = (order: Order, now: Date): { key: string; task: DueTask }[] =>
  listDocuments(order).flatMap((document) =>
    listDueTasks(document, order, now).map((task) => ({ key: document.key, task })),
  );

type Step<Result> = (document: OrderDocument, act: Act, deps: InvoiceDeps) => Promise<Result>;

const TASKS: Readonly<Record<DueTask, { readonly run: Step<string>; readonly postpone?: Step<void> }>> = {
  issue: { run: resumeIssue, postpone: postponeIssue },
  cancel: { run: cancelDocument, postpone: postponeCancellation },
  payment: { run: markUnpaid },
  // A mail's claim expires by itself.
  mail: { run: sendDueMail },
  archive: { run: archiveDocument, postpone: postponeArchive },
};

/** Postpones a failed task, so that it does not hold up the others. */
async function runTask(task: DueTask, document: OrderDocument, act: Act, deps: InvoiceDeps): Promise<string> {
  const { run, postpone } = TASKS[task];
  try {
    return await run(document, act, deps);
  } catch (error) {
    logError('a task on a tax document failed', error, { orderId: document.order.id, task });
    await postpone?.(document, act, deps);
    return 'failed';
  }
}

async function markUnpaid(unpaid: OrderDocument, act: Act, { table }: InvoiceDeps): Promise<string> {
  const { isChanged } = await changeDocument(table, unpaid, act, (document, order) =>
    listDueTasks(document, order, act.now).includes('payment') ? { ...document, isOverdue: true } : undefined,
  );
  return isChanged ? 'pue_unpaid' : 'unchanged';
}

const PROVIDER_MS = 5_000;

/** Looks up an attempt of unknown outcome, or makes a new attempt. Throws if the provider cannot be reached. */
async function resumeIssue(issuing: OrderDocument, act: Act, deps: InvoiceDeps): Promise<string> {
  const isUnknown = expectDocument(issuing).status === 'requested';
  return isUnknown ? findOutcome(issuing, act, deps) : retryIssue(issuing, act, deps);
}

async function findOutcome(issuing: OrderDocument, act: Act, deps: InvoiceDeps): Promise<string> {
  const attempt = expectDocument(issuing);
  const match = await deps.invoicing().find(attempt.key, AbortSignal.timeout(PROVIDER_MS));
  if (match?.status === 'valid') {
    const { order, isMailClaimed } = await recordIssued(issuing, match, act, deps);
    if (isMailClaimed) await mailDocument({ ...issuing, order }, act, deps);
    return 'issued';
  }
  if (match?.status === 'cancelled') {
    await recordNotIssued(issuing, 'cancelled_with_provider', act, deps);
    return 'not_issued';
  }
  if (match?.status === 'failed') return postpone(issuing, 'failed_with_provider', act, deps);
  if (!match && isAttemptLost(attempt, act.now)) return postpone(issuing, 'not_found', act, deps);
  await postponeIssue(issuing, act, deps);
  return 'later';
}

async function postpone(issuing: OrderDocument, reason: string, act: Act, deps: InvoiceDeps): Promise<string> {
  const { order } = await recordPostponed(issuing, { reason }, act, deps);
  return findDocument(order, issuing.key)?.status ?? 'unchanged';
}

/** Schedules the next lookup or attempt, unless the document has changed. */
async function postponeIssue(issuing: OrderDocument, act: Act, { table, business }: InvoiceDeps): Promise<void> {
  const { now } = act;
  const { status } = expectDocument(issuing);
  await changeDocument(table, issuing, act, (document, order) => {
    if (document.status !== status) return undefined;
    if (status === 'requested') return repeatTask(document, 'issue', now);
    const until = getIssueEnd(document, order, business.timeZone);
    return postponeAttempt(document, { reason: document.reason ?? 'failed', now, until });
  });
}

/** Stores the new attempt's key before the provider is called. */
async function retryIssue(issuing: OrderDocument, act: Act, deps: InvoiceDeps): Promise<string> {
  const current = expectDocument(issuing);
  const part = isWaitingForPart(current) ? await findCreditedPart(issuing.order, deps.table) : undefined;
  let next: TaxDocument = current;
  const { order, isChanged } = await changeDocument(deps.table, issuing, act, (document, fresh) => {
    if (document.status !== 'retrying') return undefined;
    next = toNextAttempt({ ...document, ...(isWaitingForPart(document) && part) }, fresh, act, deps);
    return next;
  });
  if (!isChanged) return 'unchanged';
  if (next.status !== 'requested') return next.status;
  const { outcome } = await issueAndMail({ order, key: next.key, timeoutMs: PROVIDER_MS }, act, deps);
  return OUTCOMES[outcome];
}

const OUTCOMES = {
  issued: 'issued',
  refused: 'not_issued',
  failed: 'not_issued',
  unavailable: 'retrying',
  unknown: 'later',
} as const satisfies Record<IssueOutcome['outcome'], string>;

function toNextAttempt(document: TaxDocument, order: Order, { now }: Act, { business }: InvoiceDeps): TaxDocument {
  if (isWaitingForPart(document)) return { ...repeatTask(document, 'issue', now), reason: 'global_not_issued' };
  if (isWaitingForCredit(document, order))
    return { ...repeatTask(document, 'issue', now), reason: 'global_credit_not_issued' };
  const until = getIssueEnd(document, order, business.timeZone);
  const related = document.kind === 'invoice' ? undefined : findRelated(order, document)?.status;
  if (related === 'cancelled') return markNotIssued(document, 'invoice_cancelled');
  // SAT does not cancel an invoice that valid documents relate to.
  if (related && BEING_CANCELLED.includes(related)) {
    return postponeAttempt(document, { reason: 'invoice_cancelling', now, until });
  }
  const refusal = documentRefusal(document, order);
  // The customer may pay again while the window is open.
  if (refusal === 'payment_rejected') return postponeAttempt(document, { reason: refusal, now, until });
  if (refusal) return markNotIssued(document, refusal);
  if (until && now > until) return markNotIssued(document, 'invoice_window_closed');
  return countRetry(repeatAttempt(document, order, now), document);
}

const BEING_CANCELLED: readonly TaxDocument['status'][] = ['cancelling', 'cancellation_pending'];
