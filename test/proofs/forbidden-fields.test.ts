import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Route, routes } from '../../shared/api/routes.ts';
import { table } from '../../shared/deps.ts';
import type { OrderEvent } from '../../shared/order/order-events.ts';
import { tableConfig } from '../../shared/runtime/config.ts';
import { orderKey } from '../../shared/store/keys.ts';
import type { Item } from '../../shared/store/table.ts';
import { differences, type ForbiddenField, forbiddenPlaces, withFields } from '../support/hostile/hostile-fields.ts';
import { nameOf, WHOLE_BODIES } from '../support/hostile/whole-bodies.ts';
import type { HttpAnswer } from '../support/http/http.ts';
import { getStoredEvents } from '../support/orders/forced-order.ts';
import { orderBody } from '../support/orders/samples.ts';
import { withPatience } from '../support/proofs/patience.ts';
import { prove, seed, tries } from '../support/proofs/proof.ts';
import { openServer, type TestServer } from '../support/servers/test-server.ts';

const FIELDS = tries(2_000, 20_000);
/** The number of forbidden fields in one body. */
const AT_ONCE = tries(100, 20);

const routesWithBody = routes.filter(({ contract }) => contract.body);
// This route creates the orders that the other routes change.
const CREATES = 'POST /api/orders/resources/';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = withPatience(await openServer());
  token = await server.login('aseguradora@demo.example');
});
afterAll(() => server.close());

/** Returns every field name that occurs in an API answer or in the table. */
async function readForbiddenNames(): Promise<string[]> {
  const { components } = JSON.parse(readFileSync(join(import.meta.dirname, '../../infra/api/openapi.json'), 'utf8'));
  const schemas: { properties?: object }[] = Object.values(components.schemas);
  const answered = schemas.flatMap(({ properties = {} }) => Object.keys(properties));
  const stored = (await everyItem()).flatMap(collectNames);
  const objects = ['constructor', 'prototype', 'hasOwnProperty', 'toString', 'toJSON', 'then', 'valueOf'];
  return [...new Set([...answered, ...stored, ...objects, 'is_admin', 'permissions', 'password', 'client'])];
}

function collectNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => (/^\d+$/.test(name) ? [] : [name, ...collectNames(field)]));
}

async function everyItem(): Promise<unknown[]> {
  const client = new DynamoDBClient();
  const scan = { TableName: tableConfig().TABLE_NAME, ConsistentRead: true };
  const items: unknown[] = [];
  for await (const { Items = [] } of paginateScan({ client }, scan)) items.push(...Items);
  client.destroy();
  return items;
}

// These marks can be recognized in any stored or returned value.
const MARK = 'Prohibido';
const MARKED_NUMBER = 777_000_777;
/** Draws a value that an attacker might try to store. */
const attackValues = fc.constantFrom<unknown>(
  `${MARK}-texto`,
  MARKED_NUMBER,
  [`${MARK}-lista`],
  { [`${MARK}-campo`]: MARKED_NUMBER, role: 'insurance_employee', price: '0.01' },
  '0.01',
  0,
  1,
  -1,
  true,
  null,
  'delivered',
  'paid',
  'doctor',
  '1999-01-01T00:00:00.000Z',
);

type Outcome = { readonly answer: unknown; readonly stored: Item | undefined };

/** Sends a body to a route, on a new order if the route concerns one, and returns the answer and what was stored. */
async function sendAndRead(route: Route, body: string): Promise<Outcome> {
  const path = route.path.includes('{id}') ? route.path.replace('{id}', String(await placeOrder(route))) : route.path;
  const credentials = route.authentication === 'user' ? { token } : {};
  const answer = await server.request(route.method, path, { ...credentials, body });
  expect(Object.keys(route.contract.answers), JSON.stringify(answer.body)).toEqual([String(answer.status)]);
  const id = nameOf(route) === CREATES || path !== route.path ? answer.body.id : undefined;
  const stored = id === undefined ? undefined : await table().get(orderKey(server.client.id, id));
  const events = stored && (await getStoredEvents(id));
  return { answer: decodeToken(answer), stored: stored && { ...stored, events: events?.map(countPrescriptions) } };
}

/** Returns an event without its order, and with the number of its prescriptions, whose ids differ each time. */
const countPrescriptions = ({ orderId: _, ...event }: OrderEvent): object => ({
  ...event,
  prescriptions: event.prescriptions?.length,
});

/** Places an order that the route can change; product 4 requires a prescription. */
async function placeOrder(route: Route): Promise<number> {
  const order = route.path.endsWith('/prescriptions/') ? { details: [{ product: 4, quantity: 1 }] } : {};
  const { body } = await server.request('POST', '/api/orders/resources/', {
    token,
    body: orderBody('cambiada@example.mx', order),
  });
  return body.id;
}

/** Returns the body of an answer, with an access token replaced by its claims. */
function decodeToken({ body }: HttpAnswer): unknown {
  if (!('access' in body)) return body;
  return JSON.parse(Buffer.from(body.access.split('.')[1], 'base64url').toString());
}

// These fields hold ids, instants and random keys, which differ each time.
const OWN = new Set([
  ...['id', 'order', 'patient_id', 'folio', 'cfdi', 'document', 'created_at', 'updated_at', 'date_joined'],
  ...['iat', 'exp', 'pk', 'invoicing', 'shipping', 'at'],
  ...[
    'createdAt',
    'updatedAt',
    'linesAt',
    'dateJoined',
    'documentKey',
    'providerId',
    'uuid',
    'key',
    'requestedAt',
    'dueAt',
    'issuedAt',
  ],
]);

function drawFields(route: Route, names: readonly string[], count: number): ForbiddenField[] {
  const { contract } = route;
  const body = WHOLE_BODIES[nameOf(route)];
  if (!contract.body || !body) throw new Error(`${nameOf(route)} has no body`);
  const places = forbiddenPlaces(contract.body, body, names);
  const every = fc.shuffledSubarray(places, { minLength: places.length });
  const runs = { numRuns: Math.ceil(count / places.length), seed: seed() };
  const values = fc.sample(attackValues, { numRuns: count, seed: seed() });
  const some = fc.sample(every, runs).flat().slice(0, count);
  return some.map((place, index) => ({ place, value: values[index] }));
}

describe('forbidden fields', () => {
  it.each(routesWithBody)('have no effect on $method $path', async (route) => {
    const body = WHOLE_BODIES[nameOf(route)] ?? {};
    // The first request registers the people and stores their defaults.
    await sendAndRead(route, withFields(body, []));
    const clean = await sendAndRead(route, withFields(body, []));
    const fields = drawFields(route, await readForbiddenNames(), Math.ceil(FIELDS / routesWithBody.length));
    const taken: string[] = [];
    for (let start = 0; start < fields.length; start += AT_ONCE) {
      const some = fields.slice(start, start + AT_ONCE);
      const made = await sendAndRead(route, withFields(body, some));
      const changed = [
        ...differences(clean.answer, made.answer, OWN),
        ...differences(clean.stored ?? null, made.stored ?? null, OWN),
      ];
      const marks = JSON.stringify(made).match(new RegExp(`${MARK}|${MARKED_NUMBER}`, 'g')) ?? [];
      taken.push(...changed, ...marks);
    }
    expect(taken).toEqual([]);
    prove({ check: 'Access: forbidden fields', tries: fields.length, lost: taken.length });
  });

  it('appear neither in the table nor on any object of this process', async () => {
    const written = JSON.stringify(await everyItem());
    expect(written).not.toContain(MARK);
    expect(written).not.toContain(String(MARKED_NUMBER));
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>).role).toBeUndefined();
  });
});
