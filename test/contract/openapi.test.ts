import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type ApiDescription, DESCRIPTION, listCalls, readJson } from '../../infra/api/description.ts';
import { describeApi } from '../../infra/api/document/openapi.ts';
import { type Route, routes, servedRoutes } from '../../shared/api/routes.ts';
import { readQuery } from '../../shared/http/errors.ts';

// The table of routes, with a handler file for each, and their description.

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
    ['GET /api/diseases/', 'page limit cursor search ordering'],
    ['GET /api/products/{id}/substitutes/', 'id page limit cursor'],
    ['GET /api/events/', 'limit cursor type'],
    ['GET /api/orders/{id}/events/', 'id page limit cursor type'],
    ['GET /api/payment-methods/', 'page limit cursor search ordering include'],
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
    ['PATCH /api/orders/{id}/', '200 400 401 403 404 409 413 415 429 500 503'],
    ['GET /api/products/', '200 304 400 403 404 429 500 503'],
    ['GET /api/me/', '200 400 401 403 429 500 503'],
  ])('names the statuses of %s', (name, statuses) => {
    expect(listStatuses(name)).toEqual(statuses.split(' '));
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
    ['GET /api/products/', 'not_found'],
    ['GET /api/me/', 'client_unknown not_authenticated token_expired token_invalid'],
  ])('shows the refusals of %s, besides those of every route', (name, codes) => {
    const shown = Object.values<Shown>(operation(name).responses).flatMap(({ content }) =>
      Object.entries(content?.['application/json']?.examples ?? {}).flatMap(([code, { $ref }]) => ($ref ? code : [])),
    );
    expect(shown.sort()).toEqual([...EVERYWHERE, ...codes.split(' ')].sort());
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
    expect(InvoicingInput.required.join(' ')).toBe(
      'full_name rfc street exterior_number neighborhood city state country zipcode cfdi_use fiscal_regime',
    );
    expect(UserInput.properties.email).toMatchObject({ format: 'email', minLength: 1, maxLength: 254 });
    expect(UserInput.properties.sex.anyOf[0].enum).toEqual(['M', 'F']);
    expect(Order.properties.payment_status.enum.join(' ')).toBe('unpaid credit paid in_process processing rejected');
    expect(Order.properties.cfdi).toMatchObject({ type: 'string', maxLength: 30 });
    expect(ListOrder.properties.patient_order_status.enum.join(' ')).toBe('in_process shipped delivered cancelled');
  });

  // Redocly's rules check the examples (redocly.yaml), but no defaults.
  it('has defaults that match their own schemas', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false })).addSchema({ ...description, $id: 'document' });
    const defaults = listDefaults('', description);
    expect(defaults.length).toBeGreaterThan(10);
    expect(defaults.filter(([at, value]) => ajv.getSchema(`document#${at}`)?.(value) !== true)).toEqual([]);
  });
});

it('a route is not described without examples, and a name and descriptions of all its fields', () => {
  const known = routes[0] as Route;
  const answering = (answer: z.ZodType): Route => ({
    ...known,
    contract: { ...known.contract, answers: { 200: answer } },
  });
  const body = z.object({ field: z.string() }).meta({ id: 'Strange', description: 'Strange.' });
  const parameters = { ...known.contract, query: z.object({ strange: z.string() }) };
  const strange: [route: Route, error: string][] = [
    [{ ...known, path: '/api/strange/' }, 'no examples of POST /api/strange/'],
    [answering(z.object({}).meta({ id: 'Strange' })), 'a body has no name or description'],
    [answering(body), 'no description of Strange.field'],
    [{ ...known, contract: parameters }, 'no description of the parameter strange'],
  ];
  for (const [route, error] of strange) expect(() => describeApi([route])).toThrow(error);
});

const root = join(import.meta.dirname, '../..');

describe('the route table', () => {
  it('holds the routes of the interface that are served', () => {
    expect(routes.map(({ method, path, authentication }) => `${method} ${path} ${authentication}`)).toEqual([
      'POST /api/token/ client',
      'POST /api/password/ client',
      'PUT /api/password/ client',
      'POST /api/orders/calculate/ key',
      'POST /api/orders/resources/ user',
      'GET /api/orders/ user',
      'GET /api/orders/{id}/ user',
      'PATCH /api/orders/{id}/ user',
      'POST /api/orders/{id}/payment/ user',
      'POST /api/orders/{id}/prescriptions/ user',
      'PATCH /api/orders/{id}/request-invoice/ user',
      'PUT /api/orders/{id}/request-invoice/ user',
      'GET /api/orders/{id}/events/ user',
      'GET /api/events/ user',
      'GET /api/products/ key',
      'GET /api/products/{id}/ key',
      'GET /api/products/{id}/substitutes/ key',
      'GET /api/products/{id}/availability/ key',
      'GET /api/categories/ key',
      'GET /api/pharmaceutical-companies/ key',
      'GET /api/diseases/ key',
      'GET /api/stores/ key',
      'GET /api/payment-methods/ user',
      'GET /api/me/ user',
      'PATCH /api/me/ user',
      'GET /api/me/export/ user',
    ]);
  });

  it('has a handler file for every row, and a row for every handler file', () => {
    const files = globSync('functions/**/*.ts', { cwd: root, exclude: ['functions/jobs/**'] });
    expect(files.sort()).toEqual([...new Set(servedRoutes.map(({ handler }) => handler))].sort());
    for (const { handler } of servedRoutes) expect(existsSync(join(root, handler)), handler).toBe(true);
  });

  it.each(servedRoutes)('$method $path: its file exports the handler', async ({ handler }) => {
    const module = await import(join(root, handler));
    expect(Object.keys(module)).toEqual(['handler']);
    expect(module.handler).toBeTypeOf('function');
  });
});

const parameters = listCalls(readJson(DESCRIPTION) as ApiDescription).flatMap(({ method, path, parameters }) =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({ method, path, name, isList: schema.type === 'array' })),
);
const LISTS =
  'ean_key__in exclude_order_status__in facets id__in include order_status__in ordering payment_status__in type';

describe('a parameter that is sent several times', () => {
  it('is one of these if it is a list', () => {
    const names = parameters.filter(({ isList }) => isList).map(({ name }) => name);
    expect([...new Set(names)].sort()).toEqual(LISTS.split(' '));
  });

  it.each(parameters)(
    '$method $path: $name is joined if the description calls it a list',
    ({ name, isList, ...call }) => {
      const row = routes.find(({ method, path }) => method === call.method && path === call.path);
      const sent = {
        queryStringParameters: { [name]: 'c' },
        multiValueQueryStringParameters: { [name]: ['a', '', 'b', 'c'] },
      };
      expect(readQuery(row?.contract.query, sent)).toEqual({ [name]: isList ? 'a,b,c' : 'c' });
    },
  );
});
