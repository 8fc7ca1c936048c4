import type * as z from 'zod';
import { type Cents, sumCents } from '../../domain/money.ts';
import type { SalePart } from '../../domain/sale-parts.ts';
import type { storedTaxDocument } from './stored-document.ts';

/**
 * The documents that are issued for an order. `invoice`: CFDI of type I. `payment`: the payment complement (REP, type P)
 * of an invoice that was issued before it was paid. `credit`: the credit note (type E).
 */
export const DOCUMENT_KINDS = ['invoice', 'payment', 'credit'] as const;

/**
 * The status of a document. `requested`: the provider has been or is being asked. `retrying`: nothing was issued, and a job
 * tries again at `dueAt`. `refused`: its data were refused, and whoever asked was told. `not_issued`: nothing was issued, and
 * an operator has to see to it. `cancelling`: the provider has yet to be told. `cancellation_pending`: SAT waits for the
 * receiver. `cancellation_rejected`: the receiver refused, or SAT cancels no such document, which stays valid.
 */
export const DOCUMENT_STATUSES = [
  'requested',
  'retrying',
  'refused',
  'not_issued',
  'issued',
  'cancelling',
  'cancellation_pending',
  'cancellation_rejected',
  'cancelled',
] as const;

/**
 * The state of a document's mail. `sending`: somebody has claimed it and is sending it. `unconfirmed`: it is unknown whether
 * it was sent, which only an operator can find out.
 */
export const MAIL_STATUSES = ['due', 'sending', 'sent', 'unconfirmed', 'given_up'] as const;

/**
 * Actions that an operator has to take. `not_issued`: nobody else will issue the document any more. `total_differs`: it was
 * issued with another total, by a cent or more, than the sale, so that it has to be replaced. `form_differs`: its order was
 * collected in another form of payment than the invoice says. `pue_unpaid`: the invoice
 * says paid in its month (PUE) and was not, so that it has to be replaced (RMF 2.7.1.39). `complement_due`: the invoice says paid later (PPD) and the order has been paid
 * since, so SAT requires a payment complement. `cancellation_rejected`: the order is cancelled, its invoice is still valid.
 * The most urgent come first. `form_differs` comes last: an order is listed and counted under its first, and no alarm counts this one.
 */
export const INVOICE_ACTIONS = [
  'not_issued',
  'total_differs',
  'cancellation_rejected',
  'pue_unpaid',
  'complement_due',
  'mail_unconfirmed',
  'mail_given_up',
  'form_differs',
] as const;
export type InvoiceAction = (typeof INVOICE_ACTIONS)[number];

/**
 * SAT's motives of a cancellation: 01 replaced by another document, 02 wrong without relation, 03 the sale did not take
 * place. (c_MotivoCancelacion)
 */
export const CANCELLATION_MOTIVES = ['01', '02', '03'] as const;

/** The parts of a document that are kept: XML and PDF, and SAT's receipt of its cancellation (acuse). */
export const ARCHIVED_PARTS = ['files', 'receipt'] as const;
export type ArchivedPart = (typeof ARCHIVED_PARTS)[number];

export type TaxDocument = Readonly<z.infer<typeof storedTaxDocument>>;
export type Stamp = NonNullable<TaxDocument['stamp']>;
export type Cancellation = NonNullable<TaxDocument['cancellation']>;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/**
 * The tax documents of an order: the latest attempt to invoice it, and beside it its payment complements, credit notes,
 * the invoices that were replaced, and a replacement that is not issued yet.
 */
export type OrderDocuments = { readonly invoice: TaxDocument | null; readonly documents: readonly TaxDocument[] };

/** Returns all tax documents of an order, its invoice first. */
export const listDocuments = ({ invoice, documents }: OrderDocuments): TaxDocument[] => [
  ...(invoice ? [invoice] : []),
  ...documents,
];

/** Returns the tax documents of an order with `next` in the place of the document that has this key. */
export function replaceDocument(
  { invoice, documents }: OrderDocuments,
  key: string,
  next: TaxDocument,
): OrderDocuments {
  const replace = (document: TaxDocument) => (document.key === key ? next : document);
  return { invoice: invoice && replace(invoice), documents: documents.map(replace) };
}

const VOID_STATUSES: readonly TaxDocument['status'][] = ['refused', 'not_issued', 'cancelled'];

/** True if nothing was issued of a document, or it is not valid any more. */
export const isVoid = ({ status }: Pick<TaxDocument, 'status'>): boolean => VOID_STATUSES.includes(status);

/** c_FormaPago 15 "Condonación": nothing goes back of what was not paid (guide of Anexo 20, appendix 5, II b, page 65). */
export const REMITTED = '15';

/** Returns the credit notes, valid or on their way, of what was remitted of an order: nobody has paid that. */
export const listRemissions = (documents: readonly TaxDocument[]): TaxDocument[] =>
  documents.filter((one) => one.kind === 'credit' && one.paymentForm === REMITTED && !isVoid(one));

/** Returns the sum of the amounts of documents. */
export const sumAmounts = (documents: readonly Pick<TaxDocument, 'amountCents'>[]): Cents =>
  sumCents(documents.map(({ amountCents }) => amountCents));

/** Returns what credit notes are of, by lines. */
export const listCreditedParts = (credits: readonly TaxDocument[]): SalePart[] =>
  credits.flatMap(({ parts = [] }) => parts);

/** Returns the tax document of an order that has this key. */
export const findDocument = (order: OrderDocuments, key: string): TaxDocument | undefined =>
  listDocuments(order).find((document) => document.key === key);

/** Returns the invoice of an order that a document replaces, pays or credits. */
export const findRelated = (order: OrderDocuments, { relatedUuid }: TaxDocument): TaxDocument | undefined =>
  listDocuments(order).find(({ stamp }) => stamp !== null && stamp.uuid === relatedUuid);

const FILE_NAMES = {
  invoice: 'factura',
  payment: 'complemento-de-pago',
  credit: 'nota-de-credito',
  global: 'factura-global',
} as const;

type Named = Pick<TaxDocument, 'providerId' | 'stamp'> & { readonly kind: keyof typeof FILE_NAMES };

/** Returns the name of a document's files without an ending, in which a person finds it: kind, series and folio (`factura-F-12`). */
export const nameFiles = ({ kind, stamp, providerId }: Named): string =>
  [FILE_NAMES[kind], stamp?.series, stamp?.folio || stamp?.uuid || providerId]
    .filter((part) => part)
    .join('-')
    .replace(/[^\w-]/g, '_');
