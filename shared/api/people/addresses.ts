import * as z from 'zod';
import type { MessageCode } from '../../messages/messages.ts';
import { findStateOfZipcode, isMexico } from '../../people/rules/address.ts';
import {
  coordinate,
  degrees,
  emailOrEmpty,
  lines,
  optional,
  optionalText,
  recordId,
  requiredText,
  shownText,
  stamps,
  type Text,
  updatedBy,
  withOptional,
  zipcode,
} from '../fields.ts';

// The API states no limit for additional_info; 2,000 characters fill a page and keep an order's item small.
const MAX_ADDITIONAL_INFO = 2_000;

// The fields that requests and answers share, with each side's kinds of text.
const street = (text: Text, code: z.ZodString) => ({
  street: text(250).describe('Street.'),
  exterior_number: text(20).describe('Number of the building.'),
  neighborhood: text(100).describe('Neighbourhood (colonia).'),
  city: text(100).describe('City.'),
  state: text(100).describe('State.'),
  country: text(100).describe('Country.'),
  zipcode: code.describe('Mexican postal code, five digits.'),
});
const place = (required: Text, free: Text, code: z.ZodString, info: z.ZodString) => ({
  ...street(required, code),
  phone: required(25).describe('Telephone to call on delivery.'),
  name: free(30).describe('Name of the address.'),
  interior_number: free(20).describe('Number of the flat, floor or unit.'),
  additional_info: info.describe('Directions that help to find the place.'),
});
const taxpayer = (required: Text, free: Text, code: z.ZodString) => ({
  full_name: required(100).describe('Name of the taxpayer as registered with SAT.'),
  rfc: required(20).describe('Tax id (RFC) of a person or company.'),
  ...street(free, code),
  zipcode: code.describe('Postal code of the tax domicile, five digits.'),
  cfdi_use: free(4).describe('Use of the invoice, by SAT’s catalog c_UsoCFDI.'),
  fiscal_regime: free(3).describe('Tax regime of the receiver, by SAT’s catalog c_RegimenFiscal.'),
});
const LATITUDE = 'Degrees north, six decimals.';
const LONGITUDE = 'Degrees east, six decimals.';
const INVOICE_EMAIL = 'E-mail address for the invoice, instead of the user’s own; empty is the same as none.';

const sentCoordinates = {
  latitude: optional(coordinate(90)).describe(LATITUDE),
  longitude: optional(coordinate(180)).describe(LONGITUDE),
};
const shownCoordinates = {
  latitude: degrees.nullable().describe(LATITUDE),
  longitude: degrees.nullable().describe(LONGITUDE),
};

export const shippingInput = z
  .object({
    ...withOptional(place(requiredText, optionalText, zipcode, lines(MAX_ADDITIONAL_INFO)), [
      'name',
      'interior_number',
      'additional_info',
    ]),
    country: requiredText(100)
      .refine(isMexico, { error: 'not_in_mexico' satisfies MessageCode, when: ({ issues }) => issues.length === 0 })
      .describe('Mexico, under any of its usual names.'),
    phone: requiredText(25).describe('Telephone to call on delivery.'),
    ...sentCoordinates,
  })
  .check(({ value, issues }) => {
    const state = issues.length === 0 ? findStateOfZipcode(value) : undefined;
    if (state === undefined) return;
    const message = 'state_of_another_zipcode' satisfies MessageCode;
    const params = { zipcode: value.zipcode, state };
    issues.push({ code: 'custom', input: value.state, path: ['state'], message, params });
  })
  .meta({
    id: 'ShippingInput',
    description: 'An address to deliver to, in Mexico; a `state` under a known name has to be that of the postal code.',
  });
export type ShippingInput = z.infer<typeof shippingInput>;

const address = {
  id: recordId,
  ...place(shownText, shownText, shownText(20), z.string()),
  ...shownCoordinates,
  ...stamps,
};

export const shipping = z
  .strictObject({ ...address, updated_by: updatedBy })
  .meta({ id: 'Shipping', description: 'An address that an order is delivered to.' });
export type Shipping = z.infer<typeof shipping>;

export const store = z
  .strictObject({
    ...address,
    company_name: shownText(100).describe('The company that runs the store.'),
    business_hours: z.string().describe('Business hours of the store.'),
  })
  .meta({ id: 'Store', description: 'A store where an order is picked up.' });
export type Store = z.infer<typeof store>;

export const invoicingInput = z
  .object({
    ...taxpayer(requiredText, optionalText, zipcode),
    email: optional(emailOrEmpty).describe(INVOICE_EMAIL),
    ...sentCoordinates,
  })
  .meta({ id: 'InvoicingInput', description: 'The tax data that an invoice is made out to.' });
export type InvoicingInput = z.infer<typeof invoicingInput>;

export const invoicing = z
  .strictObject({
    id: recordId,
    ...taxpayer(shownText, shownText, shownText(20)),
    email: shownText(254).describe(INVOICE_EMAIL),
    ...shownCoordinates,
    ...stamps,
    updated_by: updatedBy,
  })
  .meta({ id: 'Invoicing', description: 'The tax data that an order is invoiced to.' });
export type Invoicing = z.infer<typeof invoicing>;
