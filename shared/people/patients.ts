import type { Invoicing } from '../api/people/addresses.ts';
import { emailKey, invoicingKey, phoneKey, userKey } from '../store/keys.ts';
import { toItem } from '../store/parse-item.ts';
import { PRESENT, type Write } from '../store/table.ts';
import { createUserWrites, markWrite, type UserRecord } from './users.ts';

/** Changeable by orders and operators. The password is left out, as it must never be written back from a copy. */
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
  return [updateWrite(before, after, fields, time), ...phoneWrites(before, after), ...emailWrites(before, after)];
}

/** Addresses are compared as JSON: an equal copy is no change. */
export const changedFields = (before: UserRecord, after: UserRecord): (keyof UserRecord)[] =>
  CHANGEABLE_FIELDS.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));

function updateWrite(
  before: UserRecord,
  after: UserRecord,
  fields: readonly (keyof UserRecord)[],
  time: string,
): Write {
  const attributes = [...fields, 'updatedAt', 'version'];
  const assignments = attributes.map((field) => `#${field} = :${field}`);
  const names = Object.fromEntries(attributes.map((field) => [`#${field}`, field]));
  const values = Object.fromEntries(fields.map((field) => [`:${field}`, after[field]]));
  const isOtherLogin = fields.includes('email');
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

export const invoicingWrite = ({ clientId, id }: UserRecord, invoicing: Invoicing): Write => ({
  Put: { Item: toItem(invoicingKey(clientId, id, invoicing.id), invoicing) },
});
