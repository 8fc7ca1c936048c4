import type { Order } from '../../store/orders/order.ts';
import type { OrderPrescription } from '../../store/orders/order-parts.ts';
import { type DocumentUse, findDocumentUses } from '../../store/orders/prescription-records.ts';
import type { Table } from '../../store/table.ts';

/** A prescription with the same document as another one. */
export type Copy = DocumentUse & { readonly of: number };

// More than a person reads; one document in more orders is a matter for somebody else.
const MOST_COPIES = 20;

/**
 * Returns the other prescriptions that are the same document as one of these of an order: those of any order that were
 * verified or rejected, and those of this order. Read after the verification is written, since then at least the second
 * of two verifications at the same time finds the other.
 */
export async function findCopies(order: Order, meant: readonly OrderPrescription[], table: Table): Promise<Copy[]> {
  const found = await Promise.all(meant.map((prescription) => findCopiesOf(prescription, order, table)));
  return found.flat();
}

async function findCopiesOf({ id, documentHash }: OrderPrescription, order: Order, table: Table): Promise<Copy[]> {
  const uses = await findDocumentUses(table, documentHash, MOST_COPIES);
  const elsewhere = uses
    .filter(({ orderId }) => orderId !== order.id)
    .sort((one, other) => one.orderId - other.orderId || one.prescriptionId - other.prescriptionId);
  const here = order.prescriptions
    .filter((other) => other.id !== id && other.documentHash === documentHash)
    .map((other) => ({ orderId: order.id, prescriptionId: other.id, isRejected: other.rejection !== null }));
  return [...here, ...elsewhere].map((use) => ({ of: id, ...use }));
}
