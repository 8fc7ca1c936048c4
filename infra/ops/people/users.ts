import * as z from 'zod';
import { email, optionalText, requiredText } from '../../../shared/api/fields.ts';
import { parsePhone } from '../../../shared/domain/phone.ts';
import { Refusal, type ValidationError } from '../../../shared/domain/refusal.ts';
import { ROLES } from '../../../shared/domain/role.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { say } from '../../../shared/messages/say.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { clientById } from '../../../shared/store/access/clients.ts';
import { Ids } from '../../../shared/store/ids.ts';
import {
  createUser,
  type NewUser,
  setPasswordHash,
  setUserState,
  type UserRecord,
  userByEmail,
} from '../../../shared/store/people/users.ts';
import { openTable, type Table } from '../../../shared/store/table.ts';
import {
  type Command,
  CommandRefusal,
  command,
  type Input,
  positionals,
  printJson,
  report,
  UsageError,
} from '../command.ts';
import { idOption, validOptions } from '../options.ts';
import { generatedText, newPassword, PASSWORD_USAGE, passwordOptions } from './passwords.ts';

const newUserOptions = z
  .object({
    client: idOption,
    role: z.enum(ROLES),
    email,
    'first-name': requiredText(30),
    'last-name': requiredText(100),
    'second-last-name': optionalText(100).optional(),
    phone: z
      .string()
      .max(25)
      .transform((written) => parsePhone(written)?.e164 ?? '')
      .refine((phone) => phone !== '', 'not_a_phone' satisfies MessageCode)
      .optional(),
  })
  .transform(
    ({ client, role, email, phone, ...names }): Omit<NewUser, 'passwordHash'> => ({
      clientId: client,
      role,
      email,
      firstName: names['first-name'],
      lastName: names['last-name'],
      secondLastName: names['second-last-name'] ?? null,
      phone: phone ?? '',
    }),
  );

const usersCreate = command({
  name: 'users create',
  summary: 'Register a user of a client; without a password they cannot log in',
  usage:
    '--client <id> --role patient|doctor|insurance_employee --email <e-mail> --first-name <name> --last-name <name> ' +
    `[--second-last-name <name>] [--phone <+525512345678>] [${PASSWORD_USAGE}]`,
  example: '--client 2 --role doctor --email dra@clinica.example --first-name Ana --last-name Sol --generate-password',
  options: {
    client: { type: 'string' },
    role: { type: 'string' },
    email: { type: 'string' },
    'first-name': { type: 'string' },
    'last-name': { type: 'string' },
    'second-last-name': { type: 'string' },
    phone: { type: 'string' },
    ...passwordOptions,
  },
  async run(input, io) {
    positionals(input);
    const wanted = validOptions(newUserOptions, input.values);
    const password = await inSentences(() => newPassword(input.values, io));
    const user = await create({ ...wanted, passwordHash: password?.hash ?? null });
    if (input.isJson) return printJson(io, { ...described(user), ...shown(password?.generated) });
    io.stdout.write(
      `${nameOf(user)} is registered as ${user.role} of client ${user.clientId}.\n${generatedText(password)}`,
    );
    return 0;
  },
});

const described = ({ id, email, role, clientId }: UserRecord) => ({ id, email, role, client: clientId });
const shown = (password: string | undefined) => (password === undefined ? {} : { password });
const nameOf = ({ id, email }: UserRecord): string => `User ${id}, ${email},`;

async function create(wanted: NewUser): Promise<UserRecord> {
  const table = openTable();
  if (!(await clientById(table, wanted.clientId))) throw new CommandRefusal(`There is no client ${wanted.clientId}.`);
  return inSentences(() => createUser(table, new Ids(table), wanted, now()));
}

const WHO_USAGE = '--client <id> --email <e-mail>';
const WHO_EXAMPLE = '--client 2 --email dra@clinica.example';
const whoOptions = { client: { type: 'string' }, email: { type: 'string' } } as const;

async function existingUser(input: Input, table: Table): Promise<UserRecord> {
  positionals(input);
  const who = validOptions(z.object({ client: idOption, email }), input.values);
  const user = await userByEmail(table, who.client, who.email);
  if (!user) throw new CommandRefusal(`Client ${who.client} has no user with this e-mail.`);
  return user;
}

const usersPassword = command({
  name: 'users password',
  summary: 'Give a user another password',
  usage: `${WHO_USAGE} ${PASSWORD_USAGE}`,
  example: `${WHO_EXAMPLE} --password-stdin`,
  options: { ...whoOptions, ...passwordOptions },
  async run(input, io) {
    const table = openTable();
    const user = await existingUser(input, table);
    const password = await inSentences(() => newPassword(input.values, io));
    if (!password) throw new UsageError(`one of ${PASSWORD_USAGE} is needed`);
    await setPasswordHash(table, user, password.hash);
    if (input.isJson) return printJson(io, { ...described(user), ...shown(password.generated) });
    io.stdout.write(`${nameOf(user)} has another password now.\n${generatedText(password)}`);
    return 0;
  },
});

const usersDisable = command({
  name: 'users disable',
  summary: 'Keep a user from logging in and from placing or changing orders; reading ends with their token, in minutes',
  usage: WHO_USAGE,
  example: WHO_EXAMPLE,
  options: whoOptions,
  async run(input, io) {
    const table = openTable();
    const user = await existingUser(input, table);
    await setUserState(table, user, { state: 'disabled', now: now() });
    return report(
      { ...described(user), state: 'disabled' },
      `${nameOf(user)} is disabled. A token that they have still reads orders until it expires.`,
      input,
      io,
    );
  },
});

const usersEnable = command({
  name: 'users enable',
  summary: 'Let a disabled user log in again',
  usage: WHO_USAGE,
  example: WHO_EXAMPLE,
  options: whoOptions,
  async run(input, io) {
    const table = openTable();
    const user = await existingUser(input, table);
    await setUserState(table, user, { state: 'enabled', now: now() });
    return report({ ...described(user), state: 'enabled' }, `${nameOf(user)} is enabled.`, input, io);
  },
});

async function inSentences<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.errors.length > 0) {
      throw new CommandRefusal(error.errors.map(sentenceOf).join('\n'));
    }
    throw error;
  }
}

// What a caller of the API must not learn, an operator must.
const TAKEN: Readonly<Record<string, string>> = {
  email_taken: 'The client has a user with this e-mail already.',
  phone_taken: 'The client has a user with this phone already.',
};
const sentenceOf = (error: ValidationError): string =>
  TAKEN[error.code] ?? `${error.path.join('.')}: ${say(error, 'en')}`;

export const userCommands: readonly Command[] = [usersCreate, usersPassword, usersDisable, usersEnable];
