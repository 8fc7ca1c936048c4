import { isDeepStrictEqual } from 'node:util';
import { storedPerson, toPerson } from '../people/person.ts';
import { orderKey } from '../store/keys.ts';
import { parseItem, toItem } from '../store/parse-item.ts';
import type { Item } from '../store/table.ts';
import { listViewers, type Order, storedOrder } from './order.ts';

/**
 * Returns the item of an order, which is read and replaced as a whole. It lists the viewers, so that ownership is part of
 * the query. A person in several roles is stored once: each KB of an order costs 2 write units on every change.
 */
export function toOrderItem({ generatedBy, updatedBy, ...order }: Order): Item {
  return toItem(orderKey(order.clientId, order.id), {
    ...order,
    ...(isDeepStrictEqual(generatedBy, toPerson(order.patient)) ? {} : { generatedBy }),
    ...(isDeepStrictEqual(updatedBy, generatedBy) ? {} : { updatedBy }),
    viewers: listViewers({ patient: order.patient, generatedBy }),
  });
}

const storedItem = storedOrder.extend({ generatedBy: storedPerson.optional(), updatedBy: storedPerson.optional() });

export function parseOrder(item: Item): Order {
  const order = parseItem(storedItem, item, 'order');
  const { generatedBy = toPerson(order.patient), updatedBy = generatedBy } = order;
  return { ...order, generatedBy, updatedBy };
}
