import * as z from 'zod';
import { ROLES } from '../../domain/person.ts';
import { type Fates, shareFate } from './fates.ts';

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

type Names = Pick<Person, 'firstName' | 'lastName' | 'secondLastName'>;
/** Returns first, last and second last name joined by a blank, as lists show a patient. */
export const joinName = ({ firstName, lastName, secondLastName }: Names): string =>
  [firstName, lastName, secondLastName].filter(Boolean).join(' ');

/** Returns the copy of a person that an order keeps. */
export const toPerson = (user: Person): Person => storedPerson.parse(user);
