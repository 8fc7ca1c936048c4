import { getTaxRetentionEnd } from '../../domain/invoices/tax-records.ts';
import { localDate } from '../../domain/working-day.ts';
import { type Order, orderFates } from '../../store/orders/order.ts';
import { applyFates } from '../../store/people/fates.ts';
import type { Person } from '../../store/people/person.ts';

/** The time of the erasure, its local date and the time zone of the shop. */
export type ErasureDay = { readonly at: string; readonly today: string; readonly timeZone: string };

/**
 * Returns an order without its patient's personal data. The receiver of its invoice stays while tax law requires it. An
 * order that has been erased before comes back equal.
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
  };
}

/** The last day on which the receiver of an invoice is kept (`YYYY-MM-DD`); null if there is none or that day is over. */
export function keptUntil({ cfdi, createdAt }: Order, { today, timeZone }: Omit<ErasureDay, 'at'>): string | null {
  if (cfdi === '') return null;
  const until = getTaxRetentionEnd(localDate(new Date(createdAt), timeZone));
  return today <= until ? until : null;
}
