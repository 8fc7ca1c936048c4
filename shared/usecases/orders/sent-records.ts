import type { InvoicingInput, ShippingInput } from '../../api/addresses.ts';
import type { InvoicingRecord, ShippingRecord } from '../../store/people/addresses.ts';

// Records as they are stored, of what was sent for them.

export type Stamp = { readonly createdAt: string; readonly updatedAt: string; readonly updatedBy: number };

export const shippingRecordOf = (sent: ShippingInput, id: number, stamp: Stamp): ShippingRecord => ({
  id,
  name: sent.name ?? '',
  street: sent.street,
  exteriorNumber: sent.exterior_number,
  interiorNumber: sent.interior_number ?? '',
  neighborhood: sent.neighborhood,
  city: sent.city,
  state: sent.state,
  country: sent.country,
  zipcode: sent.zipcode,
  phone: sent.phone,
  additionalInfo: sent.additional_info ?? '',
  latitude: sent.latitude ?? null,
  longitude: sent.longitude ?? null,
  ...stamp,
});

export const invoicingRecordOf = (sent: InvoicingInput, id: number, stamp: Stamp): InvoicingRecord => ({
  id,
  fullName: sent.full_name,
  rfc: sent.rfc,
  street: sent.street,
  exteriorNumber: sent.exterior_number,
  neighborhood: sent.neighborhood,
  city: sent.city,
  state: sent.state,
  country: sent.country,
  zipcode: sent.zipcode,
  cfdiUse: sent.cfdi_use,
  fiscalRegime: sent.fiscal_regime,
  email: sent.email ?? '',
  latitude: sent.latitude ?? null,
  longitude: sent.longitude ?? null,
  ...stamp,
});
