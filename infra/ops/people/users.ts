import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { existingClient } from '../../../shared/access/existing-client.ts';
import { hashNewPassword } from '../../../shared/access/password.ts';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { changeUser } from '../../../shared/people/patients.ts';
import { joinName } from '../../../shared/people/person.ts';
import { ROLES } from '../../../shared/people/rules/roles.ts';
import {
  createUser,
  listUsers,
  setPasswordHash,
  setUserState,
  type UserRecord,
  userByEmail,
} from '../../../shared/people/users.ts';
import { Ids } from '../../../shared/store/ids.ts';
import type { Table } from '../../../shared/store/table.ts';
import { type Command, command } from '../command.ts';
import type { CommandIo } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { emailAddress, enabledState, flag, phoneNumber, recordId, refuseNoChange } from '../input.ts';
import { textTable } from '../output.ts';
import { ask } from '../prompt.ts';

const who = { client: recordId, email: emailAddress };
const WHO_EXAMPLE = '--client 2 --email dra@clinica.example';

const names = {
  firstName: requiredText(30).meta({ title: 'name' }),
  lastName: requiredText(100).meta({ title: 'name' }),
  secondLastName: optionalText(100).meta({ title: 'name' }).optional(),
};

/** The two ways to give a user a password; as an argument it would stand in the shell's history. */
const passwordOptions = { passwordStdin: flag, generatePassword: flag };
const PASSWORD_WAYS = ['passwordStdin', 'generatePassword'] as const;

/** Returns the user of a client with this e-mail. Throws a CommandRefusal if there is none. */
export async function existingUser(
  { client, email }: { readonly client: number; readonly email: string },
  table: Table,
): Promise<UserRecord> {
  const user = await userByEmail(table, client, email);
  if (!user) throw new CommandRefusal(`Client ${client} has nobody with this e-mail.`);
  return user;
}

const toUserDocument = ({ id, email, role, clientId }: UserRecord) => ({ id, email, role, client: clientId });

const usersCreate = command({
  name: 'users create',
  summary: 'Register a user of a client; without a password they cannot log in',
  example: '--client 2 --role doctor --email dra@clinica.example --first-name Ana --last-name Sol --generate-password',
  input: z.object({ ...who, role: z.enum(ROLES), ...names, phone: phoneNumber.optional(), ...passwordOptions }),
  oneOf: { names: PASSWORD_WAYS, isRequired: false },
  async run({ client, secondLastName = null, phone = '', passwordStdin, generatePassword, ...person }, context) {
    const { table, now } = context;
    const password = await newPassword({ passwordStdin, generatePassword }, context);
    await existingClient(client, table);
    const passwordHash = password?.hash ?? null;
    const wanted = { ...person, clientId: client, secondLastName, phone, passwordHash };
    const user = await createUser(table, new Ids(table), wanted, now);
    return toPasswordResult(toUserDocument(user), password, `is registered as ${user.role} of client ${client}`);
  },
});

const COLUMNS = ['id', 'role', 'state', 'login', 'email', 'name', 'phone', 'date_joined'] as const;
const STAFF = ROLES.filter((role) => role !== 'patient');

const usersList = command({
  name: 'users list',
  summary: 'List the users of a client who are no patients, or those of a role; it reads the whole table',
  example: '--client 2 --role doctor',
  input: z.object({ client: recordId, role: z.enum(ROLES).optional() }),
  async run({ client, role }, context) {
    await existingClient(client, context.table);
    const users = (await listUsers(context.table, client, role ? [role] : STAFF)).map(toListedUser);
    return { document: { users }, text: textTable(COLUMNS, users, context) };
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
  summary: 'Change the data, the password or the state of a user; the copies in their orders stay as they are',
  example: `${WHO_EXAMPLE} --last-name Sol --phone +525512345678`,
  input: z.object({
    ...who,
    ...z.object(names).partial().shape,
    phone: phoneNumber.optional(),
    newEmail: emailAddress
      .optional()
      .describe('the e-mail that they log in with from now on; every token that they have is refused'),
    enabled: enabledState.describe('whether they can log in; a token that they have ends at once'),
    ...passwordOptions,
  }),
  oneOf: { names: PASSWORD_WAYS, isRequired: false },
  check: ({ client: _, email: __, ...changes }) => refuseNoChange(changes),
  async run({ client, email, newEmail, enabled: state, passwordStdin, generatePassword, ...others }, context) {
    const { table, now } = context;
    const before = await existingUser({ client, email }, table);
    const password = await newPassword({ passwordStdin, generatePassword }, context);
    const user = await changeUser(table, before, { ...others, email: newEmail }, now);
    if (password) await setPasswordHash(table, user, password.hash);
    if (state) await setUserState(table, user, { state, now });
    const changed = await existingUser({ client, email: user.email }, table);
    const listed = toListedUser(changed);
    const what = `is ${listed.name}, ${listed.phone || 'no phone'}, ${listed.state}, ${listed.login}`;
    return toPasswordResult(listed, password, what);
  },
});

type Chosen = { readonly [Way in (typeof PASSWORD_WAYS)[number]]: boolean };
type NewPassword = Awaited<ReturnType<typeof newPassword>>;

const GENERATED_BYTES = 15;

/** Returns the password that was asked for, if any: typed without being shown, read from stdin, or `generated`. */
async function newPassword({ passwordStdin, generatePassword }: Chosen, io: CommandIo) {
  if (!passwordStdin && !generatePassword) return undefined;
  const generated = generatePassword ? randomBytes(GENERATED_BYTES).toString('base64url') : undefined;
  return { hash: await hashNewPassword(generated ?? (await readPassword(io))), generated };
}

async function readPassword(io: CommandIo): Promise<string> {
  // Only stdin decides: a terminal would show what is typed, wherever stderr goes.
  if (!io.stdin.isTTY) return (await text(io.stdin)).replace(/\r?\n$/, '');
  const [password = '', again] = await ask(['Password: ', 'The same again: '], io, 'hidden');
  if (password !== again) throw new CommandRefusal('The two passwords differ.');
  return password;
}

/** Returns the result of a command that may have generated a password, which is shown here and never again. */
const toPasswordResult = (
  user: { readonly id: number; readonly email: string },
  password: NewPassword,
  what: string,
) => ({
  document: { ...user, password: password?.generated },
  text: `User ${user.id}, ${user.email}, ${what}.\n${password?.generated ? `${NOT_SHOWN_AGAIN}\n${password.generated}\n` : ''}`,
});

const NOT_SHOWN_AGAIN = 'The password, which is not shown again:';

export const userCommands: readonly Command[] = [usersCreate, usersList, usersUpdate];
