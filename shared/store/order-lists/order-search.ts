import type { OrderStatus, PaymentStatus } from '../../domain/order.ts';
import { idsKey, orderKey, viewPartition } from '../keys.ts';
import { type Order, orderOfItem } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import type { OrderRow } from './order-rows.ts';

// What one BatchGetItem takes.
const KEYS_PER_READ = 100;

/**
 * An order by its id alone, for the operator, whoever's client's it is: no two orders have one id. One round trip for each
 * 100 clients there are.
 */
export async function orderById(table: Table, id: number): Promise<Order | undefined> {
  const lastClient = Number((await table.get(idsKey('client')))?.lastId ?? 0);
  for (let first = 1; first <= lastClient; first += KEYS_PER_READ) {
    const length = Math.min(KEYS_PER_READ, lastClient - first + 1);
    const places = Array.from({ length }, (_, index) => orderKey(first + index, id));
    const found = (await table.getAll(places)).find((item) => item !== undefined);
    if (found) return orderOfItem(found);
  }
  return undefined;
}

/** The orders of a client that have one of these ids; one round trip for each 100. */
export async function ordersByIds(table: Table, clientId: number, ids: readonly number[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (let start = 0; start < ids.length; start += KEYS_PER_READ) {
    const keys = ids.slice(start, start + KEYS_PER_READ).map((id) => orderKey(clientId, id));
    for (const item of await table.getAll(keys)) if (item) orders.push(orderOfItem(item));
  }
  return orders;
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
  const { limit } = wanted;
  const rows: OrderRow[] = [];
  for await (const page of table.pages({ ...latest(wanted), ScanIndexForward: false, Limit: limit })) {
    rows.push(...(page as OrderRow[]));
    if (rows.length >= limit) break;
  }
  return rows.slice(0, limit);
}

function latest({ clientId, orderStatus, paymentStatus }: LatestOrders) {
  const pk = viewPartition(clientId, 'client');
  if (orderStatus) {
    return {
      IndexName: 'byOrderStatus',
      KeyConditionExpression: 'pk = :pk AND begins_with(orderStatusKey, :order)',
      FilterExpression: paymentStatus && 'paymentStatus = :payment',
      ExpressionAttributeValues: { ':pk': pk, ':order': `${orderStatus}#`, ':payment': paymentStatus },
    };
  }
  if (paymentStatus) {
    return {
      IndexName: 'byPaymentStatus',
      KeyConditionExpression: 'pk = :pk AND begins_with(paymentStatusKey, :payment)',
      ExpressionAttributeValues: { ':pk': pk, ':payment': `${paymentStatus}#` },
    };
  }
  return { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
}
