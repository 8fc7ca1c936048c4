import type { Route } from '../../../shared/api/routes.ts';
import type { Example } from '../examples/example.ts';
import { getExamples, listAnswers } from '../examples/examples.ts';
import { type JsonSchema, jsonContent, ref, requireMeta, toNamedExamples } from './components.ts';

import { describeParameters, type ParameterValues } from './parameters.ts';
import { listRefusals } from './refusals.ts';
import { describeResponses } from './responses.ts';

/** Describes a route as an OpenAPI operation. */
export function describeOperation(route: Route): JsonSchema {
  const { method, contract } = route;
  const { operationId, tag, summary, description } = contract;
  const examples = getExamples(route);
  const succeeding = examples.filter(({ status }) => status < 400);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: SECURITY[contract.authentication],
    parameters: describeParameters(contract, collectValues(succeeding)),
    ...(contract.body && { requestBody: requestBody(requireMeta(contract.body).id, succeeding) }),
    responses: describeResponses(contract, listRefusals(method, contract), listAnswers(route)),
  };
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
