import * as z from 'zod';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { ROLES } from '../../../shared/domain/role.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { Ids } from '../../../shared/store/ids.ts';
import {
  createUser,
  setPasswordHash,
  setUserState,
  type UserRecord,
  userByEmail,
} from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, CommandRefusal, command } from '../command.ts';
import { emailAddress, phoneNumber, recordId } from '../input.ts';
import { generatedText, newPassword, PASSWORD_WAYS, passwordOptions } from './passwords.ts';

const usersCreate = command({
  name: 'users create',
  summary: 'Register a user of a client; without a password they cannot log in',
  example: '--client 2 --role doctor --email dra@clinica.example --first-name Ana --last-name Sol --generate-password',
  options: {
    client: recordId,
    role: z.enum(ROLES),
    email: emailAddress,
    firstName: requiredText(30).meta({ title: 'name' }),
    lastName: requiredText(100).meta({ title: 'name' }),
    secondLastName: optionalText(100).meta({ title: 'name' }).optional(),
    phone: phoneNumber.optional(),
    ...passwordOptions,
  },
  oneOf: { names: PASSWORD_WAYS, isRequired: false },
  async run({ client, secondLastName = null, phone = '', passwordStdin, generatePassword, ...person }, call) {
    const password = await newPassword({ passwordStdin, generatePassword }, call);
    const table = openTable();
    await existingClient(client, table);
    const passwordHash = password?.hash ?? null;
    const wanted = { ...person, clientId: client, secondLastName, phone, passwordHash };
    const user = await createUser(table, new Ids(table), wanted, now());
    return {
      document: { ...toUserDocument(user), password: password?.generated },
      text: `${userText(user)} is registered as ${user.role} of client ${client}.\n${generatedText(password)}`,
    };
  },
});

const toUserDocument = ({ id, email, role, clientId }: UserRecord) => ({ id, email, role, client: clientId });
const userText = ({ id, email }: UserRecord): string => `User ${id}, ${email},`;

const whoOptions = { client: recordId, email: emailAddress };
const WHO_EXAMPLE = '--client 2 --email dra@clinica.example';

async function existingUser(who: { client: number; email: string }, table: Table): Promise<UserRecord> {
  const user = await userByEmail(table, who.client, who.email);
  if (!user) throw new CommandRefusal(`Client ${who.client} has no user with this e-mail.`);
  return user;
}

const usersPassword = command({
  name: 'users password',
  summary: 'Give a user another password, which ends every token that they have',
  example: `${WHO_EXAMPLE} --password-stdin`,
  options: { ...whoOptions, ...passwordOptions },
  oneOf: { names: PASSWORD_WAYS, isRequired: true },
  async run(input, call) {
    const table = openTable();
    const user = await existingUser(input, table);
    const password = await newPassword(input, call);
    if (password) await setPasswordHash(table, user, password.hash);
    return {
      document: { ...toUserDocument(user), password: password?.generated },
      text: `${userText(user)} has another password now.\n${generatedText(password)}`,
    };
  },
});

const stateCommand = (verb: string, state: 'enabled' | 'disabled', summary: string, effect = '') =>
  command({
    name: `users ${verb}`,
    summary,
    example: WHO_EXAMPLE,
    options: whoOptions,
    async run(who) {
      const table = openTable();
      const user = await existingUser(who, table);
      await setUserState(table, user, { state, now: now() });
      return { document: { ...toUserDocument(user), state }, text: `${userText(user)} is ${state}.${effect}\n` };
    },
  });

const usersDisable = stateCommand(
  'disable',
  'disabled',
  'Keep a user from logging in; a token that they have ends at once',
  ' A token that they have is refused from now on.',
);
const usersEnable = stateCommand('enable', 'enabled', 'Let a disabled user log in again');

export const userCommands: readonly Command[] = [usersCreate, usersPassword, usersDisable, usersEnable];
