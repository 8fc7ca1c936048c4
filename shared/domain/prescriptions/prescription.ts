import type { Message } from '../../messages/messages.ts';
import { opensAsArchive } from './archives.ts';
import { isWholeJpeg, isWholePng } from './image-structure.ts';
import { hasActiveContent } from './pdf-actions.ts';

export const DOCUMENT_TYPES = ['application/pdf', 'image/jpeg', 'image/png'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

/** Bounds of what a request may carry, in decoded bytes; base64 makes 4 MB into 5.3, just below the largest body. */
export const MAX_DOCUMENT_BYTES = 3 * 1024 * 1024;
export const MAX_DOCUMENTS_PER_ORDER = 10;
export const MAX_DOCUMENTS_BYTES_PER_ORDER = 4 * 1024 * 1024;

const DATA_PREFIX = /^data:[\w.+-]{1,64}\/[\w.+-]{1,64};base64,/;

/**
 * Decodes a base64 text: standard alphabet, padded, canonical, no white space; a `data:<type>;base64,` prefix is
 * dropped and its type not believed. Undefined for anything else and for no bytes at all.
 */
export function decodeBase64Strictly(text: string): Uint8Array | undefined {
  const encoded = text.replace(DATA_PREFIX, '');
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder forgives everything; that encoding gives the text back says that there was nothing to forgive.
  if (bytes.length === 0 || bytes.toString('base64') !== encoded) return undefined;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Detects the type of a document by its bytes: a whole picture, or a file that begins and ends as a PDF does. Cut-off
 * files, files with something behind them, files that open as an archive and PDFs that do something by themselves are
 * undefined, as is anything else.
 */
export function detectDocumentType(bytes: Uint8Array): DocumentType | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = detectByStructure(view);
  if (type === undefined || opensAsArchive(view)) return undefined;
  return type === 'application/pdf' && hasActiveContent(view) ? undefined : type;
}

function detectByStructure(file: Buffer): DocumentType | undefined {
  if (isPdf(file)) return 'application/pdf';
  if (isWholeJpeg(file)) return 'image/jpeg';
  return isWholePng(file) ? 'image/png' : undefined;
}

const PDF_START = Buffer.from('%PDF-');
// Readers look for the end mark in the last 1024 bytes (PDF Reference 1.7, appendix H, note 18).
const PDF_TAIL_BYTES = 1024;

function isPdf(bytes: Buffer): boolean {
  const isStart = bytes.subarray(0, PDF_START.length).equals(PDF_START);
  return isStart && bytes.subarray(-PDF_TAIL_BYTES).includes('%%EOF');
}

export type PrescriptionDateError = Message & { readonly field: 'issue_date' | 'expiring_date' };

/**
 * Returns the errors in the dates of a prescription (`YYYY-MM-DD`, `today` being the shop's local date in `timeZone`): it may
 * not be issued in the future, nor expire before today or before its issue. The same day is fine.
 */
export function validatePrescriptionDates(input: {
  issueDate: string;
  expiringDate: string | null;
  today: string;
  timeZone: string;
}): readonly PrescriptionDateError[] {
  const { issueDate, expiringDate, today, timeZone } = input;
  const values = { today, timeZone };
  const errors: PrescriptionDateError[] = [];
  if (issueDate > today) errors.push({ field: 'issue_date', code: 'date_in_the_future', values });
  if (expiringDate === null) return errors;
  if (expiringDate < today) errors.push({ field: 'expiring_date', code: 'date_in_the_past', values });
  if (expiringDate < issueDate) errors.push({ field: 'expiring_date', code: 'date_before_issue' });
  return errors;
}
