import type { UpdateProfileRequest, UserInput } from '../api/people/people.ts';
import { Refusal, refuseInvalid, unavailable, type ValidationError } from '../domain/refusal.ts';
import { localDate } from '../domain/working-day.ts';
import type { Table } from '../store/table.ts';
import { changeUser } from './patients.ts';
import { parsePhone } from './rules/roles.ts';
import type { UserRecord } from './users.ts';

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
