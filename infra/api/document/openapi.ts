import type { DescribedContract } from '../../../shared/api/contract.ts';
import type { Route } from '../../../shared/api/routes.ts';
import { describeAwsAnswers } from '../../gateway-answers.ts';
import { type Example, getExamples, listAnswers } from '../examples/examples.ts';
import {
  describeParameters,
  describeSchemas,
  HEADERS,
  type JsonSchema,
  jsonContent,
  PARAMETERS,
  type ParameterValues,
  ref,
  requireMeta,
  toNamedExamples,
} from './components.ts';
import { describeRefusalExamples, describeResponses, listRefusals } from './responses.ts';

/** Describes these routes as an OpenAPI document. Throws when a part has no description or no example. */
export function describeApi(routes: readonly Route[]): JsonSchema {
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: SERVERS,
    tags: TAGS,
    paths: describePaths(routes),
    components: {
      schemas: { ...describeSchemas(routes.map(({ contract }) => contract)), ...ERROR_SCHEMAS },
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: describeRefusalExamples(routes.flatMap(({ method, contract }) => listRefusals(method, contract))),
      securitySchemes: SECURITY_SCHEMES,
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

const TAGS: { name: DescribedContract['tag']; description: string }[] = [
  { name: 'Access', description: 'Tokens of users.' },
  { name: 'Orders', description: 'Quotes, orders and their invoices.' },
  { name: 'Events', description: 'What happens to orders, for those who would rather not ask for each of them.' },
  { name: 'Catalog', description: 'Products and the lists that classify them; read-only.' },
];

const SERVERS = [
  { url: '/v2', description: 'The host that shows this description, such as the local server.' },
  {
    url: 'https://{host}/v2',
    description: 'A deployed pharmacy.',
    variables: { host: { default: 'api.botica.example', description: 'Domain of the deployment.' } },
  },
];

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key of the client.' },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The access token of a user, from `POST /api/token/`.',
  },
  accessCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-access',
    description:
      'The same token as a cookie; requests that change data are then accepted only from the same site or a configured one.',
  },
};

const messages = { type: 'array', items: { type: 'string' } };

const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  Error: {
    description: 'The reason for which a request was refused.',
    type: 'object',
    properties: {
      detail: { type: 'string', description: 'A message for people, in the language of `Content-Language`.' },
      code: { type: 'string', description: 'A stable code for programs.' },
    },
    required: ['detail', 'code'],
  },
  FieldErrors: {
    description:
      'A mirror of the request: each bad field holds its messages, each bad array one entry per element (`{}` for a good one); the errors of an object as a whole stand under `non_field_errors`.',
    type: 'object',
    additionalProperties: {
      anyOf: [messages, { type: 'array', items: ref('FieldErrors') }, ref('FieldErrors')],
    },
  },
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
