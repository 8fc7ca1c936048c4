import { refusedToOperator } from '../domain/operator-refusal.ts';
import { refuseWhilePaused } from '../store/pause.ts';
import type { Table } from '../store/table.ts';
import { ConditionFailed } from '../store/table-failures.ts';
import { indexName } from './name-index.ts';
import { patientWrites } from './patients.ts';
import { takenRefusal, type UserRecord, unindexUnstored } from './users.ts';

const FIELDS = ['email', 'firstName', 'lastName', 'secondLastName', 'phone'] as const;
/** The fields that an operator may change; undefined leaves one as it is. `email` is in lower case, `phone` E.164 or ''. */
export type UserChanges = { readonly [Field in (typeof FIELDS)[number]]?: UserRecord[Field] | undefined };

/**
 * Changes a user's e-mail, name or phone, but not the copies in their orders. A new e-mail ends all access tokens. Throws
 * `email_taken` or `phone_taken`, and `move_not_allowed` if the user changed meanwhile or is being erased.
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
  const writes = patientWrites(before, after, now.toISOString());
  try {
    await table.transact(writes);
  } catch (error) {
    await unindexUnstored(table, before, error);
    if (!(error instanceof ConditionFailed)) throw error;
    // The first write is the user's.
    throw error.failed.includes(0) ? refusedToOperator('user_changed', {}) : takenRefusal(error, writes);
  }
  return after;
}
