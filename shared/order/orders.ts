import { type Key, orderKey, orderPartition, type Viewer } from '../store/keys.ts';
import type { Table } from '../store/table.ts';
import type { Order } from './order.ts';
import type { Act } from './order-history.ts';
import { continueHistory } from './order-history.ts';
import { parseOrder } from './order-item.ts';

/** Returns the first version of an order, whose history begins with its creation. */
export function firstVersion(fields: Omit<Order, 'version' | 'history' | 'historyOmitted'>, act: Act): Order {
  const order = { ...fields, version: 1, history: [], historyOmitted: 0 };
  return { ...order, ...continueHistory(null, order, act) };
}

/** Returns the next version of an order, whose fields are those of `changed`; its history tells what has changed. */
export function nextVersion(before: Order, changed: Order, act: Act): Order {
  const after = { ...changed, version: before.version + 1 };
  return { ...after, ...continueHistory(before, after, act) };
}

/** Reads an order of a client for any viewer; one read. */
export async function getOrder(
  table: Table,
  { clientId, id }: Pick<Order, 'clientId' | 'id'>,
): Promise<Order | undefined> {
  const item = await table.get(orderKey(clientId, id));
  return item && parseOrder(item);
}

/** Reads orders of a client by their ids, without those that there are not; one round trip for each 100. */
export async function getOrders(table: Table, clientId: number, ids: readonly number[]): Promise<Order[]> {
  return getOrdersByKey(
    table,
    ids.map((id) => orderKey(clientId, id)),
  );
}

/** Reads orders by their keys, without those that there are not; one round trip for each 100. */
export async function getOrdersByKey(table: Table, keys: readonly Key[]): Promise<Order[]> {
  const items = await table.getAll(keys);
  return items.flatMap((item) => (item ? parseOrder(item) : []));
}

/** Reads an order of any client, for operators: ids are unique across clients. One query. */
export async function getOrderOfAnyClient(table: Table, id: number): Promise<Order | undefined> {
  const [item] = await table.all({ pk: orderPartition(id) });
  return item && parseOrder(item);
}

/** Reads an order of a client if this viewer may see it; one query of one partition. */
export async function findOrder(
  table: Table,
  asked: { clientId: number; id: number; viewer: Viewer },
): Promise<Order | undefined> {
  const { pk, sk } = orderKey(asked.clientId, asked.id);
  const values = { ':client': sk, ':viewer': asked.viewer };
  const [item] = await table.all({ pk, where: 'sk = :client', filter: 'contains(viewers, :viewer)', values });
  return item && parseOrder(item);
}
