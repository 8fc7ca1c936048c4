import { type Contract, hasBody, type Method } from '../../../shared/api/contract.ts';
import { REFUSALS, type RefusalCode } from '../../../shared/messages/refusals.ts';
import { describeAwsAnswers, gatewayAnswers } from '../../gateway-answers.ts';
import type { AnswerExample } from '../examples/examples.ts';
import {
  describeHeaders,
  type HeaderName,
  type JsonSchema,
  jsonContent,
  ref,
  requireMeta,
  toNamedExamples,
} from './components.ts';

export const describeResponses = (
  contract: Contract,
  refusals: readonly CodedRefusal[],
  examples: readonly AnswerExample[],
): Record<string, JsonSchema> => ({
  ...describeSuccess(contract, examples),
  ...(contract.caching === 'catalog' && { 304: NOT_MODIFIED }),
  ...describeRefusals(refusals, examples),
});

const CACHED: readonly HeaderName[] = ['ETag', 'Cache-Control'];
const NOT_MODIFIED = { description: 'The caller’s copy is current.', headers: describeHeaders(CACHED) };

function describeSuccess(contract: Contract, examples: readonly AnswerExample[]) {
  const own: readonly HeaderName[] = contract.answerHeaders ?? [];
  const answered = Object.entries(contract.answers).map(([status, schema]) => {
    const headers = describeHeaders(contract.caching === 'catalog' ? [...CACHED, ...own] : own);
    if (!hasBody(schema)) return [status, { description: schema.description, headers }];
    const { id, description } = requireMeta(schema);
    const shown = examples.filter((example) => example.status === Number(status));
    return [status, { description, headers, content: jsonContent(ref(id), toNamedExamples(shown)) }];
  });
  return Object.fromEntries(answered);
}

/** A refusal with the name of its example; the gateway and the handlers share some codes. */
export type CodedRefusal = {
  readonly name: string;
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly schema: string;
};

const ERROR = 'Error';
const FIELD_ERRORS = 'FieldErrors';

// The answers of the gateway itself to a call of a known route, which has no authorizer.
const BY_GATEWAY = ['api_key_invalid', 'throttled', 'unavailable', 'timeout'] as const;

/** Lists the refusals of an operation: first the handler's, then the gateway's. */
export const listRefusals = (method: Method, contract: Contract): CodedRefusal[] => [
  ...listCodes(method, contract).map((code) => {
    const { status, es: detail } = REFUSALS[code];
    const own = contract.refusalBodies?.[code];
    // The body of invalid input mirrors the request and has no code.
    const schema = own ? requireMeta(own).id : code === 'invalid_input' ? FIELD_ERRORS : ERROR;
    return { name: code, code, status, detail, schema };
  }),
  ...BY_GATEWAY.map((code) => {
    const { statusCode: status, detail } = gatewayAnswers[code];
    return { name: `gateway_${code}`, code, status, detail, schema: ERROR };
  }),
];

const SAFE_METHODS: readonly Method[] = ['GET'];

function listCodes(method: Method, contract: Contract): RefusalCode[] {
  const { authentication, path, headers, body, refusals = [] } = contract;
  const codes: RefusalCode[] = [...refusals, 'internal_error', 'unavailable', 'invalid_input'];
  if (body) codes.push('malformed_json', 'body_too_large', 'not_json');
  if (authentication !== 'key') codes.push('client_unknown');
  if (authentication === 'user') codes.push('not_authenticated', 'token_invalid', 'token_expired');
  if (authentication === 'user' && !SAFE_METHODS.includes(method)) codes.push('cross_site');
  if (path || isList(contract)) codes.push('not_found');
  if (headers?.shape['Idempotency-Key']) codes.push('idempotency_key_reused');
  return codes;
}

const isList = ({ query }: Contract): boolean => query?.shape.page !== undefined;

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The caller is unknown.',
  403: 'The caller is not allowed in.',
  404: 'The record or page does not exist, or belongs to somebody else.',
  409: 'The state of the record forbids it.',
  413: `The body is over 256 KB, or over 5.5 MB or 20,000 values where it carries documents. ${describeAwsAnswers([413])}`,
  415: `The body is not JSON. ${describeAwsAnswers([415])}`,
  422: 'The idempotency key was used with another body.',
  429: 'Too many requests.',
  500: 'An error of the service.',
  503: 'A part of the service is down, or took too long. The request may have been carried out all the same.',
};
const RETRIED = [429, 503];

function describeRefusals(
  refusals: readonly CodedRefusal[],
  examples: readonly AnswerExample[],
): Record<string, JsonSchema> {
  const statuses = [...new Set(refusals.map(({ status }) => status))].sort();
  const responses = statuses.map((status) => {
    const isOf = (one: { readonly status: number }): boolean => one.status === status;
    return [status, describeResponse(status, refusals.filter(isOf), examples.filter(isOf))];
  });
  return Object.fromEntries(responses);
}

function describeResponse(status: number, refusals: readonly CodedRefusal[], examples: readonly AnswerExample[]) {
  const description = MEANINGS[status];
  if (description === undefined) throw new Error(`no description of the status ${status}`);
  const plain = refusals.filter(hasNoMore);
  const own = new Set(
    refusals.map(({ schema }) => schema).filter((schema) => schema !== ERROR && schema !== FIELD_ERRORS),
  );
  const schemas = [
    ...(refusals.some(({ schema }) => schema === FIELD_ERRORS) ? [ref(FIELD_ERRORS)] : []),
    ...(plain.length > 0 ? [describeError([...new Set(plain.map(({ code }) => code))])] : []),
    ...[...own].map(ref),
  ];
  const [only, ...others] = schemas;
  const schema = only && others.length === 0 ? only : { anyOf: schemas };
  const codes = plain.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]);
  return {
    description,
    headers: describeHeaders(RETRIED.includes(status) ? ['Retry-After'] : []),
    content: jsonContent(schema, { ...toNamedExamples(examples), ...Object.fromEntries(codes) }),
  };
}

const describeError = (codes: readonly string[]): JsonSchema => ({
  // Without `required` a generated type has a code that may be undefined.
  allOf: [ref(ERROR), { type: 'object', properties: { code: { type: 'string', enum: codes } }, required: ['code'] }],
});

const hasNoMore = ({ schema }: CodedRefusal): boolean => schema === ERROR;

/** Returns the bodies of the refusals that have a code and no more, by example name. */
export const describeRefusalExamples = (refusals: readonly CodedRefusal[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    refusals.filter(hasNoMore).map(({ name, code, detail }) => [name, { summary: detail, value: { detail, code } }]),
  );
