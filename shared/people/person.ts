import * as z from 'zod';
import {
  type Invoicing,
  type InvoicingInput,
  invoicing,
  type Shipping,
  type ShippingInput,
  shipping,
} from '../api/people/addresses.ts';
import { erases } from '../domain/erasure.ts';
import { INVOICING_START, userKey } from '../store/keys.ts';
import { parseItem } from '../store/parse-item.ts';
import type { Item, Table } from '../store/table.ts';
import { ROLES } from './rules/roles.ts';

/**
 * The personal fields of a user. The record of the role (patient, doctor, insurance employee) has the id of its user.
 * `email` is in lower case, `phone` E.164 or '', `birthdate` `YYYY-MM-DD`; times are `2026-11-21T23:00:00.000Z`.
 */
export const storedPerson = z.object({
  id: z.number(),
  role: z.enum(ROLES),
  email: erases(z.string(), ''),
  firstName: erases(z.string(), ''),
  lastName: erases(z.string(), ''),
  secondLastName: erases(z.string().nullable(), null),
  phone: erases(z.string(), ''),
  sex: erases(z.enum(['M', 'F']).nullable(), null),
  birthdate: erases(z.string().nullable(), null),
  medicalCondition: erases(z.string(), ''),
  createdBy: z.number().nullable(),
  dateJoined: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The time of the person's erasure; absent before. */
  deletedAt: z.string().exactOptional(),
});
export type Person = z.infer<typeof storedPerson>;

/** The optional fields of a person that an order can bring, each with the value of what is not known. */
export const UNKNOWN = {
  phone: '',
  secondLastName: null,
  sex: null,
  birthdate: null,
  medicalCondition: '',
} as const satisfies Partial<Person>;
export const OPTIONAL_FIELDS = Object.keys(UNKNOWN) as (keyof typeof UNKNOWN)[];

export type Names = Pick<Person, 'firstName' | 'lastName' | 'secondLastName'>;
/** Returns first, last and second last name joined by a blank, as lists show a patient. */
export const joinName = ({ firstName, lastName, secondLastName }: Names): string =>
  [firstName, lastName, secondLastName].filter(Boolean).join(' ');

/** Returns the copy of a person that an order keeps. */
export const toPerson = (user: Person): Person => storedPerson.parse(user);

/** A shipping address as stored, in the shape of the answer. Texts that were not sent are ''. */
export const storedShipping = z.object(shipping.shape);

const receiver = invoicing.shape;
/**
 * The receiver of an invoice as stored; the same conventions. Where one is kept, so is what a CFDI 4.0 names of its receiver,
 * which tax law requires (SAT, Anexo 20).
 */
export const storedInvoicing = z.object({
  ...receiver,
  street: erases(receiver.street.clone(), ''),
  exterior_number: erases(receiver.exterior_number.clone(), ''),
  neighborhood: erases(receiver.neighborhood.clone(), ''),
  city: erases(receiver.city.clone(), ''),
  state: erases(receiver.state.clone(), ''),
  country: erases(receiver.country.clone(), ''),
  email: erases(receiver.email.clone(), ''),
  latitude: erases(receiver.latitude.clone(), null),
  longitude: erases(receiver.longitude.clone(), null),
});

/** When and by whom a record was written. */
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
