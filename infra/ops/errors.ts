import { Refusal, type ValidationError } from '../../shared/domain/refusal.ts';
import type { MessageCode } from '../../shared/messages/messages.ts';
import { type Language, say, type Text } from '../../shared/messages/say.ts';
import { UnsetVariables } from '../../shared/runtime/config.ts';
import { toErrorCode } from '../../shared/runtime/log.ts';
import { ConditionFailed } from '../../shared/store/table-failures.ts';

// An operator may learn what a caller of the API must not.
const OPERATOR_TEXTS: Readonly<Partial<Record<MessageCode, string>>> = {
  email_taken: 'The client has a user with this e-mail already.',
  phone_taken: 'The client has a user with this phone already.',
};

const OVERTAKEN: Text = {
  es: 'Alguien más lo cambió entretanto: véalo de nuevo, y repítalo si todavía hace falta.',
  en: 'Somebody else has changed it meanwhile: look at it again, and repeat the command if it is still needed.',
};

const LOOPBACK: readonly unknown[] = ['127.0.0.1', '::1'];

/** The command was called wrongly: the message is printed with its usage, exit code 2. */
export class UsageError extends Error {
  /** The validation errors that the message tells, by the keys of the input. */
  readonly errors: readonly ValidationError[];

  constructor(message: string, errors: readonly ValidationError[] = []) {
    super(message);
    this.errors = errors;
  }
}

/** The command cannot be done: a sentence for the terminal, exit code 1. What the counter may show is `refusedToOperator`. */
export class CommandRefusal extends Error {}

/** Returns an environment variable. Throws a CommandRefusal if it is not set; `--local` and `--outputs` set them all. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new CommandRefusal(explainUnset([name]));
  return value;
}

/** Returns what an operator reads of an error: one sentence, or a line for each validation error. */
export function explainError(error: unknown, language: Language = 'en'): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) return explainRefusal(error, language);
  if (error instanceof ConditionFailed) return OVERTAKEN[language];
  // When a host has several addresses, Node throws an AggregateError with an empty message.
  if (error instanceof AggregateError && error.message === '') return explainError(error.errors[0], language);
  if (toErrorCode(error) === 'ECONNREFUSED') return explainUnreachable(error, language);
  // `fetch` says only that it failed.
  if (error.message === 'fetch failed' && error.cause) return explainError(error.cause, language);
  if (error instanceof UnsetVariables) return explainUnset(error.names);
  if (error.message === 'Region is missing') return explainUnset(['AWS_REGION']);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

const explainUnset = (names: readonly string[]): string =>
  `${names.join(', ')} is not set (--outputs sets it for a stack, --local for the local server).`;

function explainRefusal({ code, errors, reason, cause }: Refusal, language: Language): string {
  if (errors.length > 0) return errors.map((error) => explainValidationError(error, language)).join('\n');
  if (reason) return reason[language];
  // The code is safe to show to a caller of the API; the cause, which is written in English, tells an operator more.
  return cause && language === 'en' ? explainError(cause) : say({ code }, language);
}

const explainValidationError = (error: ValidationError, language: Language): string =>
  OPERATOR_TEXTS[error.code] ?? `${error.path.join('.')}: ${say(error, language)}`;

type Unreachable = Error & { readonly address?: string; readonly port?: number };

function explainUnreachable({ address, port }: Unreachable, language: Language): string {
  const place = `${address}:${port}`;
  if (language === 'es') return `Nadie responde en ${place}; el servidor local se arranca con \`npm start\`.`;
  if (!LOOPBACK.includes(address)) return `Nothing answers at ${place}.`;
  return `The local server is not running at ${place}: start it with \`npm start\`, or name its folder in LOCAL_DIR.`;
}
