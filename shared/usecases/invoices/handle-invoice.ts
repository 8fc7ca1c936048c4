import { handledBy, type InvoiceMatter, openMatters } from '../../domain/invoices/invoice-status.ts';
import { changeInvoice } from '../../store/invoices/invoice-changes.ts';
import type { Order } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { existingOrder, refusedToOperator } from '../orders/operate-order.ts';

/**
 * Records that a person saw to what waited for one of an order's invoice, so that no alarm counts it any more: the
 * complement is issued with the provider, the receiver was talked to, the mail arrived some other way. Answers what it was.
 */
export async function handleInvoice(orderId: number, table: Table): Promise<readonly InvoiceMatter[]> {
  const order = await existingOrder(table, orderId);
  const matters = mattersOf(order);
  if (matters.length === 0) {
    throw refusedToOperator('move_not_allowed', `Nothing of the invoice of order ${orderId} waits for a person.`);
  }
  await changeInvoice(table, order, ({ invoice }) => (invoice ? { invoice: handledBy(invoice, matters) } : undefined));
  return matters;
}

const mattersOf = ({ invoice, paymentStatus }: Order): InvoiceMatter[] =>
  invoice ? openMatters(invoice, paymentStatus) : [];
