import { type JsonSchema, json, ref } from './components.ts';
import { headers } from './headers.ts';
import { type AnswerExample, named } from './named-examples.ts';
import type { CodedRefusal } from './refusals.ts';

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is not valid.',
  401: 'The caller is not known.',
  403: 'The caller is not allowed in.',
  404: 'There is no such record or page, or it is not the caller’s.',
  409: 'The state of the order forbids it.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The idempotency key was used with another body.',
  429: 'Too many requests.',
  500: 'A fault of the service.',
  502: 'A fault of the service, noticed by the gateway.',
  503: 'A part of the service is down.',
  504: 'The service took too long.',
};
const RETRIED = [429, 503];
// Its body mirrors the request and has no code.
const FIELDS = 'invalid_input';

/** Every refusal of an operation by its status. Throws when a status has no words. */
export function refusedResponses(
  refusals: readonly CodedRefusal[],
  examples: readonly AnswerExample[],
): Record<string, JsonSchema> {
  const statuses = [...new Set(refusals.map(({ status }) => status))].sort();
  const responses = statuses.map((status) => {
    const own = { refusals: ofStatus(refusals, status), examples: ofStatus(examples, status) };
    return [status, response(status, own.refusals, own.examples)];
  });
  return Object.fromEntries(responses);
}

const ofStatus = <Answered extends { readonly status: number }>(all: readonly Answered[], status: number): Answered[] =>
  all.filter((one) => one.status === status);

function response(status: number, refusals: readonly CodedRefusal[], examples: readonly AnswerExample[]) {
  const description = MEANINGS[status];
  if (description === undefined) throw new Error(`no words for the status ${status}`);
  const coded = refusals.filter(({ code }) => code !== FIELDS);
  const bodies = [...(coded.length < refusals.length ? ['FieldErrors'] : []), ...(coded.length > 0 ? ['Error'] : [])];
  const [only, ...others] = bodies.map(ref);
  const schema = only && others.length === 0 ? only : { anyOf: bodies.map(ref) };
  const codes = coded.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]);
  return {
    description,
    headers: headers(RETRIED.includes(status) ? ['Retry-After'] : []),
    content: json(schema, { ...named(examples), ...Object.fromEntries(codes) }),
  };
}

/** The bodies of these refusals, as far as they have a code. */
export const refusalExamples = (refusals: readonly CodedRefusal[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    refusals
      .filter(({ code }) => code !== FIELDS)
      .map(({ name, code, detail }) => [name, { summary: detail, value: { detail, code } }]),
  );
