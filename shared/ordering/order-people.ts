import { requireUser, type UserCaller } from '../access/authenticate.ts';
import type { UserInput } from '../api/people/people.ts';
import { refuseInvalid, unavailable, type ValidationError } from '../domain/refusal.ts';
import type { PlainCode } from '../messages/messages.ts';
import type { PatientOnRecord, SentPerson } from '../order/order.ts';
import { OPTIONAL_FIELDS, type Person, toPerson, UNKNOWN } from '../people/person.ts';
import type { Phone } from '../people/rules/roles.ts';
import { type Holder, newUser, parseHolder, parseUser, type UserRecord } from '../people/users.ts';
import type { Delivery } from '../quotes/quote.ts';
import { userKey } from '../store/keys.ts';
import type { Item, Table } from '../store/table.ts';

export type FoundPeople = {
  readonly actor: UserRecord;
  /** The user with the patient's e-mail; null if the order registers the patient. */
  readonly emailHolder: UserRecord | null;
  /** Errors of an e-mail or phone that belongs to somebody else. They reveal who exists, so they come last. */
  readonly taken: readonly ValidationError[];
};

/** The people of an accepted order; `registered` is the patient before it, null if it registers them. */
export type OrderPeople = { readonly actor: UserRecord; readonly registered: UserRecord | null };

type PeopleRequest = {
  readonly actor: UserRecord;
  readonly user: UserInput;
  readonly marks: { readonly email: Item | undefined; readonly phone: Item | undefined };
  readonly delivery: Delivery | null;
};

/** Reads the caller again, since a conflict may come from a change of their own record. */
export const readActor = async ({ client, user }: UserCaller, table: Table): Promise<UserRecord> =>
  requireUser(await table.get(userKey(client.id, user.id)), user);

/** Finds the patient by e-mail and phone, with at most one more round trip. */
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
  // Without a destination the order may still be refused, which must take as long for an unknown person.
  if (!holder && !delivery) await table.get(userKey(actor.clientId, actor.id));
  if (!holder) return null;
  const item = await table.get(userKey(actor.clientId, holder.userId));
  // Erased between the two reads.
  if (!item) throw unavailable();
  return parseUser(item);
}

function takenErrors(emailHolder: UserRecord | null, phone: Holder | undefined): ValidationError[] {
  return [
    ...(emailHolder && emailHolder.role !== 'patient' ? [userError('email', 'email_taken')] : []),
    ...(phone && phone.userId !== emailHolder?.id ? [userError('phone', 'phone_taken')] : []),
  ];
}

/** Refuses a taken e-mail or phone, and a patient being erased. This reveals who exists, so all other checks come first. */
export function admitPeople({ actor, emailHolder, taken }: FoundPeople): OrderPeople {
  refuseInvalid(taken);
  if (emailHolder?.erasingAt) throw unavailable();
  return { actor, registered: emailHolder };
}

export function toSentPerson(user: UserInput, phone: Phone | undefined): SentPerson {
  return {
    ...(user.phone === undefined ? {} : { phone: phone?.e164 ?? '' }),
    ...(user.second_last_name === undefined ? {} : { secondLastName: user.second_last_name }),
    ...(user.sex === undefined ? {} : { sex: user.sex }),
    ...(user.birthdate === undefined ? {} : { birthdate: user.birthdate }),
    ...(user.medical_condition === undefined ? {} : { medicalCondition: user.medical_condition }),
  };
}

/** Returns the patient after the order. A doctor's data on a registered patient stays with the order. */
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

/**
 * Returns the patient with the data sent, completed from the record. A doctor may order for a child on the mother's e-mail:
 * the record's second last name is then not the child's. Other callers overwrite the record's names; the names before the
 * order then tell whose data the rest is.
 */
export function showAsSent(
  stored: UserRecord,
  registered: UserRecord | null,
  input: { user: UserInput; person: SentPerson },
): { readonly shown: Person; readonly patientOnRecord?: PatientOnRecord } {
  const record = toPerson(stored);
  const names = { firstName: input.user.first_name, lastName: input.user.last_name };
  const isOtherName = names.firstName !== record.firstName || names.lastName !== record.lastName;
  const shown = { ...record, ...names, ...(isOtherName && { secondLastName: null }), ...input.person };
  const { firstName, lastName, secondLastName } = registered ?? record;
  const before = { ...record, firstName, lastName, secondLastName };
  const differing = RECORD_FIELDS.filter((field) => shown[field] !== before[field]);
  if (differing.length === 0) return { shown };
  return { shown, patientOnRecord: Object.fromEntries(differing.map((field) => [field, before[field]])) };
}

const RECORD_FIELDS = ['firstName', 'lastName', ...OPTIONAL_FIELDS] as const;

/** A patient's own order clears the fields that a doctor filled and it does not replace. */
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
