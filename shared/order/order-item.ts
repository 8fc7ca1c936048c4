import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { storedPerson, toPerson } from '../people/person.ts';
import { orderKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item } from '../store/table.ts';
import { listViewers, type Order, storedOrder } from './order.ts';

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
