import * as z from 'zod';
import { getGlobalStanding } from '../../domain/invoices/global/standing.ts';
import { creationKey, type Key, UNINVOICED_PARTITION } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';

const storedRow = z.object({
  clientId: z.number(),
  orderId: z.number(),
  totalCents: z.number(),
  paidAt: z.string(),
  /** True while its own invoice is in progress. */
  isWaiting: z.boolean(),
});
/** A paid order that belongs into a global invoice unless it gets an invoice of its own; amounts in cents. */
export type UninvoicedRow = Readonly<z.infer<typeof storedRow>>;

/** Returns the row of an order, if it has one. Its key begins with the time of payment, so that a period is read by itself. */
export function toUninvoicedRow(order: Order): (Key & UninvoicedRow)[] {
  const { clientId, id, totalCents, paymentDate } = order;
  const standing = getGlobalStanding(order);
  if (paymentDate === null || standing === null) return [];
  const key = { pk: UNINVOICED_PARTITION, sk: creationKey(paymentDate, id) };
  return [{ ...key, clientId, orderId: id, totalCents, paidAt: paymentDate, isWaiting: standing === 'waiting' }];
}

/** Returns the orders that were paid from one instant until another, the first paid first, at most `limit`; some 6,000 a query. */
export async function uninvoicedRows(
  table: Table,
  { from, until, limit }: { readonly from: Date; readonly until: Date; readonly limit?: number },
): Promise<UninvoicedRow[]> {
  const values = { ':from': from.toISOString(), ':until': until.toISOString() };
  // The upper bound of BETWEEN belongs to it, but no key is an instant without an order.
  const query = { pk: UNINVOICED_PARTITION, where: 'sk BETWEEN :from AND :until', values };
  return (await table.first(query, limit ?? Number.POSITIVE_INFINITY)).map(parseUninvoicedRow);
}

const parseUninvoicedRow = (item: Item): UninvoicedRow => parseItem(storedRow, item, 'row of a paid order');
