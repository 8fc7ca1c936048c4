import { getListStatus, getOpenActions, type InvoiceListStatus } from '../../domain/invoices/invoice-status.ts';
import type { InvoiceAction, InvoiceStatus, OrderInvoice } from '../../domain/invoices/order-invoice.ts';
import type { Cents } from '../../domain/money.ts';
import { creationKey, invoicesPartition, type Key } from '../keys.ts';
import type { Order } from '../orders/orders.ts';
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
  return [
    ...(isMoved ? [{ Delete: { Key: { pk: old.pk, sk: old.sk } } }] : []),
    ...(next ? [{ Put: { Item: next } }] : []),
  ];
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

/** The invoices of a standing that are due by now, the longest waiting first; at most `limit`. One query for some 3,000. */
export function dueInvoices(
  table: Table,
  standing: InvoiceListStatus,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<InvoiceRow[]> {
  const query = {
    KeyConditionExpression: 'pk = :pk AND sk < :after',
    // What is due at this very instant is followed by `#`, which comes before `$`.
    ExpressionAttributeValues: { ':pk': invoicesPartition(standing), ':after': `${now.toISOString()}$` },
  };
  return firstRows(table, query, limit);
}

/** The invoices of a standing, the latest first; at most `limit`. */
export function latestInvoices(table: Table, standing: InvoiceListStatus, limit: number): Promise<InvoiceRow[]> {
  const query = {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': invoicesPartition(standing) },
    ScanIndexForward: false,
  };
  return firstRows(table, query, limit);
}

type Query = Omit<Parameters<Table['pages']>[0], 'Limit'>;

async function firstRows(table: Table, query: Query, limit: number): Promise<InvoiceRow[]> {
  const rows: InvoiceRow[] = [];
  for await (const page of table.pages({ ...query, Limit: limit })) {
    rows.push(...page.map(rowOf));
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}
