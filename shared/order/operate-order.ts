import { joinTexts, refusedToOperator } from '../domain/operator-refusal.ts';
import type { Text } from '../messages/say.ts';
import { quoteStatus, type StatusTexts } from '../messages/status-texts.ts';
import type { PrescribedQuantity } from '../prescriptions/rules/prescription.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import type { Table } from '../store/table.ts';
import { isPatientErased, type Order } from './order.ts';
import type { Happening } from './order-events.ts';
import { commit } from './order-writes.ts';
import { getOrderOfAnyClient } from './orders.ts';

export type Operation = { readonly operator: string; readonly now: Date };

export const quantityText = ({ productId, quantity }: PrescribedQuantity): string =>
  `${quantity} × product ${productId}`;

export async function existingOrder(table: Table, id: number): Promise<Order> {
  const order = await getOrderOfAnyClient(table, id);
  if (!order) throw refusedToOperator('order_unknown', { order: id });
  return order;
}

/** Throws `move_not_allowed` if the patient of an order was erased: nothing personal may enter or leave it any more. */
export function refuseErased(order: Order): void {
  if (!isPatientErased(order)) return;
  throw refusedToOperator('order_erased', { order: order.id });
}

/** An order to operate on; `version` is the one that the operator looked at. */
export type Seen = { readonly id: number; readonly version?: number | undefined };

/** Reads an order to change. Throws `not_found`, `rebuilding`, or `order_changed_meanwhile` for another version. */
export async function seenOrder(table: Table, { id, version }: Seen): Promise<Order> {
  const order = await existingOrder(table, id);
  await refuseWhilePaused(table, order.clientId);
  if (version === undefined || version === order.version) return order;
  throw refusedToOperator('order_changed', { order: id, current: order.version, seen: version });
}

/** An operator is no user, so `updatedBy` stays. Throws `order_changed_meanwhile` if the order changed since it was read. */
export const commitOperation = (
  table: Table,
  before: Order,
  changes: Order,
  { operator, now }: Operation,
  ...events: Happening[]
): Promise<Order> =>
  commit(table, before, { ...changes, updatedAt: now.toISOString() }, { by: { operator }, now }, ...events);

export type Changed = { readonly after: Order; readonly events: readonly Happening[] };

export type Move<Status> = Operation & Seen & { readonly to: Status };

type Refused<Status> = { readonly from: Status; readonly to: Status; readonly allowed: readonly Status[] };
const NOTHING_MORE: Text = { es: 'ninguno más', en: 'nothing more' };

export function describeMove<Status extends string>(
  { from, to, allowed }: Refused<Status>,
  texts: StatusTexts<Status>,
) {
  const quote = (status: Status) => quoteStatus(status, texts);
  const others = allowed.length === 0 ? NOTHING_MORE : joinTexts(allowed.map(quote), ', ');
  return { from: quote(from), to: quote(to), allowed: others };
}
