import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, type ValidationError } from '../../../../shared/domain/refusal.ts';
import { REFUSALS } from '../../../../shared/messages/refusals.ts';
import { say, type Text } from '../../../../shared/messages/say.ts';
import { CommandRefusal } from '../../command.ts';
import { explainError, isUnreachable } from '../../errors.ts';
import { UsageError } from '../../input.ts';
import { COUNTER_REFUSALS, CounterRefusal } from './refusals.ts';

/** The answer in place of a document: a stable code, and a sentence in each language. */
export type ErrorAnswer = {
  readonly code: string;
  readonly es: string;
  readonly en: string;
  /** The faults of the input, by the keys of the command. */
  readonly errors?: readonly InputError[];
};
export type InputError = {
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly es: string;
  readonly en: string;
};

/** Turns whatever a command or the server throws into an answer. */
export function answerError(thrown: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toRefusal(thrown);
  const { status, code } = classify(error);
  const texts = textsOf(error);
  const errors = [...listErrors(error).map(representError), ...listFieldErrors(error, texts)];
  const answer: ErrorAnswer = { code, ...texts, ...(errors.length > 0 && { errors }) };
  return reply.status(status).send(answer);
}

export function answerUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return answerError(new Refusal('not_found'), request, reply);
}

function classify(error: unknown): { readonly status: number; readonly code: string } {
  if (error instanceof CounterRefusal) return { status: COUNTER_REFUSALS[error.code].status, code: error.code };
  if (error instanceof Refusal) return { status: REFUSALS[error.code].status, code: error.code };
  if (error instanceof UsageError) return { status: 400, code: 'invalid_input' };
  if (error instanceof CommandRefusal) return { status: 409, code: 'command_refused' };
  if (!(error instanceof Error)) return { status: 500, code: 'failed' };
  if (isUnreachable(error)) return { status: 502, code: 'unreachable' };
  // The SDK's errors carry metadata of the call, whose names are AWS's: ExpiredTokenException, AccessDeniedException.
  return '$metadata' in error ? { status: 502, code: error.name } : { status: 500, code: 'failed' };
}

// The names that services of AWS and the SDK give to what trying again does not mend.
const LASTING: readonly { readonly code: CounterRefusal['code']; readonly names: RegExp }[] = [
  {
    code: 'signed_out',
    names:
      /^(ExpiredToken(Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|(Credentials|Token)ProviderError)$/,
  },
  { code: 'not_allowed', names: /^AccessDenied(Exception)?$/ },
  { code: 'document_missing', names: /^NoSuchKey$/ },
];

/** Returns the refusal for what AWS says in an error or its cause, which a store's refusal holds; undefined if for nothing. */
function findLasting(error: unknown): CounterRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const found = LASTING.find(({ names }) => names.test(error.name));
  return found ? new CounterRefusal(found.code, { right: findRight(error) }) : findLasting(error.cause);
}

/** Returns the right that AWS says is missing, ` (dynamodb:Query)`; '' where it does not say. */
function findRight({ message }: Error): string {
  const [, right] = /not authorized to perform: ([\w-]+:\w+)/.exec(message) ?? [];
  return right ? ` (${right})` : '';
}

/** Turns what AWS refuses for good, and what the framework throws of a body, into a refusal of ours. */
function toRefusal(thrown: unknown): unknown {
  const lasting = findLasting(thrown);
  if (lasting) return lasting;
  return thrown instanceof Error && 'statusCode' in thrown ? refuseBody(thrown) : thrown;
}

function refuseBody(error: Error & { readonly statusCode: unknown }): Refusal {
  const { statusCode, cause } = error;
  if (statusCode === 413) return new Refusal('body_too_large', { cause });
  return new Refusal(statusCode === 415 ? 'not_json' : 'malformed_json', { cause });
}

const textsOf = (error: unknown): Text => {
  if (error instanceof CounterRefusal) return error.texts;
  return { es: explainError(error, 'es'), en: explainError(error, 'en') };
};

const listErrors = (error: unknown): readonly ValidationError[] =>
  error instanceof UsageError || error instanceof Refusal ? error.errors : [];

/** Returns the error at the field that a refusal is about, which has the text of the refusal. */
const listFieldErrors = (error: unknown, texts: Text): InputError[] =>
  error instanceof Refusal && error.field !== undefined ? [{ path: [error.field], code: error.code, ...texts }] : [];

const representError = (error: ValidationError): InputError => ({
  path: error.path,
  code: error.code,
  es: say(error, 'es'),
  en: say(error, 'en'),
});
