import * as z from 'zod';
import { sumParts } from '../../domain/sale-parts.ts';
import { INVOICE_ACTIONS, MAIL_STATUSES } from '../../invoices/rules/document-values.ts';
import { getGlobalStatus } from '../../invoices/rules/global/global-sale.ts';
import {
  findListed,
  getNextDue,
  type InvoiceListStatus,
  listOpenActions,
} from '../../invoices/rules/invoice-status.ts';
import { listReturnedParts } from '../../invoices/rules/owed-documents.ts';
import { listDocuments, type TaxDocument } from '../../invoices/rules/tax-document.ts';
import {
  creationKey,
  endOfInstant,
  invoicesPartition,
  type Key,
  LEDGER_PARTITION,
  ledgerKey,
  parseCreationKey,
  requestedInvoicesPartition,
  UNINVOICED_PARTITION,
} from '../../store/keys.ts';
import { parseItem } from '../../store/parse-item.ts';
import { between, type Item, type Table, type Write } from '../../store/table.ts';
import type { Order } from '../order.ts';

const storedInvoiceRow = z.object({
  orderId: z.number(),
  clientId: z.number(),
  cfdi: z.string(),
  totalCents: z.number(),
  paymentMethod: z.enum(['PUE', 'PPD']),
  /** The status of the mail that waits longest, or else of the invoice's. */
  mail: z.enum(MAIL_STATUSES).nullable(),
  openActions: z.array(z.enum(INVOICE_ACTIONS)).readonly(),
  /** When the payment came whose complement is due; absent without one. */
  paidAt: z.string().exactOptional(),
  reason: z.string().nullable(),
  requestedAt: z.string(),
  issuedAt: z.string().nullable(),
  dueAt: z.string().nullable(),
});
/** The tax documents of an order, as operators list them and jobs find them. */
export type InvoiceRow = Readonly<z.infer<typeof storedInvoiceRow>>;

/** The key has the list status and the time of the next task, so that jobs read only due rows. */
export function toInvoiceRow(order: Order): (Key & InvoiceRow)[] {
  const match = findListed(order);
  if (!match) return [];
  const { id, clientId, cfdi, totalCents } = order;
  const documents = listDocuments(order);
  const { paymentMethod, reason, requestedAt, issuedAt } = match.document;
  const dueAt = getNextDue(order);
  const openActions = listOpenActions(order);
  const isComplementDue = openActions.includes('complement_due') && order.paymentDate !== null;
  return [
    {
      pk: invoicesPartition(match.status),
      sk: creationKey(dueAt ?? `${NEVER_DUE}${requestedAt}`, id),
      orderId: id,
      clientId,
      cfdi,
      totalCents,
      paymentMethod,
      mail: (documents.find(isMailOpen) ?? documents[0])?.mail ?? null,
      openActions,
      ...(isComplementDue && { paidAt: order.paymentDate }),
      reason,
      requestedAt,
      issuedAt,
      dueAt,
    },
  ];
}

// Sorts after every time: rows without a task for a job are never due.
const NEVER_DUE = '~';

const isMailOpen = ({ mail }: TaxDocument): boolean => mail !== null && mail !== 'sent';

const parseInvoiceRow = (item: Item): InvoiceRow => parseItem(storedInvoiceRow, item, 'invoice row');

/** Returns the rows of a status that are due, the longest waiting first. One query for about 3,000. */
export async function dueInvoices(
  table: Table,
  status: InvoiceListStatus,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<InvoiceRow[]> {
  const due = { where: 'sk < :end', values: { ':end': endOfInstant(now.toISOString()) } };
  return (await table.first({ pk: invoicesPartition(status), ...due }, limit)).map(parseInvoiceRow);
}

/** Returns the rows of a status: first those without a task for a job, the latest first. */
export const latestInvoices = async (table: Table, status: InvoiceListStatus, limit: number): Promise<InvoiceRow[]> =>
  (await table.first({ pk: invoicesPartition(status), isDescending: true }, limit)).map(parseInvoiceRow);

/** Rows that limit the requests of patients and doctors: the last one for each order. Employees have no limit. */
export function toInvoiceRequestRows(order: Order): Item[] {
  const { clientId, id: orderId, patient, generatedBy, invoiceRequests = [] } = order;
  const limited = [patient.id, ...(generatedBy.role === 'doctor' ? [generatedBy.id] : [])];
  return invoiceRequests
    .filter(({ userId }) => limited.includes(userId))
    .map(({ userId, at }) => {
      return { pk: requestedInvoicesPartition(clientId, userId), sk: creationKey(at, orderId), clientId, orderId };
    });
}

/** Returns the orders whose invoice a patient or doctor requested since a time, the latest request first. */
export async function listInvoiceRequests(
  table: Table,
  { client, user }: { readonly client: number; readonly user: number },
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<{ readonly orderId: number; readonly askedAt: string }[]> {
  const recent = { where: 'sk > :since', values: { ':since': endOfInstant(since.toISOString()) }, isDescending: true };
  const items = await table.first({ pk: requestedInvoicesPartition(client, user), ...recent }, limit);
  return items.map(({ sk }) => {
    const { createdAt: askedAt, order: orderId } = parseCreationKey(String(sk));
    return { orderId, askedAt };
  });
}

const storedUninvoicedRow = z.object({
  clientId: z.number(),
  orderId: z.number(),
  totalCents: z.number(),
  paidAt: z.string(),
  isWaiting: z.boolean(),
});
/** A paid order that goes into a global invoice unless it gets an invoice of its own. */
export type UninvoicedRow = Readonly<z.infer<typeof storedUninvoicedRow>>;

/** The key begins with the time of payment, so that a period is read by itself. */
export function toUninvoicedRow(order: Order): (Key & UninvoicedRow)[] {
  const { clientId, id: orderId, paymentDate: paidAt } = order;
  const totalCents = order.totalCents - sumParts(listReturnedParts(order));
  const status = getGlobalStatus(order);
  if (paidAt === null || status === null) return [];
  const key = { pk: UNINVOICED_PARTITION, sk: creationKey(paidAt, orderId) };
  return [{ ...key, clientId, orderId, totalCents, paidAt, isWaiting: status === 'waiting' }];
}

/** Returns the orders paid from `from` until before `until`, the first paid first; about 6,000 a query. */
export async function uninvoicedRows(
  table: Table,
  { from, until, limit }: { readonly from: Date; readonly until: Date; readonly limit?: number },
): Promise<UninvoicedRow[]> {
  const query = { pk: UNINVOICED_PARTITION, ...between(from.toISOString(), until.toISOString()) };
  const items = await table.first(query, limit ?? Number.POSITIVE_INFINITY);
  return items.map((item) => parseItem(storedUninvoicedRow, item, 'row of a paid order'));
}

const storedLedgerRow = z.union([
  z.object({
    clientId: z.number(),
    orderId: z.number(),
    documentKey: z.string(),
    /** Present in the row of a cancellation; the row of the stamp stays. */
    isCancellation: z.literal(true).exactOptional(),
  }),
  z.object({ period: z.string(), part: z.number() }),
]);
/** An issued or cancelled tax document: of an order, by the provider's key, or a part of a global invoice. */
export type LedgerRow = Readonly<z.infer<typeof storedLedgerRow>>;

export const toLedgerRows = (order: Order): Item[] =>
  listDocuments(order).flatMap(({ key: documentKey, stamp, issuedAt, cancelledAt }) => {
    const row = { clientId: order.clientId, orderId: order.id, documentKey };
    const stampedAt = stamp?.at ?? issuedAt;
    return [
      ...(stampedAt === null ? [] : [toLedgerItem(stampedAt, documentKey, row)]),
      ...(cancelledAt === undefined ? [] : [toLedgerItem(cancelledAt, documentKey, { ...row, isCancellation: true })]),
    ];
  });

export const globalLedgerWrite = (
  { key, period, part }: { readonly key: string; readonly period: string; readonly part: number },
  { stamp }: Pick<TaxDocument, 'stamp'>,
  now: Date,
): Write => ({ Put: { Item: toLedgerItem(stamp?.at ?? now.toISOString(), key, { period, part }) } });

const toLedgerItem = (at: string, documentKey: string, row: LedgerRow): Item => ({
  ...ledgerKey(at, documentKey, 'isCancellation' in row ? 'cancelled' : 'stamped'),
  ...row,
});

/** Returns the documents stamped or cancelled from `from` until before `until`, in that order; about 8,000 a query. */
export async function ledgerRows(table: Table, { from, until }: { from: Date; until: Date }): Promise<LedgerRow[]> {
  const items = await table.all({ pk: LEDGER_PARTITION, ...between(from.toISOString(), until.toISOString()) });
  return items.map((item) => parseItem(storedLedgerRow, item, 'ledger row'));
}
