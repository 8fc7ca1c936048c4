import type { Order } from '../../../shared/order/order.ts';
import { type Act, type Happening, type OrderEvent, readOrderEvents } from '../../../shared/order/order-events.ts';
import { changeOrderWrites, derivedWrites } from '../../../shared/order/order-writes.ts';
import { getOrderOfAnyClient, nextVersion } from '../../../shared/order/orders.ts';
import { markApproved } from '../../../shared/order/rules/status.ts';
import type { RecordKind } from '../../../shared/store/keys.ts';
import { openTable, type Write } from '../../../shared/store/table.ts';

/** A job's change of an order. */
export const BY_JOB: Act = { by: 'system', now: new Date('2026-01-02T18:00:00.000Z') };

/** Returns the next version of an order in a state that need not be reachable from the one before. */
export const forceVersion = (before: Order, state: Partial<Order>, { now }: Act = BY_JOB): Order =>
  nextVersion(before, {
    ...before,
    ...(state.orderStatus && markApproved(before.approvedAt, state.orderStatus, now.toISOString())),
    ...state,
  });

/** Returns the order as it is stored. */
export async function getStoredOrder(id: number): Promise<Order> {
  const order = await getOrderOfAnyClient(openTable(), id);
  if (!order) throw new Error(`no order ${id}`);
  return order;
}

/** Returns the events of an order as they are stored. */
export const getStoredEvents = (id: number): Promise<OrderEvent[]> => readOrderEvents(openTable(), id);

/** Stores an order in a state, without the rules of the service, and returns it. */
export async function forceStored(id: number, state: Partial<Order>): Promise<Order> {
  const before = await getStoredOrder(id);
  const after = forceVersion(before, state);
  await openTable().transact(changeOrderWrites(before, after, BY_JOB, toHappening(before, after)));
  return after;
}

/** Returns what happened to an order that was brought into another state. */
export function toHappening(before: Order, after: Order): Happening {
  if (before.orderStatus !== after.orderStatus) {
    return { what: 'moved', from: before.orderStatus, to: after.orderStatus };
  }
  if (before.paymentStatus === after.paymentStatus) return { what: 'changed' };
  const what = after.paymentStatus === 'paid' ? 'paid' : 'payment_moved';
  return { what, from: before.paymentStatus, to: after.paymentStatus };
}

/** Returns the writes of these kinds that bring what follows from an order from `before` to `after`. */
export const writesOfKinds = (kinds: readonly RecordKind[], before: Order | null, after: Order): Write[] =>
  derivedWrites(before, after).filter((write) => kinds.some((kind) => partitionOf(write).startsWith(`${kind}#`)));

function partitionOf(write: Write): string {
  if ('Put' in write) return String(write.Put.Item?.pk);
  return String(('Delete' in write ? write.Delete : 'Update' in write ? write.Update : write.ConditionCheck).Key?.pk);
}
