import type { Route } from '../../../shared/api/routes.ts';
import { describeAwsAnswers } from '../../gateway-answers.ts';
import { type Example, getExamples, listAnswers } from '../examples/examples.ts';
import {
  describeParameters,
  describeSchemas,
  type JsonSchema,
  jsonContent,
  PARAMETERS,
  type ParameterValues,
  ref,
  requireMeta,
  toNamedExamples,
} from './components.ts';
import fixed from './fixed.json' with { type: 'json' };
import { describeRefusalExamples, describeResponses, listRefusals } from './responses.ts';

/** Describes these routes as an OpenAPI document, with the parts of `fixed.json`, which no contract says. Throws when a part has no description or no example. */
export function describeApi(routes: readonly Route[]): JsonSchema {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: fixed.servers,
    tags: fixed.tags,
    paths: describePaths(routes),
    components: {
      schemas: { ...describeSchemas(routes.map(({ contract }) => contract)), ...fixed.schemas },
      parameters: PARAMETERS,
      headers: fixed.headers,
      examples: describeRefusalExamples(routes.flatMap(({ method, contract }) => listRefusals(method, contract))),
      securitySchemes: fixed.securitySchemes,
    },
  };
}

const INFO = {
  title: 'Botica',
  version: '2.0.0',
  summary: 'Catalog, quotes and orders of a pharmacy in Mexico.',
  description: [
    'Every request carries the key of the client in `X-API-Key`; order routes also need the access token of a user. Amounts are text with two decimals, times are UTC, unknown fields are ignored, unless the request says `Prefer: handling=strict`. A `HEAD` is answered as the `GET` of its path, without the body. Any other path or method below the base address, preflights aside, is 404 `not_found`, with or without a key. The gateway answers for itself in Spanish and English at once.',
    describeAwsAnswers([413, 414, 415, 431]),
    'Answers of 1 KB or more are compressed if the coding that `Accept-Encoding` prefers is gzip or deflate.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
};

function describePaths(routes: readonly Route[]): Record<string, JsonSchema> {
  const byPath: Record<string, JsonSchema> = {};
  for (const route of routes) {
    byPath[route.path] = { ...byPath[route.path], [route.method.toLowerCase()]: describeOperation(route) };
  }
  return byPath;
}

/** Describes a route as an OpenAPI operation. */
function describeOperation(route: Route): JsonSchema {
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
