import { randomUUID } from 'node:crypto';
import { chooseInvoicePayment } from '../../domain/invoices/invoice.ts';
import { markIssued, markNotIssued, type OrderInvoice, startAttempt } from '../../domain/invoices/order-invoice.ts';
import { logInfo } from '../../runtime/log.ts';
import { type ChangedInvoice, changeInvoice } from '../../store/invoices/invoice-changes.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import type { Table } from '../../store/table.ts';

/** Returns a new attempt to invoice an order, to be stored with the order before the provider is called. */
export const createAttempt = (
  order: Pick<Order, 'id' | 'paymentStatus' | 'paymentMethod' | 'paymentForm'>,
  now: Date,
): OrderInvoice => startAttempt(`order-${order.id}-${randomUUID()}`, chooseInvoicePayment(order).paymentMethod, now);

/** Returns the attempt of an order. Throws an Error if the order has none. */
export function expectAttempt({ invoice }: Order): OrderInvoice {
  if (!invoice) throw new Error('an order that is to be invoiced has an attempt');
  return invoice;
}

/**
 * Records that the attempt was issued, and claims its mail for the caller to send. The mail is not claimed if the order
 * was cancelled meanwhile, or if somebody else recorded the attempt first.
 */
export async function recordIssued(table: Table, order: Order, cfdi: string, act: Act) {
  const { key } = expectAttempt(order);
  const { now } = act;
  const { order: after, isChanged } = await changeInvoice(table, order, act, ({ invoice, orderStatus }) =>
    isStillRequested(invoice, key)
      ? { cfdi, invoice: markIssued(invoice, orderStatus, now), updatedAt: now.toISOString() }
      : undefined,
  );
  if (isChanged) logInfo('invoice issued', { orderId: order.id, cfdi });
  return { order: after, isMailClaimed: isChanged && after.invoice?.mail?.status === 'sending' };
}

/** Records that no invoice was issued for the attempt. */
export async function recordNotIssued(table: Table, order: Order, reason: string, act: Act): Promise<ChangedInvoice> {
  const { key } = expectAttempt(order);
  const recorded = await changeInvoice(table, order, act, ({ invoice }) =>
    isStillRequested(invoice, key) ? { invoice: markNotIssued(invoice, reason) } : undefined,
  );
  if (recorded.isChanged) logInfo('invoice not issued', { orderId: order.id, reason });
  return recorded;
}

const isStillRequested = (invoice: OrderInvoice | null, key: string): invoice is OrderInvoice =>
  invoice?.key === key && invoice.status === 'requested';
