import { Refusal } from '../../domain/refusal.ts';
import type { RefusalCode } from '../../messages/refusals.ts';
import { orderById } from '../../store/order-lists/order-search.ts';
import type { Order } from '../../store/orders/order.ts';
import { nextVersion } from '../../store/orders/orders.ts';
import type { Table } from '../../store/table.ts';
import { commitOrderChange } from './change-order.ts';

/** A refusal whose reason is told to the operator only. */
export const refusedToOperator = (code: RefusalCode, reason: string): Refusal =>
  new Refusal(code, { cause: new Error(reason) });

/** An order of whatever client; refused when there is none. */
export async function existingOrder(table: Table, id: number): Promise<Order> {
  const order = await orderById(table, id);
  if (!order) throw refusedToOperator('not_found', `There is no order ${id}.`);
  return order;
}

/**
 * Writes the next version of an order, with its rows and counters, or refuses because it was changed since it was read.
 * An operator is no user, so that the order still names the user who changed it last.
 */
export async function commitOperation(table: Table, before: Order, changes: Order, now: Date): Promise<Order> {
  const after = nextVersion(before, { ...changes, updatedAt: now.toISOString() });
  await commitOrderChange(table, before, after);
  return after;
}
