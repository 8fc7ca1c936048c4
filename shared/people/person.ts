import * as z from 'zod';
import {
  type Invoicing,
  type InvoicingInput,
  invoicing,
  type Shipping,
  type ShippingInput,
  shipping,
} from '../api/people/addresses.ts';
import { INVOICING_START, userKey } from '../store/keys.ts';
import { parseItem } from '../store/parse-item.ts';
import type { Item, Table } from '../store/table.ts';
import { ROLES } from './rules/roles.ts';

/**
 * The fate of a stored field when its patient is erased. Kept: `impersonal` tells nothing of who somebody is,
 * `tax record` has to be kept by tax law, `not theirs` is a whole record of the shop or of another person. Gone: `null`,
 * `blank` and `empty` put that in its place, `dropped` leaves an optional field out. Other objects say it of each field.
 */
type Fate<Value> =
  | (null extends Value ? 'null' : never)
  | (undefined extends Value ? 'dropped' : never)
  | ('' extends Value ? 'blank' : never)
  | (Value extends readonly unknown[] ? 'empty' : never)
  | FateOfPresent<NonNullable<Value>>;

type FateOfPresent<Value> = [Value] extends [readonly (infer Element)[]]
  ? FateOfPresent<Element>
  : [Value] extends [object]
    ? Fates<Value> | 'not theirs'
    : 'impersonal' | 'tax record';

/** The fates of all fields of a stored thing: a field without one does not compile. */
export type Fates<Stored> = { readonly [Field in keyof Stored]-?: Fate<Stored[Field]> };

/** Returns the table of fields that share a fate. */
export const shareFate = <const Shared extends string, Field extends string>(fate: Shared, ...fields: Field[]) =>
  Object.fromEntries(fields.map((field) => [field, fate])) as Record<Field, Shared>;

/** Returns what is left of a stored thing after its fates; a field without a fate is left out. */
export function applyFates<Stored extends object>(stored: Stored, fates: Fates<Stored>): Stored {
  const fateOf = fates as Readonly<Record<string, AnyFate>>;
  const kept = Object.entries(stored).flatMap(([field, value]) => {
    const fate = fateOf[field] ?? 'dropped';
    return fate === 'dropped' ? [] : [[field, applyFate(value, fate)]];
  });
  return Object.fromEntries(kept);
}

type AnyFate = 'null' | 'dropped' | 'blank' | 'empty' | 'impersonal' | 'tax record' | 'not theirs' | Fates<object>;

const REPLACEMENTS = { null: null, dropped: undefined, blank: '', empty: [] } as const;

function applyFate(value: unknown, fate: AnyFate): unknown {
  if (typeof fate === 'string') return fate in REPLACEMENTS ? REPLACEMENTS[fate as keyof typeof REPLACEMENTS] : value;
  if (Array.isArray(value)) return value.map((element) => applyFate(element, fate));
  return typeof value === 'object' && value !== null ? applyFates(value, fate) : value;
}

/**
 * The personal fields of a user. The record of the role (patient, doctor, insurance employee) has the id of its user.
 * `email` is in lower case, `phone` E.164 or '', `birthdate` `YYYY-MM-DD`; times are `2026-11-21T23:00:00.000Z`.
 */
export const storedPerson = z.object({
  id: z.number(),
  role: z.enum(ROLES),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  secondLastName: z.string().nullable(),
  phone: z.string(),
  sex: z.enum(['M', 'F']).nullable(),
  birthdate: z.string().nullable(),
  medicalCondition: z.string(),
  createdBy: z.number().nullable(),
  dateJoined: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The time of the person's erasure; absent before. */
  deletedAt: z.string().exactOptional(),
});
export type Person = z.infer<typeof storedPerson>;

export const PERSON_FATES: Fates<Person> = {
  ...shareFate('impersonal', 'id', 'role', 'createdBy', 'dateJoined', 'createdAt', 'updatedAt', 'deletedAt'),
  ...shareFate('blank', 'email', 'firstName', 'lastName', 'phone', 'medicalCondition'),
  secondLastName: 'null',
  sex: 'null',
  birthdate: 'null',
};

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

/** The receiver of an invoice as stored; the same conventions. */
export const storedInvoicing = z.object(invoicing.shape);

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

/** Tax law requires what a CFDI 4.0 names of its receiver (SAT, Anexo 20). */
export const RECEIVER_FATES: Fates<Invoicing> = {
  ...shareFate('impersonal', 'id', 'created_at', 'updated_at', 'updated_by'),
  ...shareFate('tax record', 'full_name', 'rfc', 'zipcode', 'cfdi_use', 'fiscal_regime'),
  ...shareFate('blank', 'street', 'exterior_number', 'neighborhood', 'city', 'state', 'country', 'email'),
  latitude: 'null',
  longitude: 'null',
};
