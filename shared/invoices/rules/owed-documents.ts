import { type Cents, sumCents } from '../../domain/money.ts';
import {
  listOpenParts,
  type Sale,
  type SalePart,
  splitParts,
  spreadAmount,
  sumParts,
} from '../../domain/sale-parts.ts';
import { localMonth } from '../../domain/working-day.ts';
import { isRefundAccepted, type PaymentStatus, type Refund } from '../../order/rules/status.ts';
import { chooseInvoicePayment, FORM_TO_BE_DEFINED } from './build/invoice.ts';
import { cancelInvoice, type NewDocument, NO_SALE, startAttempt, startCancellation } from './document-life.ts';
import {
  isUnderWay,
  isVoid,
  listCreditedParts,
  type OrderDocuments,
  REMITTED,
  type Stamp,
  startTask,
  type TaxDocument,
} from './tax-document.ts';

/** An invoice to which other documents can relate, by the UUID of its stamp. */
export type StampedInvoice = TaxDocument & { readonly stamp: Stamp };

/** True if a document is valid and not being cancelled. */
export const isValid = ({ status }: TaxDocument): boolean => status === 'issued' || status === 'cancellation_rejected';

export const findValidInvoice = ({ invoice }: Pick<OrderDocuments, 'invoice'>): StampedInvoice | undefined =>
  invoice?.stamp && isValid(invoice) ? { ...invoice, stamp: invoice.stamp } : undefined;

type Related = Pick<OrderDocuments, 'documents'>;

/** Returns the documents that relate to an invoice, valid or in progress, in the order of their requests. */
export const listRelated = ({ documents }: Related, kind: TaxDocument['kind'], uuid: string): TaxDocument[] =>
  documents.filter((document) => document.kind === kind && document.relatedUuid === uuid && !isVoid(document));

export function getUncreditedCents(order: Related, { stamp, amountCents }: StampedInvoice): Cents {
  const credits = listRelated(order, 'credit', stamp.uuid);
  return Math.max(0, amountCents - sumCents(credits.map((credit) => credit.amountCents)));
}

/** True if credit notes cover a valid invoice, so that nothing is to be paid either. */
export function isWhollyCredited(document: TaxDocument, order: Related): boolean {
  const invoice = findValidInvoice({ invoice: document });
  return invoice !== undefined && getUncreditedCents(order, invoice) === 0;
}

export type NewCredit = {
  readonly key: string;
  readonly parts: readonly SalePart[];
  /** SAT's c_FormaPago of the refund. */
  readonly paymentForm: string;
  /** Its description in the operator's words. */
  readonly purpose?: string | undefined;
};

/** A job issues the credit note at once; SAT asks for PUE (guide of Anexo 20, appendix 5). */
export const startCredit = ({ stamp }: StampedInvoice, credit: NewCredit, now: Date): TaxDocument => ({
  ...startAnyCredit(credit, now),
  relatedUuid: stamp.uuid,
});

/** Returns a credit note whose relation is not set yet. */
export const startAnyCredit = ({ key, parts, paymentForm, purpose }: NewCredit, now: Date): TaxDocument => ({
  ...startOwed({ kind: 'credit', key, amountCents: sumParts(parts), paymentForm, paymentMethod: 'PUE' }, now),
  parts,
  ...(purpose === undefined ? {} : { purpose }),
});

const startOwed = (document: NewDocument, now: Date): TaxDocument =>
  startTask({ ...startAttempt(document, now), status: 'retrying' }, 'issue', now.toISOString());

type PaidOrder = Related & { readonly paymentStatus: PaymentStatus };

const isPaidLater = ({ paymentStatus }: PaidOrder, { paymentMethod }: TaxDocument): boolean =>
  paymentStatus === 'paid' && paymentMethod === 'PPD';

/** True for a valid PPD invoice whose order is paid and whose complement is not issued yet. */
export function isComplementDue(document: TaxDocument, order: PaidOrder): boolean {
  const invoice = findValidInvoice({ invoice: document });
  if (!invoice || !isPaidLater(order, invoice)) return false;
  const complements = listRelated(order, 'payment', invoice.stamp.uuid);
  if (complements.length === 0) return getUncreditedCents(order, invoice) > 0;
  return complements.every(({ providerId }) => providerId === '');
}

type InvoicedSale = PaidOrder &
  OrderDocuments & {
    readonly paymentForm: string | null;
    readonly paymentMethod: { readonly sat_payment_form: string };
  } & RefundedSale;
export type Starting = { readonly newKey: () => string; readonly now: Date };

/** Returns missing documents: the complement of a paid PPD invoice (RMF 2.7.1.32), and a credit note for earlier refunds. */
export function listOwed(order: InvoicedSale, starting: Starting): TaxDocument[] {
  const invoice = findValidInvoice(order);
  if (!invoice) return [];
  return [...listOwedComplement(order, invoice, starting), ...listOwedCredit(order, invoice, starting)];
}

function listOwedComplement(order: InvoicedSale, invoice: StampedInvoice, { newKey, now }: Starting): TaxDocument[] {
  const { uuid } = invoice.stamp;
  const amountCents = getUncreditedCents(order, invoice);
  const isOwed = isPaidLater(order, invoice) && amountCents > 0 && listRelated(order, 'payment', uuid).length === 0;
  if (!isOwed) return [];
  const paymentForm = order.paymentForm ?? order.paymentMethod.sat_payment_form;
  const complement = { kind: 'payment', key: newKey(), amountCents, paymentMethod: 'PUE', paymentForm } as const;
  return [startOwed({ ...complement, relatedUuid: uuid }, now)];
}

function listOwedCredit(order: InvoicedSale, invoice: StampedInvoice, { newKey, now }: Starting): TaxDocument[] {
  const owed = findOwedCredit(order, listRelated(order, 'credit', invoice.stamp.uuid));
  return owed ? [startCredit(invoice, { key: newKey(), ...owed }, now)] : [];
}

type RefundedSale = Sale &
  Pick<OrderDocuments, 'invoice'> &
  InGlobal & {
    readonly totalCents: Cents;
    readonly refunds?: readonly (Refund & { readonly form: string; readonly parts: readonly SalePart[] })[];
  };

export type InGlobal = { readonly global?: { readonly returned?: readonly SalePart[] } | null };

/** Returns the parts returned before an order got into its global invoice, which leaves them out. */
export const listNettedParts = ({ global }: InGlobal): readonly SalePart[] => global?.returned ?? [];

/** The same while the global invoice stands for the order: an invoice of its own has the whole sale. */
export const listOmittedParts = (order: InGlobal & Pick<OrderDocuments, 'invoice'>): readonly SalePart[] =>
  findValidInvoice(order) ? [] : listNettedParts(order);

export type Returned = { readonly refunds?: readonly (Refund & { readonly parts: readonly SalePart[] })[] };

/** Returns a sale's returned parts, of refunds that the payment provider has accepted. */
export const listReturnedParts = ({ refunds = [] }: Returned): SalePart[] =>
  refunds.filter(isRefundAccepted).flatMap(({ parts }) => parts);

/** Returns the refunded parts without a credit note, in the last refund's form. Parts that a global invoice omits need none. */
function findOwedCredit(order: RefundedSale, credits: readonly TaxDocument[]) {
  const refunds = (order.refunds ?? []).filter((refund) => isRefundAccepted(refund) && !refund.isSurplus);
  const paidBack = listReturnedParts(order);
  const netted = listOmittedParts(order);
  // A remission is not a refund: the customer had not paid it.
  const credited = [...netted, ...listCreditedParts(credits.filter(({ paymentForm }) => paymentForm !== REMITTED))];
  const uncredited = listOpenParts(order, [...netted, ...listCreditedParts(credits)]);
  const { within } = splitParts(splitParts(paidBack, credited).beyond, uncredited);
  const amountCents = Math.min(sumParts(paidBack) - sumParts(credited), sumParts(within));
  const paymentForm = refunds.at(-1)?.form;
  if (amountCents <= 0 || paymentForm === undefined) return undefined;
  const isAll = sumParts(within) === amountCents;
  return { parts: isAll ? within : spreadAmount(within, amountCents), paymentForm };
}

/** Returns the parts of a refund to credit, at most the uncredited refunds. An operator can still issue an earlier note. */
export function chooseCreditOfRefund(
  order: RefundedSale,
  { parts }: { readonly parts: readonly SalePart[] },
  credits: readonly TaxDocument[],
): readonly SalePart[] {
  const owed = findOwedCredit(order, credits)?.parts ?? [];
  const amountCents = Math.min(sumParts(parts), sumParts(owed));
  const { within } = splitParts(parts, owed);
  return sumParts(within) === amountCents ? within : spreadAmount(owed, amountCents);
}

type ReplacedOrder = Pick<InvoicedSale, 'totalCents' | 'paymentStatus' | 'paymentMethod' | 'paymentForm'>;
type Replacing = { readonly key: string; readonly now: Date; readonly timeZone: string };

/** Returns a replacement (relation 04) with today's payment, which a job issues at once. */
export function startReplacement(
  replaced: StampedInvoice,
  order: ReplacedOrder,
  { key, now, timeZone }: Replacing,
): TaxDocument {
  const payment = isUnpaidPastMonth(replaced, order, { now, timeZone }) ? PAID_LATER : chooseInvoicePayment(order);
  const invoice = { kind: 'invoice', key, amountCents: order.totalCents, ...payment } as const;
  return startOwed({ ...invoice, relatedUuid: replaced.stamp.uuid }, now);
}

const PAID_LATER = { paymentMethod: 'PPD', paymentForm: FORM_TO_BE_DEFINED } as const;

/** An invoice not paid in its month is replaced by a PPD one (RMF 2.7.1.39, last paragraph). */
function isUnpaidPastMonth({ stamp }: StampedInvoice, { paymentStatus }: ReplacedOrder, when: Omit<Replacing, 'key'>) {
  const isPast = localMonth(new Date(stamp.at), when.timeZone) !== localMonth(when.now, when.timeZone);
  return paymentStatus !== 'paid' && isPast;
}

export const findReplacement = ({ documents }: OrderDocuments): TaxDocument | undefined =>
  documents.find((document) => document.kind === 'invoice' && isUnderWay(document));

/** Puts a replacement in the invoice's place and cancels the old one (motive 01) in one change: never none or two. */
export function promoteReplacement<Order extends OrderDocuments>(order: Order, key: string, now: Date): Order {
  const next = order.documents.find((document) => document.key === key && document.kind === 'invoice');
  if (!next?.stamp || !order.invoice) return order;
  const replaced = cancelReplaced(order.invoice, next, now);
  const documents = order.documents.map((document) => (document === next ? replaced : document));
  return { ...order, invoice: next, documents };
}

const CANCELLABLE_STATUSES: readonly TaxDocument['status'][] = ['issued', 'cancelling', 'cancellation_rejected'];

// A substitute that is itself cancelled, with its order, is none: the motive of the sale stays.
function cancelReplaced(replaced: TaxDocument, { status, stamp }: TaxDocument, now: Date): TaxDocument {
  if (status !== 'issued' || !stamp || !CANCELLABLE_STATUSES.includes(replaced.status)) return replaced;
  return startCancellation(replaced, { motive: '01', substitution: stamp.uuid }, now);
}

/** Returns a replaced invoice that is not cancelled yet; a second replacement would leave it without a valid substitute. */
export const findReplaced = ({ documents }: Pick<OrderDocuments, 'documents'>): TaxDocument | undefined =>
  documents.find(({ kind, stamp, status }) => kind === 'invoice' && stamp !== null && status !== 'cancelled');

type CancelledOrder = OrderDocuments & Sale & { readonly paymentStatus: PaymentStatus };

/**
 * Returns the documents of a cancelled order. Its invoice is cancelled, unless valid complements or credit notes relate to it:
 * SAT does not cancel it then. It stays valid, refunds are credited as they are recorded, and an unpaid rest is credited at
 * once.
 */
export function cancelSale(order: CancelledOrder, cancelling: Starting): OrderDocuments {
  const invoice = findValidInvoice(order);
  if (!invoice || !hasStampedRelated(order, invoice)) return cancelInvoices(order, cancelling.now);
  const { invoice: kept, documents } = order;
  return { invoice: kept, documents: [...documents, ...creditRest(order, invoice, cancelling)] };
}

/** True if a document that relates to an invoice is, or may be, stamped and not cancelled. */
const hasStampedRelated = ({ documents }: OrderDocuments, { stamp }: StampedInvoice): boolean =>
  documents
    .filter(({ kind, relatedUuid }) => kind !== 'invoice' && relatedUuid === stamp.uuid)
    .some((document) => document.status !== 'retrying' && !isVoid(document));

function creditRest(order: CancelledOrder, invoice: StampedInvoice, { newKey, now }: Starting): TaxDocument[] {
  const open = listOpenParts(order, listCreditedParts(listRelated(order, 'credit', invoice.stamp.uuid)));
  const parts = open.filter(({ cents }) => cents > 0);
  if (order.paymentStatus === 'paid' || parts.length === 0) return [];
  return [startCredit(invoice, { key: newKey(), parts, paymentForm: REMITTED }, now)];
}

/** A replaced invoice in cancellation takes motive 03 as well: the provider accepts no substitute that is not valid. */
function cancelInvoices(order: OrderDocuments, now: Date): OrderDocuments {
  const replaced = findReplaced(order);
  const documents = order.documents.map((document) =>
    document === replaced && document.cancellation ? { ...document, cancellation: NO_SALE } : document,
  );
  return { invoice: order.invoice && cancelInvoice(order.invoice, now), documents };
}
