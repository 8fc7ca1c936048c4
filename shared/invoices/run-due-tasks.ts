import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { getOrder } from '../order/orders.ts';
import { dueInvoices, type InvoiceRow } from '../order/rows/invoice-rows.ts';
import { logError } from '../runtime/log.ts';
import { unlessPaused } from '../store/pause.ts';
import { archiveDocument, postponeArchive } from './archive-document.ts';
import { cancelDocument, postponeCancellation } from './cancel-document.ts';
import type { InvoiceDeps, OrderDocument } from './invoice-attempt.ts';
import { changeDocument } from './invoice-changes.ts';
import { sendDueMail } from './mail-document.ts';
import { type Outcomes, processInBatches } from './process-in-batches.ts';
import { postponeIssue, resumeIssue } from './resume-issue.ts';
import { type DueTask, INVOICE_LIST_STATUSES, listDueTasks } from './rules/invoice-status.ts';
import { listDocuments } from './rules/tax-document.ts';

// A run ends before the next one starts, which continues with the remaining invoices.
const RUN_MS = 4 * 60 * 1_000;
const ROWS_PER_STATUS = 500;

/** Runs the due tasks on tax documents. Safe to run concurrently. Returns the number of tasks by outcome. */
export async function runDueTasks(act: Act, deps: InvoiceDeps): Promise<Outcomes> {
  // An order has one row, under the most urgent status of its documents.
  const due = await Promise.all(
    INVOICE_LIST_STATUSES.map((status) => dueInvoices(deps.table, status, { now: act.now, limit: ROWS_PER_STATUS })),
  );
  return processInBatches(
    due.flat(),
    RUN_MS,
    unlessPaused(deps.table, (row) => runOrder(row, act, deps)),
  );
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
