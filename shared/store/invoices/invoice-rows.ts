import { getListStatus, getOpenActions, type InvoiceListStatus } from '../../domain/invoices/invoice-status.ts';
import type { InvoiceAction, InvoiceStatus, OrderInvoice } from '../../domain/invoices/order-invoice.ts';
import type { Cents } from '../../domain/money.ts';
import { creationKey, endOfInstant, invoicesPartition, type Key, keyOf } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import type { Item, Table, Write } from '../table.ts';

/** An invoice as operators list it and jobs find it: of every order that has one, in the place of its standing. */
export type InvoiceRow = {
  readonly orderId: number;
  readonly clientId: number;
  readonly status: InvoiceStatus;
  readonly cfdi: string;
  readonly paymentMethod: OrderInvoice['paymentMethod'];
  /** What waits for a person. */
  readonly openActions: readonly InvoiceAction[];
  readonly mail: NonNullable<OrderInvoice['mail']>['status'] | null;
  readonly reason: string | null;
  readonly totalCents: Cents;
  readonly requestedAt: string;
  readonly issuedAt: string | null;
  readonly dueAt: string | null;
};

/**
 * The writes that bring the row of an order's invoice from `before` (null: the order is new) to `after`, none when it
 * stays as it is. A row moves with its standing and with its next look, so that a job reads what is due and no more.
 */
export function invoiceRowWrites(before: Order | null, after: Order): Write[] {
  const [old, next] = [before && rowItem(before), rowItem(after)];
  if (JSON.stringify(old) === JSON.stringify(next)) return [];
  const isMoved = old !== null && (old.pk !== next?.pk || old.sk !== next.sk);
  return [...(isMoved ? [{ Delete: { Key: keyOf(old) } }] : []), ...(next ? [{ Put: { Item: next } }] : [])];
}

function rowItem(order: Order): (Key & InvoiceRow) | null {
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

const rowOf = ({ pk: _, sk: __, ...row }: Item) => row as InvoiceRow;

/** Returns the invoices of a status that are due by now, the longest waiting first; at most `limit`. One query for some 3,000. */
export async function dueInvoices(
  table: Table,
  status: InvoiceListStatus,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<InvoiceRow[]> {
  const due = { where: 'sk < :end', values: { ':end': endOfInstant(now.toISOString()) } };
  return (await table.first({ pk: invoicesPartition(status), ...due }, limit)).map(rowOf);
}

/** Returns the invoices of a status, the latest first; at most `limit`. */
export async function latestInvoices(table: Table, status: InvoiceListStatus, limit: number): Promise<InvoiceRow[]> {
  return (await table.first({ pk: invoicesPartition(status), isDescending: true }, limit)).map(rowOf);
}
