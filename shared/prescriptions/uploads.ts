import { randomUUID } from 'node:crypto';
import type { PrescriptionInput } from '../api/orders/order-parts.ts';
import { Refusal, type ValidationError } from '../domain/refusal.ts';
import { localDate } from '../domain/working-day.ts';
import type { PlainCode } from '../messages/messages.ts';
import type { OrderPrescription } from '../order/order-parts.ts';
import type { Business } from '../runtime/config.ts';
import { type Document, type Documents, PRESCRIPTIONS_FOLDER } from '../store/documents.ts';
import {
  decodeBase64Strictly,
  detectDocumentType,
  documentName,
  hashDocument,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENTS_BYTES_PER_ORDER,
  MAX_DOCUMENTS_PER_ORDER,
} from './rules/document.ts';
import { validatePrescriptionDates } from './rules/prescription.ts';

type Upload = {
  readonly prescriptions: readonly PrescriptionInput[];
  readonly path: ValidationError['path'];
  readonly present: DocumentTotals;
};
type Context = { readonly business: Business; readonly now: Date };

/** Reports all errors of documents and dates together. */
export function checkDocuments(
  { prescriptions, path, present }: Upload,
  context: Context,
): { value: Document[]; errors: ValidationError[] } {
  const value: Document[] = [];
  const errors: ValidationError[] = [];
  for (const [index, prescription] of prescriptions.entries()) {
    const { document, code } = checkDocument(prescription, present.count + index + 1);
    if (document) value.push(document);
    if (code) errors.push({ path: [...path, index, 'document'], code });
    errors.push(...checkDates(prescription, [...path, index], context));
  }
  const bytes = value.reduce((sum, document) => sum + document.bytes.length, present.bytes);
  errors.push(...checkAllDocuments({ count: present.count + prescriptions.length, bytes }, path));
  return { value, errors };
}

export type DocumentTotals = { readonly count: number; readonly bytes: number };

export async function measureDocuments(
  documents: Documents,
  prescriptions: readonly { readonly documentKey: string }[],
): Promise<DocumentTotals> {
  const sizes = await documents.sizes(prescriptions.map(({ documentKey }) => documentKey));
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

export function checkAllDocuments({ count, bytes }: DocumentTotals, path: ValidationError['path']): ValidationError[] {
  const errors: ValidationError[] = [];
  if (bytes > MAX_DOCUMENTS_BYTES_PER_ORDER) errors.push({ path, code: 'documents_too_large' });
  if (count > MAX_DOCUMENTS_PER_ORDER) {
    errors.push({ path, code: 'too_many_documents', values: { maximum: MAX_DOCUMENTS_PER_ORDER } });
  }
  return errors;
}

/** `number`: the document's place in its order, from 1. */
function checkDocument(input: PrescriptionInput, number: number): { document?: Document; code?: PlainCode } {
  const bytes = decodeBase64Strictly(input.document);
  if (!bytes) return { code: 'not_base64' };
  if (bytes.length > MAX_DOCUMENT_BYTES) return { code: 'document_too_large' };
  const type = detectDocumentType(bytes);
  if (!type) return { code: 'not_a_document' };
  return { document: { bytes, type, name: documentName(input.document_name, number, type) } };
}

type Dated = { readonly issue_date: string; readonly expiring_date?: string | null | undefined };

export function checkDates(
  { issue_date: issueDate, expiring_date: expiringDate = null }: Dated,
  path: ValidationError['path'],
  { business: { timeZone }, now }: Context,
): ValidationError[] {
  const errors = validatePrescriptionDates({ issueDate, expiringDate, today: localDate(now, timeZone), timeZone });
  return errors.map(({ field, ...message }) => ({ path: [...path, field], ...message }));
}

/** The fields of a prescription's document, which only `Uploads.store` returns. */
export type StoredDocument = Pick<
  OrderPrescription,
  'documentKey' | 'documentName' | 'documentType' | 'documentHash' | 'scan'
>;

/** A request's documents, stored once however often the order is tried. */
export class Uploads {
  readonly #documents: Documents;
  #stored: readonly StoredDocument[] = [];

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** Stores documents under new keys, the first time. Throws Refusal `unavailable`. */
  async store(documents: readonly Document[]): Promise<readonly StoredDocument[]> {
    if (this.#stored.length > 0) return this.#stored;
    const keyed = documents.map((document) => ({ ...document, key: `${PRESCRIPTIONS_FOLDER}${randomUUID()}` }));
    await this.#documents.store(keyed);
    const scan = this.#documents.isScanned ? ({ scan: 'pending' } as const) : {};
    this.#stored = keyed.map(({ key: documentKey, name: documentName, type: documentType, bytes }) => {
      return { documentKey, documentName, documentType, documentHash: hashDocument(bytes), ...scan };
    });
    return this.#stored;
  }

  /** Runs `place`, and removes the documents if it is refused for certain. */
  async keepUnlessRefused<Result>(place: () => Promise<Result>): Promise<Result> {
    try {
      return await place();
    } catch (error) {
      // After an unknown outcome the order may have them; the sweep removes those that it does not need.
      if (error instanceof Refusal && error.code !== 'unavailable') await this.discard();
      throw error;
    }
  }

  async discard(): Promise<void> {
    await this.#documents.remove(this.#stored.map(({ documentKey }) => documentKey));
  }
}

/** Returns unverified prescriptions; `inputs`, `documents` and `ids` match by index. */
export function toPrescriptions(
  inputs: readonly Dated[],
  { documents, ids }: { readonly documents: readonly StoredDocument[]; readonly ids: readonly number[] },
  { updatedBy, time }: { readonly updatedBy: number | null; readonly time: string },
): OrderPrescription[] {
  return documents.map((document, index) => ({
    id: ids[index] as number,
    issueDate: inputs[index]?.issue_date as string,
    expiringDate: inputs[index]?.expiring_date ?? null,
    ...document,
    verification: null,
    rejection: null,
    prescriber: null,
    createdAt: time,
    updatedAt: time,
    updatedBy,
  }));
}
