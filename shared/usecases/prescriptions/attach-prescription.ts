import type { Document, Documents } from '../../documents/documents.ts';
import { documentName } from '../../domain/prescriptions/document-name.ts';
import {
  detectDocumentType,
  MAX_DOCUMENT_BYTES,
  validatePrescriptionDates,
} from '../../domain/prescriptions/prescription.ts';
import { refuseInvalid, type ValidationError } from '../../domain/refusal.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/business.ts';
import type { Ids } from '../../store/ids.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Table } from '../../store/table.ts';
import { commitOperation, type Operation, refuseErased, seenOrder } from '../operations/operate-order.ts';
import { Uploads } from '../orders/uploads.ts';
import { checkAllDocuments, type DocumentTotals, measureDocuments } from './check-documents.ts';
import { newPrescription } from './new-prescription.ts';

type Attaching = Operation & {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** Both `YYYY-MM-DD`. */
  readonly issueDate: string;
  readonly expiringDate: string | null;
};
type Deps = {
  readonly table: Table;
  readonly ids: Ids;
  readonly documents: Documents;
  readonly business: Business;
};

/** Adds a prescription that reached the pharmacy outside of its order. It is not verified yet. */
export async function attachPrescription(attaching: Attaching, deps: Deps): Promise<Order> {
  const { table, ids, documents } = deps;
  const before = await seenOrder(table, { id: attaching.id });
  refuseErased(before);
  const present = await measureDocuments(documents, before.prescriptions);
  const uploads = new Uploads(documents);
  const keyed = uploads.of({ documents: [checkAttachment(attaching, present, deps.business)] });
  const [id] = (await ids.take('record', 1)) as [number];
  const { issueDate, expiringDate, now } = attaching;
  const entry = { id, issueDate, expiringDate, updatedBy: null, time: now.toISOString() };
  await uploads.store();
  return uploads.keepUnlessRefused(async () => {
    const added = keyed.map((document) => newPrescription(document, entry));
    const changes = { ...before, prescriptions: [...before.prescriptions, ...added] };
    return commitOperation(table, before, changes, attaching);
  });
}

/** Checks an attached document by the rules of an order's creation. */
function checkAttachment(attaching: Attaching, present: DocumentTotals, { timeZone }: Business): Document {
  const { bytes, fileName, now } = attaching;
  const type = detectDocumentType(bytes);
  const dates = { ...attaching, today: localDate(now, timeZone), timeZone };
  const errors: ValidationError[] = validatePrescriptionDates(dates).map(({ field, ...message }) => ({
    path: [field],
    ...message,
  }));
  const totals = { count: present.count + 1, bytes: present.bytes + bytes.length };
  errors.push(...checkAllDocuments(totals, ['order']));
  if (bytes.length > MAX_DOCUMENT_BYTES) errors.push({ path: ['file'], code: 'document_too_large' });
  if (!type) errors.push({ path: ['file'], code: 'not_a_document' });
  refuseInvalid(errors);
  if (!type) throw new Error('a document without errors has a type');
  return { bytes, type, name: documentName(fileName, totals.count, type) };
}
