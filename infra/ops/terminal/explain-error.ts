import { Refusal, type ValidationError } from '../../../shared/domain/refusal.ts';
import type { MessageCode } from '../../../shared/messages/messages.ts';
import { say } from '../../../shared/messages/say.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1']);

// An operator may learn what a caller of the API must not.
const OPERATOR_TEXTS: Readonly<Partial<Record<MessageCode, string>>> = {
  email_taken: 'The client has a user with this e-mail already.',
  phone_taken: 'The client has a user with this phone already.',
};

/** Returns what an operator reads of an error: one sentence, or a line for each validation error. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Refusal) return explainRefusal(error);
  if ('code' in error && error.code === 'ECONNREFUSED') return explainUnreachable(error);
  if (error.message === 'Region is missing') return 'AWS_REGION is not set.';
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

function explainRefusal({ code, errors, cause }: Refusal): string {
  if (errors.length > 0) return errors.map(explainValidationError).join('\n');
  // The code is safe to show to a caller of the API; the cause tells an operator more.
  return cause ? explainError(cause) : say({ code }, 'en');
}

const explainValidationError = (error: ValidationError): string =>
  OPERATOR_TEXTS[error.code] ?? `${error.path.join('.')}: ${say(error, 'en')}`;

type ConnectionError = Error & { readonly address?: string; readonly port?: number };

function explainUnreachable(error: ConnectionError): string {
  // A name with several addresses fails with one error for each.
  const { address = '', port }: ConnectionError = error instanceof AggregateError ? error.errors[0] : error;
  const place = `${address}:${port}`;
  return LOOPBACK.has(address)
    ? `The local server is not running at ${place}: start it with \`npm start\`.`
    : `Nothing answers at ${place}.`;
}
