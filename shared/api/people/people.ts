import * as z from 'zod';
import { contract } from '../contract.ts';
import {
  date,
  deletedAt,
  email,
  normalized,
  optionalText,
  recordId,
  requiredText,
  shownText,
  stamps,
  type Text,
  timestamp,
  withOptional,
} from '../fields.ts';
import { invoicing, shipping } from './addresses.ts';

const SEX = 'Sex: `M` for male, `F` for female.';

const person = (required: Text, optional: Text) => ({
  first_name: required(30).describe('First name.'),
  last_name: required(100).describe('First surname.'),
  phone: optional(25).describe('Telephone as `+`, country code and number; unique within the client.'),
  second_last_name: optional(100).describe('Second surname.'),
  sex: z.enum(['M', 'F']).describe(SEX),
  birthdate: date.describe('Date of birth.'),
  medical_condition: optional(100).describe('Conditions that the pharmacy should know of.'),
});
const EMAIL = 'E-mail address, unique within the client.';

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
      'The person whom an order is for; registered with the order when the e-mail is not known yet. What a doctor sends of a known patient stays with the order, which shows it.',
  });
export type UserInput = z.infer<typeof userInput>;

const shown = person(shownText, shownText);

/** Fields that the reader may not see are null. */
export const user = z
  .strictObject({
    id: recordId,
    email: shownText(254).nullable().describe(EMAIL),
    ...shown,
    phone: shown.phone.nullable(),
    second_last_name: shown.second_last_name.nullable(),
    sex: shown.sex.nullable().describe(`${SEX} Null when unknown.`),
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

export const MAX_PROFILE_RECORDS = 100;

export const profile = z
  .strictObject({
    ...user.shape,
    default_shipping: patient.shape.default_shipping.describe(
      'The address for orders that name none, by id; null for a user who is no patient or has none.',
    ),
    default_invoicing: patient.shape.default_invoicing.describe(
      'The first tax data kept for the patient, by id; null for a user who is no patient or has none.',
    ),
    shipping_records: z.array(shipping).describe('The address that is kept for the patient, if there is one.'),
    invoicing_records: z
      .array(invoicing)
      .max(MAX_PROFILE_RECORDS)
      .describe(
        `The tax data kept for the patient, the default one and then the latest first, at most ${MAX_PROFILE_RECORDS}; an invoice can be requested by their ids.`,
      ),
  })
  .meta({ id: 'Profile', description: 'The caller as a person, with the records that are kept for a patient.' });
export type Profile = z.infer<typeof profile>;

export const profileContract = contract({
  operationId: 'getProfile',
  tag: 'Access',
  summary: 'Read one’s own profile',
  description: 'The user of the access token, with the addresses and tax data that are kept of a patient.',
  authentication: 'user',
  answers: { 200: profile },
});

const { email: _, ...changeable } = userInput.shape;

export const updateProfileContract = contract({
  operationId: 'updateProfile',
  tag: 'Access',
  summary: 'Change one’s own profile',
  description:
    'Changes the fields that are sent, by the rules of a new order; an empty `phone`, `second_last_name` or `medical_condition` removes it. Orders keep the data of their last change.',
  authentication: 'user',
  body: z
    .object(withOptional(changeable, ['first_name', 'last_name']))
    .meta({ id: 'UpdateProfileRequest', description: 'The fields of a profile that change.' }),
  refusals: ['rebuilding'],
  answers: { 200: profile },
});
export type UpdateProfileRequest = z.infer<typeof updateProfileContract.body>;

export const tokenContract = contract({
  operationId: 'issueToken',
  tag: 'Access',
  summary: 'Log a user in',
  description: 'Gives an access token for an e-mail and password, and sets it as the cookie `__Host-access` too.',
  authentication: 'client',
  // Any text is accepted as an e-mail: an impossible account is answered like a wrong password.
  body: z
    .object({
      email: requiredText(254).describe('E-mail address of the user.'),
      password: normalized(128).min(1).max(128).describe('Password of the user.'),
    })
    .meta({ id: 'TokenRequest', description: 'The credentials of a user.' }),
  answerHeaders: ['Set-Cookie'],
  refusals: ['wrong_credentials', 'too_many_attempts'],
  answers: {
    200: z
      .strictObject({
        access: z
          .string()
          .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)
          .describe('JWT to be sent as `Authorization: Bearer`; its claim `access_lifetime` is its life in seconds.'),
      })
      .meta({ id: 'AccessToken', description: 'A short-lived access token of one user.' }),
  },
});
