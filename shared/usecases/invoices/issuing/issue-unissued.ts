import { documentRefusal, issueRefusal } from '../../../domain/invoices/invoice-window.ts';
import { listDocuments } from '../../../domain/invoices/order-documents.ts';
import { findValidInvoice } from '../../../domain/invoices/owed-documents.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { localDate } from '../../../domain/working-day.ts';
import type { ReceiverError } from '../../../invoicing/provider.ts';
import type { Business } from '../../../runtime/settings.ts';
import type { Order } from '../../../store/orders/order.ts';
import { commitOperation, type Operation, refuseErased, type Seen, seenOrder } from '../../operations/operate-order.ts';
import { refusedToOperator } from '../../operations/operator-refusal.ts';
import { type CorrectedReceiver, correctReceiver } from '../corrections/correct-receiver.ts';
import { listDependents, refuseRelated } from '../corrections/replace-invoice.ts';
import { isWaitingForPart } from '../global/credited-part.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { mailDocument } from '../settling/mail-document.ts';
import { repeatAttempt } from './invoice-attempt.ts';
import { type IssueOutcome, issueDocument } from './issue-document.ts';

/** The outcome of a document that an operator has issued; the fields are those of the receiver that are refused. */
export type IssuedNow = {
  readonly kind: TaxDocument['kind'];
  readonly outcome: IssueOutcome['outcome'];
  readonly fields: readonly ReceiverError['field'][];
};

type Issuing = Operation & Seen & { readonly receiver?: CorrectedReceiver };

const PROVIDER_MS = 10_000;
const MAIL_MS = 10_000;

/**
 * Issues the documents of an order of which nothing was issued, with today's date, also after the window in which a client
 * may ask: refusing an invoice because it was not asked for at once is no. 6 of SAT's "prácticas indebidas en la emisión de
 * facturas", which allows it within the year of the sale. An invoice is issued to the corrected receiver, if one is given.
 * Throws `move_not_allowed` with the reason if there is nothing to issue.
 */
export async function issueUnissued(asked: Issuing, deps: InvoiceDeps): Promise<IssuedNow[]> {
  const before = await seenOrder(deps.table, asked);
  const unissued = chooseUnissued(before, asked.now, deps.business);
  const corrected = correctUnissued(before, unissued, asked);
  const attempts = new Map(unissued.map((document) => [document.key, repeatAttempt(document, corrected, asked.now)]));
  const order = await commitOperation(deps.table, before, renewAttempts(corrected, attempts), asked);
  const issued: IssuedNow[] = [];
  for (const attempt of attempts.values()) issued.push(await issueAndMail(order, attempt, asked, deps));
  return issued;
}

/** Returns the documents of an order that can be issued now. Throws `move_not_allowed` with the reason if there is none. */
export function chooseUnissued(order: Order, now: Date, business: Business): TaxDocument[] {
  const unissued = listUnissued(order, now, business);
  refuseUnissuable(order, unissued, now, business);
  return unissued;
}

const UNISSUED: readonly TaxDocument['status'][] = ['retrying', 'refused', 'not_issued'];
const isUnissued = (document: TaxDocument): boolean =>
  UNISSUED.includes(document.status) && !isWaitingForPart(document);

/** Returns the documents of which nothing was issued, without those that something forbids if there are others. */
function listUnissued(order: Order, now: Date, business: Business): TaxDocument[] {
  const unissued = listDocuments(order).filter(isUnissued);
  const issuable = unissued.filter((document) => {
    const isHeld = isReplacement(document) && listDependents(order, document.relatedUuid ?? '').length > 0;
    return !isHeld && documentRefusal(document, order, now, business.timeZone) === null;
  });
  return issuable.length > 0 ? issuable : unissued;
}

/** Returns the order with a corrected receiver of its invoice, or of the replacement, that is not issued. */
function correctUnissued(order: Order, unissued: readonly TaxDocument[], { receiver = {}, now }: Issuing): Order {
  const invoice = unissued.find(({ kind }) => kind === 'invoice');
  const field = invoice && isReplacement(invoice) ? 'replacementInvoicing' : 'invoicing';
  const corrected = correctReceiver({ ...order, invoicing: order[field] ?? order.invoicing }, receiver, now);
  if (!corrected) return order;
  if (!invoice) throw refusedToOperator('no_receiver_to_correct', { order: order.id });
  return { ...order, [field]: corrected };
}

function renewAttempts(order: Order, attempts: ReadonlyMap<string, TaxDocument>): Order {
  const renew = (document: TaxDocument) => attempts.get(document.key) ?? document;
  return { ...order, invoice: order.invoice && renew(order.invoice), documents: order.documents.map(renew) };
}

async function issueAndMail(
  order: Order,
  { kind, key }: TaxDocument,
  { operator, now }: Operation,
  deps: InvoiceDeps,
): Promise<IssuedNow> {
  const act = { by: { operator }, now };
  const asked = { order, key, refusals: 'left to an operator', timeoutMs: PROVIDER_MS } as const;
  const issuing = await issueDocument(asked, act, deps);
  if (issuing.outcome === 'issued' && issuing.isMailClaimed) {
    await mailDocument({ order: issuing.order, key }, { ...act, timeoutMs: MAIL_MS }, deps);
  }
  const fields = issuing.outcome === 'refused' ? issuing.errors.map(({ field }) => field) : [];
  return { kind, outcome: issuing.outcome, fields };
}

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

function refuseUnissuable(order: Order, unissued: readonly TaxDocument[], now: Date, business: Business): void {
  const reason = explainUnissuable(order, unissued, now, business.timeZone);
  if (reason) throw refusedToOperator(reason, { order: order.id });
  refuseErased(order);
  const replaced = unissued.some(isReplacement) ? findValidInvoice(order) : undefined;
  if (replaced) refuseRelated(order, replaced);
}

const isReplacement = ({ kind, relatedUuid }: TaxDocument): boolean => kind === 'invoice' && relatedUuid !== null;

function explainUnissuable(
  order: Order,
  unissued: readonly TaxDocument[],
  now: Date,
  timeZone: string,
): Unissuable | undefined {
  const isInvoice = unissued.some(({ key }) => key === order.invoice?.key);
  const refusals =
    unissued.length === 0
      ? [issueRefusal(order, now, timeZone)]
      : unissued.map((each) => documentRefusal(each, order, now, timeZone));
  const refusal = refusals.find((each) => each !== null);
  if (refusal) return REASONS[refusal];
  if (unissued.length === 0) return 'nothing_issued_without_receiver';
  const isOfThisYear = getYear(new Date(order.createdAt), timeZone) === getYear(now, timeZone);
  return isInvoice && !isOfThisYear ? 'nothing_issued_of_another_year' : undefined;
}

const getYear = (instant: Date, timeZone: string): string => localDate(instant, timeZone).slice(0, 'YYYY'.length);
