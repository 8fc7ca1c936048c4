import type { Invoicing } from '../api/people/addresses.ts';
import type { UpdateProfileRequest, UserInput } from '../api/people/people.ts';
import { refusedToOperator } from '../domain/operator-refusal.ts';
import { Refusal, refuseInvalid, unavailable, type ValidationError } from '../domain/refusal.ts';
import { localDate } from '../domain/working-day.ts';
import { emailKey, invoicingKey, phoneKey, userKey } from '../store/keys.ts';
import { toItem } from '../store/parse-item.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import { PRESENT, type Table, type Write } from '../store/table.ts';
import { ConditionFailed } from '../store/table-failures.ts';
import { toUpdate } from '../store/update.ts';
import { indexName } from './name-index.ts';
import { parsePhone } from './rules/roles.ts';
import { createUserWrites, markWrite, takenRefusal, type UserRecord, unindexUnstored } from './users.ts';

const FIELDS = [
  'email',
  'firstName',
  'lastName',
  'secondLastName',
  'phone',
  'sex',
  'birthdate',
  'medicalCondition',
] as const satisfies readonly (keyof UserRecord)[];

/** Changeable by orders and operators. The password is left out, as it must never be written back from a copy. */
const CHANGEABLE_FIELDS = [...FIELDS, 'defaultShipping', 'defaultInvoicing', 'unconfirmed'] as const;

const NOT_BEING_ERASED = 'attribute_not_exists(erasingAt)';

/** Returns the check that a patient exists and is not being erased, for every transaction that writes copies of them. */
export const patientCheck = ({ clientId, id }: Pick<UserRecord, 'clientId' | 'id'>): Write => ({
  ConditionCheck: { Key: userKey(clientId, id), ConditionExpression: `${PRESENT} AND ${NOT_BEING_ERASED}` },
});

/**
 * Returns the writes from `before` (null if not registered) to `after`, including the marks that keep e-mail and phone unique;
 * only a check if nothing differs. Their conditions fail if the patient changed meanwhile or is being erased; the user's write
 * comes first. A new e-mail ends all access tokens.
 */
export function patientWrites(before: UserRecord | null, after: UserRecord, time: string): Write[] {
  if (!before) return createUserWrites(after);
  const fields = changedFields(before, after);
  if (fields.length === 0) return [patientCheck(before)];
  const changed = Object.fromEntries(fields.map((field) => [field, after[field]]));
  const update = toUpdate(userKey(before.clientId, before.id), {
    set: { ...changed, updatedAt: time, version: before.version + 1 },
    add: fields.includes('email') ? { credentialsVersion: 1 } : {},
    where: `version = :before AND ${NOT_BEING_ERASED}`,
    values: { ':before': before.version },
  });
  return [{ Update: update }, ...phoneWrites(before, after), ...emailWrites(before, after)];
}

/** Addresses are compared as JSON: an equal copy is no change. */
export const changedFields = (before: UserRecord, after: UserRecord): (keyof UserRecord)[] =>
  CHANGEABLE_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

function phoneWrites({ clientId, phone: old }: UserRecord, after: UserRecord): Write[] {
  if (old === after.phone) return [];
  return [
    ...(old === '' ? [] : [{ Delete: { Key: phoneKey(clientId, old) } }]),
    ...(after.phone === '' ? [] : [markWrite(phoneKey(clientId, after.phone), after)]),
  ];
}

const emailWrites = ({ clientId, email: old }: UserRecord, after: UserRecord): Write[] =>
  old === after.email
    ? []
    : [{ Delete: { Key: emailKey(clientId, old) } }, markWrite(emailKey(clientId, after.email), after)];

export const invoicingWrite = ({ clientId, id }: UserRecord, invoicing: Invoicing): Write => ({
  Put: { Item: toItem(invoicingKey(clientId, id, invoicing.id), invoicing) },
});

/** The fields that an operator or the user may change; undefined leaves one as it is. `email` is in lower case, `phone` E.164 or ''. */
export type UserChanges = { readonly [Field in (typeof FIELDS)[number]]?: UserRecord[Field] | undefined };

/**
 * Changes a user's own fields, but not the copies in their orders. A new e-mail ends all access tokens. Throws `email_taken` or
 * `phone_taken`, and `move_not_allowed` if the user changed meanwhile or is being erased.
 */
export async function changeUser(
  table: Table,
  before: UserRecord,
  changes: UserChanges,
  now: Date,
): Promise<UserRecord> {
  await refuseWhilePaused(table, before.clientId);
  const fields = FIELDS.filter((field) => changes[field] !== undefined);
  const values = Object.fromEntries(fields.map((field) => [field, changes[field]]));
  const unconfirmed = before.unconfirmed.filter((field) => !(field in values));
  const after: UserRecord = { ...before, ...values, unconfirmed };
  if (before.role === 'patient') await indexName(table, before, after);
  const updatedAt = now.toISOString();
  const writes = patientWrites(before, after, updatedAt);
  try {
    await table.transact(writes);
  } catch (error) {
    await unindexUnstored(table, before, error);
    if (!(error instanceof ConditionFailed)) throw error;
    // The first write is the user's.
    throw error.failed.includes(0) ? refusedToOperator('user_changed', {}) : takenRefusal(error, writes);
  }
  return changedFields(before, after).length === 0 ? after : { ...after, updatedAt };
}

type When = { readonly now: Date; readonly timeZone: string };

/** Returns the errors of a person's data that no schema finds. */
export function personErrors(
  { phone, birthdate }: Pick<UserInput, 'phone' | 'birthdate'>,
  path: ValidationError['path'],
  { now, timeZone }: When,
): ValidationError[] {
  const today = localDate(now, timeZone);
  return [
    ...(phone && !parsePhone(phone) ? [{ path: [...path, 'phone'], code: 'not_a_phone' } as const] : []),
    ...(birthdate && birthdate > today
      ? [{ path: [...path, 'birthdate'], code: 'date_in_the_future', values: { today, timeZone } } as const]
      : []),
  ];
}

/** Changes a user's own profile. Throws `invalid_input`, or `unavailable` if it was changed at the same time. */
export async function updateProfile(
  before: UserRecord,
  input: UpdateProfileRequest,
  { table, ...when }: When & { readonly table: Table },
): Promise<UserRecord> {
  refuseInvalid(personErrors(input, [], when));
  const changes = {
    firstName: input.first_name,
    lastName: input.last_name,
    secondLastName: input.second_last_name,
    phone: input.phone && parsePhone(input.phone)?.e164,
    sex: input.sex,
    birthdate: input.birthdate,
    medicalCondition: input.medical_condition,
  };
  try {
    return await changeUser(table, before, changes, when.now);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'move_not_allowed') throw unavailable({ cause: error });
    throw error;
  }
}
