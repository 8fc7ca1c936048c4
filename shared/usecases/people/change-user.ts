import { Refusal } from '../../domain/refusal.ts';
import { indexName } from '../../store/people/name-index.ts';
import { patientWrites } from '../../store/people/patients.ts';
import type { UserRecord } from '../../store/people/users.ts';
import type { Table } from '../../store/table.ts';
import { ConditionFailed } from '../../store/table-failures.ts';
import { refusedToOperator } from '../orders/operate-order.ts';

const FIELDS = ['firstName', 'lastName', 'secondLastName', 'phone'] as const;
/** The fields that an operator may change; what is undefined stays. `phone` is E.164 or ''. */
export type UserChanges = { readonly [Field in (typeof FIELDS)[number]]?: UserRecord[Field] | undefined };

/**
 * Changes the name or the phone of a user; the copies in their orders stay. Throws `phone_taken` if another user of the
 * client has the phone, and `move_not_allowed` if the user was changed meanwhile or is being erased.
 */
export async function changeUser(
  table: Table,
  before: UserRecord,
  changes: UserChanges,
  now: Date,
): Promise<UserRecord> {
  const changed = FIELDS.filter((field) => changes[field] !== undefined);
  const values = Object.fromEntries(changed.map((field) => [field, changes[field]]));
  const unconfirmed = before.unconfirmed.filter((field) => !(field in values));
  const after: UserRecord = { ...before, ...values, unconfirmed };
  if (before.role === 'patient') await indexName(table, before, after);
  try {
    await table.transact(patientWrites(before, after, now.toISOString()));
  } catch (error) {
    throw explainConflict(error);
  }
  return after;
}

// The first write is that of the user, and the mark of a phone follows.
function explainConflict(error: unknown): unknown {
  if (!(error instanceof ConditionFailed)) return error;
  if (!error.failed.includes(0)) {
    return new Refusal('invalid_input', { errors: [{ path: ['phone'], code: 'phone_taken' }], cause: error });
  }
  return refusedToOperator('move_not_allowed', 'The user was changed meanwhile, or is being erased: look again.');
}
