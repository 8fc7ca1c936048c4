import * as z from 'zod';
import {
  findListed,
  getNextCheck,
  type InvoiceListStatus,
  listOpenActions,
} from '../../domain/invoices/invoice-status.ts';
import { INVOICE_ACTIONS, listDocuments, MAIL_STATUSES, type TaxDocument } from '../../domain/invoices/tax-document.ts';
import { creationKey, endOfInstant, invoicesPartition, type Key, toKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';

const storedRow = z.object({
  orderId: z.number(),
  clientId: z.number(),
  cfdi: z.string(),
  totalCents: z.number(),
  paymentMethod: z.enum(['PUE', 'PPD']),
  /** The state of the mail that waits longest, or else of the invoice's. */
  mail: z.enum(MAIL_STATUSES).nullable(),
  /** The actions that an operator has yet to take. */
  openActions: z.array(z.enum(INVOICE_ACTIONS)).readonly(),
  /** When it was paid, of which the complement is due; absent while none is. */
  paidAt: z.string().exactOptional(),
  reason: z.string().nullable(),
  requestedAt: z.string(),
  issuedAt: z.string().nullable(),
  dueAt: z.string().nullable(),
});
/** The tax documents of an order as operators list them and jobs find them, by their list status. */
export type InvoiceRow = Readonly<z.infer<typeof storedRow>>;

/**
 * Returns the row of an order's tax documents, if it is listed. Its key has the list status and the time of the next check,
 * so that a job reads only due rows.
 */
export function toInvoiceRow(order: Order): (Key & InvoiceRow)[] {
  const listed = findListed(order);
  if (!listed) return [];
  const { id, clientId, cfdi, totalCents } = order;
  const { status, document } = listed;
  const documents = listDocuments(order);
  const { paymentMethod, reason, requestedAt, issuedAt } = document;
  const dueAt = getNextCheck(order);
  const openActions = listOpenActions(order);
  const isComplementDue = openActions.includes('complement_due') && order.paymentDate !== null;
  return [
    {
      pk: invoicesPartition(status),
      sk: creationKey(dueAt ?? `${NEVER_DUE}${requestedAt}`, id),
      orderId: id,
      clientId,
      cfdi,
      totalCents,
      paymentMethod,
      mail: (documents.find(isMailOpen) ?? documents[0])?.mail?.status ?? null,
      openActions,
      ...(isComplementDue && { paidAt: order.paymentDate }),
      reason,
      requestedAt,
      issuedAt,
      dueAt,
    },
  ];
}

// Comes after every time, so that a row for which no job has to do anything is never due.
const NEVER_DUE = '~';

const isMailOpen = ({ mail }: TaxDocument): boolean => mail !== null && mail.status !== 'sent';

const parseInvoiceRow = (item: Item): InvoiceRow => parseItem(storedRow, item, 'invoice row');

/** Returns the rows of a status that are due by now, the longest waiting first; at most `limit`. One query for some 3,000. */
export async function dueInvoices(
  table: Table,
  status: InvoiceListStatus,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<InvoiceRow[]> {
  const due = { where: 'sk < :end', values: { ':end': endOfInstant(now.toISOString()) } };
  return (await table.first({ pk: invoicesPartition(status), ...due }, limit)).map(parseInvoiceRow);
}

/** Returns the rows of a status, those without a next check first, the latest of them first; at most `limit`. */
export async function latestInvoices(table: Table, status: InvoiceListStatus, limit: number): Promise<InvoiceRow[]> {
  return (await table.first({ pk: invoicesPartition(status), isDescending: true }, limit)).map(parseInvoiceRow);
}
