import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { DESCRIPTION } from '../../infra/api/description.ts';
import { describeApi } from '../../infra/api/document/openapi.ts';
import { type Route, routes } from '../../shared/api/routes.ts';

type Shown = { readonly content?: Record<string, { readonly examples?: Record<string, { readonly $ref?: string }> }> };
type Header = { readonly name: string; readonly examples: Readonly<Record<string, { readonly value: string }>> };

const text = readFileSync(DESCRIPTION, 'utf8');
const description = JSON.parse(text);
const operation = (name: string) => {
  const [method = '', path = ''] = name.split(' ');
  return description.paths[path][method.toLowerCase()];
};
const listParameters = (name: string): string[] =>
  operation(name).parameters.flatMap((parameter: { name?: string }) => parameter.name ?? []);
const listStatuses = (name: string): string[] => Object.keys(operation(name).responses);

type Part = { readonly [name: string]: unknown };

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;
// The variables of a server have defaults and no schemas.
const isSchema = (part: Part): boolean => 'type' in part || '$ref' in part || 'anyOf' in part;
const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Lists the schemas with a default below a part, by their JSON pointers. */
const listDefaults = (at: string, part: Part): [at: string, value: unknown][] => [
  ...(isSchema(part) && 'default' in part ? [[at, part.default] as [string, unknown]] : []),
  ...Object.entries(part).flatMap(([name, inner]) =>
    isPart(inner) ? listDefaults(`${at}/${pointerSegment(name)}`, inner) : [],
  ),
];

describe('the OpenAPI document', () => {
  it('is up to date with the contracts', () => {
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(describeApi(routes))));
  });

  it('says of the variables of its servers nothing but their defaults: orval 7 takes a description for a fault', () => {
    const { servers } = description as { servers: { variables?: Record<string, object> }[] };
    expect(servers.flatMap(({ variables = {} }) => Object.entries(variables))).toEqual([
      ['host', { default: 'api.botica.example' }],
    ]);
  });

  it('has every route of the table, each with its own operationId', () => {
    const names = routes.map(({ method, path }) => operation(`${method} ${path}`).operationId);
    expect(new Set(names).size).toBe(routes.length);
  });

  it.each([
    [
      'GET /api/products/',
      'page limit cursor search ordering search_all base__diseases base__category base__pharmaceutical_company is_active has_shortage min_price max_price id__in ean_key__in facets spelling',
    ],
    [
      'GET /api/orders/',
      'page limit cursor search ordering patient email phone folio created_at_before created_at_after order_status__in exclude_order_status__in payment_status__in store insurance_refund_status expected_delivery_date_before expected_delivery_date_after max_delivery_date_before max_delivery_date_after include',
    ],
    ['GET /api/categories/', 'page limit cursor search ordering available'],
    ['GET /api/pharmaceutical-companies/', 'page limit cursor search ordering available'],
    ['GET /api/diseases/', 'page limit cursor search ordering'],
    ['GET /api/products/{id}/substitutes/', 'id page limit cursor'],
    ['GET /api/events/', 'limit cursor type'],
    ['GET /api/orders/{id}/events/', 'id page limit cursor type'],
    ['GET /api/stores/', 'page limit cursor search ordering'],
    ['GET /api/payment-methods/', 'page limit cursor search ordering'],
    ['GET /api/orders/{id}/', 'id include'],
    ['POST /api/orders/resources/', 'include Idempotency-Key'],
    ['POST /api/orders/{id}/prescriptions/', 'id Idempotency-Key'],
  ])('names the parameters of %s', (name, parameters) => {
    expect(listParameters(name)).toEqual(parameters.split(' '));
  });

  it.each([
    ['POST /api/token/', '200 400 401 403 413 415 429 500 503'],
    ['POST /api/orders/calculate/', '201 400 403 413 415 429 500 503'],
    ['POST /api/orders/resources/', '201 400 401 403 409 413 415 422 429 500 503'],
    ['GET /api/orders/', '200 400 401 403 404 429 500 503'],
    ['GET /api/orders/{id}/', '200 400 401 403 404 429 500 503'],
    ['GET /api/events/', '200 400 401 403 404 429 500 503'],
    ['GET /api/orders/{id}/events/', '200 400 401 403 404 429 500 503'],
    ['PATCH /api/orders/{id}/', '200 400 401 403 404 409 413 415 429 500 503'],
    ['POST /api/orders/{id}/prescriptions/', '201 400 401 403 404 409 413 415 422 429 500 503'],
    ['PUT /api/orders/{id}/request-invoice/', '200 400 401 403 404 409 413 415 429 500 503'],
    ['GET /api/products/', '200 304 400 403 404 429 500 503'],
    ['GET /api/products/{id}/', '200 304 400 403 404 429 500 503'],
    ['GET /api/products/{id}/substitutes/', '200 304 400 403 404 429 500 503'],
    ['GET /api/stores/', '200 304 400 403 404 429 500 503'],
    ['GET /api/payment-methods/', '200 400 401 403 404 429 500 503'],
    ['GET /api/me/', '200 400 401 403 429 500 503'],
  ])('names the statuses of %s', (name, statuses) => {
    expect(listStatuses(name)).toEqual(statuses.split(' '));
  });

  it.each([
    ['POST /api/token/', '401', 'wrong_credentials'],
    ['POST /api/orders/{id}/prescriptions/', '409', 'order_changed_meanwhile order_not_waiting'],
    ['GET /api/products/', '403', 'api_key_invalid'],
  ])('names the codes of %s with the status %s', (name, status, codes) => {
    const { schema } = operation(name).responses[status].content['application/json'];
    const [error, own] = schema.allOf;
    expect(error).toEqual({ $ref: '#/components/schemas/Error' });
    expect(own.properties.code.enum.toSorted()).toEqual(codes.split(' '));
    expect(own.required).toEqual(['code']);
  });

  const EVERYWHERE = [
    'gateway_api_key_invalid',
    'gateway_throttled',
    'gateway_timeout',
    'gateway_unavailable',
    'internal_error',
    'unavailable',
  ];
  const OF_BODIES = 'body_too_large malformed_json not_json';
  const OF_CHANGES = 'invoice_in_progress not_found order_changed_meanwhile order_invoiced order_paid rebuilding';
  const OF_USERS = 'client_unknown cross_site not_authenticated token_expired token_invalid';
  it.each([
    ['POST /api/token/', `${OF_BODIES} client_unknown too_many_attempts wrong_credentials`],
    ['POST /api/orders/calculate/', OF_BODIES],
    [
      'POST /api/orders/resources/',
      `${OF_USERS} ${OF_BODIES} idempotency_key_reused rebuilding too_many_invoices too_many_orders`,
    ],
    [
      'PATCH /api/orders/{id}/',
      `${OF_USERS} ${OF_BODIES} ${OF_CHANGES} order_not_cancellable order_not_changeable order_on_credit too_many_references`,
    ],
    ['GET /api/orders/', 'client_unknown not_authenticated not_found token_expired token_invalid'],
    [
      'POST /api/orders/{id}/prescriptions/',
      `${OF_USERS} ${OF_BODIES} idempotency_key_reused not_found order_changed_meanwhile order_not_waiting rebuilding`,
    ],
    [
      'POST /api/orders/{id}/payment/',
      `${OF_USERS} ${OF_BODIES} not_found not_payable order_changed_meanwhile out_of_stock rebuilding too_many_references`,
    ],
    ['GET /api/products/', 'not_found'],
    ['GET /api/me/', 'client_unknown not_authenticated token_expired token_invalid'],
  ])('shows the refusals of %s, besides those of every route', (name, codes) => {
    const shown = Object.values<Shown>(operation(name).responses).flatMap(({ content }) =>
      Object.entries(content?.['application/json']?.examples ?? {}).flatMap(([code, { $ref }]) => ($ref ? code : [])),
    );
    expect(shown.sort()).toEqual([...EVERYWHERE, ...codes.split(' ')].sort());
  });

  it('has a table of all codes with status, cause and cure', () => {
    expect(description.info.description).toContain(
      '| `total_changed` 409 | *The total of the order is not the expected one; the quote says what it is now.* Show the `quote` of the answer, and order with its total if the buyer agrees. |',
    );
    expect(description.info.description).toContain(
      '| `throttled` 429 | *Too many requests; try again in some seconds.* Repeat after `Retry-After`. Nothing was done. |',
    );
  });

  it('begins with a request, and then has its sections in the order in which they are needed', () => {
    const [first = ''] = description.info.description.split('\n## ');
    expect(first).toContain('curl "$BOTICA/api/products/?search=paracetamol&limit=1" -H "X-API-Key: $API_KEY"');
    expect(description.info.description.match(/^## .*$/gm)).toEqual([
      '## Authentication',
      '## Roles',
      '## Paying',
      '## States',
      '## Sandbox',
      '## Testing',
      '## Errors',
      '## Pages',
      '## Idempotency',
      '## Languages',
      '## Events and webhooks',
      '## Limits',
      '## Codes',
      '## The gateway',
    ]);
  });

  it.each(['created', 'shipped'])('has a webhook whose example %s is signed as receivers verify it', (example) => {
    const { parameters, requestBody } = description.webhooks.orderEvent.post;
    const headers = Object.fromEntries(
      parameters.map(({ name, examples }: Header) => [name, examples[example]?.value ?? '']),
    );
    const body = JSON.stringify(requestBody.content['application/json'].examples[example].value);
    const receiver = new Webhook('whsec_Ym90aWNhIGV4YW1wbGUgc2VjcmV0IDIwMjY=');
    vi.setSystemTime(Number(headers['webhook-timestamp']) * 1_000);
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature found');
    vi.useRealTimers();
  });

  it('requires a key, and on order routes a token or the cookie too', () => {
    expect(operation('GET /api/products/').security).toEqual([{ apiKey: [] }]);
    expect(operation('POST /api/token/').security).toEqual([{ apiKey: [] }]);
    expect(operation('GET /api/orders/').security).toEqual([
      { apiKey: [], accessToken: [] },
      { apiKey: [], accessCookie: [] },
    ]);
  });

  it('has the bounds and values of the interface', () => {
    const { OrderDetailInput, InvoicingInput, UserInput, Order, ListOrder } = description.components.schemas;
    expect(OrderDetailInput.properties.quantity).toMatchObject({ type: 'integer', minimum: 0, maximum: 32_767 });
    expect(InvoicingInput.required).toEqual(
      'full_name rfc street exterior_number neighborhood city state country zipcode cfdi_use fiscal_regime'.split(' '),
    );
    expect(UserInput.properties.email).toMatchObject({ format: 'email', minLength: 1, maxLength: 254 });
    expect(UserInput.properties.sex.anyOf[0].enum).toEqual(['M', 'F']);
    expect(Order.properties.payment_status.enum).toEqual(
      'unpaid credit paid in_process processing rejected'.split(' '),
    );
    expect(Order.properties.cfdi).toMatchObject({ type: 'string', maxLength: 30 });
    expect(ListOrder.properties.patient_order_status.enum).toEqual('in_process shipped delivered cancelled'.split(' '));
  });

  it('tells the meaning of each value of a field or parameter', () => {
    const { schemas } = description.components;
    const parameters = Object.values<Record<string, { parameters: (Part & { schema?: Part })[] }>>(description.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap(({ parameters }) => parameters)
      // Values of an ordering are fields, those of other lists of statuses are told where an order has them.
      .filter(({ name, schema }) => schema && name !== 'ordering' && !/status__in$/.test(String(name)))
      .map(({ name, schema, description: text }) => ({ place: `parameter ${name}`, ...schema, description: text }));
    const fields = Object.entries<{ properties?: Record<string, Part> }>(schemas).flatMap(
      ([schema, { properties = {} }]) =>
        Object.entries(properties).map(([name, field]) => ({ place: `${schema}.${name}`, ...field })),
    );
    const listValues = ({ enum: own, anyOf, items }: { enum?: string[]; anyOf?: Part[]; items?: Part }): string[] =>
      own ??
      [...(anyOf ?? []), ...(items ? [items] : [])].flatMap((inner) => (inner.enum as string[] | undefined) ?? []);
    const choices = [...fields, ...parameters].map((field: Part) => ({ ...field, values: listValues(field) }));
    const told = choices.filter(({ values }) => values.length > 1);
    expect(told.length).toBeGreaterThan(25);
    const silent = told.flatMap(({ place, values, description: text }: Part & { values: string[] }) =>
      values
        .filter((value) => !String(text).includes(`\`${value}\`:`) && !String(text).includes(`\`${value}\` for`))
        .map((value) => `${place} ${value}`),
    );
    expect(silent.filter((value) => !/^EventMove\.(from|to) /.test(value))).toEqual([]);
  });

  // Redocly's rules check the examples (redocly.yaml), but no defaults.
  it('has defaults that match their own schemas', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ ...description, $id: 'document' });
    const defaults = listDefaults('', description);
    expect(defaults.length).toBeGreaterThan(10);
    expect(defaults.filter(([at, value]) => ajv.getSchema(`document#${at}`)?.(value) !== true)).toEqual([]);
  });

  it('writes lists in a query as one text with commas', () => {
    const [statuses] = operation('GET /api/orders/').parameters.filter(
      ({ name }: { name?: string }) => name === 'order_status__in',
    );
    expect(statuses).toMatchObject({ style: 'form', explode: false, schema: { type: 'array' } });
    expect(statuses.schema.items.enum).toEqual(
      'quoted pending_approval approved in_process ready shipped delivered cancelled delayed shortage'.split(' '),
    );
  });
});

it.each([
  '413 `HTTP content length exceeded 10485760 bytes.` (`text/plain`) if the body is over 10 MB',
  '413 `{"message":"Request Too Long"}` (`application/json`) if the body is over 6 MB as escaped JSON',
  '414 `Request URI too long` (`text/plain`) if the URL is over 10,240 characters',
  '415 `{"message":"Unsupported Media Type"}` (`application/json`) or our 404 `not_found` if `Content-Encoding` is neither gzip nor deflate',
  '431 `HTTP header is larger than 10240 bytes.` (`text/plain`) if the values of all headers are over 10,240 bytes',
])('the description names an answer that nobody can shape: %s', (sentence) => {
  expect(description.info.description).toContain(sentence);
});

describe('a route is not described', () => {
  const known = routes[0] as Route;
  const answering = (answer: z.ZodType): Route => ({
    ...known,
    contract: { ...known.contract, answers: { 200: answer } },
  });

  it('without examples', () => {
    expect(() => describeApi([{ ...known, path: '/api/strange/' }])).toThrow('no examples of POST /api/strange/');
  });

  it('without a name and a description of its body', () => {
    expect(() => describeApi([answering(z.object({}))])).toThrow('a body has no name or description');
    expect(() => describeApi([answering(z.object({}).meta({ id: 'Strange' }))])).toThrow('a body has no name');
  });

  it('without a description of each field and parameter', () => {
    const body = z.object({ field: z.string() }).meta({ id: 'Strange', description: 'Strange.' });
    expect(() => describeApi([answering(body)])).toThrow('no description of Strange.field');
    const contract = { ...known.contract, query: z.object({ strange: z.string() }) };
    expect(() => describeApi([{ ...known, contract }])).toThrow('no description of the parameter strange');
  });
});
