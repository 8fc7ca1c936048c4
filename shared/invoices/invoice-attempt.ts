import { randomUUID } from 'node:crypto';
import type { Mailer } from '../mail/send.ts';
import type { Order } from '../order/order.ts';
import { type Act, type Happening, listDocumentEvents } from '../order/order-events.ts';
import { changeOrderWrites, retryOnConflict } from '../order/order-writes.ts';
import { nextVersion } from '../order/orders.ts';
import type { Business } from '../runtime/config.ts';
import { logInfo } from '../runtime/log.ts';
import type { Documents } from '../store/documents.ts';
import type { Table } from '../store/table.ts';
import type { InvoicingProvider } from './provider.ts';
import { chooseInvoicePayment } from './rules/build/invoice.ts';
import {
  type IssuedDocument,
  markIssued,
  markNotIssued,
  markRefused,
  type Postponement,
  postponeAttempt,
  restartAttempt,
  startAttempt,
} from './rules/document-life.ts';
import { getIssueEnd } from './rules/invoice-status.ts';
import { listOwed, promoteReplacement, type Starting } from './rules/owed-documents.ts';
import { getIssueTimeZone } from './rules/place-of-issue.ts';
import { findDocument, type OrderDocuments, replaceDocument, type TaxDocument } from './rules/tax-document.ts';

export type InvoiceDeps = {
  readonly table: Table;
  readonly business: Business;
  readonly documents: Documents;
  /** Opened on first use, so that orders without an invoice do not depend on its configuration. */
  readonly invoicing: () => InvoicingProvider;
  readonly mail: () => Mailer | undefined;
};

export type OrderDocument = { readonly order: Order; readonly key: string };
type Deps = Pick<InvoiceDeps, 'table' | 'business'>;

type Attemptable = Pick<Order, 'id' | 'totalCents' | 'paymentStatus' | 'paymentMethod' | 'paymentForm'>;

/** Returns a new attempt to invoice an order, to be stored with the order before the provider is called. */
export const createAttempt = (order: Attemptable, now: Date): TaxDocument =>
  startAttempt({ kind: 'invoice', ...toInvoiceTerms(order) }, now);

const toInvoiceTerms = (order: Attemptable) => ({
  key: newAttemptKey(order),
  amountCents: order.totalCents,
  ...chooseInvoicePayment(order),
});

export const newAttemptKey = ({ id }: Pick<Order, 'id'>): string => `order-${id}-${randomUUID()}`;

/** Each document that an order owes gets its own key. */
export const toStarting = (order: Pick<Order, 'id'>, now: Date): Starting => ({
  newKey: () => newAttemptKey(order),
  now,
});

/** Returns the next attempt. A first invoice takes the order's current terms; other documents keep theirs. */
export function repeatAttempt(document: TaxDocument, order: Order, now: Date): TaxDocument {
  const isFirstInvoice = document.kind === 'invoice' && document.relatedUuid === null;
  const terms = isFirstInvoice ? toInvoiceTerms(order) : { key: newAttemptKey(order) };
  return restartAttempt(document, terms, now);
}

export function expectDocument({ order, key }: OrderDocument): TaxDocument {
  const document = findDocument(order, key);
  if (!document) throw new Error('an order has this document');
  return document;
}

/** Records the stamp and claims the mail for the caller, unless the order was cancelled or another run recorded it first. */
export async function recordIssued(attempted: OrderDocument, issued: IssuedDocument, act: Act, deps: Deps) {
  const { order, isChanged } = await changeInvoice(deps.table, attempted.order, act, (fresh) =>
    applyIssue({ order: fresh, key: attempted.key }, issued, act, deps),
  );
  if (isChanged) logInfo('document issued', { orderId: order.id, providerId: issued.id });
  const isMailClaimed = isChanged && findDocument(order, attempted.key)?.mail === 'sending';
  return { order, isMailClaimed };
}

/** A replacement takes the invoice's place, and new obligations are added, in the same change: nothing is lost or doubled. */
function applyIssue(attempted: OrderDocument, issued: IssuedDocument, act: Act, deps: Deps): InvoiceChange | undefined {
  const { order, key } = attempted;
  const document = findDocument(order, key);
  if (document?.status !== 'requested') return undefined;
  const { now } = act;
  const timeZone = getIssueTimeZone(order, document, deps.business.timeZone);
  const next = markIssued(document, issued, { ...order, now, timeZone });
  const recorded = replaceDocument(order, key, next);
  if (next.kind !== 'invoice') return toInvoiceChange(order, recorded, act);
  const promoted = promoteReplacement(recorded, key, now);
  const owed = listOwed({ ...order, ...promoted }, toStarting(order, now));
  const documents = { ...promoted, documents: [...promoted.documents, ...owed] };
  return { ...toInvoiceChange(order, documents, act), ...takeReceiver(order, promoted) };
}

const takeReceiver = ({ invoice, replacementInvoicing }: Order, promoted: OrderDocuments): InvoiceChange =>
  replacementInvoicing && promoted.invoice?.key !== invoice?.key
    ? { invoicing: replacementInvoicing, replacementInvoicing: null }
    : {};

/** Records that nothing was issued and that the caller learns why. */
export const recordRefused = (attempted: OrderDocument, act: Act, deps: Deps): Promise<ChangedInvoice> =>
  changeAttempt(attempted, act, deps, markRefused);

/** Records that nothing was issued; an operator decides. */
export async function recordNotIssued(attempted: OrderDocument, reason: string, act: Act, deps: Deps): Promise<void> {
  const { isChanged } = await changeAttempt(attempted, act, deps, (document) => markNotIssued(document, reason));
  if (isChanged) logInfo('document not issued', { orderId: attempted.order.id, reason });
}

/** Records that nothing was issued; the job tries again until the document's time is over. */
export async function recordPostponed(
  attempted: OrderDocument,
  postponement: Pick<Postponement, 'reason' | 'retryAfterSeconds'>,
  act: Act,
  deps: Deps,
): Promise<ChangedInvoice> {
  const result = await changeAttempt(attempted, act, deps, (document, order) => {
    const until = getIssueEnd(document, order, deps.business.timeZone);
    return postponeAttempt(document, { ...postponement, now: act.now, until });
  });
  if (result.isChanged) logInfo('document postponed', { orderId: attempted.order.id, reason: postponement.reason });
  return result;
}

const changeAttempt = (
  attempted: OrderDocument,
  act: Act,
  { table }: Deps,
  change: (document: TaxDocument, order: Order) => TaxDocument,
): Promise<ChangedInvoice> =>
  changeDocument(table, attempted, act, (document, order) =>
    document.status === 'requested' ? change(document, order) : undefined,
  );

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
function toInvoiceChange({ cfdi: before }: Order, documents: OrderDocuments, { now }: Act): InvoiceChange {
  const cfdi = documents.invoice?.providerId ?? '';
  return cfdi === before ? documents : { ...documents, cfdi, updatedAt: now.toISOString() };
}
