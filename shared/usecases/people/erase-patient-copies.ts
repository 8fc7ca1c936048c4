import type { TaxDocument } from '../../domain/invoices/tax-document.ts';
import { getTaxRetentionEnd } from '../../domain/invoices/tax-records.ts';
import { getPrescriptionRetentionEnd, isDispensed } from '../../domain/prescriptions/prescription.ts';
import { localDate } from '../../domain/working-day.ts';
import { makeSandboxId } from '../../invoicing/sandbox/objects.ts';
import { type Order, orderFates } from '../../store/orders/order.ts';
import { applyFates } from '../../store/people/fates.ts';
import type { Person } from '../../store/people/person.ts';

/** The time of the erasure, its local date and the time zone of the shop. */
export type ErasureDay = { readonly at: string; readonly today: string; readonly timeZone: string };

/** Returns the day of an erasure at this time. */
export const toErasureDay = (now: Date, timeZone: string): ErasureDay => ({
  at: now.toISOString(),
  today: localDate(now, timeZone),
  timeZone,
});

/**
 * Returns an order without its patient's personal data. The receiver of its invoice stays while tax law requires it, and
 * the documents of a dispensed order while health law does. An order that has been erased before comes back equal until
 * one of these terms ends.
 */
export function withoutPatient(order: Order, day: ErasureDay): Order {
  const retained = getRetained(order, day);
  const erased = applyFates(order, orderFates(order, retained?.receiverUntil ? 'kept' : 'erased'));
  const { id, deletedAt = day.at } = order.patient;
  const markDeleted = <Copy extends Person>(person: Copy) => (person.id === id ? { ...person, deletedAt } : person);
  return {
    ...erased,
    patient: markDeleted(erased.patient),
    generatedBy: markDeleted(erased.generatedBy),
    updatedBy: markDeleted(erased.updatedBy),
    ...eraseArchives(erased, retained),
    retained,
  };
}

/** Returns the tax documents without our copies of them, but for those that are kept as long as the receiver. */
function eraseArchives(
  { invoice, documents }: Order,
  retained: Order['retained'],
): Pick<Order, 'invoice' | 'documents'> {
  const erase = (document: TaxDocument): TaxDocument => {
    const isKept = retained?.receiverUntil && !isSandboxed(document);
    return isKept ? document : { ...document, archive: null };
  };
  return { invoice: invoice && erase(invoice), documents: documents.map(erase) };
}

/** True if a document comes from the sandbox, which makes no tax documents. */
const isSandboxed = ({ key, providerId }: TaxDocument): boolean => providerId === makeSandboxId(key);

type Retained = NonNullable<Order['retained']>;

/** Returns what stays of an order when its patient is erased; null if nothing does, or all terms are over. */
export function getRetained(order: Order, day: ErasureDay): Order['retained'] {
  const receiverUntil = receiverKeptUntil(order, day);
  const documents = retainDocuments(order, day);
  return receiverUntil === null && documents.documentsUntil === null ? null : { ...documents, receiverUntil };
}

const NO_DOCUMENTS = { documents: [], documentsUntil: null } as const;

function retainDocuments(order: Order, day: ErasureDay): Omit<Retained, 'receiverUntil'> {
  const { documents, documentsUntil } = order.retained ?? listDocuments(order, day);
  const isKept = documents.length > 0 && documentsUntil !== null && day.today <= documentsUntil;
  return isKept ? { documents, documentsUntil } : NO_DOCUMENTS;
}

function listDocuments({ orderStatus, receivingDate, updatedAt, prescriptions }: Order, { timeZone }: ErasureDay) {
  if (!isDispensed(orderStatus)) return NO_DOCUMENTS;
  const documents = prescriptions.map(({ id, documentKey, documentType, documentHash }) => {
    return { id, documentKey, documentType, documentHash };
  });
  const dispensedOn = localDate(new Date(receivingDate ?? updatedAt), timeZone);
  return { documents, documentsUntil: getPrescriptionRetentionEnd(dispensedOn) };
}

function receiverKeptUntil(order: Order, { today, timeZone }: ErasureDay): string | null {
  if (order.invoicing === null || order.cfdi === '') return null;
  const until = getTaxRetentionEnd(order, timeZone);
  return today <= until ? until : null;
}
