import * as z from 'zod';
import { MAX_DOCUMENT_BYTES } from '../../domain/prescriptions/document.ts';
import type { MessageCode } from '../../messages/messages.ts';
import { date, optional, plainText, recordId, stamps, updatedBy } from '../fields.ts';

// Base64 makes four characters of three bytes; the longest `data:` prefix that is accepted has 142.
const MAX_DOCUMENT_TEXT = 4 * Math.ceil(MAX_DOCUMENT_BYTES / 3) + 142;

export const prescriptionInput = z
  .object({
    document: z
      .string()
      .min(1)
      // Zod's own maximum would count the characters of a long text, which takes 20 ms.
      .refine(({ length }) => length <= MAX_DOCUMENT_TEXT, {
        error: 'document_too_large' satisfies MessageCode,
        abort: true,
      })
      .meta({ maxLength: MAX_DOCUMENT_TEXT })
      .describe(
        'A PDF, JPEG or PNG of at most 3 MB in base64, with or without a `data:` prefix; no archive, and no PDF with scripts or files inside.',
      ),
    issue_date: date.describe('Date of issue; not in the future.'),
    document_name: optional(plainText).describe(
      'File name under which it is shown; it gets the extension of the type found.',
    ),
    expiring_date: optional(date).describe('Last day on which it is valid; neither past nor before the issue.'),
  })
  .meta({ id: 'PrescriptionInput', description: 'A prescription that comes with an order.' });
export type PrescriptionInput = z.infer<typeof prescriptionInput>;

export const prescription = z
  .strictObject({
    id: recordId,
    issue_date: date.describe('Date of issue.'),
    patient: z.int().describe('The patient, by id.'),
    expiring_date: date.nullable().describe('Last day on which it is valid.'),
    document: z.url().describe('Address of the document, good for five minutes.'),
    document_name: z.string().describe('File name under which it is shown.'),
    is_verified: z.boolean().describe('True once the pharmacy has checked it.'),
    order: z.int().nullable().describe('The order that it came with, by id.'),
    updated_by: updatedBy,
    ...stamps,
  })
  .meta({ id: 'Prescription', description: 'A prescription of an order.' });
export type Prescription = z.infer<typeof prescription>;

/** A key that a caller gives to a request, so that it can be repeated safely. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,255}$/, 'not_an_idempotency_key' satisfies MessageCode)
  .meta({ minLength: 8, maxLength: 255 })
  .optional();
