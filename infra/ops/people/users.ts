import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { existingClient } from '../../../shared/access/clients.ts';
import { hashNewPassword } from '../../../shared/access/password.ts';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { removedDocuments } from '../../../shared/erasure/erase-order.ts';
import {
  type Erasure,
  erasePatient,
  isErased,
  planErasure,
  prepareErasure,
} from '../../../shared/erasure/erase-patient.ts';
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
import type { Table } from '../../../shared/store/table.ts';
import { type Command, command } from '../command.ts';
import type { Call, CommandIo } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { emailAddress, enabledState, flag, phoneNumber, recordId, refuseNoChange } from '../input.ts';
import { documentText } from '../output.ts';
import { ask, withProgress } from '../prompt.ts';

const who = { client: recordId, email: emailAddress };

const names = {
  firstName: requiredText(30).meta({ title: 'name' }),
  lastName: requiredText(100).meta({ title: 'name' }),
  secondLastName: optionalText(100).meta({ title: 'name' }).optional(),
};

/** The two ways to give a user a password; as an argument it would stand in the shell's history. */
const passwordOptions = { passwordStdin: flag, generatePassword: flag };
const PASSWORD_WAYS = ['passwordStdin', 'generatePassword'] as const;

async function existingUser(
  { client, email }: { readonly client: number; readonly email: string },
  table: Table,
): Promise<UserRecord> {
  const user = await userByEmail(table, client, email);
  if (!user) throw new CommandRefusal(`Client ${client} has nobody with this e-mail.`);
  return user;
}

const usersCreate = command({
  name: 'users create',
  summary: 'Register a user of a client; without a password they cannot log in',
  example: '--client 2 --role doctor --email dra@clinica.example --first-name Ana --last-name Sol --generate-password',
  input: z.object({ ...who, role: z.enum(ROLES), ...names, phone: phoneNumber.optional(), ...passwordOptions }),
  oneOf: { names: PASSWORD_WAYS, isRequired: false },
  async run({ client, secondLastName = null, phone = '', passwordStdin, generatePassword, ...person }, context) {
    const { table, ids, now } = context;
    const password = await newPassword({ passwordStdin, generatePassword }, context);
    await existingClient(client, table);
    const passwordHash = password?.hash ?? null;
    const wanted = { ...person, clientId: client, secondLastName, phone, passwordHash };
    const { id, email, role } = await createUser(table, ids, wanted, now);
    return toPasswordResult({ id, email, role, client }, password);
  },
});

const STAFF = ROLES.filter((role) => role !== 'patient');

const usersList = command({
  name: 'users list',
  summary: 'List the users of a client who are no patients, or those of a role; it reads the whole table',
  example: '--client 2 --role doctor',
  input: z.object({ client: recordId, role: z.enum(ROLES).optional() }),
  async run({ client, role }, { table }) {
    await existingClient(client, table);
    return { document: { users: (await listUsers(table, client, role ? [role] : STAFF)).map(representUser) } };
  },
});

const representUser = (user: UserRecord) => ({
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
  example: '--client 2 --email dra@clinica.example --last-name Sol --phone +525512345678',
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
    return toPasswordResult(representUser(await existingUser({ client, email: user.email }, table)), password);
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

const toPasswordResult = (user: object, password: NewPassword) => ({
  document: { ...user, password: password?.generated },
  remark: password?.generated && 'The password is not shown again.',
});

const patientsErase = command({
  name: 'patients erase',
  summary:
    'Remove a patient and their documents for good. The amounts of their orders stay, the receiver of an issued invoice ' +
    'until tax law needs it no more (CFF art. 30), and the documents of a dispensed order for a year',
  example: '--client 2 --email luz.mora@example.mx --dry-run',
  input: z.object({
    client: recordId,
    email: emailAddress.optional(),
    id: recordId.optional(),
    dryRun: flag,
    yes: flag,
  }),
  oneOf: { names: ['email', 'id'], isRequired: true },
  async run({ client, email, id, dryRun, yes }, context) {
    const patientId = id ?? (await existingUser({ client, email: email ?? '' }, context.table)).id;
    const asked = { clientId: client, patientId, now: context.now };
    const plan = await (dryRun ? planErasure : prepareErasure)(asked, context);
    const document = { client, patient: patientId, dry_run: dryRun, ...representErasure(plan) };
    if (dryRun) return { document, remark: 'Nothing was removed.' };
    if (isErased(plan)) return { document, remark: 'Nothing is left of the patient but what is kept.' };
    if (!yes) await confirm(document, context);
    const erasing = { ...asked, operator: await context.operator() };
    await withProgress('Erasing', context, (onProgress) => erasePatient(erasing, context, onProgress));
    return { document, remark: 'The patient is erased.' };
  },
});

async function confirm(document: { readonly patient: number }, call: Call): Promise<void> {
  if (!call.isTerminal) throw new UsageError('To erase, say --yes; to see what that would remove, say --dry-run.');
  call.stderr.write(`To be removed:\n${documentText(document, call.stderr)}`);
  const question = `This cannot be undone. To go on, type the id of the patient, ${document.patient}: `;
  const [typed = ''] = await ask([question], call, 'shown');
  if (typed.trim() !== String(document.patient)) throw new CommandRefusal('That is another id: nothing was removed.');
}

/** Lists what an erasure removes of a patient and what it keeps: invoice receivers (CFF art. 30) and prescription documents. */
const representErasure = ({ orders, person, kept, retained }: Erasure) => ({
  orders: orders.map(({ before }) => before.id),
  documents: orders.reduce((sum, { before, after }) => sum + removedDocuments(before, after).length, 0),
  invoicing_records: person?.records ?? 0,
  patient_record: person !== null,
  kept: kept.map(({ orderId, cfdi, until }) => ({ order: orderId, cfdi, until })),
  kept_documents: retained.map(({ orderId, documents, until }) => ({ order: orderId, documents, until })),
});

export const userCommands: readonly Command[] = [usersCreate, usersList, usersUpdate, patientsErase];
