import type { Order } from '../../store/orders/order.ts';
import type { OrderPrescription } from '../../store/orders/order-parts.ts';
import type { Table } from '../../store/table.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../operations/operate-order.ts';
import { refusedToOperator } from '../operations/operator-refusal.ts';

type Rejecting = Operation &
  Seen & {
    /** The id of the prescription; undefined for the only one of the order. */
    readonly prescription: number | undefined;
    readonly reason: string;
  };

/** The order, and its prescription that was rejected. */
export type Rejected = { readonly order: Order; readonly prescription: OrderPrescription };

/**
 * Records why a pharmacist rejected a prescription, which covers nothing from then on. The order stays where it is. One under
 * which medicines were dispensed is refused, since the record of it stands.
 */
export async function rejectPrescription(rejecting: Rejecting, table: Table): Promise<Rejected> {
  const { operator: by, reason, now } = rejecting;
  const before = await seenOrder(table, rejecting);
  const meant = chooseOne(before, rejecting.prescription);
  refuseDispensed(before, meant);
  const at = now.toISOString();
  const prescription = { ...meant, verification: null, rejection: { at, by, reason }, updatedAt: at };
  const prescriptions = before.prescriptions.map((each) => (each === meant ? prescription : each));
  const order = await commitOperation(table, before, { ...before, prescriptions }, rejecting);
  return { order, prescription };
}

function chooseOne({ id, prescriptions }: Order, prescription: number | undefined): OrderPrescription {
  const [meant, another] = prescriptions.filter((each) => prescription === undefined || each.id === prescription);
  if (!meant) throw refusedToOperator('prescription_unknown', { order: id });
  if (!another) return meant;
  throw refusedToOperator('prescription_not_chosen', { order: id, count: prescriptions.length });
}

/** Throws `move_not_allowed` if medicines of an order were dispensed under this prescription. */
export function refuseDispensed({ id, dispensed }: Order, { id: prescription }: OrderPrescription): void {
  if (!dispensed?.under.includes(prescription)) return;
  throw refusedToOperator('prescription_dispensed', { order: id, prescription });
}
