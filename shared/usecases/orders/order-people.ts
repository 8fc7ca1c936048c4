import type { UserInput } from '../../api/people/people.ts';
import type { Phone } from '../../domain/phone.ts';
import { refuseInvalid, type ValidationError } from '../../domain/refusal.ts';
import type { PlainCode } from '../../messages/messages.ts';
import { emailKey, type Key, phoneKey, userKey } from '../../store/keys.ts';
import type { SentPerson } from '../../store/orders/order.ts';
import { type Holder, newUser, parseHolder, parseUser, type UserRecord } from '../../store/people/users.ts';
import type { Item, Table } from '../../store/table.ts';
import { requireUser, type UserCaller } from '../access/authenticate.ts';

export type OrderPeople = {
  /** The user who places the order. */
  readonly actor: UserRecord;
  /** The patient as stored; null if the order registers them. */
  readonly known: UserRecord | null;
};

type Asked = { readonly caller: UserCaller; readonly user: UserInput; readonly phone: Phone | null };

/** Returns the keys of the items that tell who the people of an order are. */
export function peopleKeys({ caller, user, phone }: Asked): Key[] {
  const client = caller.client.id;
  const keys = [userKey(client, caller.user.id), emailKey(client, user.email)];
  return phone ? [...keys, phoneKey(client, phone.e164)] : keys;
}

/**
 * Finds the actor and the patient in the items read, with at most one more round trip. Refuses another's e-mail or
 * phone.
 */
export async function findPeople(
  table: Table,
  asked: Asked,
  read: readonly (Item | undefined)[],
): Promise<OrderPeople> {
  const [actorItem, emailHolder, phoneHolder] = read;
  const actor = requireUser(actorItem, asked.caller.user);
  const { email } = asked.user;
  if (actor.role === 'patient' && actor.email !== email) refuseInvalid([userError('email', 'not_oneself')]);
  const holders = { email: readHolder(emailHolder), phone: readHolder(phoneHolder) };
  // A batch is no snapshot: it may read the phone of a new user and not yet the e-mail.
  const found = await findHolder(table, actor, holders.email ?? holders.phone);
  const known = found?.email === email ? found : null;
  refuseInvalid(takenErrors(known, holders));
  return { actor, known };
}

const readHolder = (item: Item | undefined) => item && parseHolder(item);
const userError = (field: 'email' | 'phone', code: PlainCode): ValidationError => ({ path: ['user', field], code });

async function findHolder(table: Table, actor: UserRecord, holder: Holder | undefined): Promise<UserRecord | null> {
  if (!holder) return null;
  if (holder.userId === actor.id) return actor;
  const item = await table.get(userKey(actor.clientId, holder.userId));
  if (!item) throw new Error('a mark is held by nobody');
  return parseUser(item);
}

function takenErrors(known: UserRecord | null, { phone }: { phone: Holder | undefined }): ValidationError[] {
  return [
    ...(known && known.role !== 'patient' ? [userError('email', 'email_taken')] : []),
    ...(phone && phone.userId !== known?.id ? [userError('phone', 'phone_taken')] : []),
  ];
}

/** Returns the fields that were sent of the person, apart from names and e-mail. */
export function toSentPerson(user: UserInput, phone: Phone | null): SentPerson {
  return {
    ...(user.phone === undefined ? {} : { phone: phone?.e164 ?? '' }),
    ...(user.second_last_name === undefined ? {} : { secondLastName: user.second_last_name }),
    ...(user.sex === undefined ? {} : { sex: user.sex }),
    ...(user.birthdate === undefined ? {} : { birthdate: user.birthdate }),
    ...(user.medical_condition === undefined ? {} : { medicalCondition: user.medical_condition }),
  };
}

/** Returns the patient after the order: registered by it, or updated as far as the actor may. */
export function mergePatient(
  { actor, known }: OrderPeople,
  sent: { user: UserInput; person: SentPerson },
  fresh: { id: number; time: string },
): UserRecord {
  const names = { firstName: sent.user.first_name, lastName: sent.user.last_name };
  if (!known) return registerPatient(actor, sent.user.email, { ...names, ...sent.person }, fresh);
  const changes = actor.role === 'doctor' ? onlyIntoEmpty(known, sent.person) : { ...names, ...sent.person };
  return { ...known, ...changes };
}

function registerPatient(
  { id: actorId, clientId, role }: UserRecord,
  email: string,
  person: SentPerson & { firstName: string; lastName: string },
  { id, time }: { id: number; time: string },
): UserRecord {
  const input = { clientId, role: 'patient', email, secondLastName: null, phone: '', passwordHash: null } as const;
  const referredBy = role === 'doctor' ? actorId : null;
  return { ...newUser(id, { ...input, ...person }, time), ...person, createdBy: actorId, referredBy };
}

/** Returns the sent fields that are still unknown, as a doctor completes a patient's record and does not replace it. */
function onlyIntoEmpty(known: UserRecord, sent: SentPerson): SentPerson {
  const empty = Object.entries(sent).filter(([field]) => !known[field as keyof SentPerson]);
  return Object.fromEntries(empty);
}
