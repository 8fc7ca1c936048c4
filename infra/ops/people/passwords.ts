import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { hashPassword } from '../../../shared/access/password.ts';
import { type CommandIo, CommandRefusal, UsageError } from '../command.ts';
import { askSecretly } from '../terminal/prompt.ts';

/** The two ways of giving a user a password. As an argument it would be in the shell's history and for others to see. */
export const passwordOptions = {
  'password-stdin': { type: 'boolean' },
  'generate-password': { type: 'boolean' },
} as const;
export const PASSWORD_USAGE = '--password-stdin | --generate-password';

type Chosen = { readonly 'password-stdin'?: boolean | undefined; readonly 'generate-password'?: boolean | undefined };
/** `generated` is to be shown, this once. */
type NewPassword = { readonly hash: string; readonly generated: string | undefined };

const GENERATED_BYTES = 15;

/** The password that was asked for, if any: typed without being shown, read from stdin, or drawn by lot. */
export async function newPassword(chosen: Chosen, io: CommandIo): Promise<NewPassword | undefined> {
  const isRead = chosen['password-stdin'] === true;
  const isGenerated = chosen['generate-password'] === true;
  if (isRead && isGenerated) throw new UsageError(`one of ${PASSWORD_USAGE}, not both`);
  if (isGenerated) return generatedPassword();
  return isRead ? { hash: await hashPassword(await readPassword(io)), generated: undefined } : undefined;
}

async function generatedPassword(): Promise<NewPassword> {
  const generated = randomBytes(GENERATED_BYTES).toString('base64url');
  return { hash: await hashPassword(generated), generated };
}

async function readPassword(io: CommandIo): Promise<string> {
  if (!io.isTerminal) return (await text(io.stdin)).replace(/\r?\n$/, '');
  const [password = '', again] = await askSecretly(['Password: ', 'The same again: '], io);
  if (password !== again) throw new CommandRefusal('The two passwords differ.');
  return password;
}

/** The line that shows a password that was generated. */
export const generatedText = (password: NewPassword | undefined): string =>
  password?.generated === undefined ? '' : `The password, which is not shown again:\n${password.generated}\n`;
