import { requireUser, type UserCaller } from '../access/authenticate.ts';
import type { UserInput } from '../api/people/people.ts';
import { refuseInvalid, unavailable, type ValidationError } from '../domain/refusal.ts';
import type { PlainCode } from '../messages/messages.ts';
import type { PatientOnRecord, SentPerson } from '../order/order.ts';
import { type Names, OPTIONAL_FIELDS, type Person, toPerson, UNKNOWN } from '../people/person.ts';
import type { Phone } from '../people/rules/roles.ts';
import { type Holder, newUser, parseHolder, parseUser, type UserRecord } from '../people/users.ts';
import type { Delivery } from '../quotes/delivery.ts';
import { userKey } from '../store/keys.ts';
import type { Item, Table } from '../store/table.ts';

/** The people of an order as stored. */
export type FoundPeople = {
  /** The user who places the order. */
  readonly actor: UserRecord;
  /** The user who has the patient's e-mail; null if the order registers the patient. */
  readonly emailHolder: UserRecord | null;
  /** The errors of an e-mail or a phone that somebody else has. They tell who exists, so they come after all others. */
  readonly taken: readonly ValidationError[];
};

/** The people of an order that may be placed; `registered` is its patient before it, null if it registers them. */
export type OrderPeople = { readonly actor: UserRecord; readonly registered: UserRecord | null };

type PeopleRequest = {
  readonly actor: UserRecord;
  readonly user: UserInput;
  /** The stored marks of the e-mail and the phone that were sent. */
  readonly marks: { readonly email: Item | undefined; readonly phone: Item | undefined };
  /** The delivery that was sent; null if the patient's default address is needed. */
  readonly delivery: Delivery | null;
};

/** Reads the caller once more, as a conflict may come of a change to their own record. */
export const readActor = async ({ client, user }: UserCaller, table: Table): Promise<UserRecord> =>
  requireUser(await table.get(userKey(client.id, user.id)), user);

/** Finds the patient by who has the e-mail and the phone, with at most one more round trip. */
export async function findPeople(table: Table, request: PeopleRequest): Promise<FoundPeople> {
  const { actor, user, marks } = request;
  if (actor.role === 'patient' && actor.email !== user.email) refuseInvalid([userError('email', 'not_oneself')]);
  const email = marks.email && parseHolder(marks.email);
  const phone = marks.phone && parseHolder(marks.phone);
  // A batch is no snapshot: it may read the phone of a new user and not yet the e-mail.
  const holder = await findHolder(table, email ?? phone, request);
  const emailHolder = holder?.email === user.email ? holder : null;
  return { actor, emailHolder, taken: takenErrors(emailHolder, phone) };
}

const userError = (field: 'email' | 'phone', code: PlainCode): ValidationError => ({ path: ['user', field], code });

async function findHolder(
  table: Table,
  holder: Holder | undefined,
  { actor, delivery }: PeopleRequest,
): Promise<UserRecord | null> {
  if (holder?.userId === actor.id) return actor;
  // Without a destination the order may yet be refused, which must take as long for a person whom nobody knows.
  if (!holder && !delivery) await table.get(userKey(actor.clientId, actor.id));
  if (!holder) return null;
  const item = await table.get(userKey(actor.clientId, holder.userId));
  // They were erased between the two reads.
  if (!item) throw unavailable();
  return parseUser(item);
}

function takenErrors(emailHolder: UserRecord | null, phone: Holder | undefined): ValidationError[] {
  return [
    ...(emailHolder && emailHolder.role !== 'patient' ? [userError('email', 'email_taken')] : []),
    ...(phone && phone.userId !== emailHolder?.id ? [userError('phone', 'phone_taken')] : []),
  ];
}

/**
 * Refuses an e-mail or a phone that somebody else has, and a patient who is being erased. This would tell who exists, and so
 * comes after all other refusals.
 */
export function admitPeople({ actor, emailHolder, taken }: FoundPeople): OrderPeople {
  refuseInvalid(taken);
  if (emailHolder?.erasingAt) throw unavailable();
  return { actor, registered: emailHolder };
}

/** Returns the optional fields that were sent of the person. */
export function toSentPerson(user: UserInput, phone: Phone | undefined): SentPerson {
  return {
    ...(user.phone === undefined ? {} : { phone: phone?.e164 ?? '' }),
    ...(user.second_last_name === undefined ? {} : { secondLastName: user.second_last_name }),
    ...(user.sex === undefined ? {} : { sex: user.sex }),
    ...(user.birthdate === undefined ? {} : { birthdate: user.birthdate }),
    ...(user.medical_condition === undefined ? {} : { medicalCondition: user.medical_condition }),
  };
}

/**
 * Returns the patient after the order: registered by it, or updated. What a doctor sends of a known patient stays with the
 * order.
 */
export function mergePatient(
  { actor, registered }: OrderPeople,
  input: { user: UserInput; person: SentPerson },
  fresh: { id: number; time: string },
): UserRecord {
  const names = { firstName: input.user.first_name, lastName: input.user.last_name };
  if (!registered) return registerPatient(actor, input.user.email, { ...names, ...input.person }, fresh);
  if (actor.role === 'doctor') return registered;
  return { ...registered, ...replaceUnconfirmed(registered, actor, input.person), ...names, ...input.person };
}

/** The patient as an order shows them, and what their record says instead, if it does. */
type ShownPatient = { readonly shown: Person; readonly patientOnRecord?: PatientOnRecord };

/**
 * Returns the patient as they were sent with the order, with the rest as stored. Only a doctor's order differs from what is
 * stored: it may be for a child on the mother's e-mail, whose second last name would be none of the child's. Others give the
 * record the child's names: then the names before the order tell whose the rest of it is.
 */
export function showAsSent(
  stored: UserRecord,
  registered: UserRecord | null,
  input: { user: UserInput; person: SentPerson },
): ShownPatient {
  const record = toPerson(stored);
  const names = { firstName: input.user.first_name, lastName: input.user.last_name };
  const isOtherName = names.firstName !== record.firstName || names.lastName !== record.lastName;
  const shown = { ...record, ...names, ...(isOtherName && { secondLastName: null }), ...input.person };
  const before = { ...record, ...(registered && pickNames(registered)) };
  const differing = RECORD_FIELDS.filter((field) => shown[field] !== before[field]);
  if (differing.length === 0) return { shown };
  return { shown, patientOnRecord: Object.fromEntries(differing.map((field) => [field, before[field]])) };
}

const RECORD_FIELDS = ['firstName', 'lastName', ...OPTIONAL_FIELDS] as const;

const pickNames = ({ firstName, lastName, secondLastName }: Names): Names => ({ firstName, lastName, secondLastName });

/** Returns what becomes of a doctor's fields: the patient's own order removes those that it does not replace. */
function replaceUnconfirmed({ unconfirmed }: UserRecord, { role }: UserRecord, person: SentPerson) {
  const remaining = unconfirmed.filter((field) => !(field in person));
  if (role !== 'patient') return { unconfirmed: remaining };
  return { ...Object.fromEntries(remaining.map((field) => [field, UNKNOWN[field]])), unconfirmed: [] };
}

function registerPatient(
  { id: actorId, clientId, role }: UserRecord,
  email: string,
  person: SentPerson & { firstName: string; lastName: string },
  { id, time }: { id: number; time: string },
): UserRecord {
  const input = { clientId, role: 'patient', email, secondLastName: null, phone: '', passwordHash: null } as const;
  const user = { ...newUser(id, { ...input, ...person }, time), ...person, createdBy: actorId };
  if (role !== 'doctor') return user;
  return { ...user, referredBy: actorId, unconfirmed: OPTIONAL_FIELDS.filter((field) => field in person) };
}
