import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { hashPassword } from '../../shared/access/password.ts';
import { email, optionalText, requiredText } from '../../shared/api/fields.ts';
import { type FieldFault, Refusal } from '../../shared/domain/fault.ts';
import { parsePhone } from '../../shared/domain/phone.ts';
import { ROLES } from '../../shared/domain/role.ts';
import { say } from '../../shared/http/messages.ts';
import { clientById } from '../../shared/store/clients.ts';
import { Ids } from '../../shared/store/ids.ts';
import { openTable } from '../../shared/store/table.ts';
import { createUser, type NewUser } from '../../shared/store/users.ts';
import { type Command, CommandRefusal, command, positionals, printJson } from './command.ts';
import { validOptions } from './options.ts';

const newUserOptions = z
  .object({
    client: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'not_an_integer')
      .transform(Number),
    role: z.enum(ROLES),
    email,
    'first-name': requiredText(30),
    'last-name': requiredText(100),
    'second-last-name': optionalText(100).optional(),
    phone: z
      .string()
      .max(25)
      .transform((written) => parsePhone(written)?.e164 ?? '')
      .refine((phone) => phone !== '', 'not_a_phone')
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
    '[--second-last-name <name>] [--phone <+525512345678>] [--password-stdin]',
  options: {
    client: { type: 'string' },
    role: { type: 'string' },
    email: { type: 'string' },
    'first-name': { type: 'string' },
    'last-name': { type: 'string' },
    'second-last-name': { type: 'string' },
    phone: { type: 'string' },
    'password-stdin': { type: 'boolean' },
  },
  async run(input, io) {
    positionals(input);
    const wanted = validOptions(newUserOptions, input.values);
    const passwordHash = input.values['password-stdin'] ? await readPassword(io.stdin) : null;
    const user = await create({ ...wanted, passwordHash });
    if (input.isJson) return printJson(io, { id: user.id, email: user.email, role: user.role, client: user.clientId });
    io.stdout.write(`User ${user.id}, ${user.email}, is registered as ${user.role} of client ${user.clientId}.\n`);
    return 0;
  },
});

// From stdin and nowhere else: arguments and environments are seen by other processes and kept in shell histories.
async function readPassword(stdin: NodeJS.ReadableStream): Promise<string> {
  const password = (await text(stdin)).replace(/\r?\n$/, '');
  return inSentences(() => hashPassword(password));
}

async function create(wanted: NewUser) {
  const table = openTable();
  if (!(await clientById(table, wanted.clientId))) throw new CommandRefusal(`There is no client ${wanted.clientId}.`);
  return inSentences(() => createUser(table, new Ids(table), wanted, new Date()));
}

async function inSentences<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal && error.faults.length > 0) {
      throw new CommandRefusal(error.faults.map(sentenceOf).join('\n'));
    }
    throw error;
  }
}

// What a caller of the API must not learn, an operator must.
const TAKEN: Readonly<Record<string, string>> = {
  email_taken: 'The client has a user with this e-mail already.',
  phone_taken: 'The client has a user with this phone already.',
};
const sentenceOf = (fault: FieldFault): string => TAKEN[fault.code] ?? `${fault.path.join('.')}: ${say(fault, 'en')}`;

export const userCommands: readonly Command[] = [usersCreate];
