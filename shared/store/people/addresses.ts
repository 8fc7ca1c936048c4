import * as z from 'zod';
import { type Invoicing, invoicing, shipping } from '../../api/people/addresses.ts';
import { parseItem } from '../parse-item.ts';
import type { Item } from '../table.ts';
import { type Fates, shareFate } from './fates.ts';

/** A shipping address as stored, in the shape of the answer. Texts that were not sent are ''. */
export const storedShipping = z.object(shipping.shape);

/** The receiver of an invoice as stored; the same conventions. */
export const storedInvoicing = z.object(invoicing.shape);

/** Parses a stored receiver. Throws InvalidItem. */
export const parseInvoicing = (item: Item): Invoicing => parseItem(storedInvoicing, item, 'invoicing');

/** Tax law requires what a CFDI 4.0 names of its receiver (SAT, Anexo 20). */
export const RECEIVER_FATES: Fates<Invoicing> = {
  ...shareFate('impersonal', 'id', 'created_at', 'updated_at', 'updated_by'),
  ...shareFate('tax record', 'full_name', 'rfc', 'zipcode', 'cfdi_use', 'fiscal_regime'),
  ...shareFate('blank', 'street', 'exterior_number', 'neighborhood', 'city', 'state', 'country', 'email'),
  latitude: 'null',
  longitude: 'null',
};
