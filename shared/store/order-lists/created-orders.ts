import type { Order } from '../orders/order.ts';
import { getOrders } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import type { CreationRange } from './delivery-delays.ts';
import { pagesOf, toFound, viewSource } from './sources.ts';

// A batch of reads takes as many.
const ORDERS_PER_PAGE = 100;

/**
 * Yields the orders that a client placed from one instant to another, which is not included, the oldest first, up to 100 at once;
 * a query and a batch of reads for each. No more than these are held in memory.
 */
export async function* createdOrders(table: Table, clientId: number, range: CreationRange): AsyncGenerator<Order[]> {
  const source = viewSource({ clientId, viewer: 'client' });
  for await (const items of pagesOf(table, source, { range, isForward: true, pageSize: ORDERS_PER_PAGE })) {
    const ids = items.map((item) => toFound(item, source).entry.id);
    const found = new Map((await getOrders(table, clientId, ids)).map((order) => [order.id, order]));
    yield ids.flatMap((id) => found.get(id) ?? []);
  }
}
