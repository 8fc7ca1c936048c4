import type { Contract } from '../../../shared/api/contract.ts';
import type { AnswerExample } from '../examples/examples.ts';
import { type JsonSchema, jsonContent, ref, requireMeta, toNamedExamples } from './components.ts';
import { describeHeaders, type HeaderName } from './headers.ts';
import type { CodedRefusal } from './refusals.ts';
import { describeRefusals } from './refused-responses.ts';

/** Describes the answers of an operation by status, with their examples. */
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
    const { id, description } = requireMeta(schema);
    const shown = examples.filter((example) => example.status === Number(status));
    return [
      status,
      {
        description,
        headers: describeHeaders(contract.caching === 'catalog' ? [...CACHED, ...own] : own),
        content: jsonContent(ref(id), toNamedExamples(shown)),
      },
    ];
  });
  return Object.fromEntries(answered);
}
