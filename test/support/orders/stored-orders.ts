import type { Order } from '../../../shared/order/order.ts';
import { createOrderWrites } from '../../../shared/order/order-writes.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { keyName } from '../../../shared/store/keys.ts';
import { type Item, openTable } from '../../../shared/store/table.ts';
import { OrderTally } from './order-tally.ts';

/** Stores the first orders of a client with the items that their transactions would write, but in faster batches. */
export async function storeOrders(orders: readonly Order[]): Promise<void> {
  const items = orders.flatMap(createOrderWrites).flatMap((write) => ('Put' in write ? [write.Put.Item ?? {}] : []));
  const tally = new OrderTally();
  for (const order of orders) tally.add(order);
  await openTable().putAll([...items, ...tally.items(), ...createNames(orders)]);
}

/** Returns the items of the name index for the patients of these orders. */
function createNames(orders: readonly Order[]): Item[] {
  const named = orders.map(({ clientId, patient }) => ({ clientId, id: patient.id, name: packName(patient) }));
  // Most orders are of a patient who has others.
  const distinct = new Map(named.map((one) => [`${one.clientId} ${one.id} ${one.name}`, one]));
  const items = [...distinct.values()].flatMap(nameItems);
  return [...new Map(items.map((item) => [keyName(item), item])).values()];
}
