import { type Cents, sumCents } from '../money.ts';
import { type PaymentStatus, sumRefunds } from '../order.ts';
import { type NewDocument, startAttempt } from './documents/attempts.ts';
import type { OrderDocuments } from './order-documents.ts';
import type { Stamp, TaxDocument } from './tax-document.ts';

/** An invoice that other documents can relate to, by the UUID of its stamp. */
export type StampedInvoice = TaxDocument & { readonly stamp: Stamp };

const VALID_STATUSES: readonly TaxDocument['status'][] = ['issued', 'cancellation_rejected'];

/** Returns the invoice of an order if it is valid and nobody is cancelling it. */
export function findValidInvoice({ invoice }: Pick<OrderDocuments, 'invoice'>): StampedInvoice | undefined {
  if (!invoice?.stamp || !VALID_STATUSES.includes(invoice.status)) return undefined;
  return { ...invoice, stamp: invoice.stamp };
}

type Related = Pick<OrderDocuments, 'documents'>;

const VOID_STATUSES: readonly TaxDocument['status'][] = ['refused', 'not_issued', 'cancelled'];

/** True if nothing was issued of a document, or it is not valid any more. */
export const isVoid = ({ status }: TaxDocument): boolean => VOID_STATUSES.includes(status);

/** True if a document was stamped and is not cancelled, or may have been stamped. */
export const isStamped = (document: TaxDocument): boolean => document.status !== 'retrying' && !isVoid(document);

/** Returns the documents that relate to an invoice and are valid or on their way, in the order of their requests. */
export const listRelated = ({ documents }: Related, kind: TaxDocument['kind'], uuid: string): TaxDocument[] =>
  documents.filter((document) => document.kind === kind && document.relatedUuid === uuid && !isVoid(document));

/** Returns what credit notes have left of an invoice. */
export function getUncreditedCents(order: Related, { stamp, amountCents }: StampedInvoice): Cents {
  const credits = listRelated(order, 'credit', stamp.uuid);
  return Math.max(0, amountCents - sumCents(credits.map((credit) => credit.amountCents)));
}

/** True if credit notes have left nothing of a valid invoice, so that there is nothing to be paid either. */
export function isWhollyCredited(document: TaxDocument, order: Related): boolean {
  const invoice = findValidInvoice({ invoice: document });
  return invoice !== undefined && getUncreditedCents(order, invoice) === 0;
}

/** The content of a credit note besides that of its invoice. */
export type NewCredit = {
  readonly key: string;
  readonly amountCents: Cents;
  /** SAT's c_FormaPago in which the money goes back. */
  readonly paymentForm: string;
  /** Its description in the operator's words. */
  readonly purpose?: string | undefined;
};

/** Returns a credit note for an invoice, for a job to issue at once; SAT asks for PUE (guide of Anexo 20, appendix 5). */
export const startCredit = ({ stamp }: StampedInvoice, { purpose, ...credit }: NewCredit, now: Date): TaxDocument => ({
  ...startOwed({ kind: 'credit', ...credit, paymentMethod: 'PUE', relatedUuid: stamp.uuid }, now),
  ...(purpose === undefined ? {} : { purpose }),
});

/** Returns a document that a job issues at once. */
export const startOwed = (document: NewDocument, now: Date): TaxDocument => ({
  ...startAttempt(document, now),
  status: 'retrying',
  dueAt: now.toISOString(),
});

/** The part of an order that says how it was paid. */
type PaidOrder = Related & { readonly paymentStatus: PaymentStatus };

const isPaidLater = ({ paymentStatus }: PaidOrder, { paymentMethod }: TaxDocument): boolean =>
  paymentStatus === 'paid' && paymentMethod === 'PPD';

/** True if a document is a valid invoice that says paid later (PPD), its order is paid, and its complement is not issued yet. */
export function isComplementDue(document: TaxDocument, order: PaidOrder): boolean {
  const invoice = findValidInvoice({ invoice: document });
  if (!invoice || !isPaidLater(order, invoice)) return false;
  const complements = listRelated(order, 'payment', invoice.stamp.uuid);
  if (complements.length === 0) return getUncreditedCents(order, invoice) > 0;
  return complements.every(({ providerId }) => providerId === '');
}

type SettledOrder = PaidOrder &
  OrderDocuments & {
    readonly paymentForm: string | null;
    readonly paymentMethod: { readonly sat_payment_form: string };
    readonly totalCents: Cents;
    readonly refunds?: readonly { readonly cents: Cents; readonly form: string }[];
  };
type Starting = { readonly newKey: () => string; readonly now: Date };

/**
 * Returns the documents that an order owes since it was paid or its invoice was issued, and does not have yet: the payment
 * complement of an invoice that is paid later, for all that credit notes have left of it (RMF 2.7.1.32), and a credit note for
 * what was paid back before there was an invoice.
 */
export function listOwed(order: SettledOrder, starting: Starting): TaxDocument[] {
  const invoice = findValidInvoice(order);
  if (!invoice) return [];
  return [...listOwedComplement(order, invoice, starting), ...listOwedCredit(order, invoice, starting)];
}

function listOwedComplement(order: SettledOrder, invoice: StampedInvoice, { newKey, now }: Starting): TaxDocument[] {
  const { uuid } = invoice.stamp;
  const amountCents = getUncreditedCents(order, invoice);
  const isOwed = isPaidLater(order, invoice) && amountCents > 0 && listRelated(order, 'payment', uuid).length === 0;
  if (!isOwed) return [];
  const paymentForm = order.paymentForm ?? order.paymentMethod.sat_payment_form;
  const complement = { kind: 'payment', key: newKey(), amountCents, paymentMethod: 'PUE', paymentForm } as const;
  return [startOwed({ ...complement, relatedUuid: uuid }, now)];
}

function listOwedCredit(order: SettledOrder, invoice: StampedInvoice, { newKey, now }: Starting): TaxDocument[] {
  const creditedCents = invoice.amountCents - getUncreditedCents(order, invoice);
  const amountCents = Math.min(sumRefunds(order), invoice.amountCents) - creditedCents;
  const paymentForm = order.refunds?.at(-1)?.form;
  if (amountCents <= 0 || paymentForm === undefined) return [];
  return [startCredit(invoice, { key: newKey(), amountCents, paymentForm }, now)];
}
