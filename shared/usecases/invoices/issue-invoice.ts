import { randomUUID } from 'node:crypto';
import { type Invoice, invoiceOf, paymentOf } from '../../domain/invoices/invoice.ts';
import { issued, newAttempt, notIssued, type OrderInvoice } from '../../domain/invoices/order-invoice.ts';
import { folioOf } from '../../domain/order.ts';
import {
  DataRefused,
  type InvoicingProvider,
  type ProvidedInvoice,
  ProviderUnavailable,
  type ReceiverError,
} from '../../invoicing/provider.ts';
import type { Mailer } from '../../mail/send.ts';
import type { Business } from '../../runtime/business.ts';
import { logError, logInfo } from '../../runtime/log.ts';
import { within } from '../../runtime/within.ts';
import { type ChangedInvoice, changeInvoice } from '../../store/invoices/invoice-changes.ts';
import type { Order } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { mailInvoice } from './mail-invoice.ts';

export type InvoiceDeps = {
  readonly table: Table;
  readonly business: Business;
  /** Opened when there is something to invoice, so that no other order depends on its configuration. */
  readonly invoicing: () => InvoicingProvider;
  readonly mail: () => Mailer;
};

/**
 * What came of an attempt. `refused` and `unavailable`: nothing was issued, and the attempt is closed; `unknown`: it may
 * have been issued, which settling finds out.
 */
export type Issuing =
  | { readonly outcome: 'issued'; readonly order: Order; readonly isMailClaimed: boolean }
  | { readonly outcome: 'refused'; readonly errors: readonly ReceiverError[]; readonly cause: unknown }
  | { readonly outcome: 'unavailable' }
  | { readonly outcome: 'unknown' };

// Half a second before the request has no time left. What is not done by then is left to settling.
const ANSWER_MS = 6_500;
const PROVIDER_MS = 5_000;
const MAIL_MS = 2_000;
// To write down what the provider said.
const RECORD_MS = 500;

/** Until when a request that starts now has to be done with its invoice, in ms of the real clock. */
export const answerBy = (): number => Date.now() + ANSWER_MS;

/** An attempt to invoice this order, to be written with it before the provider is called. */
export const attemptOf = (order: Omit<Order, 'invoice'>, now: Date): OrderInvoice =>
  newAttempt(`order-${order.id}-${randomUUID()}`, paymentOf(order).paymentMethod, now);

type Timing = { readonly now: Date; readonly deadline: number };

/**
 * Issues the invoice that was requested for an order, records it and mails it, and answers what is known of it at the
 * `deadline`, as `answerBy` gives it, at the latest. Never throws.
 */
export async function issueInvoice(order: Order, { now, deadline }: Timing, deps: InvoiceDeps): Promise<Issuing> {
  let issuing: Issuing = { outcome: 'unknown' };
  const work = async () => {
    issuing = await issue(order, { now, deadline }, deps);
    await mailIssued(issuing, { now, deadline }, deps);
  };
  await within(deadline - Date.now(), work(), undefined);
  return issuing;
}

/** Whoever records an invoice has claimed its mail, and sends it however late it is. */
async function mailIssued(issuing: Issuing, { now, deadline }: Timing, deps: InvoiceDeps): Promise<void> {
  if (issuing.outcome !== 'issued' || !issuing.isMailClaimed) return;
  try {
    await mailInvoice(issuing.order, { now, timeoutMs: Math.min(MAIL_MS, deadline - Date.now()) }, deps);
  } catch (error) {
    logError('what came of a mail could not be recorded', error, { orderId: issuing.order.id });
  }
}

async function issue(order: Order, { now, deadline }: Timing, deps: InvoiceDeps): Promise<Issuing> {
  try {
    const timeoutMs = Math.min(PROVIDER_MS, deadline - Date.now() - RECORD_MS);
    const provided = await askProvider(order, timeoutMs, deps);
    return await recordIssuing(order, provided, now, deps.table);
  } catch (error) {
    return await closeIssuing(order, error, deps.table);
  }
}

async function askProvider(order: Order, timeoutMs: number, deps: InvoiceDeps): Promise<ProvidedInvoice> {
  if (timeoutMs <= 0) throw new ProviderUnavailable('there is no time left to call it');
  const { provider, invoice } = readied(order, deps);
  const reference = { key: attemptIn(order).key, folio: folioOf(order.id) };
  return provider.issue(invoice, reference, AbortSignal.timeout(timeoutMs));
}

/** What fails here fails before the provider is called, so that nothing can have been issued. */
function readied(order: Order, { business, invoicing }: InvoiceDeps) {
  try {
    return { provider: invoicing(), invoice: invoiceOfOrder(order, business) };
  } catch (cause) {
    throw new ProviderUnavailable(cause);
  }
}

function invoiceOfOrder(order: Order, { ivaRateMicros }: Business): Invoice {
  const { invoicing } = order;
  if (!invoicing) throw new Error('an order that is to be invoiced has a receiver');
  const { fullName: legalName, rfc, fiscalRegime, cfdiUse, zipcode } = invoicing;
  const receiver = { legalName, rfc, fiscalRegime, cfdiUse, zipcode };
  return invoiceOf({ ...order, receiver }, ivaRateMicros);
}

function attemptIn({ invoice }: Order): OrderInvoice {
  if (!invoice) throw new Error('an order that is to be invoiced has an attempt');
  return invoice;
}

async function recordIssuing(order: Order, provided: ProvidedInvoice, now: Date, table: Table): Promise<Issuing> {
  if (provided.status === 'pending') return { outcome: 'unknown' };
  if (provided.status !== 'valid') throw new ProviderUnavailable(`the invoice is ${provided.status}`);
  return { outcome: 'issued', ...(await recordIssued(table, order, provided.id, now)) };
}

/**
 * Records that the attempt of this order was issued. The mail is claimed with it, for whoever records it to send; not if
 * the order was cancelled meanwhile, or if somebody else recorded it before.
 */
export async function recordIssued(table: Table, order: Order, cfdi: string, now: Date) {
  const { key } = attemptIn(order);
  const { order: after, isChanged } = await changeInvoice(table, order, ({ invoice, orderStatus }) =>
    isStillRequested(invoice, key)
      ? { cfdi, invoice: issued(invoice, orderStatus, now), updatedAt: now.toISOString() }
      : undefined,
  );
  if (isChanged) logInfo('invoice issued', { orderId: order.id, cfdi });
  return { order: after, isMailClaimed: isChanged && after.invoice?.mail?.status === 'sending' };
}

/** Records that the attempt of this order came to nothing. */
export async function recordNotIssued(table: Table, order: Order, reason: string): Promise<ChangedInvoice> {
  const { key } = attemptIn(order);
  const recorded = await changeInvoice(table, order, ({ invoice }) =>
    isStillRequested(invoice, key) ? { invoice: notIssued(invoice, reason) } : undefined,
  );
  if (recorded.isChanged) logInfo('invoice not issued', { orderId: order.id, reason });
  return recorded;
}

const isStillRequested = (invoice: OrderInvoice | null, key: string): invoice is OrderInvoice =>
  invoice?.key === key && invoice.status === 'requested';

/** Closes the attempt if nothing was issued for certain. */
async function closeIssuing(order: Order, error: unknown, table: Table): Promise<Issuing> {
  const { id } = order;
  if (!(error instanceof DataRefused)) logError('invoice failed', error, { orderId: id });
  try {
    if (error instanceof DataRefused) {
      await recordNotIssued(table, order, 'refused');
      return { outcome: 'refused', errors: error.errors, cause: error };
    }
    if (error instanceof ProviderUnavailable) {
      await recordNotIssued(table, order, 'unavailable');
      return { outcome: 'unavailable' };
    }
  } catch (cause) {
    logError('what came of an invoice could not be recorded', cause, { orderId: id });
  }
  return { outcome: 'unknown' };
}
