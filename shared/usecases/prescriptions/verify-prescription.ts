import { isDeepStrictEqual } from 'node:util';
import { hasExpired, sumPrescribed } from '../../domain/prescriptions/coverage.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import type { Order } from '../../store/orders/order.ts';
import type { OrderPrescription } from '../../store/orders/order-parts.ts';
import type { Table } from '../../store/table.ts';
import { commitOperation, type Operation, refusedToOperator, type Seen, seenOrder } from '../orders/operate-order.ts';

type Verifying = Operation &
  Seen & {
    /** The id of one prescription of the order; undefined for all of them. */
    readonly prescription: number | undefined;
  };
type Deps = { readonly table: Table; readonly business: Business };

/**
 * Records that a pharmacist verified prescriptions of an order for what it has now of products that require one. One that
 * was verified for the same stays as it is; one that was verified for other lines is verified for the present ones alone.
 */
export async function verifyPrescription(verifying: Verifying, { table, business }: Deps): Promise<Order> {
  const { id, prescription, operator, now } = verifying;
  const before = await seenOrder(table, verifying);
  const meant = before.prescriptions.filter((each) => prescription === undefined || each.id === prescription);
  if (meant.length === 0) throw refusedToOperator('not_found', `Order ${id} has no such prescription.`);
  refuseExpired(before, meant, localDate(now, business.timeZone));
  const lines = sumPrescribed(before.lines);
  const unverified = meant.filter(({ verification }) => !isDeepStrictEqual(verification?.lines, lines));
  if (unverified.length === 0) return before;
  const at = now.toISOString();
  const prescriptions = before.prescriptions.map((each) =>
    unverified.includes(each) ? { ...each, verification: { at, by: operator, lines }, updatedAt: at } : each,
  );
  return commitOperation(table, before, { ...before, prescriptions }, verifying);
}

function refuseExpired({ id }: Order, meant: readonly OrderPrescription[], today: string): void {
  const expired = meant.find((prescription) => hasExpired(prescription, today));
  if (!expired) return;
  throw refusedToOperator(
    'move_not_allowed',
    `Prescription ${expired.id} of order ${id} expired on ${expired.expiringDate} and cannot be verified; ` +
      `--prescription verifies another one.`,
  );
}
