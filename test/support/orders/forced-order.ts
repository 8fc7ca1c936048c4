import type { Order } from '../../../shared/order/order.ts';
import type { Act } from '../../../shared/order/order-history.ts';
import { changeOrderWrites } from '../../../shared/order/order-writes.ts';
import { getOrderOfAnyClient, nextVersion } from '../../../shared/order/orders.ts';
import { openTable } from '../../../shared/store/table.ts';

/** A job's change of an order. */
export const BY_JOB: Act = { by: 'system', now: new Date('2026-01-02T18:00:00.000Z') };

/** Returns the next version of an order in a state that need not be reachable from the one before. */
export const forceVersion = (before: Order, state: Partial<Order>, act: Act = BY_JOB): Order =>
  nextVersion(before, { ...before, ...state }, act);

/** Returns the order as it is stored. */
export async function getStoredOrder(id: number): Promise<Order> {
  const order = await getOrderOfAnyClient(openTable(), id);
  if (!order) throw new Error(`no order ${id}`);
  return order;
}

/** Stores an order in a state, without the rules of the service, and returns it. */
export async function forceStored(id: number, state: Partial<Order>): Promise<Order> {
  const before = await getStoredOrder(id);
  const after = forceVersion(before, state);
  await openTable().transact(changeOrderWrites(before, after));
  return after;
}
