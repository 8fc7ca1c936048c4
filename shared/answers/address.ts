import type { Invoicing, Shipping, Store } from '../api/addresses.ts';
import type { CatalogStore } from '../catalog/catalog.ts';
import type { Role } from '../domain/role.ts';
import type { InvoicingRecord, ShippingRecord } from '../store/people/addresses.ts';

const representAddress = (record: Omit<ShippingRecord, 'updatedBy'>) => ({
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
});

export const representShipping = (record: ShippingRecord): Shipping => ({
  ...representAddress(record),
  updated_by: record.updatedBy,
});

export const representStore = (store: CatalogStore): Store => ({
  ...representAddress(store),
  company_name: store.companyName,
  business_hours: store.businessHours,
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
