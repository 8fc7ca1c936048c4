import * as z from 'zod';
import { coordinate, degrees, email, lines, optionalText, requiredText, timestamp, zipcode } from './fields.ts';

// The interface leaves additional_info unbounded; this much is a generous page and keeps an order one small item.
const MAX_ADDITIONAL_INFO = 2_000;

const coordinates = {
  latitude: coordinate(90).nullable().optional(),
  longitude: coordinate(180).nullable().optional(),
};

export const shippingInput = z.object({
  street: requiredText(250),
  exterior_number: requiredText(20),
  neighborhood: requiredText(100),
  city: requiredText(100),
  state: requiredText(100),
  country: requiredText(100),
  zipcode,
  phone: requiredText(25),
  name: optionalText(30).optional(),
  interior_number: optionalText(20).optional(),
  additional_info: lines(MAX_ADDITIONAL_INFO).optional(),
  ...coordinates,
});
export type ShippingInput = z.infer<typeof shippingInput>;

const address = {
  id: z.int(),
  name: z.string().max(30),
  street: z.string().max(250),
  exterior_number: z.string().max(20),
  interior_number: z.string().max(20),
  neighborhood: z.string().max(100),
  city: z.string().max(100),
  state: z.string().max(100),
  country: z.string().max(100),
  zipcode: z.string().max(20),
  phone: z.string().max(25),
  additional_info: z.string(),
  latitude: degrees.nullable(),
  longitude: degrees.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
};

export const shipping = z.strictObject({ ...address, updated_by: z.int().nullable() });
export type Shipping = z.infer<typeof shipping>;

export const store = z.strictObject({ ...address, company_name: z.string().max(100), business_hours: z.string() });
export type Store = z.infer<typeof store>;

export const invoicingInput = z.object({
  full_name: requiredText(100),
  rfc: requiredText(20),
  street: optionalText(250),
  exterior_number: optionalText(20),
  neighborhood: optionalText(100),
  city: optionalText(100),
  state: optionalText(100),
  country: optionalText(100),
  zipcode,
  cfdi_use: optionalText(4),
  fiscal_regime: optionalText(3),
  email: email.optional(),
  ...coordinates,
});
export type InvoicingInput = z.infer<typeof invoicingInput>;

export const invoicing = z.strictObject({
  id: z.int(),
  full_name: z.string().max(100),
  rfc: z.string().max(20),
  street: z.string().max(250),
  exterior_number: z.string().max(20),
  neighborhood: z.string().max(100),
  city: z.string().max(100),
  state: z.string().max(100),
  country: z.string().max(100),
  zipcode: z.string().max(20),
  cfdi_use: z.string().max(4),
  fiscal_regime: z.string().max(3),
  email: z.string().max(254),
  latitude: degrees.nullable(),
  longitude: degrees.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.int().nullable(),
});
export type Invoicing = z.infer<typeof invoicing>;
