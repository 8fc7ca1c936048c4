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
import { type Item, startingWith, type Table } from '../store/table.ts';
import { ROLES } from './rules/roles.ts';

/** The id is also that of the role's record. `email` is in lower case, `phone` E.164 or '', `birthdate` `YYYY-MM-DD`. */
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
  deletedAt: z.string().exactOptional(),
});
export type Person = z.infer<typeof storedPerson>;

/** The optional fields that an order may bring, with their values while unknown. */
export const UNKNOWN = {
  phone: '',
  secondLastName: null,
  sex: null,
  birthdate: null,
  medicalCondition: '',
} as const satisfies Partial<Person>;
export const OPTIONAL_FIELDS = Object.keys(UNKNOWN) as (keyof typeof UNKNOWN)[];

export type Names = Pick<Person, 'firstName' | 'lastName' | 'secondLastName'>;
export const joinName = ({ firstName, lastName, secondLastName }: Names): string =>
  [firstName, lastName, secondLastName].filter(Boolean).join(' ');

export const toPerson = (user: Person): Person => storedPerson.parse(user);

/** A shipping address in the shape of the answer. Texts that were not sent are ''. */
export const storedShipping = z.object(shipping.shape);

const receiver = invoicing.shape;
/** The receiver of an invoice. An erasure leaves what tax law requires of a CFDI 4.0 (SAT, Anexo 20). */
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

type Stamp = Pick<Shipping, 'created_at' | 'updated_at' | 'updated_by'>;

export function toShipping(input: ShippingInput, id: number, stamp: Stamp): Shipping {
  const { name = '', interior_number = '', additional_info = '', latitude = null, longitude = null } = input;
  const defaults = { name, interior_number, additional_info, latitude, longitude };
  return storedShipping.parse({ ...input, ...defaults, id, ...stamp });
}

export function toInvoicing(input: InvoicingInput, id: number, stamp: Stamp): Invoicing {
  const { email = '', latitude = null, longitude = null } = input;
  return storedInvoicing.parse({ ...input, email, latitude, longitude, id, ...stamp });
}

export const parseInvoicing = (item: Item): Invoicing => parseItem(storedInvoicing, item, 'invoicing');

// A user has one for each invoice to a different receiver, some hundred in years.
const MOST_READ = 1_000;

/** Returns a user's stored receivers by descending id, at most 1,000; one query. */
export async function listReceivers(table: Table, client: number, user: number): Promise<Invoicing[]> {
  const items = await table.first({ pk: userKey(client, user).pk, ...startingWith(INVOICING_START) }, MOST_READ);
  return items.map(parseInvoicing).sort((one, other) => other.id - one.id);
}
