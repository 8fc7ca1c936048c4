import type { Invoice } from '../../domain/invoices/cfdi.ts';
import { buildInvoice } from '../../domain/invoices/invoice.ts';
import { formatFolio } from '../../domain/order.ts';
import {
  DataRefused,
  type ProvidedInvoice,
  ProviderUnavailable,
  type ReceiverError,
} from '../../invoicing/provider.ts';
import type { Business } from '../../runtime/business.ts';
import { timeLeftMs, within } from '../../runtime/deadline.ts';
import { logError } from '../../runtime/log.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import type { Table } from '../../store/table.ts';
import { expectAttempt, recordIssued, recordNotIssued } from './invoice-attempt.ts';
import type { InvoiceDeps } from './invoice-deps.ts';
import { mailInvoice } from './mail-invoice.ts';

/**
 * The outcome of an attempt. After `refused` and `unavailable` nothing was issued, and the attempt is closed; after
 * `unknown` it may have been issued, which settling finds out.
 */
export type IssueOutcome =
  | { readonly outcome: 'issued'; readonly order: Order; readonly isMailClaimed: boolean }
  | { readonly outcome: 'refused'; readonly errors: readonly ReceiverError[]; readonly cause: unknown }
  | { readonly outcome: 'unavailable' }
  | { readonly outcome: 'unknown' };

// Half a second before the request's own deadline. Settling does the rest.
const MARGIN_MS = 500;
const PROVIDER_MS = 5_000;
const MAIL_MS = 2_000;
// Time to record the provider's answer.
const RECORD_MS = 500;

const issuingTimeLeftMs = (): number => timeLeftMs() - MARGIN_MS;

/**
 * Issues the requested invoice of an order, records it and mails it. Returns the outcome that is known half a second
 * before the request's deadline. Never throws.
 */
export async function issueInvoice(order: Order, act: Act, deps: InvoiceDeps): Promise<IssueOutcome> {
  let result: IssueOutcome = { outcome: 'unknown' };
  const work = async () => {
    result = await issueAndRecord(order, act, deps);
    await mailIssued(result, act, deps);
  };
  await within(issuingTimeLeftMs(), work(), undefined);
  return result;
}

/** Sends the claimed mail, however late it is: nobody else will. */
async function mailIssued(result: IssueOutcome, act: Act, deps: InvoiceDeps): Promise<void> {
  if (result.outcome !== 'issued' || !result.isMailClaimed) return;
  try {
    await mailInvoice(result.order, { ...act, timeoutMs: Math.min(MAIL_MS, issuingTimeLeftMs()) }, deps);
  } catch (error) {
    logError('the outcome of a mail could not be recorded', error, { orderId: result.order.id });
  }
}

async function issueAndRecord(order: Order, act: Act, deps: InvoiceDeps): Promise<IssueOutcome> {
  try {
    const timeoutMs = Math.min(PROVIDER_MS, issuingTimeLeftMs() - RECORD_MS);
    const provided = await askProvider(order, timeoutMs, deps);
    return await recordOutcome(order, provided, act, deps.table);
  } catch (error) {
    return await recordFailure(order, error, act, deps.table);
  }
}

async function askProvider(order: Order, timeoutMs: number, deps: InvoiceDeps): Promise<ProvidedInvoice> {
  if (timeoutMs <= 0) throw new ProviderUnavailable('there is no time left to call it');
  const { provider, invoice } = prepare(order, deps);
  const reference = { key: expectAttempt(order).key, folio: formatFolio(order.id) };
  return provider.issue(invoice, reference, AbortSignal.timeout(timeoutMs));
}

/** Opens the provider and builds the invoice. A failure here comes before the call, so nothing can have been issued. */
function prepare(order: Order, { business, invoicing }: InvoiceDeps) {
  try {
    return { provider: invoicing(), invoice: toInvoice(order, business) };
  } catch (cause) {
    throw new ProviderUnavailable(cause);
  }
}

function toInvoice(order: Order, { ivaRateMicros }: Business): Invoice {
  const { invoicing } = order;
  if (!invoicing) throw new Error('an order that is to be invoiced has a receiver');
  const { full_name: legalName, rfc, fiscal_regime: fiscalRegime, cfdi_use: cfdiUse, zipcode } = invoicing;
  const receiver = { legalName, rfc, fiscalRegime, cfdiUse, zipcode };
  return buildInvoice({ ...order, receiver }, ivaRateMicros);
}

async function recordOutcome(order: Order, provided: ProvidedInvoice, act: Act, table: Table): Promise<IssueOutcome> {
  if (provided.status === 'pending') return { outcome: 'unknown' };
  if (provided.status !== 'valid') throw new ProviderUnavailable(`the invoice is ${provided.status}`);
  return { outcome: 'issued', ...(await recordIssued(table, order, provided.id, act)) };
}

/** Closes the attempt if it is certain that nothing was issued. */
async function recordFailure(order: Order, error: unknown, act: Act, table: Table): Promise<IssueOutcome> {
  const { id } = order;
  if (!(error instanceof DataRefused)) logError('invoice failed', error, { orderId: id });
  try {
    if (error instanceof DataRefused) {
      await recordNotIssued(table, order, 'refused', act);
      return { outcome: 'refused', errors: error.errors, cause: error };
    }
    if (error instanceof ProviderUnavailable) {
      await recordNotIssued(table, order, 'unavailable', act);
      return { outcome: 'unavailable' };
    }
  } catch (cause) {
    logError('the outcome of an invoice could not be recorded', cause, { orderId: id });
  }
  return { outcome: 'unknown' };
}
