import type { Route } from '../../../shared/api/routes.ts';
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
import { writeIntroduction } from './introduction.ts';
import { describeRefusalExamples, describeResponses, listRefusals } from './responses.ts';
import { describeWebhooks } from './webhooks.ts';

/** Describes these routes as an OpenAPI document, with the parts of `fixed.json`, which no contract says. Throws when a part has no description or no example. */
export function describeApi(routes: readonly Route[]): JsonSchema {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: fixed.servers,
    tags: fixed.tags,
    paths: describePaths(routes),
    webhooks: describeWebhooks(),
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
  description: writeIntroduction(),
  license: { name: 'MIT', identifier: 'MIT' },
};

function describePaths(routes: readonly Route[]): Record<string, JsonSchema> {
  const byPath: Record<string, JsonSchema> = {};
  for (const route of routes) {
    byPath[route.path] = { ...byPath[route.path], [route.method.toLowerCase()]: describeOperation(route) };
  }
  return byPath;
}

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
    ...(contract.body && {
      requestBody: {
        required: contract.isBodyOptional !== true,
        content: jsonContent(
          ref(requireMeta(contract.body).id),
          toNamedExamples(succeeding.filter(({ body }) => body)),
        ),
      },
    }),
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
