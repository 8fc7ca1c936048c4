import type { TaxDocument } from './tax-document.ts';

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

/** Returns the tax document of an order that has this key. */
export const findDocument = (order: OrderDocuments, key: string): TaxDocument | undefined =>
  listDocuments(order).find((document) => document.key === key);

/** Returns the invoice of an order that a document replaces, pays or credits. */
export const findRelated = (order: OrderDocuments, { relatedUuid }: TaxDocument): TaxDocument | undefined =>
  listDocuments(order).find(({ stamp }) => stamp !== null && stamp.uuid === relatedUuid);
