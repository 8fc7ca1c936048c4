import { isFinished, ORDER_STATUSES, type OrderStatus } from '../../domain/order.ts';
import { openPartition, orderKey, parseCreationKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseOrder } from '../orders/order-item.ts';
import type { Table } from '../table.ts';

export const OPEN_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter((status) => !isFinished(status));

/**
 * Reads the open orders of all clients that have one of these statuses, the oldest first, at most `limit` (at least 1) of
 * them. It costs a query for each status, whatever the number of clients and orders.
 */
export async function listOpenOrders(
  table: Table,
  { statuses, limit }: { readonly statuses: readonly OrderStatus[]; readonly limit: number },
): Promise<Order[]> {
  const queues = await Promise.all(statuses.map((status) => table.first({ pk: openPartition(status) }, limit)));
  const oldest = queues
    .flat()
    .sort((a, b) => (String(a.sk) < String(b.sk) ? -1 : 1))
    .slice(0, limit);
  const keys = oldest.map(({ sk, clientId }) => orderKey(Number(clientId), parseCreationKey(String(sk)).order));
  return (await table.getAll(keys)).flatMap((item) => (item ? parseOrder(item) : []));
}
