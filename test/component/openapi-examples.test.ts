import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Example } from '../../infra/api/examples/example.ts';
import { getExamples } from '../../infra/api/examples/examples.ts';
import { DELIVERY } from '../../infra/api/examples/orders.ts';
import { NOW } from '../../infra/api/examples/people.ts';
import { routes } from '../../shared/api/routes.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { DEMO_CATALOG, publishToTestServer } from '../support/engines/catalog-bucket.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

// The fields that differ between two runs: ids, and values made from secrets or the time of day.
// biome-ignore format: one list of names
const VARYING = new Set([
  'id', 'order', 'patient', 'patients', 'shipping', 'invoicing', 'coupon', 'default_shipping', 'default_invoicing',
  'generated_by', 'updated_by', 'created_by', 'insurance_employee', 'folio', 'cfdi', 'document', 'access',
]);
// The demonstration users of the examples were registered at this time.
const REGISTERED = '2026-01-12T15:00:00.000Z';

let server: TestServer;
let token: string;
beforeAll(async () => {
  setClock(new Date(REGISTERED));
  server = await openTestServer({ environment: { CATALOG_BUCKET: 'openapi-examples' } });
  await publishToTestServer(DEMO_CATALOG);
  setClock(new Date(NOW));
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  setClock();
  await server.close();
});

/** Replaces the values that vary between runs by their types. */
function stable(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => stable(item, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, stable(item, field)]));
  }
  const isFilled = value !== null && value !== '';
  return VARYING.has(name) && isFilled ? typeof value : value;
}

const written = (query: Example['query'] = {}) =>
  new URLSearchParams(Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])));

async function replayed(method: string, path: string, { query, headers, body }: Example) {
  const call = { token, ...(headers && { headers }), ...(body && { body }) };
  const { status, body: answer } = await server.request(method, `${path}?${written(query)}`, call);
  return { status, answer };
}

// Places a new order for an example of an existing order.
async function placed(): Promise<number> {
  const { body = {} } = DELIVERY;
  return (await server.request('POST', '/api/orders/resources/', { token, body })).body.id;
}

const examples = routes.flatMap(({ method, path, authentication }) =>
  getExamples(`${method} ${path}`).map((example) => ({ method, path, authentication, example, name: example.name })),
);

describe('the examples of the OpenAPI document are true', () => {
  it.each(examples)('$method $path: $name', async ({ method, path, authentication, example }) => {
    const id = example.path && (path.startsWith('/api/orders/') ? await placed() : example.path.id);
    const { status, answer } = await replayed(method, path.replace('{id}', String(id)), example);
    const seen = authentication === 'key' ? (value: unknown) => value : stable;
    expect({ status, answer: seen(answer) }).toEqual({ status: example.status, answer: seen(example.answer) });
  });

  it.each(routes)('$method $path has an example of a success', ({ method, path, contract }) => {
    const statuses = getExamples(`${method} ${path}`).map(({ status }) => String(status));
    expect(statuses).toEqual(expect.arrayContaining(Object.keys(contract.answers)));
  });
});
