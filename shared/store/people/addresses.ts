import * as z from 'zod';
import { type Invoicing, invoicing, shipping } from '../../api/addresses.ts';
import { parseItem } from '../parse-item.ts';
import type { Item } from '../table.ts';
import type { Fates } from './fates.ts';

/** A shipping address as stored, which is as it is shown. Absent texts are ''. */
export const storedShipping = z.object(shipping.shape);

/** Whom an invoice is made out to, as stored; the same conventions. */
export const storedInvoicing = z.object(invoicing.shape);

/** The receiver of a stored item. Throws InvalidItem. */
export const parseInvoicing = (item: Item): Invoicing => parseItem(storedInvoicing, item, 'invoicing');

/** What tax law wants to be kept of a receiver is what a CFDI 4.0 names (SAT, Anexo 20). */
export const RECEIVER_FATES: Fates<Invoicing> = {
  id: 'impersonal',
  full_name: 'tax record',
  rfc: 'tax record',
  street: 'blank',
  exterior_number: 'blank',
  neighborhood: 'blank',
  city: 'blank',
  state: 'blank',
  country: 'blank',
  zipcode: 'tax record',
  cfdi_use: 'tax record',
  fiscal_regime: 'tax record',
  email: 'blank',
  latitude: 'null',
  longitude: 'null',
  created_at: 'impersonal',
  updated_at: 'impersonal',
  updated_by: 'impersonal',
};
