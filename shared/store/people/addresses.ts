import * as z from 'zod';
import { type Invoicing, invoicing, shipping } from '../../api/people/addresses.ts';
import { INVOICING_START, userKey } from '../keys.ts';
import { parseItem } from '../parse-item.ts';
import type { Item, Table } from '../table.ts';
import { type Fates, shareFate } from './fates.ts';

/** A shipping address as stored, in the shape of the answer. Texts that were not sent are ''. */
export const storedShipping = z.object(shipping.shape);

/** The receiver of an invoice as stored; the same conventions. */
export const storedInvoicing = z.object(invoicing.shape);

/** Parses a stored receiver. Throws InvalidItem. */
export const parseInvoicing = (item: Item): Invoicing => parseItem(storedInvoicing, item, 'invoicing');

// Each invoice for another receiver keeps one, so that years of orders make some hundred.
const MOST_READ = 1_000;
const RECEIVERS = { where: 'begins_with(sk, :start)', values: { ':start': INVOICING_START } };

/** Returns the receivers that are kept for a user, by descending id; one query. Of more than 1,000 some are left out. */
export async function listReceivers(table: Table, client: number, user: number): Promise<Invoicing[]> {
  const items = await table.first({ pk: userKey(client, user).pk, ...RECEIVERS }, MOST_READ);
  return items.map(parseInvoicing).sort((one, other) => other.id - one.id);
}

/** Tax law requires what a CFDI 4.0 names of its receiver (SAT, Anexo 20). */
export const RECEIVER_FATES: Fates<Invoicing> = {
  ...shareFate('impersonal', 'id', 'created_at', 'updated_at', 'updated_by'),
  ...shareFate('tax record', 'full_name', 'rfc', 'zipcode', 'cfdi_use', 'fiscal_regime'),
  ...shareFate('blank', 'street', 'exterior_number', 'neighborhood', 'city', 'state', 'country', 'email'),
  latitude: 'null',
  longitude: 'null',
};
