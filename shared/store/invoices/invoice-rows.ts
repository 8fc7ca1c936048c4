import * as z from 'zod';
import { getListStatus, getOpenActions, type InvoiceListStatus } from '../../domain/invoices/invoice-status.ts';
import { INVOICE_ACTIONS, MAIL_STATUSES } from '../../domain/invoices/order-invoice.ts';
import { creationKey, endOfInstant, invoicesPartition, type Key, toKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { storedInvoice } from '../orders/order-parts.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table, Write } from '../table.ts';

const storedRow = storedInvoice.omit({ key: true, handled: true, checks: true }).extend({
  orderId: z.number(),
  clientId: z.number(),
  cfdi: z.string(),
  totalCents: z.number(),
  mail: z.enum(MAIL_STATUSES).nullable(),
  /** The actions that an operator has yet to take. */
  openActions: z.array(z.enum(INVOICE_ACTIONS)).readonly(),
});
/** The invoice of an order as operators list it and jobs find it, by its list status. */
export type InvoiceRow = Readonly<z.infer<typeof storedRow>>;

/**
 * Returns the writes that bring the row of an order's invoice from `before` (null: the order is new) to `after`, none when
 * it stays the same. The key of a row has its list status and the time of its next check, so a job reads only due rows.
 */
export function invoiceRowWrites(before: Order | null, after: Order): Write[] {
  const [old, next] = [before && toRowItem(before), toRowItem(after)];
  if (JSON.stringify(old) === JSON.stringify(next)) return [];
  const isMoved = old !== null && (old.pk !== next?.pk || old.sk !== next.sk);
  return [...(isMoved ? [{ Delete: { Key: toKey(old) } }] : []), ...(next ? [{ Put: { Item: next } }] : [])];
}

function toRowItem(order: Order): (Key & InvoiceRow) | null {
  const { id, invoice, paymentStatus } = order;
  if (!invoice) return null;
  return {
    pk: invoicesPartition(getListStatus(invoice, paymentStatus)),
    sk: creationKey(invoice.dueAt ?? invoice.requestedAt, id),
    orderId: id,
    clientId: order.clientId,
    status: invoice.status,
    cfdi: order.cfdi,
    paymentMethod: invoice.paymentMethod,
    openActions: getOpenActions(invoice, paymentStatus),
    mail: invoice.mail?.status ?? null,
    reason: invoice.reason,
    totalCents: order.totalCents,
    requestedAt: invoice.requestedAt,
    issuedAt: invoice.issuedAt,
    dueAt: invoice.dueAt,
  };
}

const parseRow = (item: Item): InvoiceRow => parseItem(storedRow, item, 'invoice row');

/** Returns the invoices of a status that are due by now, the longest waiting first; at most `limit`. One query for some 3,000. */
export async function dueInvoices(
  table: Table,
  status: InvoiceListStatus,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<InvoiceRow[]> {
  const due = { where: 'sk < :end', values: { ':end': endOfInstant(now.toISOString()) } };
  return (await table.first({ pk: invoicesPartition(status), ...due }, limit)).map(parseRow);
}

/** Returns the invoices of a status, the latest first; at most `limit`. */
export async function latestInvoices(table: Table, status: InvoiceListStatus, limit: number): Promise<InvoiceRow[]> {
  return (await table.first({ pk: invoicesPartition(status), isDescending: true }, limit)).map(parseRow);
}
