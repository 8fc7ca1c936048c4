import type { Invoicing, Shipping } from '../api/addresses.ts';
import type { Role } from '../domain/role.ts';
import type { InvoicingRecord, ShippingRecord } from '../store/people/addresses.ts';

export const representShipping = (record: ShippingRecord): Shipping => ({
  id: record.id,
  name: record.name,
  street: record.street,
  exterior_number: record.exteriorNumber,
  interior_number: record.interiorNumber,
  neighborhood: record.neighborhood,
  city: record.city,
  state: record.state,
  country: record.country,
  zipcode: record.zipcode,
  phone: record.phone,
  additional_info: record.additionalInfo,
  latitude: record.latitude,
  longitude: record.longitude,
  created_at: record.createdAt,
  updated_at: record.updatedAt,
  updated_by: record.updatedBy,
});

/** A doctor sees a record that they sent themselves, not what the patient or others asked to be invoiced to. */
export const representInvoicingFor = (
  reader: { readonly id: number; readonly role: Role },
  record: InvoicingRecord,
): Invoicing | null => (reader.role === 'doctor' && record.updatedBy !== reader.id ? null : representInvoicing(record));

const representInvoicing = (record: InvoicingRecord): Invoicing => ({
  id: record.id,
  full_name: record.fullName,
  rfc: record.rfc,
  street: record.street,
  exterior_number: record.exteriorNumber,
  neighborhood: record.neighborhood,
  city: record.city,
  state: record.state,
  country: record.country,
  zipcode: record.zipcode,
  cfdi_use: record.cfdiUse,
  fiscal_regime: record.fiscalRegime,
  email: record.email,
  latitude: record.latitude,
  longitude: record.longitude,
  created_at: record.createdAt,
  updated_at: record.updatedAt,
  updated_by: record.updatedBy,
});
