import * as z from 'zod';
import { contract } from '../contract.ts';
import { invoicing, shipping } from './addresses.ts';
import { patient, user } from './people.ts';

/** The most records of a kind that a profile has. */
export const MAX_PROFILE_RECORDS = 100;

const profile = z
  .strictObject({
    ...user.shape,
    default_shipping: patient.shape.default_shipping.describe(
      'The address for orders that name none, by id; null for who is no patient or has none.',
    ),
    default_invoicing: patient.shape.default_invoicing.describe(
      'The first tax data kept for the patient, by id; null for who is no patient or has none.',
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
  caching: 'never',
  answers: { 200: profile },
});
