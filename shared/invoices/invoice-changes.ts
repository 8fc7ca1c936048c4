import { listDocumentEvents } from '../order/document-events.ts';
import type { Order } from '../order/order.ts';
import type { Act, Happening } from '../order/order-events.ts';
import { changeOrderWrites, retryOnConflict } from '../order/order-writes.ts';
import { nextVersion } from '../order/orders.ts';
import type { Table } from '../store/table.ts';
import { findDocument, type OrderDocuments, replaceDocument, type TaxDocument } from './rules/tax-document.ts';

export type InvoiceChange = Partial<
  Pick<Order, 'invoice' | 'documents' | 'cfdi' | 'global' | 'invoicing' | 'replacementInvoicing' | 'updatedAt'>
>;

/** The current order; `isChanged` is true if this call has changed it. */
export type ChangedInvoice = { readonly order: Order; readonly isChanged: boolean };

/** Changes an order's invoice under optimistic locking; after a conflict `change` runs again. Throws Refusal `unavailable`. */
export const changeInvoice = (
  table: Table,
  lastRead: Order,
  act: Act,
  change: (order: Order) => InvoiceChange | undefined,
): Promise<ChangedInvoice> =>
  retryOnConflict(table, lastRead, async (before) => {
    const changes = change(before);
    if (!changes) return { order: before, isChanged: false };
    const after = nextVersion(before, { ...before, ...changes });
    const writes = changeOrderWrites(before, after, act, ...listInvoiceEvents(before, after));
    return (await table.tryTransact(writes)) ? { order: after, isChanged: true } : undefined;
  });

// No order leaves a global invoice.
const listInvoiceEvents = (before: Order, after: Order): Happening[] => [
  ...listDocumentEvents(before, after),
  ...(!before.global && after.global ? [{ what: 'invoiced_globally' } as const] : []),
];

/** Updates one document as `changeInvoice` does; does nothing if the document is gone or `change` returns undefined. */
export const changeDocument = (
  table: Table,
  { order, key }: { readonly order: Order; readonly key: string },
  act: Act,
  change: (document: TaxDocument, order: Order) => TaxDocument | undefined,
): Promise<ChangedInvoice> =>
  changeInvoice(table, order, act, (fresh) => {
    const document = findDocument(fresh, key);
    const next = document && change(document, fresh);
    return next && toInvoiceChange(fresh, replaceDocument(fresh, key, next), act);
  });

/** A new invoice id (`cfdi`) is visible to clients, so it also sets `updatedAt`. */
export function toInvoiceChange({ cfdi: before }: Order, documents: OrderDocuments, { now }: Act): InvoiceChange {
  const cfdi = documents.invoice?.providerId ?? '';
  return cfdi === before ? documents : { ...documents, cfdi, updatedAt: now.toISOString() };
}
