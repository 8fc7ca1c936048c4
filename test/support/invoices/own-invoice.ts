import type { Order } from '../../../shared/store/orders/order.ts';
import { createAttempt, recordIssued } from '../../../shared/usecases/invoices/issuing/invoice-attempt.ts';
import { changed } from '../orders/order-table.ts';
import { by, fresh, globalDeps } from './global-world.ts';
import { ISSUED } from './tax-documents.ts';

/** Requests the own invoice of an order at this time, as the API does. */
export async function requestOwn(order: Order, now: string): Promise<Order> {
  const before = await fresh(order);
  return changed(before, { invoice: createAttempt(before, new Date(now)) });
}

/** Records that the requested own invoice of an order was issued. */
export const recordOwn = async (order: Order, now: string, deps = globalDeps()): Promise<Order> => {
  const key = order.invoice?.key ?? '';
  const issued = { ...ISSUED, id: `own-${order.id}`, totalCents: order.totalCents };
  return (await recordIssued({ order, key }, issued, by(now), deps)).order;
};

/** Has an order leave its global invoice for an invoice of its own. */
export const invoiceOwn = async (order: Order, now: string): Promise<Order> =>
  recordOwn(await requestOwn(order, now), now);
