import type { CounterCommands } from '../server/counter-commands.ts';
import type { ErrorAnswer, InputError } from '../server/error-answer.ts';
import { language } from './preferences.ts';
import type { Text } from './text.ts';
import { readToken } from './token.ts';

export type CommandName = keyof CounterCommands;
/** The input of a command, by the keys of its schemas; one without input takes an empty object. */
export type InputOf<Name extends CommandName> = Parameters<CounterCommands[Name]['runNamed']>[0] & object;
/** The document of a command. */
export type DocumentOf<Name extends CommandName> = Awaited<ReturnType<CounterCommands[Name]['runNamed']>>['document'];

/** The server refused a call, or did not answer. */
export class CallError extends Error {
  /** Stable: a code of the refusals, `invalid_input`, `command_refused`, `unreachable`, `no_token`, `counter_ended` … */
  readonly code: string;
  readonly text: Text;
  /** The faults of the input, by the keys of the command. */
  readonly errors: readonly InputError[];

  constructor({ code, es, en, errors = [] }: ErrorAnswer) {
    super(en);
    this.code = code;
    this.text = { es, en };
    this.errors = errors;
  }

  /**
   * Returns what is wrong with one field of the input in the chosen language, or undefined. Rules that the API shares name
   * the field as the API does: `full_name` for `fullName`.
   */
  errorOf(key: string): string | undefined {
    const errors = this.errors.filter(({ path: [name] }) => name === key || name === toSnakeCase(key));
    return errors.length > 0 ? errors.map((error) => error[language.value]).join(' ') : undefined;
  }
}

const toSnakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type CommandAnswer<Name extends CommandName> = { readonly document: DocumentOf<Name>; readonly failure?: string };

/**
 * Runs an operator command and returns its document. Throws a CallError, also when the command has failed in part
 * (`command_failed`).
 */
export async function runCommand<Name extends CommandName>(
  name: Name,
  input: InputOf<Name>,
): Promise<DocumentOf<Name>> {
  const { document, failure } = await callServer<CommandAnswer<Name>>('POST', `/commands/${name}`, input);
  if (failure !== undefined) throw new CallError({ code: 'command_failed', es: failure, en: failure });
  return document;
}

const ENDED: ErrorAnswer = {
  code: 'counter_ended',
  es: 'El mostrador no responde: arránquelo de nuevo en la terminal y abra la dirección que muestra.',
  en: 'The counter does not answer: start it again in the terminal, and open the address that it shows.',
};

/** Calls the server with the token and returns its JSON. Throws a CallError. */
export async function callServer<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
  const response = await sendWithToken(method, path, body);
  const answer = await response.json();
  if (!response.ok) throw new CallError(answer);
  return answer;
}

/** Calls the server with the token. Throws a CallError if it does not answer. */
export async function sendWithToken(method: 'GET' | 'POST', path: string, body?: object): Promise<Response> {
  const headers = new Headers({ Authorization: `Bearer ${readToken()}` });
  if (body) headers.set('Content-Type', 'application/json');
  try {
    return await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  } catch {
    throw new CallError(ENDED);
  }
}
