import { text } from 'node:stream/consumers';
import { type CommandIo, CommandRefusal } from '../../command.ts';
import { ask } from '../../terminal/prompt.ts';
import type { Access } from '../check.ts';

type Wanted = { readonly key: boolean; readonly email?: string | undefined };

/**
 * Returns the API key and the user of the keyed checks, from the environment, or as they are typed or piped. As arguments
 * they would stand in the list of processes and in the shell's history.
 */
export async function readAccess({ key: isKeyAsked, email }: Wanted, io: CommandIo): Promise<Access> {
  const { DOCTOR_API_KEY: key, DOCTOR_PASSWORD: password } = process.env;
  const questions = [
    ...(isKeyAsked && !key ? ['API key'] : []),
    ...(email !== undefined && !password ? [`Password of ${email}`] : []),
  ];
  const answers = questions.length > 0 ? await readLines(questions, io) : [];
  const typedKey = isKeyAsked && !key ? answers.shift() : undefined;
  return { key: key || typedKey, email, password: password || answers.shift() };
}

async function readLines(questions: readonly string[], io: CommandIo): Promise<string[]> {
  const prompts = questions.map((question) => `${question}: `);
  // Only stdin decides: a terminal would show what is typed, wherever stderr goes.
  if (io.stdin.isTTY) return ask(prompts, io, 'hidden');
  const lines = (await text(io.stdin)).split(/\r?\n/).slice(0, questions.length);
  if (lines.length < questions.length || lines.includes(''))
    throw new CommandRefusal(`A line is missing on stdin: ${questions.join(', ')}.`);
  return lines;
}
