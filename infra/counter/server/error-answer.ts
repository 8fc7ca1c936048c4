import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { REFUSALS } from '../../../shared/messages/refusals.ts';
import { fillIn, say } from '../../../shared/messages/say.ts';
import { CommandRefusal, explainError, UsageError } from '../../ops/errors.ts';

/**
 * Every reason for which the counter itself refuses a request: its status and its text. `ofAws` are the names that services of
 * AWS and the SDK give to what trying again does not mend.
 */
const COUNTER_REFUSALS = {
  foreign_host: { status: 403, text: 'El mostrador solo atiende en la dirección que mostró la terminal.' },
  foreign_origin: { status: 403, text: 'Otra página no puede usar el mostrador.' },
  no_token: {
    status: 401,
    text: 'Falta la clave del mostrador o es de otro: abra la dirección completa que mostró la terminal.',
  },
  signed_out: {
    status: 502,
    text: 'La sesión de AWS terminó o no hay credenciales: inicie sesión en AWS y arranque de nuevo el mostrador en la terminal.',
    ofAws:
      /^(ExpiredToken(Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|(Credentials|Token)ProviderError)$/,
  },
  not_allowed: {
    status: 502,
    text: 'AWS no permite esto con sus credenciales{right}: pida el permiso a quien administra la cuenta.',
    ofAws: /^AccessDenied(Exception)?$/,
  },
  document_missing: {
    status: 404,
    text: 'El documento ya no está en el almacén: pida otra copia, o que se restaure su versión anterior en S3.',
    ofAws: /^NoSuchKey$/,
  },
  document_withheld: {
    status: 409,
    text: 'El antivirus encontró software malicioso en este documento, y ya no se puede abrir: pida otra copia.',
  },
  unknown_command: { status: 404, text: 'El mostrador no tiene este comando.' },
} as const satisfies Readonly<Record<string, { status: number; text: string; ofAws?: RegExp }>>;

type CounterRefusalCode = keyof typeof COUNTER_REFUSALS;

/** The counter refuses a request, whatever the command would say; the message is for the person at it. */
export class CounterRefusal extends Error {
  readonly code: CounterRefusalCode;
  readonly status: number;

  constructor(code: CounterRefusalCode, values: Readonly<Record<string, string>> = {}) {
    const { status, text } = COUNTER_REFUSALS[code];
    super(fillIn(text, values));
    this.code = code;
    this.status = status;
  }
}

/** The answer in place of a document: a stable code, and a sentence for the person at the counter. */
export type ErrorAnswer = {
  readonly code: string;
  readonly text: string;
  /** The faults of the input, by the keys of the command. */
  readonly errors?: readonly InputError[];
};
export type InputError = { readonly path: readonly (string | number)[]; readonly code: string; readonly text: string };

/** Turns whatever a command or the server throws into an answer. */
export function answerError(thrown: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = findLasting(thrown) ?? toRefusal(thrown);
  const { status, code } = classify(error);
  const text = error instanceof CounterRefusal ? error.message : explainError(error, 'es');
  const errors = [...listErrors(error, text)];
  const answer: ErrorAnswer = { code, text, ...(errors.length > 0 && { errors }) };
  return reply.status(status).send(answer);
}

/** Returns the refusal for what AWS says in an error or its cause, which a store's refusal holds; undefined if for nothing. */
function findLasting(error: unknown): CounterRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  // The policy of the bucket denies nothing else to whoever may read it (infra/cloud/document-scan.ts).
  if (/explicit deny in a resource-based policy/.test(error.message)) return new CounterRefusal('document_withheld');
  const codes = Object.keys(COUNTER_REFUSALS) as CounterRefusalCode[];
  const code = codes.find((each) => {
    const row = COUNTER_REFUSALS[each];
    return 'ofAws' in row && row.ofAws.test(error.name);
  });
  if (!code) return findLasting(error.cause);
  // AWS says which right is missing, `dynamodb:Query`, or not.
  const [, right] = /not authorized to perform: ([\w-]+:\w+)/.exec(error.message) ?? [];
  return new CounterRefusal(code, { right: right ? ` (${right})` : '' });
}

/** Turns what the framework throws of a body into a refusal of ours. */
function toRefusal(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return thrown;
  const { statusCode, cause } = thrown;
  if (statusCode === 413) return new Refusal('body_too_large', { cause });
  return new Refusal(statusCode === 415 ? 'not_json' : 'malformed_json', { cause });
}

function classify(error: unknown): { readonly status: number; readonly code: string } {
  if (error instanceof CounterRefusal) return error;
  if (error instanceof Refusal) return { status: REFUSALS[error.code].status, code: error.code };
  if (error instanceof UsageError) return { status: 400, code: 'invalid_input' };
  return { status: error instanceof CommandRefusal ? 409 : 500, code: 'failed' };
}

/** Lists the faults of the input; that of the field which a refusal is about has the text of the refusal. */
function* listErrors(error: unknown, text: string): Generator<InputError> {
  if (!(error instanceof UsageError || error instanceof Refusal)) return;
  for (const fault of error.errors) yield { path: fault.path, code: fault.code, text: say(fault, 'es') };
  if (error instanceof Refusal && error.field !== undefined) yield { path: [error.field], code: error.code, text };
}
