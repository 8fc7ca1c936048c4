import type { Order } from '../../store/orders/order.ts';
import type { Table } from '../../store/table.ts';
import { commitOperation, existingOrder, refusedToOperator } from '../orders/operate-order.ts';

type Verifying = {
  readonly id: number;
  /** The id of one prescription of the order; undefined for all of them. */
  readonly prescription: number | undefined;
  readonly now: Date;
};

/** Records that a pharmacist verified prescriptions of an order. Those that are verified already stay as they are. */
export async function verifyPrescription({ id, prescription, now }: Verifying, table: Table): Promise<Order> {
  const before = await existingOrder(table, id);
  const meant = before.prescriptions.filter((each) => prescription === undefined || each.id === prescription);
  if (meant.length === 0) throw refusedToOperator('not_found', `Order ${id} has no such prescription.`);
  if (meant.every(({ isVerified }) => isVerified)) return before;
  const updatedAt = now.toISOString();
  const prescriptions = before.prescriptions.map((each) =>
    meant.includes(each) && !each.isVerified ? { ...each, isVerified: true, updatedAt } : each,
  );
  return commitOperation(table, before, { ...before, prescriptions }, now);
}
