import type { PrescriptionInput } from '../../api/orders/prescriptions.ts';
import type { Document, Documents } from '../../documents/documents.ts';
import { documentName } from '../../domain/prescriptions/document-name.ts';
import {
  decodeBase64Strictly,
  detectDocumentType,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENTS_BYTES_PER_ORDER,
  MAX_DOCUMENTS_PER_ORDER,
  validatePrescriptionDates,
} from '../../domain/prescriptions/prescription.ts';
import type { ValidationError } from '../../domain/refusal.ts';
import { localDate } from '../../domain/working-day.ts';
import type { PlainCode } from '../../messages/messages.ts';
import type { Business } from '../../runtime/settings.ts';

/** Prescriptions that are sent for an order. */
type Sent = {
  readonly prescriptions: readonly PrescriptionInput[];
  /** Their path in the request body. */
  readonly path: ValidationError['path'];
  /** The documents that the order has already. */
  readonly present: DocumentTotals;
};
type Context = { readonly business: Business; readonly now: Date };

/** Checks the documents and dates of prescriptions; all errors go together. */
export function checkDocuments(
  { prescriptions, path, present }: Sent,
  context: Context,
): { value: Document[]; errors: ValidationError[] } {
  const checked = prescriptions.map((prescription, index) => {
    const { document, code } = checkDocument(prescription, present.count + index + 1);
    return { value: document, errors: code ? [{ path: [...path, index, 'document'], code }] : [] };
  });
  const value = checked.flatMap((document) => document.value ?? []);
  const errors = [...checked.flatMap((document) => document.errors), ...dateErrors(prescriptions, path, context)];
  const bytes = value.reduce((sum, document) => sum + document.bytes.length, present.bytes);
  errors.push(...checkAllDocuments({ count: present.count + prescriptions.length, bytes }, path));
  return { value, errors };
}

/** The number of an order's documents, and of their bytes together. */
export type DocumentTotals = { readonly count: number; readonly bytes: number };

/** Returns the totals of the documents that prescriptions have. */
export async function measureDocuments(
  documents: Documents,
  prescriptions: readonly { readonly documentKey: string }[],
): Promise<DocumentTotals> {
  const sizes = await documents.sizes(prescriptions.map(({ documentKey }) => documentKey));
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Checks what all documents of an order may be together. */
export function checkAllDocuments({ count, bytes }: DocumentTotals, path: ValidationError['path']): ValidationError[] {
  const errors: ValidationError[] = [];
  if (bytes > MAX_DOCUMENTS_BYTES_PER_ORDER) errors.push({ path, code: 'documents_too_large' });
  if (count > MAX_DOCUMENTS_PER_ORDER) {
    errors.push({ path, code: 'too_many_documents', values: { maximum: MAX_DOCUMENTS_PER_ORDER } });
  }
  return errors;
}

/** Checks a document that is the `number`th of its order. */
function checkDocument(sent: PrescriptionInput, number: number): { document?: Document; code?: PlainCode } {
  const bytes = decodeBase64Strictly(sent.document);
  if (!bytes) return { code: 'not_base64' };
  if (bytes.length > MAX_DOCUMENT_BYTES) return { code: 'document_too_large' };
  const type = detectDocumentType(bytes);
  if (!type) return { code: 'not_a_document' };
  return { document: { bytes, type, name: documentName(sent.document_name, number, type) } };
}

function dateErrors(
  prescriptions: readonly PrescriptionInput[],
  path: ValidationError['path'],
  { business: { timeZone }, now }: Context,
): ValidationError[] {
  const today = localDate(now, timeZone);
  return prescriptions.flatMap(({ issue_date: issueDate, expiring_date: expiringDate = null }, index) =>
    validatePrescriptionDates({ issueDate, expiringDate, today, timeZone }).map(({ field, ...message }) => ({
      path: [...path, index, field],
      ...message,
    })),
  );
}
