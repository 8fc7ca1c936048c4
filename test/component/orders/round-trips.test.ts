import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { parseDelays } from '../../../shared/order/lists/delivery-delays.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { delaysKey } from '../../../shared/store/keys.ts';
import { forward, type Loopback, loopback } from '../../support/http/loopback.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const START = Date.parse('2026-11-23T18:00:00.000Z');
const DETAILS = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 1 }));
const READS = ['BatchGetItem', 'GetItem'];

/** The calls of one round trip, none of which is answered before all have arrived. */
type Trip = { readonly missing: Set<string>; readonly arrived: PromiseWithResolvers<void> };
let trips: Trip[] = [];
let others: string[] = [];
let proxies: Loopback[];
let server: TestServer;
let tokens: Awaited<ReturnType<TestServer['loginDemoUsers']>>;

const expectTrips = (names: readonly string[][]): void => {
  trips = names.map((calls) => ({ missing: new Set(calls), arrived: Promise.withResolvers() }));
  others = [];
};

async function waitForTrip(name: string): Promise<void> {
  const [trip] = trips;
  if (!trip?.missing.delete(name)) return void others.push(name);
  if (trip.missing.size > 0) return trip.arrived.promise;
  trips.shift();
  trip.arrived.resolve();
}

const openProxy = (engine = '') =>
  loopback(async (incoming, outgoing) => {
    const call = await buffer(incoming);
    await waitForTrip(String(incoming.headers['x-amz-target'] ?? incoming.method).replace(/^.*\./, ''));
    const { status, headers, body } = await forward(engine, incoming, call);
    outgoing.writeHead(status, headers).end(body);
  });

beforeAll(async () => {
  const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_S3 } = inject('serverEnvironment');
  proxies = await Promise.all([openProxy(AWS_ENDPOINT_URL_DYNAMODB), openProxy(AWS_ENDPOINT_URL_S3)]);
  const [dynamodb, s3] = proxies.map(({ url }) => url);
  const settings = { AWS_ENDPOINT_URL_DYNAMODB: dynamodb ?? '', AWS_ENDPOINT_URL_S3: s3 ?? '' };
  server = await openServer({ settings });
  setClock(new Date(START));
  tokens = await server.loginDemoUsers();
  await place('doctor', 'primera@example.mx');
  await place('patient', 'paciente@demo.example');
});
afterAll(async () => {
  setClock();
  await server.close();
  for (const proxy of proxies) await proxy.close();
});

async function place(role: keyof typeof tokens, email: string) {
  const body = orderBody(email, { details: DETAILS });
  const { status } = await server.request('POST', '/api/orders/resources/', { token: tokens[role], body });
  expect(status).toBe(201);
}

it.each<[string, keyof typeof tokens, string, string[][]]>([
  ['a known patient', 'employee', 'primera@example.mx', [READS, ['GetItem'], ['TransactWriteItems']]],
  ['a new patient', 'employee', 'nueva@example.mx', [READS, ['BatchWriteItem'], ['TransactWriteItems']]],
  ['a patient of a doctor', 'doctor', 'primera@example.mx', [[...READS, 'Query'], ['GetItem'], ['TransactWriteItems']]],
  ['oneself', 'patient', 'paciente@demo.example', [[...READS, 'Query'], ['TransactWriteItems']]],
])('an order of five lines for %s takes three round trips to AWS at most', async (_, role, email, calls) => {
  expectTrips(calls);
  await place(role, email);
  expect([trips, others]).toEqual([[], []]);
});

const readLongestDelay = async () => parseDelays(await table().get(delaysKey(server.client.id))).longestMs;

it('takes three too when the catalog is checked for a newer one, and it is due later than any order before', async () => {
  // All else that a container keeps for a while is fresh, after the hour until which an order leaves the same day.
  setClock(new Date(START + 10 * 3_600_000));
  tokens = await server.loginDemoUsers();
  await server.request('GET', '/api/orders/', { token: tokens.employee });
  const before = await readLongestDelay();
  expectTrips([[...READS, 'GET'], ['GetItem'], ['TransactWriteItems']]);
  await place('employee', 'primera@example.mx');
  // Pointer and shortages are read side by side.
  expect([trips, others]).toEqual([[], ['GET']]);
  expect(await readLongestDelay()).toBeGreaterThan(before);
});
