import type { Invoicing, InvoicingInput, Shipping, ShippingInput } from '../../api/people/addresses.ts';
import { storedInvoicing, storedShipping } from '../../store/people/addresses.ts';

export type Stamp = { readonly created_at: string; readonly updated_at: string; readonly updated_by: number };

const toPoint = ({ latitude, longitude }: Pick<ShippingInput, 'latitude' | 'longitude'>) => ({
  latitude: latitude ?? null,
  longitude: longitude ?? null,
});

/** Returns the address as stored; texts that were not sent are ''. */
export function toShipping(sent: ShippingInput, id: number, stamp: Stamp): Shipping {
  const { name = '', interior_number = '', additional_info = '' } = sent;
  return storedShipping.parse({ ...sent, name, interior_number, additional_info, ...toPoint(sent), id, ...stamp });
}

/** Returns the receiver of an invoice as stored; texts that were not sent are ''. */
export const toInvoicing = (sent: InvoicingInput, id: number, stamp: Stamp): Invoicing =>
  storedInvoicing.parse({ ...sent, email: sent.email ?? '', ...toPoint(sent), id, ...stamp });
