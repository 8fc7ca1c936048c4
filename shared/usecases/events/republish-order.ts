import { existingOrder } from '../operations/operate-order.ts';
import { type Publishing, publishOrders } from './publish-orders.ts';

const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Tells the events of an order that its client's feed does not know to be told, and are not older than it keeps events.
 * Returns how many they are. Throws Refusal `not_found` if there is no such order.
 */
export async function republishOrder(id: number, publishing: Publishing): Promise<number> {
  const order = await existingOrder(publishing.table, id);
  const oldest = publishing.now.getTime() - KEPT_MS;
  const before = order.history.findLast(({ at }) => Date.parse(at) < oldest)?.version ?? 0;
  return publishOrders([{ order, before }], publishing);
}
