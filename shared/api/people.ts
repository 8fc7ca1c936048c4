import * as z from 'zod';
import { date, email, optionalText, requiredText, timestamp } from './fields.ts';

/** The person an order is for, as sent with the order. */
export const userInput = z.object({
  email,
  first_name: requiredText(30),
  last_name: requiredText(100),
  phone: optionalText(25).optional(),
  second_last_name: optionalText(100).nullable().optional(),
  sex: z.enum(['M', 'F']).optional(),
  birthdate: date.nullable().optional(),
  medical_condition: optionalText(100).optional(),
});
export type UserInput = z.infer<typeof userInput>;

/** A person as answered. What the reader may not see of somebody else is null. */
export const user = z.strictObject({
  id: z.int(),
  email: z.string().max(254).nullable(),
  first_name: z.string().max(30),
  last_name: z.string().max(100),
  phone: z.string().max(25).nullable(),
  second_last_name: z.string().max(100).nullable(),
  sex: z.enum(['M', 'F']).nullable(),
  birthdate: date.nullable(),
  medical_condition: z.string().max(100).nullable(),
  date_joined: timestamp.nullable(),
  created_at: timestamp.nullable(),
  updated_at: timestamp.nullable(),
  deleted_at: timestamp.nullable(),
  patient: z.string().nullable(),
  doctor: z.string().nullable(),
  insurance_employee: z.string().nullable(),
  country_code: z.string().nullable(),
  national_number: z.string().nullable(),
  created_by: z.int().nullable(),
  groups: z.array(z.int()),
});
export type User = z.infer<typeof user>;

export const insuranceCarrier = z.strictObject({
  id: z.int(),
  name: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
  deleted_at: timestamp.nullable(),
  patients: z.array(z.int()),
});

export const patient = z.strictObject({
  id: z.int(),
  user,
  referred_by: z.int().nullable(),
  default_shipping: z.int().nullable(),
  default_invoicing: z.int().nullable(),
  preferred_payment: z.int().nullable(),
  insurance_carriers: z.array(insuranceCarrier),
});
export type Patient = z.infer<typeof patient>;
