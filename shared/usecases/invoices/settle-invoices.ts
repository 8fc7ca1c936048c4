import type { InvoiceStanding } from '../../domain/invoices/invoice-status.ts';
import {
  afterCancellation,
  type CancellationNews,
  isLost,
  lookedAt,
  type OrderInvoice,
} from '../../domain/invoices/order-invoice.ts';
import type { ProvidedInvoice } from '../../invoicing/provider.ts';
import { logError } from '../../runtime/log.ts';
import { changeInvoice } from '../../store/invoices/invoice-changes.ts';
import { dueInvoices } from '../../store/invoices/invoice-rows.ts';
import { type Order, orderOf } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { type InvoiceDeps, recordIssued, recordNotIssued } from './issue-invoice.ts';
import { mailInvoice } from './mail-invoice.ts';
import { type Outcomes, workThrough } from './process-in-batches.ts';

// A run ends before the next one begins; whatever it does not come to is first in the next one.
const RUN_MS = 4 * 60 * 1_000;
const ROWS_PER_STANDING = 500;
const PROVIDER_MS = 5_000;
const MAIL_MS = 10_000;

const TO_SETTLE = ['requested', 'cancelling', 'cancellation_pending'] as const satisfies InvoiceStanding[];

/**
 * Looks at every invoice that is due for it: finds out what became of attempts whose outcome is not known, mails what was
 * issued, and cancels with the provider what was cancelled with its order. May run twice at once.
 */
export async function settleInvoices(now: Date, deps: InvoiceDeps): Promise<Outcomes> {
  const due = await Promise.all(
    TO_SETTLE.map((standing) => dueInvoices(deps.table, standing, { now, limit: ROWS_PER_STANDING })),
  );
  return workThrough(due.flat(), RUN_MS, async ({ clientId, orderId }) => {
    const order = await orderOf(deps.table, { clientId, id: orderId });
    if (!order) throw new Error('an invoice is of no order');
    return settle(order, now, deps);
  });
}

async function settle(order: Order, now: Date, deps: InvoiceDeps): Promise<string> {
  const { invoice } = order;
  try {
    if (invoice?.status === 'requested') return await settleAttempt(order, invoice, now, deps);
    if (invoice?.status === 'cancelling') return await settleCancellation(order, invoice, now, deps);
    if (invoice?.status === 'cancellation_pending') return await settleCancellation(order, invoice, now, deps);
    return 'settled';
  } catch (error) {
    // So that what fails every time goes to the end of the line.
    await recordLook(deps.table, order, now);
    throw error;
  }
}

async function settleAttempt(order: Order, attempt: OrderInvoice, now: Date, deps: InvoiceDeps): Promise<string> {
  const { table, invoicing } = deps;
  const found = await invoicing().find(attempt.key, inTime());
  if (found?.status === 'valid') return recordAndMail(order, found, now, deps);
  if (found?.status === 'failed' || found?.status === 'cancelled') {
    await recordNotIssued(table, order, `${found.status}_with_provider`);
    return 'not_issued';
  }
  if (!found && isLost(attempt, now)) {
    await recordNotIssued(table, order, 'not_found');
    return 'not_issued';
  }
  return recordLook(table, order, now);
}

async function recordAndMail(order: Order, found: ProvidedInvoice, now: Date, deps: InvoiceDeps): Promise<string> {
  const recorded = await recordIssued(deps.table, order, found.id, now);
  if (recorded.isMailClaimed) await mailInvoice(recorded.order, { now, timeoutMs: MAIL_MS }, deps);
  return 'issued';
}

async function settleCancellation(order: Order, before: OrderInvoice, now: Date, deps: InvoiceDeps): Promise<string> {
  const provided = await cancelledOrAsked(order, before, deps);
  const { order: after } = await changeInvoice(deps.table, order, ({ invoice }) =>
    isStill(invoice, before) ? { invoice: afterCancellation(invoice, newsOf(provided), now) } : undefined,
  );
  const status = after.invoice?.status ?? 'settled';
  if (status === 'cancellation_rejected') {
    logError('cancellation rejected', new Error('the receiver rejects the cancellation'), { orderId: order.id });
  }
  return status;
}

/** A cancellation that waits for the receiver is only asked for: to cancel again may begin it anew. */
function cancelledOrAsked(order: Order, { status, key }: OrderInvoice, { invoicing }: InvoiceDeps) {
  return status === 'cancelling' ? invoicing().cancel(order.cfdi, inTime()) : invoicing().find(key, inTime());
}

function newsOf(provided: ProvidedInvoice | undefined): CancellationNews {
  if (!provided) throw new Error('the provider no longer knows an invoice that is being cancelled');
  return provided.status === 'cancelled' ? 'accepted' : provided.cancellation;
}

const inTime = (): AbortSignal => AbortSignal.timeout(PROVIDER_MS);

async function recordLook(table: Table, order: Order, now: Date): Promise<'later'> {
  await changeInvoice(table, order, ({ invoice }) =>
    isStill(invoice, order.invoice) ? { invoice: lookedAt(invoice, now) } : undefined,
  );
  return 'later';
}

const isStill = (invoice: OrderInvoice | null, before: OrderInvoice | null): invoice is OrderInvoice =>
  invoice !== null && invoice.key === before?.key && invoice.status === before.status;
