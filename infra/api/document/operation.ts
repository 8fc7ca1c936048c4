import type { Route } from '../../../shared/api/routes.ts';
import type { Example } from '../examples/example.ts';
import { getExamples } from '../examples/examples.ts';
import { type JsonSchema, json, nameAndDescription, ref } from './components.ts';
import { named } from './named-examples.ts';
import { type ParameterValues, parametersOf } from './parameters.ts';
import { refusalsOf } from './refusals.ts';
import { responsesOf } from './responses.ts';

/** One route as OpenAPI describes it. */
export function operation({ method, path, contract }: Route): JsonSchema {
  const { operationId, tag, summary, description } = contract;
  const examples = getExamples(`${method} ${path}`);
  const succeeding = examples.filter(({ status }) => status < 400);
  const answers = examples.map(({ status, answer, ...example }) => ({ ...example, status, body: answer }));
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: SECURITY[contract.authentication],
    parameters: parametersOf(contract, parameterValues(succeeding)),
    ...(contract.body && { requestBody: requestBody(nameAndDescription(contract.body).id, succeeding) }),
    responses: responsesOf(contract, refusalsOf(method, contract), answers),
  };
}

// Of a parameter that several examples have, the value of the first.
const parameterValues = (examples: readonly Example[]): ParameterValues =>
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
  content: json(ref(name), named(examples)),
});
