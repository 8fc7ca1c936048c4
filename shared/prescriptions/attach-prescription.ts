import { refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import { commitOperation, type Operation, refuseErased, seenOrder } from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import type { Business } from '../runtime/config.ts';
import type { Document, Documents } from '../store/documents.ts';
import type { Ids } from '../store/ids.ts';
import type { Table } from '../store/table.ts';
import { detectDocumentType, documentName, MAX_DOCUMENT_BYTES } from './rules/document.ts';
import {
  checkAllDocuments,
  checkDates,
  type DocumentTotals,
  measureDocuments,
  toPrescriptions,
  Uploads,
} from './uploads.ts';

type Attaching = Operation & {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** Both `YYYY-MM-DD`. */
  readonly issueDate: string;
  readonly expiringDate: string | null;
};
type Deps = { readonly table: Table; readonly ids: Ids; readonly documents: Documents; readonly business: Business };

/** Adds a prescription that reached the pharmacy outside the order. It is not verified yet. */
export async function attachPrescription(attaching: Attaching, deps: Deps): Promise<Order> {
  const { table, ids, documents } = deps;
  const before = await seenOrder(table, { id: attaching.id });
  refuseErased(before);
  const present = await measureDocuments(documents, before.prescriptions);
  const input = { issue_date: attaching.issueDate, expiring_date: attaching.expiringDate };
  const dateErrors = checkDates(input, [], { ...deps, now: attaching.now });
  const document = checkAttachment(attaching, present, dateErrors);
  const newIds = await ids.take('record', 1);
  const uploads = new Uploads(documents);
  const stored = await uploads.store([document]);
  return uploads.keepUnlessRefused(async () => {
    const stamp = { updatedBy: null, time: attaching.now.toISOString() };
    const additions = toPrescriptions([input], { documents: stored, ids: newIds }, stamp);
    const prescriptions = [...before.prescriptions, ...additions];
    const attached = { what: 'prescription_attached', prescriptions: additions.map(({ id }) => id) } as const;
    return commitOperation(table, before, { ...before, prescriptions }, attaching, attached);
  });
}

/** Applies the rules of an order's creation; `dateErrors` are reported with those of the document. */
function checkAttachment(
  { bytes, fileName }: Attaching,
  present: DocumentTotals,
  dateErrors: readonly ValidationError[],
): Document {
  const type = detectDocumentType(bytes);
  const totals = { count: present.count + 1, bytes: present.bytes + bytes.length };
  const errors = [...dateErrors, ...checkAllDocuments(totals, ['order'])];
  if (bytes.length > MAX_DOCUMENT_BYTES) errors.push({ path: ['file'], code: 'document_too_large' });
  if (!type) errors.push({ path: ['file'], code: 'not_a_document' });
  refuseInvalid(errors);
  if (!type) throw new Error('a document without errors has a type');
  return { bytes, type, name: documentName(fileName, totals.count, type) };
}
