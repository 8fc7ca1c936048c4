import * as z from 'zod';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { ROLES } from '../../../shared/domain/person.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { joinName } from '../../../shared/store/people/person.ts';
import { listUsers, type UserRecord } from '../../../shared/store/people/users.ts';
import { openTable } from '../../../shared/store/table.ts';
import { changeUser } from '../../../shared/usecases/people/change-user.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, command } from '../command.ts';
import { emailAddress, phoneNumber, recordId, UsageError } from '../input.ts';
import { textTable } from '../terminal/text-table.ts';
import { existingUser, userText, WHO_EXAMPLE, whoOptions } from './existing-user.ts';

/** The options that name a person. */
export const nameOptions = {
  firstName: requiredText(30).meta({ title: 'name' }),
  lastName: requiredText(100).meta({ title: 'name' }),
  secondLastName: optionalText(100).meta({ title: 'name' }).optional(),
};

const COLUMNS = ['id', 'role', 'state', 'login', 'email', 'name', 'phone', 'date_joined'] as const;
const STAFF = ROLES.filter((role) => role !== 'patient');

const usersList = command({
  name: 'users list',
  effect: 'reads',
  summary: 'List the users of a client who are no patients, or those of a role; it reads the whole table',
  example: '--client 2 --role doctor',
  options: { client: recordId, role: z.enum(ROLES).optional() },
  async run({ client, role }, call) {
    const table = openTable();
    await existingClient(client, table);
    const users = (await listUsers(table, client, role ? [role] : STAFF)).map(toListedUser);
    return { document: { users }, text: textTable(COLUMNS, users, call) };
  },
});

const toListedUser = (user: UserRecord) => ({
  id: user.id,
  role: user.role,
  state: user.disabledAt === undefined ? 'enabled' : 'disabled',
  login: user.passwordHash === null ? 'no password' : 'password',
  email: user.email,
  name: joinName(user),
  phone: user.phone,
  date_joined: user.dateJoined,
});

const usersUpdate = command({
  name: 'users update',
  summary: 'Change the e-mail, the name or the phone of a user; the copies in their orders stay as they are',
  example: `${WHO_EXAMPLE} --last-name Sol --phone +525512345678`,
  details: `  --new-email       the e-mail that they log in with from now on; every token that they have is refused

`,
  options: {
    ...whoOptions,
    firstName: nameOptions.firstName.optional(),
    lastName: nameOptions.lastName.optional(),
    secondLastName: nameOptions.secondLastName,
    phone: phoneNumber.optional(),
    newEmail: emailAddress.optional(),
  },
  async run({ client, email, newEmail, ...others }) {
    const changes = { ...others, email: newEmail };
    if (Object.values(changes).every((change) => change === undefined))
      throw new UsageError('Give what is to be changed.');
    const table = openTable();
    const user = await changeUser(table, await existingUser({ client, email }, table), changes, now());
    return {
      document: toListedUser(user),
      text: `${userText(user)} is ${joinName(user)}, ${user.phone || 'no phone'}.\n`,
    };
  },
});

export const userFieldCommands: readonly Command[] = [usersList, usersUpdate];
