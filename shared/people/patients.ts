import type { Invoicing } from '../api/people/addresses.ts';
import { emailKey, invoicingKey, phoneKey, userKey } from '../store/keys.ts';
import { toItem } from '../store/parse-item.ts';
import { PRESENT, type Write } from '../store/table.ts';
import { createUserWrites, markWrite, type UserRecord } from './users.ts';

/**
 * The fields of a user that an order or an operator may change; no order changes the e-mail, by which it finds its patient. The
 * password is not among them, and is never written back from a copy.
 */
const CHANGEABLE_FIELDS = [
  'email',
  'firstName',
  'lastName',
  'secondLastName',
  'phone',
  'sex',
  'birthdate',
  'medicalCondition',
  'defaultShipping',
  'defaultInvoicing',
  'unconfirmed',
] as const satisfies readonly (keyof UserRecord)[];

const NOT_BEING_ERASED = 'attribute_not_exists(erasingAt)';

/** Returns the check that a patient is there and not being erased, for each transaction that writes copies of them. */
export const patientCheck = ({ clientId, id }: Pick<UserRecord, 'clientId' | 'id'>): Write => ({
  ConditionCheck: { Key: userKey(clientId, id), ConditionExpression: `${PRESENT} AND ${NOT_BEING_ERASED}` },
});

/**
 * Returns the writes that change a patient from `before` (null: not registered yet) to `after`, with the marks that
 * keep e-mail and phone unique; only a check when nothing differs. Their conditions fail if the patient was changed
 * meanwhile, or is being erased; the first of them is that of the user. Another e-mail ends all access tokens.
 */
export function patientWrites(before: UserRecord | null, after: UserRecord, time: string): Write[] {
  if (!before) return createUserWrites(after);
  const changed = changedFields(before, after);
  if (changed.length === 0) return [patientCheck(before)];
  return [updateWrite(before, after, changed, time), ...phoneWrites(before, after), ...emailWrites(before, after)];
}

/** Returns the fields that differ. Addresses are compared as JSON, so an equal copy is no change. */
export const changedFields = (before: UserRecord, after: UserRecord): (keyof UserRecord)[] =>
  CHANGEABLE_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

function updateWrite(
  before: UserRecord,
  after: UserRecord,
  changed: readonly (keyof UserRecord)[],
  time: string,
): Write {
  const written = [...changed, 'updatedAt', 'version'];
  const assignments = written.map((field) => `#${field} = :${field}`);
  const names = Object.fromEntries(written.map((field) => [`#${field}`, field]));
  const values = Object.fromEntries(changed.map((field) => [`:${field}`, after[field]]));
  const isOtherLogin = changed.includes('email');
  return {
    Update: {
      Key: userKey(before.clientId, before.id),
      UpdateExpression: `SET ${assignments.join(', ')}${isOtherLogin ? ' ADD credentialsVersion :one' : ''}`,
      ConditionExpression: `#version = :before AND ${NOT_BEING_ERASED}`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: {
        ...values,
        ':updatedAt': time,
        ':version': before.version + 1,
        ':before': before.version,
        ...(isOtherLogin && { ':one': 1 }),
      },
    },
  };
}

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

/** Returns the write that adds a receiver to those of its patient, under an id of its own. */
export function invoicingWrite({ clientId, id }: UserRecord, invoicing: Invoicing): Write {
  return { Put: { Item: toItem(invoicingKey(clientId, id, invoicing.id), invoicing) } };
}
