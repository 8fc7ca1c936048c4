import { refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseInvalid } from '../domain/refusal.ts';
import { localDate } from '../domain/working-day.ts';
import { commitOperation, type Operation, refuseErased, type Seen, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { listDocumentEvents } from '../order/order-events.ts';
import { getOrder } from '../order/orders.ts';
import { toInvoicing } from '../people/person.ts';
import type { Business } from '../runtime/config.ts';
import type { Ids } from '../store/ids.ts';
import type { Table } from '../store/table.ts';
import {
  type CorrectedReceiver,
  correctReceiver,
  getReturnForm,
  listDependents,
  listUncreditedParts,
  refuseRelated,
} from './correct-invoice.ts';
import { type CreditedPart, findCreditedPart } from './global/global-parts.ts';
import { createAttempt, type InvoiceDeps, newAttemptKey, recordPostponed, repeatAttempt } from './invoice-attempt.ts';
import { type IssueOutcome, issueAndMail } from './issue-document.ts';
import type { ReceiverError } from './provider.ts';
import {
  isGlobalCredit,
  isSoldGlobally,
  isWaitingForCredit,
  isWaitingForPart,
  startGlobalCredit,
} from './rules/global/global-sale.ts';
import { documentRefusal, issueRefusal } from './rules/invoice-status.ts';
import { findValidInvoice } from './rules/owed-documents.ts';
import { isVoid, listDocuments, mapDocuments, type TaxDocument } from './rules/tax-document.ts';
import { validateReceiver } from './rules/tax-id.ts';

/** `fields`: the refused fields of the receiver. */
type IssuedNow = {
  readonly kind: TaxDocument['kind'] | 'global_credit';
  readonly outcome: IssueOutcome['outcome'];
  readonly fields: readonly ReceiverError['field'][];
};

type Issuing = Operation & Seen & { readonly receiver?: CorrectedReceiver };

const PROVIDER_MS = 10_000;

/**
 * Issues an order's unissued documents with today's date, to the corrected receiver if there is one, also after the window:
 * SAT's "prácticas indebidas en la emisión de facturas", no. 6, allows it within the year of the sale. A receiver starts the
 * first invoice of an order without one. Throws `move_not_allowed` if there is nothing to issue.
 */
export async function issueUnissued(request: Issuing, deps: InvoiceDeps & FirstInvoiceDeps): Promise<IssuedNow[]> {
  const seen = await seenOrder(deps.table, request);
  const before = await startFirstInvoice(seen, request.receiver ?? {}, request, deps);
  const unissued = chooseUnissued(before, request.now, deps.business);
  const corrected = correctUnissued(before, unissued, request);
  const attempts = new Map(unissued.map((document) => [document.key, repeatAttempt(document, corrected, request.now)]));
  const after = { ...corrected, ...mapDocuments(corrected, (document) => attempts.get(document.key) ?? document) };
  const order = await commitOperation(deps.table, seen, after, request, ...listDocumentEvents(seen, after));
  const results: IssuedNow[] = [];
  const creditsFirst = (a: TaxDocument, b: TaxDocument) => Number(isGlobalCredit(b)) - Number(isGlobalCredit(a));
  for (const attempt of [...attempts.values()].sort(creditsFirst))
    results.push(await issueNow(order, attempt, request, deps));
  return results;
}

/** Returns the documents that can be issued; forbidden ones are left out. Throws `move_not_allowed` if none remains. */
export function chooseUnissued(order: Order, now: Date, { timeZone }: Business): TaxDocument[] {
  const refuse = (reason: Unissuable) => refusedToOperator(reason, { order: order.id });
  const unissued = listDocuments(order).filter(isUnissued);
  if (unissued.length === 0) {
    const refusal = issueRefusal(order);
    throw refuse(refusal ? REASONS[refusal] : 'nothing_issued_without_receiver');
  }
  const issuable = unissued.filter((document) => !isHeldBack(document, order) && !documentRefusal(document, order));
  const chosen = issuable.length > 0 ? issuable : unissued;
  const refusal = chosen.map((document) => documentRefusal(document, order)).find((reason) => reason !== null);
  if (refusal) throw refuse(REASONS[refusal]);
  const hasInvoice = chosen.some(({ key }) => key === order.invoice?.key);
  if (hasInvoice && getYear(new Date(order.createdAt), timeZone) !== getYear(now, timeZone)) {
    throw refuse('nothing_issued_of_another_year');
  }
  refuseErased(order);
  const replaced = chosen.some(isReplacement) ? findValidInvoice(order) : undefined;
  if (replaced) refuseRelated(order, replaced);
  return chosen;
}

const UNISSUED: readonly TaxDocument['status'][] = ['retrying', 'refused', 'not_issued'];
const isUnissued = (document: TaxDocument): boolean =>
  UNISSUED.includes(document.status) && !isWaitingForPart(document);

const isReplacement = ({ kind, relatedUuid }: TaxDocument): boolean => kind === 'invoice' && relatedUuid !== null;

/** True for a replacement of an invoice that SAT does not cancel, as other documents relate to it. */
const isHeldBack = (document: TaxDocument, order: Order): boolean =>
  isReplacement(document) && listDependents(order, document.relatedUuid ?? '').length > 0;

const REASONS = {
  order_cancelled: 'nothing_issued_of_cancelled',
  order_invoiced: 'nothing_issued_of_invoiced',
  invoice_in_progress: 'nothing_issued_in_progress',
  nothing_to_invoice: 'nothing_issued_of_zero',
  payment_rejected: 'nothing_issued_of_rejected',
} as const;
type Unissuable =
  | (typeof REASONS)[keyof typeof REASONS]
  | 'nothing_issued_without_receiver'
  | 'nothing_issued_of_another_year';

const getYear = (instant: Date, timeZone: string): string => localDate(instant, timeZone).slice(0, 'YYYY'.length);

function correctUnissued(order: Order, unissued: readonly TaxDocument[], { receiver = {}, now }: Issuing): Order {
  const invoice = unissued.find(({ kind }) => kind === 'invoice');
  const field = invoice && isReplacement(invoice) ? 'replacementInvoicing' : 'invoicing';
  const corrected = correctReceiver({ ...order, invoicing: order[field] ?? order.invoicing }, receiver, now);
  if (!corrected) return order;
  if (!invoice) throw refusedToOperator('no_receiver_to_correct', { order: order.id });
  return { ...order, [field]: corrected };
}

async function issueNow(
  committed: Order,
  document: TaxDocument,
  { operator, now }: Operation,
  deps: InvoiceDeps,
): Promise<IssuedNow> {
  const { key } = document;
  const kind = isGlobalCredit(document) ? 'global_credit' : document.kind;
  const act = { by: { operator }, now };
  const order = (await getOrder(deps.table, committed)) ?? committed;
  if (isWaitingForCredit(document, order) || (kind === 'invoice' && isSoldGlobally(order))) {
    await recordPostponed({ order, key }, { reason: 'global_credit_not_issued' }, act, deps);
    return { kind, outcome: 'unavailable', fields: [] };
  }
  const issuing = await issueAndMail({ order, key, timeoutMs: PROVIDER_MS }, act, deps);
  const fields = issuing.outcome === 'refused' ? issuing.errors.map(({ field }) => field) : [];
  return { kind, outcome: issuing.outcome, fields };
}

type FirstInvoiceDeps = { readonly table: Table; readonly ids: Ids };

/**
 * Returns an order with a first invoice to a receiver that an operator gives, to be issued after the credit note that takes the
 * order out of its global invoice (SAT's guide of the global CFDI, appendix 2, case III). Returns an order with an invoice, or
 * without a receiver, as it is. Throws Refusal `invalid_input` for the receiver, and `move_not_allowed` while the global invoice
 * is in progress.
 */
async function startFirstInvoice(
  order: Order,
  receiver: CorrectedReceiver,
  { now }: Pick<Operation, 'now'>,
  { table, ids }: FirstInvoiceDeps,
): Promise<Order> {
  const isGiven = Object.values(receiver).some((value) => value !== undefined);
  if (!isGiven || !canStartFirstInvoice(order)) return order;
  refuseErased(order);
  const part = isSoldGlobally(order) ? await findCreditedPart(order, table) : undefined;
  if (isSoldGlobally(order) && !part) throw refusedToOperator('global_in_progress', { order: order.id });
  const invoicing = order.invoicing ?? (await newReceiver(receiver, now, ids));
  return addFirstInvoice({ ...order, invoicing }, now, part);
}

export const canStartFirstInvoice = (order: Order): boolean => order.invoice === null || isSoldGlobally(order);

export function addFirstInvoice(order: Order, now: Date, part?: CreditedPart): Order {
  const invoice = order.invoice ?? { ...createAttempt(order, now), status: 'retrying' };
  if (!isSoldGlobally(order)) return { ...order, invoice };
  // A credit note that was never issued is part of the new one; others may still wait for the part.
  const others = order.documents
    .filter((item) => !(isGlobalCredit(item) && isVoid(item) && item.providerId === ''))
    .map((item) => (isWaitingForPart(item) ? { ...item, ...part } : item));
  const parts = listUncreditedParts(order).filter(({ cents }) => cents > 0);
  const credit = startGlobalCredit({ key: newAttemptKey(order), parts, paymentForm: getReturnForm(order) }, now);
  return { ...order, invoice, documents: [...others, { ...credit, ...part }] };
}

const REQUIRED = ['rfc', 'full_name', 'fiscal_regime', 'cfdi_use', 'zipcode'] as const;
const NO_ADDRESS = { street: '', exterior_number: '', neighborhood: '', city: '', state: '', country: '' };

/** Judges a receiver as the API does; an operator is no user, so that nobody has changed it. */
async function newReceiver(receiver: CorrectedReceiver, now: Date, ids: Ids) {
  refuseInvalid(
    REQUIRED.filter((field) => receiver[field] === undefined).map((field) => ({ path: [field], code: 'required' })),
  );
  const { rfc = '', full_name = '', fiscal_regime = '', cfdi_use = '', zipcode = '', email = '' } = receiver;
  const input = { ...NO_ADDRESS, rfc, full_name, fiscal_regime, cfdi_use, zipcode, email };
  refuseInvalid(validateReceiver(input, []));
  const [id = 0] = await ids.take('record', 1);
  const time = now.toISOString();
  return toInvoicing(input, id, { created_at: time, updated_at: time, updated_by: null });
}
