import type { Route } from '../../../shared/api/routes.ts';
import type { Example } from '../examples/example.ts';
import { getExamples, readAnswers } from '../examples/examples.ts';
import { type JsonSchema, jsonContent, ref, requireMeta } from './components.ts';
import { type AnswerExample, toNamedExamples } from './named-examples.ts';
import { describeParameters, type ParameterValues } from './parameters.ts';
import { listRefusals } from './refusals.ts';
import { describeResponses } from './responses.ts';

/** Describes a route as an OpenAPI operation. */
export function describeOperation({ method, path, contract }: Route): JsonSchema {
  const { operationId, tag, summary, description } = contract;
  const examples = getExamples(`${method} ${path}`);
  const succeeding = examples.filter(({ status }) => status < 400);
  const answers = findAnswers(`${method} ${path}`, examples);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: SECURITY[contract.authentication],
    parameters: describeParameters(contract, collectValues(succeeding)),
    ...(contract.body && { requestBody: requestBody(requireMeta(contract.body).id, succeeding) }),
    responses: describeResponses(contract, listRefusals(method, contract), answers),
  };
}

/** Returns the examples with their recorded answers; an example that is not recorded yet is left out. */
function findAnswers(operation: string, examples: readonly Example[]): AnswerExample[] {
  const answers = readAnswers()[operation] ?? {};
  return examples
    .filter(({ name }) => name in answers)
    .map(({ name, summary, status }) => ({ name, summary, status, body: answers[name] }));
}

// The first example that has a parameter gives its value.
const collectValues = (examples: readonly Example[]): ParameterValues =>
  Object.assign({}, ...examples.toReversed().flatMap(({ path, query, headers }) => [path, query, headers]));

const SECURITY = {
  key: [{ apiKey: [] }],
  client: [{ apiKey: [] }],
  user: [
    { apiKey: [], accessToken: [] },
    { apiKey: [], accessCookie: [] },
  ],
};

const requestBody = (name: string, examples: readonly Example[]) => ({
  required: true,
  content: jsonContent(ref(name), toNamedExamples(examples)),
});
