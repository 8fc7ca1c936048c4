import type { OrderStatus, PaymentStatus } from '../../domain/order.ts';
import { listClientIds } from '../access/clients.ts';
import { orderKey, statusKey, viewPartition } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseOrder } from '../orders/orders.ts';
import type { Query, Table } from '../table.ts';
import type { OrderRow } from './order-rows.ts';

/**
 * Finds an order of any client by its id, for operators; ids are unique across clients. One round trip per 100 clients.
 */
export async function orderById(table: Table, id: number): Promise<Order | undefined> {
  const clients = await listClientIds(table);
  const found = (await table.getAll(clients.map((client) => orderKey(client, id)))).find((item) => item !== undefined);
  return found && parseOrder(found);
}

/** The orders of a client that have one of these ids; one round trip for each 100. */
export async function ordersByIds(table: Table, clientId: number, ids: readonly number[]): Promise<Order[]> {
  if (ids.length === 0) return [];
  const items = await table.getAll(ids.map((id) => orderKey(clientId, id)));
  return items.flatMap((item) => (item ? parseOrder(item) : []));
}

export type LatestOrders = {
  readonly clientId: number;
  readonly orderStatus: OrderStatus | undefined;
  readonly paymentStatus: PaymentStatus | undefined;
  /** At least 1. */
  readonly limit: number;
};

/** The latest orders of a client, of one status if asked, the newest first; at most `limit` of them. */
export async function latestOrders(table: Table, wanted: LatestOrders): Promise<OrderRow[]> {
  return (await table.first({ ...latest(wanted), isDescending: true }, wanted.limit)) as OrderRow[];
}

function latest({ clientId, orderStatus, paymentStatus }: LatestOrders): Query {
  const pk = viewPartition(clientId, 'client');
  if (orderStatus) {
    return {
      pk,
      index: 'byOrderStatus',
      where: 'begins_with(orderStatusKey, :order)',
      filter: paymentStatus && 'paymentStatus = :payment',
      values: { ':order': statusKey(orderStatus), ':payment': paymentStatus },
    };
  }
  if (paymentStatus) {
    return {
      pk,
      index: 'byPaymentStatus',
      where: 'begins_with(paymentStatusKey, :payment)',
      values: { ':payment': statusKey(paymentStatus) },
    };
  }
  return { pk };
}
