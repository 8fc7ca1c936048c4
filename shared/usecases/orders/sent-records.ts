import type { Invoicing, InvoicingInput, Shipping, ShippingInput } from '../../api/people/addresses.ts';
import { storedInvoicing, storedShipping } from '../../store/people/addresses.ts';

export type Stamp = { readonly created_at: string; readonly updated_at: string; readonly updated_by: number };

const NOWHERE = { latitude: null, longitude: null };

/** Returns the address as stored; texts that were not sent are ''. */
export const toShipping = (sent: ShippingInput, id: number, stamp: Stamp): Shipping =>
  storedShipping.parse({ name: '', interior_number: '', additional_info: '', ...NOWHERE, ...sent, id, ...stamp });

/** Returns the receiver of an invoice as stored; texts that were not sent are ''. */
export const toInvoicing = (sent: InvoicingInput, id: number, stamp: Stamp): Invoicing =>
  storedInvoicing.parse({ email: '', ...NOWHERE, ...sent, id, ...stamp });
