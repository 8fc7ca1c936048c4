import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Example } from '../../../infra/api/examples/example.ts';
import { getExamples, readAnswers } from '../../../infra/api/examples/examples.ts';
import { DELIVERY, WAITING } from '../../../infra/api/examples/orders.ts';
import { ANSWERS, writeJson } from '../../../infra/api/files.ts';
import { openStream } from '../../../infra/local/stream/run-stream.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { ids } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { DEMO_CATALOG, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { publishEvents } from '../../support/events/table-stream.ts';
import { createSubstitution, startIds } from '../../support/http/substitutes.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

// The examples share one server in the order of the document: a later one finds the patient and orders of an earlier.
// `npm run openapi:record` writes the answers to infra/api/examples/answers.json; without it they are compared.
const IS_RECORDING = process.env.RECORD_EXAMPLES !== undefined;
const HINT = 'the answer differs from infra/api/examples/answers.json (if it is correct: npm run openapi:record)';

// The demonstration users of the examples were registered at this time.
const REGISTERED = '2026-01-12T15:00:00.000Z';
// The orders of the examples are placed at this time: a Saturday noon in Mexico City.
const NOW = '2026-11-21T18:00:00.000Z';

let server: TestServer;
let token: string;
beforeAll(async () => {
  setClock(new Date(REGISTERED));
  server = await openTestServer({ table: 'streamed', environment: { CATALOG_BUCKET: 'openapi-examples' } });
  await publishToTestServer(DEMO_CATALOG);
  await startIds(ids());
  setClock(new Date(NOW));
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  setClock();
  await server.close();
});

const written = (query: Example['query'] = {}) =>
  new URLSearchParams(Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])));

async function replayed({ method, path, contract }: Route, id: number | undefined, { query, headers, body }: Example) {
  const call = { token, ...(headers && { headers }), ...(body && { body }) };
  const url = `${path.replace('{id}', String(id))}?${written(query)}`;
  const { status, body: answer } = await server.request(method, url, call);
  // The schema puts the fields in its own order, so that neither the record nor the ids in it depend on the code's.
  const ordered = contract.answers[status]?.parse(answer) ?? answer;
  expect(ordered).toEqual(answer);
  return { status, answer: createSubstitution(server.url)(ordered) };
}

// Tells the events of the orders so far, at the time of the machine: DynamoDB Local removes what expires.
async function publish(): Promise<void> {
  setClock();
  await publishEvents(openStream());
  setClock(new Date(NOW));
}

// Places a new order for an example of an existing order.
async function placed({ path }: Route): Promise<number> {
  const { body = {} } = path.endsWith('/prescriptions/') ? WAITING : DELIVERY;
  return (await server.request('POST', '/api/orders/resources/', { token, body })).body.id;
}

const examples = routes.flatMap((route) => {
  const operation = `${route.method} ${route.path}` as const;
  return getExamples(route).map((example) => ({ operation, name: example.name, route, example }));
});
const recorded: Record<string, Record<string, unknown>> = {};
const answers = IS_RECORDING ? recorded : readAnswers();

describe('the examples of the OpenAPI document are true', () => {
  it.each(examples)('$operation: $name', async ({ operation, name, route, example }) => {
    const id = route.path.startsWith('/api/orders/{id}/') ? await placed(route) : example.path?.id;
    if (route.path === '/api/events/') await publish();
    const { status, answer } = await replayed(route, id, example);
    expect(status).toBe(example.status);
    if (IS_RECORDING) recorded[operation] = { ...recorded[operation], [name]: answer };
    expect(answer, HINT).toEqual(answers[operation]?.[name]);
  });

  it('have one recorded answer each, and no other answer is recorded', () => {
    const listed = Object.entries(answers).flatMap(([operation, byName]) =>
      Object.keys(byName).map((name) => `${operation}: ${name}`),
    );
    expect(listed, HINT).toEqual(examples.map(({ operation, name }) => `${operation}: ${name}`));
    if (IS_RECORDING) writeJson(ANSWERS, recorded);
  });

  it.each(routes)('$method $path has an example of a success', (route) => {
    const statuses = getExamples(route).map(({ status }) => String(status));
    expect(statuses).toEqual(expect.arrayContaining(Object.keys(route.contract.answers)));
  });
});
