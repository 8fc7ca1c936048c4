import type { InvoiceListStatus } from '../../domain/invoices/invoice-status.ts';
import {
  applyCancellation,
  type CancellationResult,
  isAttemptLost,
  type OrderInvoice,
  postponeCheck,
} from '../../domain/invoices/order-invoice.ts';
import type { ProvidedInvoice } from '../../invoicing/provider.ts';
import { logError } from '../../runtime/log.ts';
import { changeInvoice } from '../../store/invoices/invoice-changes.ts';
import { dueInvoices } from '../../store/invoices/invoice-rows.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { getOrder } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { recordIssued, recordNotIssued } from './invoice-attempt.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { mailInvoice } from './mail-invoice.ts';
import { type Outcomes, processInBatches } from './process-in-batches.ts';

// A run ends before the next one starts, which begins with the invoices that are left.
const RUN_MS = 4 * 60 * 1_000;
const ROWS_PER_STATUS = 500;
const PROVIDER_MS = 5_000;
const MAIL_MS = 10_000;

const TO_SETTLE = ['requested', 'cancelling', 'cancellation_pending'] as const satisfies InvoiceListStatus[];

/**
 * Checks every invoice that is due: finds the outcome of unknown attempts, mails issued invoices, and cancels at the
 * provider the invoices of cancelled orders. Safe to run concurrently.
 */
export async function settleInvoices(act: Act, deps: InvoiceDeps): Promise<Outcomes> {
  const due = await Promise.all(
    TO_SETTLE.map((status) => dueInvoices(deps.table, status, { now: act.now, limit: ROWS_PER_STATUS })),
  );
  return processInBatches(due.flat(), RUN_MS, async ({ clientId, orderId }) => {
    const order = await getOrder(deps.table, { clientId, id: orderId });
    if (!order) throw new Error('an invoice is of no order');
    return settleInvoice(order, act, deps);
  });
}

async function settleInvoice(order: Order, act: Act, deps: InvoiceDeps): Promise<string> {
  const { invoice } = order;
  try {
    if (invoice?.status === 'requested') return await settleAttempt(order, invoice, act, deps);
    if (invoice?.status === 'cancelling') return await settleCancellation(order, invoice, act, deps);
    if (invoice?.status === 'cancellation_pending') return await settleCancellation(order, invoice, act, deps);
    return 'settled';
  } catch (error) {
    // An invoice that fails every time must not hold up the others.
    await recordCheck(deps.table, order, act);
    throw error;
  }
}

async function settleAttempt(order: Order, attempt: OrderInvoice, act: Act, deps: InvoiceDeps): Promise<string> {
  const { table, invoicing } = deps;
  const found = await invoicing().find(attempt.key, limitTime());
  if (found?.status === 'valid') return recordAndMail(order, found, act, deps);
  if (found?.status === 'failed' || found?.status === 'cancelled') {
    await recordNotIssued(table, order, `${found.status}_with_provider`, act);
    return 'not_issued';
  }
  if (!found && isAttemptLost(attempt, act.now)) {
    await recordNotIssued(table, order, 'not_found', act);
    return 'not_issued';
  }
  return recordCheck(table, order, act);
}

async function recordAndMail(order: Order, found: ProvidedInvoice, act: Act, deps: InvoiceDeps): Promise<string> {
  const recorded = await recordIssued(deps.table, order, found.id, act);
  if (recorded.isMailClaimed) await mailInvoice(recorded.order, { ...act, timeoutMs: MAIL_MS }, deps);
  return 'issued';
}

async function settleCancellation(order: Order, before: OrderInvoice, act: Act, deps: InvoiceDeps): Promise<string> {
  const provided = await cancelOrFind(order, before, deps);
  const { order: after } = await changeInvoice(deps.table, order, act, ({ invoice }) =>
    isUnchanged(invoice, before)
      ? { invoice: applyCancellation(invoice, toCancellationResult(provided), act.now) }
      : undefined,
  );
  const status = after.invoice?.status ?? 'settled';
  if (status === 'cancellation_rejected') {
    logError('cancellation rejected', new Error('the receiver rejects the cancellation'), { orderId: order.id });
  }
  return status;
}

/** Only looks up a cancellation that waits for the receiver: cancelling again might restart it. */
function cancelOrFind(order: Order, { status, key }: OrderInvoice, { invoicing }: InvoiceDeps) {
  return status === 'cancelling' ? invoicing().cancel(order.cfdi, limitTime()) : invoicing().find(key, limitTime());
}

function toCancellationResult(provided: ProvidedInvoice | undefined): CancellationResult {
  if (!provided) throw new Error('the provider does not know an invoice that is being cancelled');
  return provided.status === 'cancelled' ? 'accepted' : provided.cancellation;
}

const limitTime = (): AbortSignal => AbortSignal.timeout(PROVIDER_MS);

async function recordCheck(table: Table, order: Order, act: Act): Promise<'later'> {
  await changeInvoice(table, order, act, ({ invoice }) =>
    isUnchanged(invoice, order.invoice) ? { invoice: postponeCheck(invoice, act.now) } : undefined,
  );
  return 'later';
}

const isUnchanged = (invoice: OrderInvoice | null, before: OrderInvoice | null): invoice is OrderInvoice =>
  invoice !== null && invoice.key === before?.key && invoice.status === before.status;
