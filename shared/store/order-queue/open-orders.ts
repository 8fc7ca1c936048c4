import { isFinished, ORDER_STATUSES, type OrderStatus, type PaymentStatus } from '../../domain/order.ts';
import { creationKey, openPartition, orderKey, refundsPartition } from '../keys.ts';
import { getOrdersByKey } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import { type OrderSummary, parseQueueItem, summarizeOrder } from './queue-entries.ts';

export const OPEN_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter((status) => !isFinished(status));

type Wanted = {
  readonly statuses: readonly OrderStatus[];
  readonly paymentStatus?: PaymentStatus | undefined;
  readonly limit: number;
};

/** Orders of a queue; `hasMore` if the limit left some out. */
export type Queue = { readonly orders: readonly OrderSummary[]; readonly hasMore: boolean };

/**
 * Returns the open orders of all clients that have one of these statuses, the oldest first, and whether there are more
 * than `limit`. It costs a query for each status, whatever the number of clients and orders; with a payment_status, which
 * the keys of a queue do not have, these queries read all that is open.
 */
export async function listOpenOrders(table: Table, { statuses, paymentStatus, limit }: Wanted): Promise<Queue> {
  const isWanted = (order: OrderSummary) =>
    statuses.includes(order.orderStatus) && (paymentStatus === undefined || order.paymentStatus === paymentStatus);
  const count = paymentStatus ? Number.POSITIVE_INFINITY : limit + 1;
  const queues = await Promise.all(statuses.map((status) => readQueue(table, status, count)));
  const orders = (await settleMoved(table, queues.flat())).filter(isWanted).sort(byCreation);
  return { orders: orders.slice(0, limit), hasMore: orders.length > limit };
}

async function readQueue(table: Table, status: OrderStatus, count: number): Promise<OrderSummary[]> {
  const items = await table.first({ pk: openPartition(status) }, count);
  return items.map((item) => parseQueueItem(item, status));
}

/** Returns each order once: one that moves while the queues are read may stand in two, and is then read itself. */
async function settleMoved(table: Table, found: readonly OrderSummary[]): Promise<OrderSummary[]> {
  const byId = new Map(found.map((order) => [order.id, order]));
  const moved = found.filter((order) => byId.get(order.id) !== order);
  const orders = await getOrdersByKey(
    table,
    moved.map(({ clientId, id }) => orderKey(clientId, id)),
  );
  for (const order of orders) byId.set(order.id, summarizeOrder(order));
  return [...byId.values()];
}

const byCreation = (one: OrderSummary, other: OrderSummary): number =>
  creationKey(one.createdAt, one.id) < creationKey(other.createdAt, other.id) ? -1 : 1;

/**
 * Returns the cancelled orders of all clients, or of one, that wait for a refund, the oldest first, and whether there are
 * more than `limit`. It costs one query; for one client, the query reads those of all.
 */
export async function listRefundsDue(
  table: Table,
  { limit, clientId }: { readonly limit: number; readonly clientId?: number | undefined },
): Promise<Queue> {
  const own = clientId === undefined ? {} : { filter: 'clientId = :client', values: { ':client': clientId } };
  const items = await table.first({ pk: refundsPartition(), ...own }, limit + 1);
  const orders = items.map((item) => parseQueueItem(item, 'cancelled'));
  return { orders: orders.slice(0, limit), hasMore: orders.length > limit };
}
