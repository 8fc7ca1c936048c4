import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { storedPerson, toPerson } from '../people/person.ts';
import { type Key, ORDER_START, orderKey, orderPartition, type Viewer } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import { type Item, startingWith, type Table } from '../store/table.ts';
import { listViewers, type Order, storedOrder } from './order.ts';
import { type OrderEvent, parseEvent } from './order-events.ts';

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
  const [item] = await table.all({ pk: orderPartition(id), ...startingWith(ORDER_START) });
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

/**
 * Returns the item of an order, which is read and replaced as a whole. It lists the viewers, so that ownership is part of
 * the query. A person in several roles is stored once, and a field that has its default is left out: each KB of an order costs
 * 2 write units on every change.
 */
export function toOrderItem({ generatedBy, updatedBy, ...order }: Order): Item {
  return toItem(orderKey(order.clientId, order.id), {
    ...withoutDefaults(storedOrder, order),
    ...(isDeepStrictEqual(generatedBy, toPerson(order.patient)) ? {} : { generatedBy }),
    ...(isDeepStrictEqual(updatedBy, generatedBy) ? {} : { updatedBy }),
    viewers: listViewers({ patient: order.patient, generatedBy }),
  });
}

function withoutDefaults<Value>(schema: z.ZodType, value: Value): Value;
function withoutDefaults(schema: z.ZodType, value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (schema instanceof z.ZodArray)
    return (value as unknown[]).map((item) => withoutDefaults(schema.unwrap() as z.ZodType, item));
  if ('unwrap' in schema) return withoutDefaults((schema as z.ZodNullable<z.ZodType>).unwrap(), value);
  return schema instanceof z.ZodObject ? leaveOutDefaults(schema.shape, value) : value;
}

function leaveOutDefaults(shape: Readonly<Record<string, z.ZodType>>, record: object): object {
  const fields = Object.entries(record).flatMap(([field, value]) => {
    const schema = shape[field];
    const isDefault = schema instanceof z.ZodDefault && isDeepStrictEqual(schema.def.defaultValue, value);
    return isDefault ? [] : [[field, schema ? withoutDefaults(schema, value) : value]];
  });
  return Object.fromEntries(fields);
}

const storedItem = storedOrder.extend({ generatedBy: storedPerson.optional(), updatedBy: storedPerson.optional() });

export function parseOrder(item: Item): Order {
  const order = parseItem(storedItem, item, 'order');
  const { generatedBy = toPerson(order.patient), updatedBy = generatedBy } = order;
  return { ...order, generatedBy, updatedBy };
}
