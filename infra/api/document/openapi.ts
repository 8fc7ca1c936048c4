import type { PublicEvent } from '../../../shared/api/events/events.ts';
import type { Route } from '../../../shared/api/routes.ts';
import { signatureHeaders } from '../../../shared/events/webhooks/send.ts';
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

/** The secret that signs the examples; no endpoint has it. */
const EXAMPLE_SECRET = 'whsec_Ym90aWNhIGV4YW1wbGUgc2VjcmV0IDIwMjY=';

const order = { id: 1, folio: 'RX-00000001' };
const EVENTS: readonly { name: string; summary: string; body: PublicEvent }[] = [
  {
    name: 'created',
    summary: 'An order is placed',
    body: {
      id: 'evt_1_1_0',
      type: 'order.created',
      time: '2026-11-21T18:00:00.000Z',
      order: { ...order, order_status: 'approved', payment_status: 'unpaid', version: 1 },
      move: null,
      shipment: null,
      refunded: null,
      reason: null,
      prescriptions: [],
    },
  },
  {
    name: 'shipped',
    summary: 'An order is shipped',
    body: {
      id: 'evt_1_5_0',
      type: 'order.moved',
      time: '2026-11-23T16:30:00.000Z',
      order: { ...order, order_status: 'shipped', payment_status: 'paid', version: 5 },
      move: { status: 'order_status', from: 'ready', to: 'shipped' },
      shipment: { carrier: 'Paquetería Andariega', tracking_number: '1Z999AA10123456784' },
      refunded: null,
      reason: null,
      prescriptions: [],
    },
  },
];

/** Describes the requests that the service sends to the endpoints of a client, signed with `EXAMPLE_SECRET`. */
const describeWebhooks = (): Record<string, JsonSchema> => ({
  orderEvent: {
    post: {
      operationId: 'receiveEvent',
      tags: ['Events'],
      summary: 'Receive an event',
      description: `Sent to each endpoint that the pharmacy has made for the client, soon after the event. The signature is HMAC-SHA256, in base64 after \`v1,\`, over id, time and raw body, joined by dots; the key is the secret of the endpoint, in base64 after \`whsec_\`. While a secret is being replaced there are two signatures, separated by a blank. Refuse a time that is more than 5 minutes off. The examples are signed with \`${EXAMPLE_SECRET}\`, their bodies as JSON without blanks. A body of the type \`webhook.test\` has \`id\`, \`type\` and \`time\` alone.`,
      security: [],
      parameters: [
        describeHeader('webhook-id', 'Id of the event, the same in every repetition.'),
        describeHeader('webhook-timestamp', 'Time of this try, in seconds since 1970.'),
        describeHeader('webhook-signature', 'One signature or more, separated by blanks.'),
      ],
      requestBody: { required: true, content: jsonContent(ref('Event'), toNamedExamples(EVENTS)) },
      responses: {
        '2XX': { description: 'The event has arrived. Answer within 5 s; work afterwards.' },
        '410': { description: 'The endpoint wants no more events; it is disabled.' },
        '4XX': { description: 'The event is sent again later, as after any other answer, or none.' },
      },
    },
  },
});

type SignatureHeader = keyof ReturnType<typeof signatureHeaders>;

function describeHeader(name: SignatureHeader, description: string): JsonSchema {
  const examples = EVENTS.map((example) => [example.name, { value: sign(example.body)[name] }]);
  return {
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    examples: Object.fromEntries(examples),
  };
}

const sign = (event: PublicEvent) =>
  signatureHeaders({ id: event.id, sentAt: new Date(event.time), body: JSON.stringify(event) }, [EXAMPLE_SECRET]);
