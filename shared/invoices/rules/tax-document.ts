import { type Cents, sumCents } from '../../domain/money.ts';
import type { SalePart } from '../../domain/sale-parts.ts';

/**
 * The documents that are issued for an order. `invoice`: CFDI of type I. `payment`: the payment complement (REP, type P)
 * of an invoice that was issued before it was paid. `credit`: the credit note (type E).
 */
export const DOCUMENT_KINDS = ['invoice', 'payment', 'credit'] as const;
type DocumentKind = (typeof DOCUMENT_KINDS)[number];

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
type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/**
 * The state of a document's mail. `sending`: somebody has claimed it and is sending it. `unconfirmed`: it is unknown whether
 * it was sent, which only an operator can find out.
 */
export const MAIL_STATUSES = ['due', 'sending', 'sent', 'unconfirmed', 'given_up'] as const;
export type DocumentMail = {
  readonly status: (typeof MAIL_STATUSES)[number];
  readonly tries: number;
};

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

/** SAT's stamp of a document: its UUID (the fiscal folio), the issuer's series and folio, and the instant of the stamp. */
export type Stamp = {
  readonly uuid: string;
  readonly series: string;
  readonly folio: string;
  readonly at: string;
};

/**
 * SAT's motives of a cancellation: 01 replaced by another document, 02 wrong without relation, 03 the sale did not take
 * place. (c_MotivoCancelacion)
 */
export const CANCELLATION_MOTIVES = ['01', '02', '03'] as const;
export type Cancellation = {
  readonly motive: (typeof CANCELLATION_MOTIVES)[number];
  /** The UUID of the document that replaces it, with motive 01; else null. */
  readonly substitution: string | null;
};

/** The parts of a document that are kept: XML and PDF, and SAT's receipt of its cancellation (acuse). */
export const ARCHIVED_PARTS = ['files', 'receipt'] as const;
export type ArchivedPart = (typeof ARCHIVED_PARTS)[number];

/**
 * Our own copy of a document, which belongs to the accounting as the document itself does (CFF art. 28 and 30). `dueAt` is
 * the time at which a job copies what is missing; null if nothing is.
 */
export type Archive = {
  readonly kept: readonly ArchivedPart[];
  readonly tries: number;
  readonly dueAt: string | null;
};

/** The latest attempt to issue a document, and its outcome. Times are `2026-11-21T23:00:00.000Z`. */
export type TaxDocument = {
  readonly kind: DocumentKind;
  readonly status: DocumentStatus;
  /** The provider's idempotency key for this attempt. */
  readonly key: string;
  /** The provider's id; '' until it is issued. */
  readonly providerId: string;
  readonly stamp: Stamp | null;
  /** The total of an invoice or a credit note; the sum that a payment complement is for. */
  readonly amountCents: Cents;
  /** SAT's c_MetodoPago. */
  readonly paymentMethod: 'PUE' | 'PPD';
  /** SAT's c_FormaPago. */
  readonly paymentForm: string;
  /** The UUID of the document that it replaces (relation 04), pays or credits (relation 01). */
  readonly relatedUuid: string | null;
  /** Why it is to be cancelled, or was; null if it is not. */
  readonly cancellation: Cancellation | null;
  /** When it was cancelled; absent while it is not. */
  readonly cancelledAt?: string;
  readonly requestedAt: string;
  readonly issuedAt: string | null;
  /** The reason why no document was issued, or cannot be cancelled. */
  readonly reason: string | null;
  /** The lines of a credit note; other documents have none. */
  readonly parts?: readonly SalePart[];
  /** The description of a credit note in an operator's words; absent for SAT's own. */
  readonly purpose?: string;
  /**
   * Of a credit note of a global invoice alone: the zip code of its part (LugarExpedicion), '' until that is issued. Its
   * `relatedUuid` is that of the part, null until then.
   */
  readonly globalZipcode?: string;
  readonly mail: DocumentMail | null;
  /** Null until it is issued, and when our copy was erased. */
  readonly archive: Archive | null;
  /** The actions that an operator has taken. */
  readonly handled: readonly InvoiceAction[];
  /** The number of checks by a job since the status changed. */
  readonly checks: number;
  /** The time of the next check by a job; null if there is nothing left to do. */
  readonly dueAt: string | null;
  /** The total with which it was issued; absent if that is `amountCents`. */
  readonly issuedCents?: Cents;
  /** The number of attempts that a job has made anew; absent while there are none. */
  readonly retries?: number;
  /** The end of the month in which an invoice that says so (PUE) has to be paid; absent if it was paid when it was issued. */
  readonly payBy?: string;
  /** A job has found it unpaid after `payBy`. */
  readonly isOverdue?: true;
};

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
