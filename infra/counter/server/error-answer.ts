import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { REFUSALS } from '../../../shared/messages/refusals.ts';
import { say } from '../../../shared/messages/say.ts';
import { CommandRefusal, explainError, UsageError } from '../../ops/errors.ts';

const COUNTER_REFUSALS = {
  foreign_host: [403, 'El mostrador solo atiende en la dirección que mostró la terminal.'],
  foreign_origin: [403, 'Otra página no puede usar el mostrador.'],
  no_token: [401, 'Falta la clave del mostrador o es de otro: abra la dirección completa que mostró la terminal.'],
  unknown_command: [404, 'El mostrador no tiene este comando.'],
  document_missing: [
    404,
    'El documento ya no está en el almacén: pida otra copia, o que se restaure la anterior en S3.',
  ],
  document_withheld: [409, 'El antivirus encontró software malicioso en este documento: pida otra copia.'],
  not_allowed: [502, 'AWS no permite esto con sus credenciales{right}: pida el permiso a quien administra la cuenta.'],
  signed_out: [
    502,
    'No hay sesión de AWS, o ya terminó: inicie sesión y arranque de nuevo el mostrador en la terminal.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number, text: string]>>;

type CounterRefusalCode = keyof typeof COUNTER_REFUSALS;

const AWS_ERRORS: readonly (readonly [CounterRefusalCode, RegExp])[] = [
  [
    'signed_out',
    /^(ExpiredToken(Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClientException|(Credentials|Token)ProviderError)$/,
  ],
  ['not_allowed', /^AccessDenied(Exception)?$/],
  ['document_missing', /^NoSuchKey$/],
];

export class CounterRefusal extends Error {
  readonly code: CounterRefusalCode;
  readonly status: number;

  constructor(code: CounterRefusalCode, right = '') {
    const [status, text] = COUNTER_REFUSALS[code];
    super(text.replace('{right}', right));
    this.code = code;
    this.status = status;
  }
}

/** The answer in place of a document, with the validation errors by the keys of the command. */
export type ErrorAnswer = { readonly code: string; readonly text: string; readonly errors?: readonly InputError[] };
export type InputError = { readonly path: readonly (string | number)[]; readonly code: string; readonly text: string };

export function answerError(thrown: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toAwsRefusal(thrown) ?? toBodyRefusal(thrown) ?? thrown;
  const { status, code } = classify(error);
  const text = error instanceof CounterRefusal ? error.message : explainError(error, 'es');
  const errors = listErrors(error, text);
  const answer: ErrorAnswer = { code, text, ...(errors.length > 0 && { errors }) };
  return reply.status(status).send(answer);
}

/** Returns the refusal for an error of AWS, which may be the cause of a store's refusal. */
function toAwsRefusal(error: unknown): CounterRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  // The policy of the bucket denies nothing else to whoever may read it (infra/cloud/document-scan.ts).
  if (/explicit deny in a resource-based policy/.test(error.message)) return new CounterRefusal('document_withheld');
  const [code] = AWS_ERRORS.find(([, names]) => names.test(error.name)) ?? [];
  if (!code) return toAwsRefusal(error.cause);
  // AWS says which right is missing, `dynamodb:Query`, or not.
  const [, right] = /not authorized to perform: ([\w-]+:\w+)/.exec(error.message) ?? [];
  return new CounterRefusal(code, right && ` (${right})`);
}

function toBodyRefusal(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof Error) || !('statusCode' in thrown)) return undefined;
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

/** Lists the validation errors; that of the field which a refusal is about has the text of the refusal. */
function listErrors(error: unknown, text: string): readonly InputError[] {
  if (!(error instanceof UsageError || error instanceof Refusal)) return [];
  const errors = error.errors.map((each) => ({ path: each.path, code: each.code, text: say(each, 'es') }));
  if (error instanceof UsageError || error.field === undefined) return errors;
  return [...errors, { path: [error.field], code: error.code, text }];
}
