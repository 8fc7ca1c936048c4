import * as z from 'zod';
import { ROLES } from '../../../shared/domain/person.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { Ids } from '../../../shared/store/ids.ts';
import { createUser, setPasswordHash, setUserState, type UserRecord } from '../../../shared/store/people/users.ts';
import { openTable } from '../../../shared/store/table.ts';
import { existingClient } from '../clients/existing-client.ts';
import { type Command, command } from '../command.ts';
import { emailAddress, phoneNumber, recordId } from '../input.ts';
import { existingUser, userText, WHO_EXAMPLE, whoOptions } from './existing-user.ts';
import { generatedText, newPassword, PASSWORD_WAYS, passwordAdvice, passwordOptions } from './passwords.ts';
import { nameOptions, userFieldCommands } from './user-fields.ts';

const usersCreate = command({
  name: 'users create',
  summary: 'Register a user of a client; without a password they cannot log in',
  example: '--client 2 --role doctor --email dra@clinica.example --first-name Ana --last-name Sol --generate-password',
  options: {
    client: recordId,
    role: z.enum(ROLES),
    email: emailAddress,
    ...nameOptions,
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
      unprinted: passwordAdvice(password, user, call),
    };
  },
});

const toUserDocument = ({ id, email, role, clientId }: UserRecord) => ({ id, email, role, client: clientId });

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
      unprinted: passwordAdvice(password, user, call),
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

export const userCommands: readonly Command[] = [
  usersCreate,
  ...userFieldCommands,
  usersPassword,
  usersDisable,
  usersEnable,
];
