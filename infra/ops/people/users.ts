import * as z from 'zod';
import { type Command, command } from '../command.ts';
import type { Call, CommandIo } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { emailAddress, enabledState, flag, phoneNumber, recordId, refuseNoChange } from '../input.ts';
import { textTable } from '../output.ts';
import { ask, withProgress } from '../prompt.ts';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { existingClient } from '../../../shared/access/existing-client.ts';
import { hashNewPassword } from '../../../shared/access/password.ts';
import { optionalText, requiredText } from '../../../shared/api/fields.ts';
import { erasePatient, type Erasure, isErased, planErasure, prepareErasure } from '../../../shared/erasure/erase-patient.ts';
import { removedDocuments } from '../../../shared/erasure/patient-records.ts';
import { changeUser } from '../../../shared/people/patients.ts';
import { joinName } from '../../../shared/people/person.ts';
import { ROLES } from '../../../shared/people/rules/roles.ts';
import { createUser, listUsers, setPasswordHash, setUserState, userByEmail, type UserRecord } from '../../../shared/people/users.ts';
import { Ids } from '../../../shared/store/ids.ts';
import type { Table } from '../../../shared/store/table.ts';

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
    const document = { client, patient: patientId, dry_run: dryRun, ...toErasureDocument(plan) };
    const planText = `To be removed of patient ${patientId}:\n${erasureText(document)}`;
    if (dryRun) return { document, text: `${planText}Nothing was removed.\n` };
    if (isErased(plan)) return { document, text: `Nothing is left of patient ${patientId}.\n${erasureText(document)}` };
    if (!yes) await confirm(patientId, planText, context);
    const erasing = { ...asked, operator: await context.operator() };
    await withProgress('Erasing', context, (onProgress) => erasePatient(erasing, context, onProgress));
    return { document, text: `Removed of patient ${patientId}:\n${erasureText(document)}` };
  },
});

async function confirm(patientId: number, planText: string, call: Call): Promise<void> {
  if (!call.isTerminal) throw new UsageError('To erase, say --yes; to see what that would remove, say --dry-run.');
  call.stderr.write(planText);
  const question = `This cannot be undone. To go on, type the id of the patient, ${patientId}: `;
  const [typed = ''] = await ask([question], call, 'shown');
  if (typed.trim() !== String(patientId)) throw new CommandRefusal('That is another id: nothing was removed.');
}

const toErasureDocument = ({ orders, person, kept, retained }: Erasure) => ({
  orders: orders.map(({ before }) => before.id),
  documents: orders.reduce((sum, { before, after }) => sum + removedDocuments(before, after).length, 0),
  invoicing_records: person?.records ?? 0,
  patient_record: person !== null,
  kept: kept.map(({ orderId, cfdi, until }) => ({ order: orderId, cfdi, until })),
  kept_documents: retained.map(({ orderId, documents, until }) => ({ order: orderId, documents, until })),
});

/** Returns a line for each kind of thing that goes, and for each that is kept. */
function erasureText({
  orders,
  patient_record,
  kept,
  kept_documents,
  ...counts
}: ReturnType<typeof toErasureDocument>) {
  const lines = [
    patient_record && '- the record with e-mail, phone and default address',
    patient_record && `- ${counts.invoicing_records} invoicing records`,
    orders.length > 0 && `- names, addresses and comments in ${orders.length} orders: ${orders.join(', ')}`,
    orders.length > 0 && `- ${counts.documents} prescriptions with their documents`,
    ...kept.map(
      ({ order, until }) => `Kept until ${until}: the receiver of the invoice of order ${order} (CFF art. 30).`,
    ),
    ...kept_documents.map(
      ({ order, documents, until }) =>
        `Kept until ${until}: ${documents} prescription documents of order ${order} (antibiotics agreement of 2010).`,
    ),
  ];
  return lines.map((line) => (line === false ? '' : `${line}\n`)).join('');
}

export const userCommands: readonly Command[] = [usersCreate, usersList, usersUpdate, patientsErase];
