import * as z from 'zod';
import { date, timestamp } from './fields.ts';

export const prescriptionInput = z.object({
  document: z.string().min(1),
  issue_date: date,
  document_name: z.string().optional(),
  expiring_date: date.optional(),
});
export type PrescriptionInput = z.infer<typeof prescriptionInput>;

export const prescription = z.strictObject({
  id: z.int(),
  issue_date: date,
  patient: z.int(),
  expiring_date: date.nullable(),
  document: z.url(),
  document_name: z.string(),
  is_verified: z.boolean(),
  order: z.int().nullable(),
  updated_by: z.int().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Prescription = z.infer<typeof prescription>;
