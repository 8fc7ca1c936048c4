import type { Contract } from '../../../shared/api/contract.ts';
import { type JsonSchema, json, nameAndDescription, ref } from './components.ts';
import { type HeaderName, headers } from './headers.ts';
import { type AnswerExample, named } from './named-examples.ts';
import type { CodedRefusal } from './refusals.ts';
import { refusedResponses } from './refused-responses.ts';

/** Every answer of an operation by its status, with its examples. */
export const responsesOf = (
  contract: Contract,
  refusals: readonly CodedRefusal[],
  examples: readonly AnswerExample[],
): Record<string, JsonSchema> => ({
  ...successes(contract, examples),
  ...(contract.caching === 'catalog' && { 304: STILL_GOOD }),
  ...refusedResponses(refusals, examples),
});

const CACHED: readonly HeaderName[] = ['ETag', 'Cache-Control'];
const STILL_GOOD = { description: 'What the caller holds is still good.', headers: headers(CACHED) };

function successes(contract: Contract, examples: readonly AnswerExample[]) {
  const own: readonly HeaderName[] = contract.answerHeaders ?? [];
  const answered = Object.entries(contract.answers).map(([status, schema]) => {
    const { id, description } = nameAndDescription(schema);
    const shown = examples.filter((example) => example.status === Number(status));
    return [
      status,
      {
        description,
        headers: headers(contract.caching === 'catalog' ? [...CACHED, ...own] : own),
        content: json(ref(id), named(shown)),
      },
    ];
  });
  return Object.fromEntries(answered);
}
