import { describeAwsAnswers } from '../../aws-answers.ts';
import type { AnswerExample } from '../examples/examples.ts';
import { type JsonSchema, jsonContent, ref, toNamedExamples } from './components.ts';
import { describeHeaders } from './headers.ts';
import { type CodedRefusal, ERROR } from './refusals.ts';

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The caller is unknown.',
  403: 'The caller is not allowed in.',
  404: 'The record or page does not exist, or belongs to somebody else.',
  409: 'The state of the order forbids it.',
  413: `The body is over 256 KB, or over 5.5 MB or 20,000 values where it carries documents. ${describeAwsAnswers([413])}`,
  415: `The body is not JSON. ${describeAwsAnswers([415])}`,
  422: 'The idempotency key was used with another body.',
  429: 'Too many requests.',
  500: 'An error of the service.',
  503: 'A part of the service is down, or took too long. The request may have been carried out all the same.',
};
const RETRIED = [429, 503];
// The body of this refusal mirrors the request and has no code.
const INVALID_INPUT = 'invalid_input';

/** Describes the refusals of an operation by status. Throws when a status has no description. */
export function describeRefusals(
  refusals: readonly CodedRefusal[],
  examples: readonly AnswerExample[],
): Record<string, JsonSchema> {
  const statuses = [...new Set(refusals.map(({ status }) => status))].sort();
  const responses = statuses.map((status) => {
    const own = { refusals: withStatus(refusals, status), examples: withStatus(examples, status) };
    return [status, describeResponse(status, own.refusals, own.examples)];
  });
  return Object.fromEntries(responses);
}

const withStatus = <Answered extends { readonly status: number }>(
  all: readonly Answered[],
  status: number,
): Answered[] => all.filter((one) => one.status === status);

function describeResponse(status: number, refusals: readonly CodedRefusal[], examples: readonly AnswerExample[]) {
  const description = MEANINGS[status];
  if (description === undefined) throw new Error(`no description of the status ${status}`);
  const coded = refusals.filter(({ code }) => code !== INVALID_INPUT);
  const bodies = [...(coded.length < refusals.length ? ['FieldErrors'] : []), ...coded.map(({ schema }) => schema)];
  const schemas = [...new Set(bodies)].map(ref);
  const [only, ...others] = schemas;
  const schema = only && others.length === 0 ? only : { anyOf: schemas };
  const codes = coded.filter(hasNoMore).map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]);
  return {
    description,
    headers: describeHeaders(RETRIED.includes(status) ? ['Retry-After'] : []),
    content: jsonContent(schema, { ...toNamedExamples(examples), ...Object.fromEntries(codes) }),
  };
}

const hasNoMore = ({ schema }: CodedRefusal): boolean => schema === ERROR;

/** Returns the bodies of the refusals that have a code and no more, by example name. */
export const describeRefusalExamples = (refusals: readonly CodedRefusal[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    refusals
      .filter((refusal) => refusal.code !== INVALID_INPUT && hasNoMore(refusal))
      .map(({ name, code, detail }) => [name, { summary: detail, value: { detail, code } }]),
  );
