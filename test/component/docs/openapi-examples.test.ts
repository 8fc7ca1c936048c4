import { beforeAll, describe, expect, it } from 'vitest';
import { ANSWERS, writeJson } from '../../../infra/api/description.ts';
import { type Example, getExamples, readAnswers } from '../../../infra/api/examples/examples.ts';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { openStream } from '../../../infra/local/table-stream.ts';
import { createPasswordLink } from '../../../shared/access/new-password.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { ids, payments, table } from '../../../shared/deps.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { formatFolio, parseFolio } from '../../../shared/order/rules/status.ts';
import { reconcilePayment } from '../../../shared/payments/reconcile-payment.ts';
import { userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import type { Ids } from '../../../shared/store/ids.ts';
import { DEMO_CATALOG, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { useServer } from '../../support/servers/test-server.ts';
import { publishEvents } from '../../support/webhooks/feed.ts';

// The examples share one server in the order of the document: a later one finds the patient and orders of an earlier.
// `npm run openapi -- --record` writes the answers to infra/api/examples/answers.json; without it they are compared.
const IS_RECORDING = process.env.RECORD_EXAMPLES !== undefined;
const HINT = 'the answer differs from infra/api/examples/answers.json (if it is correct: npm run openapi -- --record)';

// The demonstration users of the examples were registered at this time.
const REGISTERED = '2026-01-12T15:00:00.000Z';
// The orders of the examples are placed at this time: a Saturday noon in Mexico City.
const NOW = '2026-11-21T18:00:00.000Z';

/** The values in the examples of fields that differ in every run. */
const SUBSTITUTES: Readonly<Record<string, string>> = {
  access:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIzIiwiYWNjZXNzX2xpZmV0aW1lIjo5MDB9.c2lnbmF0dXJlLW9mLXRoZS1leGFtcGxl',
  token: 'bG9jYWw.WzEsIng3azJwOXExYWIiLDE3OTM2MjUzMDAwMDBd.c2lnbmF0dXJlLW9mLXRoZS1leGFtcGxlLW9mLWhvbGQ',
  document: 'https://documents.botica.example/prescriptions/ccb01f77-5742-4869-8c2d-34689e4221ab?X-Amz-Expires=300',
  cfdi: '58e93bd8e86eb318b0197456',
  external_payment_id: 'pi_3SgTq2LkdIwHu7ix1Mh0bVd5',
  reference: '93000123456789012345678901234567',
  external_url: 'https://payments.stripe.com/oxxo/voucher/test_YWNjdF8xTWh',
};
const SERVER = 'https://api.botica.example/v2';
/** Fields that hold the id of a person as text. */
const TEXT_IDS = ['patient', 'doctor', 'insurance_employee'];

const EVENT = /^evt_(\d+)/;

// All other numbers in the answers, such as catalog ids and demonstration users, are lower.
const FIRST_ORDER = 1_000;
const FIRST_RECORD = 2_000;
// The demonstration users have lower ids.
const FIRST_SHOWN_RECORD = 4;

/** Skips ids so that later ones differ from all catalog ids, and order ids from ids of other records. */
async function startIds(ids: Ids): Promise<void> {
  await ids.take('order', FIRST_ORDER);
  await ids.take('record', FIRST_RECORD);
}

/** Returns a function that makes an answer equal in every run. It numbers ids by their first appearance. */
function createSubstitution(serverUrl: string): (answer: unknown) => unknown {
  const orders: number[] = [];
  const records: number[] = [];

  function numberId(id: number): number {
    if (id <= FIRST_ORDER) return id;
    return id <= FIRST_RECORD ? 1 + findOrAdd(orders, id) : FIRST_SHOWN_RECORD + findOrAdd(records, id);
  }

  function substitute(value: unknown, field = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => substitute(item, field));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, substitute(item, name)]));
    }
    if (typeof value === 'number') return numberId(value);
    if (typeof value !== 'string' || value === '') return value;
    if (TEXT_IDS.includes(field) && /^\d+$/.test(value)) return String(numberId(Number(value)));
    if (field === 'folio') return formatFolio(numberId(parseFolio(value) ?? 0));
    return (
      SUBSTITUTES[field] ??
      value.replace(serverUrl, SERVER).replace(EVENT, (_, order) => `evt_${numberId(Number(order))}`)
    );
  }

  return substitute;
}

/** Returns the index of an id in a list and adds the id when it is new. */
function findOrAdd(known: number[], id: number): number {
  if (!known.includes(id)) known.push(id);
  return known.indexOf(id);
}

beforeAll(() => setClock(new Date(REGISTERED)));
const server = useServer({ table: 'streamed', settings: { CATALOG_BUCKET: 'openapi-examples' } });
let token: string;
beforeAll(async () => {
  await publishToTestServer(DEMO_CATALOG);
  await startIds(ids());
  setClock(new Date(NOW));
  token = await server.login('aseguradora@demo.example');
});

const written = (query: Example['query'] = {}) =>
  new URLSearchParams(Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])));

async function replayed(route: Route, id: number | undefined, example: Example) {
  const { method, path, contract } = route;
  const { query, headers, body } = { ...example, ...(await mailedLink(route, example)) };
  const call = { token, ...(headers && { headers }), ...(body && { body }) };
  const url = `${path.replace('{id}', String(id))}?${written(query)}`;
  const { status, body: answer } = await server.request(method, url, call);
  // The schema puts the fields in its own order, so that neither the record nor the ids in it depend on the code's.
  if (status === 204) return { status, answer };
  const ordered = contract.answers[status]?.parse(answer) ?? answer;
  expect(ordered).toEqual(answer);
  return { status, answer: createSubstitution(server.url)(ordered) };
}

/** Puts the token of a new link into the example that sets a password. */
async function mailedLink({ method, path }: Route, { name, body }: Example): Promise<Pick<Example, 'body'>> {
  if (`${method} ${path} ${name}` !== 'PUT /api/password/ mailed') return {};
  const patient = await userByEmail(table(), server.client.id, 'paciente@demo.example');
  return patient ? { body: { ...body, token: await createPasswordLink(patient, new Date(NOW), table()) } } : {};
}

// Tells the events of the orders so far, at the time of the machine: DynamoDB Local removes what expires.
async function publish(): Promise<void> {
  setClock();
  await publishEvents(openStream());
  setClock(new Date(NOW));
}

const [delivery] = routes.filter(({ contract }) => contract.operationId === 'createOrder').flatMap(getExamples);
const DELIVERY = delivery?.body ?? {};
const orderOf = (product: number, quantity: number, payment_method: number) => ({
  ...DELIVERY,
  order: { details: [{ product, quantity }], payment_method, store: 1 },
});
/** An order that waits for a prescription, and one that is collected at OXXO. */
const [WAITING, COLLECTED] = [orderOf(4, 1, 1), orderOf(1, 2, 4)];

// Places a new order for an example of an existing order.
async function placed({ path }: Route, { name }: Example): Promise<number> {
  const body = path.endsWith('/prescriptions/') ? WAITING : isCollected(path, name) ? COLLECTED : DELIVERY;
  const { id, external_payment_id } = (await server.request('POST', '/api/orders/resources/', { token, body })).body;
  if (path.endsWith('/payment/') && name === 'again') await reject(id, external_payment_id);
  return id;
}

const isCollected = (path: string, name: string): boolean => path.endsWith('/payment/') && name !== 'notCollected';

/** Lets the payment of an order fail. */
async function reject(id: number, payment: string): Promise<void> {
  const signal = AbortSignal.timeout(5_000);
  await new SandboxPayments({ table: table(), pageUrl: server.url, now: () => new Date(NOW) }).decide(
    payment,
    'rejected',
    signal,
  );
  const order = await getOrderOfAnyClient(table(), id);
  const act = { by: 'system', now: new Date(NOW) } as const;
  if (order) await reconcilePayment({ order, timeoutMs: 5_000, attempts: 'all' }, act, { table: table(), payments });
}

const examples = routes.flatMap((route) => {
  const operation = `${route.method} ${route.path}` as const;
  return getExamples(route).map((example) => ({ operation, name: example.name, route, example }));
});
const recorded: Record<string, Record<string, unknown>> = {};
const answers = IS_RECORDING ? recorded : readAnswers();

describe('the examples of the OpenAPI document are true', () => {
  it.each(examples)('$operation: $name', async ({ operation, name, route, example }) => {
    const id = route.path.startsWith('/api/orders/{id}/') ? await placed(route, example) : example.path?.id;
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

  it('have a success of every route', () => {
    for (const route of routes) {
      const statuses = getExamples(route).map(({ status }) => String(status));
      expect([route.path, statuses]).toEqual([route.path, expect.arrayContaining(Object.keys(route.contract.answers))]);
    }
  });
});
