import { type Key, ORDER_START, orderKey, orderPartition, type Viewer } from '../store/keys.ts';
import type { Table } from '../store/table.ts';
import type { Order } from './order.ts';
import { type OrderEvent, parseEvent } from './order-events.ts';
import { parseOrder } from './order-item.ts';

export const nextVersion = (before: Order, changes: Order): Order => ({ ...changes, version: before.version + 1 });

export async function getOrder(
  table: Table,
  { clientId, id }: Pick<Order, 'clientId' | 'id'>,
): Promise<Order | undefined> {
  const item = await table.get(orderKey(clientId, id));
  return item && parseOrder(item);
}

/** Missing orders are left out; one round trip for each 100. */
export async function getOrders(table: Table, clientId: number, ids: readonly number[]): Promise<Order[]> {
  const keys = ids.map((id) => orderKey(clientId, id));
  return getOrdersByKey(table, keys);
}

export async function getOrdersByKey(table: Table, keys: readonly Key[]): Promise<Order[]> {
  const items = await table.getAll(keys);
  return items.flatMap((item) => (item ? parseOrder(item) : []));
}

/** For operators: ids are unique across clients. One query. */
export async function getOrderOfAnyClient(table: Table, id: number): Promise<Order | undefined> {
  const where = 'begins_with(sk, :start)';
  const [item] = await table.all({ pk: orderPartition(id), where, values: { ':start': ORDER_START } });
  return item && parseOrder(item);
}

type OwnOrder = { readonly clientId: number; readonly id: number; readonly viewer: Viewer };

/** Reads an order of a client if the viewer may see it; one query. */
export async function findOrder(table: Table, request: OwnOrder): Promise<Order | undefined> {
  const { pk, sk } = orderKey(request.clientId, request.id);
  const values = { ':client': sk, ':viewer': request.viewer };
  const [item] = await table.all({ pk, where: 'sk = :client', filter: 'contains(viewers, :viewer)', values });
  return item && parseOrder(item);
}

type OrderWithEvents = { readonly order: Order; readonly events: readonly OrderEvent[] };

/** Reads an order with its events, oldest first, if the viewer may see it; one query. */
export async function findOrderEvents(table: Table, request: OwnOrder): Promise<OrderWithEvents | undefined> {
  const { pk, sk } = orderKey(request.clientId, request.id);
  const filter = 'contains(viewers, :viewer) OR attribute_exists(what)';
  const items = await table.all({ pk, filter, values: { ':viewer': request.viewer } });
  const order = items.find((item) => item.sk === sk);
  return order && { order: parseOrder(order), events: items.filter((item) => item !== order).map(parseEvent) };
}
