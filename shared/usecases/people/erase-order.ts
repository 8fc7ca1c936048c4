import type { Documents } from '../../documents/documents.ts';
import { listInvoiceObjects } from '../../documents/invoice-files.ts';
import { listDocuments } from '../../domain/invoices/order-documents.ts';
import { makeSandboxId, sandboxObject } from '../../invoicing/sandbox/objects.ts';
import { isPatientErased, type Order } from '../../store/orders/order.ts';
import type { Act } from '../../store/orders/order-history.ts';
import { replaceOrderWrites } from '../../store/orders/order-writes.ts';
import { nextVersion } from '../../store/orders/orders.ts';
import { removedDocuments } from '../../store/people/erasure.ts';
import type { Table } from '../../store/table.ts';
import { type ErasureDay, withoutPatient } from './erase-patient-copies.ts';

export type OrderErasure = { readonly before: Order; readonly after: Order };

/** Returns an order with and without what has to be removed of its patient on this day; null if nothing has to. */
export function planOrderErasure(before: Order, day: ErasureDay): OrderErasure | null {
  const after = withoutPatient(before, day);
  return JSON.stringify(after) === JSON.stringify(before) ? null : { before, after };
}

/**
 * Removes the documents and the invoices of the sandbox that an order loses, for good, and then what it says of its
 * patient; a run that was cut off can be repeated. Returns false if the order was changed meanwhile.
 */
export async function eraseOrder(
  { before, after }: OrderErasure,
  act: Act,
  { table, documents }: { readonly table: Table; readonly documents: Documents },
): Promise<boolean> {
  await documents.eraseAll([...removedDocuments(before, after), ...listErasedFiles(before, after)]);
  const next = nextVersion(before, { ...after, updatedAt: act.now.toISOString() }, act);
  return table.tryTransact(replaceOrderWrites(before, next));
}

/** Returns the objects of tax documents whose copies an order loses, and those of the sandbox; a provider keeps its own. */
function listErasedFiles(before: Order, after: Order): string[] {
  const kept = new Set(listDocuments(after).flatMap(({ key, archive }) => (archive ? [key] : [])));
  const lost = listDocuments(before).filter(({ key }) => !kept.has(key));
  const copies = lost.filter(({ archive }) => archive).flatMap(({ key }) => listInvoiceObjects(key));
  const sandboxed = isPatientErased(before) ? [] : lost.map(({ key }) => sandboxObject(makeSandboxId(key)));
  return [...copies, ...sandboxed];
}
