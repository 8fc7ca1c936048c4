import { buildGlobalInvoice } from '../../../domain/invoices/global/sales.ts';
import { formatFolio } from '../../../domain/order.ts';
import type { GlobalPart, PartOrder, PartSale } from '../../../store/invoices/global-parts.ts';
import { orderKey } from '../../../store/keys.ts';
import type { Order } from '../../../store/orders/order.ts';
import { getOrdersByKey } from '../../../store/orders/orders.ts';
import type { Table } from '../../../store/table.ts';

/** True if an order is marked as being in a part. */
export const isIn = ({ global }: Order, { period, part }: GlobalPart): boolean =>
  global?.period === period && global.part === part;

/** Returns the orders that a part lists, as they are now. */
export const readOrders = (table: Table, listed: readonly PartOrder[]): Promise<Order[]> =>
  getOrdersByKey(
    table,
    listed.map(({ clientId, orderId }) => orderKey(clientId, orderId)),
  );

/** Returns what a document of these orders says, and their sales, which are fixed by it whatever becomes of them later. */
export function buildSales({ period }: GlobalPart, orders: readonly Order[], zipcode: string) {
  const { sales, paymentForm, totalCents } = buildGlobalInvoice({ period, zipcode, orders: orders.map(toSoldOrder) });
  const fixed: PartSale[] = orders.map(({ clientId, id: orderId }, index) => {
    const sale = sales[index];
    if (!sale) throw new Error('an order of a global invoice has its sale');
    return { clientId, orderId, sale };
  });
  return { changes: { orderCount: orders.length, paymentForm, zipcode, totalCents }, fixed };
}

const toSoldOrder = (order: Order) => ({
  ...order,
  folio: formatFolio(order.id),
  paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
});
