import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { hashPassword } from '../../../shared/access/password.ts';
import type { UserRecord } from '../../../shared/store/people/users.ts';
import { type Call, type CommandIo, CommandRefusal } from '../command.ts';
import { flag } from '../input.ts';
import { quoteWord, toCommandLine } from '../target/command-line.ts';
import { holdInterrupts } from '../terminal/interrupt.ts';
import { ask } from '../terminal/prompt.ts';

/** The two ways to give a user a password; as an argument it would stand in the shell's history. */
export const passwordOptions = { passwordStdin: flag, generatePassword: flag };
export const PASSWORD_WAYS = ['passwordStdin', 'generatePassword'] as const;

type Chosen = { readonly passwordStdin: boolean; readonly generatePassword: boolean };
/** `generated` is shown once. */
type NewPassword = { readonly hash: string; readonly generated: string | undefined };

const GENERATED_BYTES = 15;

/** Returns the password that was asked for, if any: typed without being shown, read from stdin, or drawn by lot. */
export async function newPassword(chosen: Chosen, io: CommandIo): Promise<NewPassword | undefined> {
  if (chosen.passwordStdin) return { hash: await hashPassword(await readPassword(io)), generated: undefined };
  if (!chosen.generatePassword) return undefined;
  holdInterrupts();
  const generated = randomBytes(GENERATED_BYTES).toString('base64url');
  return { hash: await hashPassword(generated), generated };
}

async function readPassword(io: CommandIo): Promise<string> {
  // Only stdin decides: a terminal would show what is typed, wherever stderr goes.
  if (!io.stdin.isTTY) return (await text(io.stdin)).replace(/\r?\n$/, '');
  const [password = '', again] = await ask(['Password: ', 'The same again: '], io, 'hidden');
  if (password !== again) throw new CommandRefusal('The two passwords differ.');
  return password;
}

/** Returns the lines that show a generated password. */
export const generatedText = (password: NewPassword | undefined): string =>
  password?.generated === undefined ? '' : `The password, which is not shown again:\n${password.generated}\n`;

/** Returns what to do about a generated password that nobody has read. */
export const passwordAdvice = (
  password: NewPassword | undefined,
  { clientId, email }: Pick<UserRecord, 'clientId' | 'email'>,
  call: Call,
): string | undefined =>
  password?.generated === undefined
    ? undefined
    : `The password is lost. Give another one:\n  ${toCommandLine(`users password --client ${clientId} --email ${quoteWord(email)} --generate-password`, call)}`;
