import { INVOICE_LIST_STATUSES, isPaymentOverdue } from '../../../domain/invoices/invoice-status.ts';
import { listDocuments } from '../../../domain/invoices/order-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { logError } from '../../../runtime/log.ts';
import { dueInvoices, type InvoiceRow } from '../../../store/invoices/order-rows.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import { getOrder } from '../../../store/orders/orders.ts';
import { unlessPaused } from '../../../store/orders/pause.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { type Outcomes, processInBatches } from '../process-in-batches.ts';
import { archiveDueDocuments } from './archive-document.ts';
import { isToSettle, recordCheck, settleDocument } from './settle-document.ts';

// A run ends before the next one starts, which begins with the invoices that are left.
const RUN_MS = 4 * 60 * 1_000;
const ROWS_PER_STATUS = 500;

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
async function settleOrPostpone(
  settling: { readonly order: Order; readonly key: string },
  act: Act,
  deps: InvoiceDeps,
): Promise<string> {
  try {
    return await settleDocument(settling, act, deps);
  } catch (error) {
    logError('work on an order failed', error, { orderId: settling.order.id });
    await recordCheck(settling, act, deps);
    return 'failed';
  }
}
