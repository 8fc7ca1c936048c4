import { Refusal } from '../../../shared/domain/refusal.ts';
import { say } from '../../../shared/messages/say.ts';
import { CommandRefusal } from '../command.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1']);

/** What went wrong, for an operator to read. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof CommandRefusal) return error.message;
  if (error instanceof Refusal) return refusalSentence(error);
  if ('code' in error && error.code === 'ECONNREFUSED') return unreachable(error);
  if (error.message === 'Region is missing') return 'AWS_REGION is not set.';
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

// A refusal says no more than a caller of the API may know; its cause says what an operator needs.
function refusalSentence({ code, errors, cause }: Refusal): string {
  if (cause) return sentenceOf(cause);
  if (errors.length === 0) return say({ code }, 'en');
  return errors.map((error) => `${error.path.join('.')}: ${say(error, 'en')}`).join('\n');
}

type ConnectionError = Error & { readonly address?: string; readonly port?: number };

function unreachable(error: ConnectionError): string {
  // A name with several addresses fails with one error for each.
  const { address = '', port }: ConnectionError = error instanceof AggregateError ? error.errors[0] : error;
  const place = `${address}:${port}`;
  return LOOPBACK.has(address)
    ? `The local server is not running at ${place}: start it with \`npm start\`.`
    : `Nothing answers at ${place}.`;
}
