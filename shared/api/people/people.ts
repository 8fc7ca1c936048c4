import * as z from 'zod';
import {
  date,
  deletedAt,
  email,
  optionalText,
  recordId,
  requiredText,
  shownText,
  stamps,
  type Text,
  timestamp,
  withOptional,
} from '../fields.ts';

/** Makes the fields of a person that requests and answers have in common. */
const person = (required: Text, optional: Text) => ({
  first_name: required(30).describe('First name.'),
  last_name: required(100).describe('First surname.'),
  phone: optional(25).describe('Telephone as `+`, country code and number; unique within the client.'),
  second_last_name: optional(100).describe('Second surname.'),
  sex: z.enum(['M', 'F']).describe('Sex, `M` or `F`.'),
  birthdate: date.describe('Date of birth.'),
  medical_condition: optional(100).describe('Conditions that the pharmacy should know of.'),
});
const EMAIL = 'E-mail address, unique within the client.';

/** The person of a new order. */
export const userInput = z
  .object({
    email: email.describe(EMAIL),
    ...withOptional(person(requiredText, optionalText), [
      'phone',
      'second_last_name',
      'sex',
      'birthdate',
      'medical_condition',
    ]),
  })
  .meta({
    id: 'UserInput',
    description:
      'The person whom an order is for; registered with the order when the e-mail is not known yet. What a doctor sends of a known patient stays with the order.',
  });
export type UserInput = z.infer<typeof userInput>;

const shown = person(shownText, shownText);

/** A person in an answer; fields that the reader may not see are null. */
export const user = z
  .strictObject({
    id: recordId,
    email: shownText(254).nullable().describe(EMAIL),
    ...shown,
    phone: shown.phone.nullable(),
    second_last_name: shown.second_last_name.nullable(),
    sex: shown.sex.nullable().describe('Sex, `M` or `F`; null when unknown.'),
    birthdate: shown.birthdate.nullable().describe('Date of birth; null when unknown.'),
    medical_condition: shown.medical_condition.nullable(),
    date_joined: timestamp.nullable().describe('Time of registration.'),
    created_at: stamps.created_at.nullable(),
    updated_at: stamps.updated_at.nullable(),
    deleted_at: timestamp.nullable().describe('Time of erasure, after which names and e-mail are empty; null before.'),
    patient: z.string().nullable().describe('Id of the person’s record as a patient, or null.'),
    doctor: z.string().nullable().describe('Id of the person’s record as a doctor, or null.'),
    insurance_employee: z.string().nullable().describe('Id of the person’s record as an insurance employee, or null.'),
    country_code: z
      .string()
      .nullable()
      .describe('Country code of the telephone, without the plus sign; null without one.'),
    national_number: z.string().nullable().describe('The telephone without its country code; null without one.'),
    created_by: z.int().nullable().describe('The user whose order registered this person, by id.'),
    groups: z.array(z.int()).describe('Groups of the person, by id.'),
  })
  .meta({ id: 'User', description: 'A person; fields of somebody else that the reader may not see are null.' });
export type User = z.infer<typeof user>;

const insuranceCarrier = z
  .strictObject({
    id: recordId,
    name: z.string().describe('Name.'),
    ...stamps,
    deleted_at: deletedAt,
    patients: z.array(z.int()).describe('The patient shown, by id.'),
  })
  .meta({ id: 'InsuranceCarrier', description: 'An insurer of a patient.' });

export const patient = z
  .strictObject({
    id: recordId,
    user: user.describe('The person.'),
    referred_by: z.int().nullable().describe('The doctor whose order registered the patient, by id.'),
    default_shipping: z.int().nullable().describe('The address for orders that name none, by id; null for a doctor.'),
    default_invoicing: z.int().nullable().describe('The tax data kept for the patient, by id; null for a doctor.'),
    preferred_payment: z.int().nullable().describe('The card that the patient prefers, by id.'),
    insurance_carriers: z.array(insuranceCarrier).describe('The insurers of the patient.'),
  })
  .meta({ id: 'Patient', description: 'A person as a patient.' });
export type Patient = z.infer<typeof patient>;
