import * as z from 'zod';

const times = { createdAt: z.string(), updatedAt: z.string(), updatedBy: z.number().nullable() };
const coordinates = { latitude: z.string().nullable(), longitude: z.string().nullable() };

/** An address as stored. Coordinates have six decimals; times are `2026-11-21T23:00:00.000Z`; absent texts are ''. */
export const shippingRecord = z.object({
  id: z.number(),
  name: z.string(),
  street: z.string(),
  exteriorNumber: z.string(),
  interiorNumber: z.string(),
  neighborhood: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  zipcode: z.string(),
  phone: z.string(),
  additionalInfo: z.string(),
  ...coordinates,
  ...times,
});
export type ShippingRecord = z.infer<typeof shippingRecord>;

/** Whom an invoice is made out to, as stored; the same conventions. */
export const invoicingRecord = z.object({
  id: z.number(),
  fullName: z.string(),
  rfc: z.string(),
  street: z.string(),
  exteriorNumber: z.string(),
  neighborhood: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  zipcode: z.string(),
  cfdiUse: z.string(),
  fiscalRegime: z.string(),
  email: z.string(),
  ...coordinates,
  ...times,
});
export type InvoicingRecord = z.infer<typeof invoicingRecord>;
