import { listOpenParts, type ShareOfRate, spreadAmount, sumByRate } from '../domain/sale-parts.ts';
import type { Order } from '../order/order.ts';
import type { Act } from '../order/order-events.ts';
import { formatFolio } from '../order/rules/status.ts';
import { timeLeftMs, within } from '../runtime/clock.ts';
import { logError } from '../runtime/log.ts';
import {
  expectDocument,
  type InvoiceDeps,
  type OrderDocument,
  recordIssued,
  recordNotIssued,
  recordPostponed,
  recordRefused,
} from './invoice-attempt.ts';
import { mailDocument } from './mail-document.ts';
import { DataRefused, type ProvidedDocument, ProviderUnavailable, type ReceiverError } from './provider.ts';
import { type FiscalDocument, type Invoice, toPublicReceiver } from './rules/build/cfdi.ts';
import { buildComplement, buildCreditNote, buildInvoice } from './rules/build/invoice.ts';
import { isGlobalCredit, listGlobalCredits } from './rules/global/global-sale.ts';
import { listRelated } from './rules/owed-documents.ts';
import { listCreditedParts, type TaxDocument } from './rules/tax-document.ts';

const MARGIN_MS = 500;
const PROVIDER_MS = 5_000;
const MAIL_MS = 2_000;
// Time to record the provider's answer.
const RECORD_MS = 500;

const issuingTimeLeftMs = (): number => timeLeftMs() - MARGIN_MS;

/** Issues, records and mails an order's requested invoice. Returns half a second before the request's deadline. Never throws. */
export async function issueInvoice(
  order: Order,
  refusals: Issuing['refusals'],
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  let result: IssueOutcome = { outcome: 'unknown' };
  const key = order.invoice?.key ?? '';
  const work = async () => {
    const timeoutMs = Math.min(PROVIDER_MS, issuingTimeLeftMs() - RECORD_MS);
    result = await issueDocument({ order, key, refusals, timeoutMs }, act, deps);
    await mailIssued(result, key, act, deps);
  };
  await within(issuingTimeLeftMs(), work(), undefined);
  return result;
}

/** Sends the claimed mail even when late: nobody else will. */
async function mailIssued(result: IssueOutcome, key: string, act: Act, deps: InvoiceDeps): Promise<void> {
  if (result.outcome !== 'issued' || !result.isMailClaimed) return;
  const { order } = result;
  try {
    await mailDocument({ order, key }, { ...act, timeoutMs: Math.min(MAIL_MS, issuingTimeLeftMs()) }, deps);
  } catch (error) {
    logError('the outcome of a mail could not be recorded', error, { orderId: order.id });
  }
}

/** A document may exist after `issued` and `unknown` only. The job retries `unavailable` and looks up `unknown`. */
export type IssueOutcome =
  | { readonly outcome: 'issued'; readonly order: Order; readonly isMailClaimed: boolean }
  | { readonly outcome: 'refused'; readonly errors: readonly ReceiverError[]; readonly cause: unknown }
  | { readonly outcome: 'failed'; readonly cause: unknown }
  | { readonly outcome: 'unavailable'; readonly retryAfterSeconds?: number | undefined }
  | { readonly outcome: 'unknown' };

/** `refusals`: who learns that the data were refused. */
type Issuing = OrderDocument & {
  readonly refusals: 'told to the caller' | 'left to an operator';
  readonly timeoutMs: number;
};

/** Issues a requested document and records the outcome; the caller sends its mail. Never throws. */
async function issueDocument(issuing: Issuing, act: Act, deps: InvoiceDeps): Promise<IssueOutcome> {
  try {
    const provided = await askProvider(issuing, deps);
    return await recordOutcome(issuing, provided, act, deps);
  } catch (error) {
    return await recordFailure(issuing, error, act, deps);
  }
}

export async function issueAndMail(
  attempt: Omit<Issuing, 'refusals'>,
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  const result = await issueDocument({ ...attempt, refusals: 'left to an operator' }, act, deps);
  if (result.outcome === 'issued' && result.isMailClaimed) {
    await mailDocument({ order: result.order, key: attempt.key }, act, deps);
  }
  return result;
}

/** An error of ours before the call: nothing was issued, and a retry does not help. */
class NotBuilt extends Error {}

async function askProvider({ order, key, timeoutMs }: Issuing, deps: InvoiceDeps): Promise<ProvidedDocument> {
  if (timeoutMs <= 0) throw new ProviderUnavailable('there is no time left to call it');
  const fiscal = buildFiscalDocument({ order, key });
  return deps.invoicing().issue(fiscal, { key, folio: formatFolio(order.id) }, AbortSignal.timeout(timeoutMs));
}

function buildFiscalDocument(attempted: OrderDocument) {
  try {
    return toFiscalDocument(attempted.order, expectDocument(attempted));
  } catch (cause) {
    throw new NotBuilt('the document cannot be built', { cause });
  }
}

async function recordOutcome(
  issuing: Issuing,
  provided: ProvidedDocument,
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  if (provided.status === 'pending') return { outcome: 'unknown' };
  if (provided.status !== 'valid') throw new ProviderUnavailable(`the document is ${provided.status}`);
  return { outcome: 'issued', ...(await recordIssued(issuing, provided, act, deps)) };
}

/** Ends the attempt if it is certain that nothing was issued. */
async function recordFailure(issuing: Issuing, error: unknown, act: Act, deps: InvoiceDeps): Promise<IssueOutcome> {
  const { id } = issuing.order;
  if (!(error instanceof DataRefused)) logError('invoice failed', error, { orderId: id });
  try {
    if (error instanceof DataRefused) return await recordRefusal(issuing, error, act, deps);
    if (error instanceof NotBuilt) {
      await recordNotIssued(issuing, 'not_built', act, deps);
      return { outcome: 'failed', cause: error };
    }
    if (error instanceof ProviderUnavailable) {
      const { retryAfterSeconds } = error;
      await recordPostponed(issuing, { reason: 'unavailable', retryAfterSeconds }, act, deps);
      return { outcome: 'unavailable', retryAfterSeconds };
    }
  } catch (cause) {
    logError('the outcome of an invoice could not be recorded', cause, { orderId: id });
  }
  return { outcome: 'unknown' };
}

/** A refusal that names no field of the receiver is an error of ours, even if the caller waits for an answer. */
async function recordRefusal(
  issuing: Issuing,
  refused: DataRefused,
  act: Act,
  deps: InvoiceDeps,
): Promise<IssueOutcome> {
  const isForCaller = issuing.refusals === 'told to the caller' && refused.errors.length > 0;
  if (isForCaller) await recordRefused(issuing, act, deps);
  else await recordNotIssued(issuing, 'refused', act, deps);
  return { outcome: 'refused', errors: refused.errors, cause: refused };
}

/** Throws an Error if the order does not allow the document. */
export function toFiscalDocument(order: Order, document: TaxDocument): FiscalDocument {
  if (document.kind === 'invoice') return toOwnInvoice(order, document);
  if (document.kind === 'payment') return toComplement(order, document);
  return isGlobalCredit(document) ? toGlobalCredit(order, document) : toCreditNote(order, document);
}

function toComplement(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, amountCents } = document;
  const { invoice, stamp } = expectRelated(order, document);
  const paidAt = order.paymentDate;
  if (paidAt === null) throw new Error('an order with a payment complement is paid');
  const open = listOpenParts(order, listCreditedParts(listEarlierCredits(order, document)));
  const shares = sumByRate(order, spreadAmount(open, amountCents));
  return buildComplement({ invoice, stamp, paidAt, paymentForm, shares });
}

function toCreditNote(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, purpose: reason = '' } = document;
  const { invoice, stamp } = expectRelated(order, document);
  const shares = takeShares(order, document, listRelated(order, 'credit', stamp.uuid));
  return buildCreditNote({ orderId: order.id, shares, paymentForm, reason, invoice, uuid: stamp.uuid });
}

/** Throws RangeError if credit notes exceed the invoice, as a failed one may be requested again after another. */
function takeShares(order: Order, document: TaxDocument, credits: readonly TaxDocument[]): ShareOfRate[] {
  listOpenParts(order, listCreditedParts(credits));
  return sumByRate(order, listCreditedParts([document]));
}

/** Credits an order's sale in a global invoice, to the public (guide of the global CFDI, page 29). */
function toGlobalCredit(order: Order, document: TaxDocument): FiscalDocument {
  const { paymentForm, relatedUuid: uuid, globalZipcode: expeditionZipcode = '', purpose = '' } = document;
  if (uuid === null) throw new Error('a credit note of a global invoice relates to an issued part');
  const shares = takeShares(order, document, listGlobalCredits(order));
  const receiver = toPublicReceiver({ expeditionZipcode });
  return buildCreditNote({
    ...{ orderId: order.id, sku: formatFolio(order.id), uuid, shares, paymentForm, reason: purpose },
    invoice: { receiver, expeditionZipcode, timeZone: null },
  });
}

/** Throws an Error if a document does not relate to the order's current invoice. */
function expectRelated(order: Order, { relatedUuid }: TaxDocument) {
  const invoice = order.invoice;
  if (!invoice?.stamp || invoice.stamp.uuid !== relatedUuid)
    throw new Error('a document relates to the invoice of its order');
  return { invoice: toOwnInvoice(order, invoice), stamp: invoice.stamp };
}

function listEarlierCredits(order: Order, { key, relatedUuid }: TaxDocument): TaxDocument[] {
  const { documents } = order;
  const later = documents.slice(documents.findIndex((document) => document.key === key));
  return listRelated(order, 'credit', relatedUuid ?? '').filter((credit) => !later.includes(credit));
}

function toOwnInvoice(order: Order, document: TaxDocument): Invoice {
  const { paymentMethod, paymentForm, relatedUuid } = document;
  const invoicing = (document !== order.invoice && order.replacementInvoicing) || order.invoicing;
  if (!invoicing) throw new Error('an order that is to be invoiced has a receiver');
  const { full_name: legalName, rfc, fiscal_regime: fiscalRegime, cfdi_use: cfdiUse, zipcode } = invoicing;
  const receiver = { legalName, rfc, fiscalRegime, cfdiUse, zipcode };
  return { ...buildInvoice({ ...order, receiver }), paymentMethod, paymentForm, replacesUuid: relatedUuid };
}
