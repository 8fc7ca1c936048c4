import { getTaxRetentionEnd } from '../../domain/invoices/tax-records.ts';
import { getPrescriptionRetentionEnd, isDispensed } from '../../domain/prescriptions/retention.ts';
import { localDate } from '../../domain/working-day.ts';
import { type Order, orderFates } from '../../store/orders/order.ts';
import { applyFates } from '../../store/people/fates.ts';
import type { Person } from '../../store/people/person.ts';

/** The time of the erasure, its local date and the time zone of the shop. */
export type ErasureDay = { readonly at: string; readonly today: string; readonly timeZone: string };

/**
 * Returns an order without its patient's personal data. The receiver of its invoice stays while tax law requires it, and
 * the documents of a dispensed order while health law does. An order that has been erased before comes back equal.
 */
export function withoutPatient(order: Order, day: ErasureDay): Order {
  const erased = applyFates(order, orderFates(order, keptUntil(order, day) ? 'kept' : 'erased'));
  const { id, deletedAt = day.at } = order.patient;
  const markDeleted = <Copy extends Person>(person: Copy) => (person.id === id ? { ...person, deletedAt } : person);
  return {
    ...erased,
    patient: markDeleted(erased.patient),
    generatedBy: markDeleted(erased.generatedBy),
    updatedBy: markDeleted(erased.updatedBy),
    retained: getRetained(order, day),
  };
}

/** Returns the documents of an order that stay when its patient is erased; null if none does, or their term is over. */
export function getRetained(order: Order, day: ErasureDay): Order['retained'] {
  const retained = order.retained ?? toRetained(order, day);
  return retained && retained.documents.length > 0 && day.today <= retained.until ? retained : null;
}

function toRetained({ orderStatus, receivingDate, updatedAt, prescriptions }: Order, { timeZone }: ErasureDay) {
  if (!isDispensed(orderStatus)) return null;
  const until = getPrescriptionRetentionEnd(localDate(new Date(receivingDate ?? updatedAt), timeZone));
  return { until, documents: prescriptions.map(({ documentKey, documentType }) => ({ documentKey, documentType })) };
}

/** The last day on which the receiver of an invoice is kept (`YYYY-MM-DD`); null if there is none or that day is over. */
export function keptUntil({ cfdi, createdAt }: Order, { today, timeZone }: Omit<ErasureDay, 'at'>): string | null {
  if (cfdi === '') return null;
  const until = getTaxRetentionEnd(localDate(new Date(createdAt), timeZone));
  return today <= until ? until : null;
}
