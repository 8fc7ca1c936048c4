import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderListItem } from '../../../shared/api/orders/order-list.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/';
let server: TestServer;
let key: string;
let clientId: number;
/** Holds the users of a client with a short history, by their names in the tests. */
const people = new Map<string, { readonly id: number; readonly token: string }>();

beforeAll(async () => {
  server = await openTestServer();
  const { client, key: ownKey } = await server.addClient('Historia');
  key = ownKey;
  clientId = client.id;
  const roles = { jose: 'patient', maria: 'patient', ana: 'patient', eva: 'doctor', leo: 'doctor' } as const;
  for (const [name, role] of Object.entries({ ...roles, employee: 'insurance_employee' } as const)) {
    const { id } = await server.addUser(client, role, `${name}@example.mx`);
    people.set(name, { id, token: await server.login(`${name}@example.mx`, key) });
  }
  await storeOrders(tableConfig().TABLE_NAME, history());
});
afterAll(() => server.close());

const personId = (name: string): number => people.get(name)?.id ?? 0;

/** Makes six orders: 3 and 4 have one instant, 2 and 6 no dates. The shop's days begin at 06:00 UTC. */
function history() {
  const jose = { id: personId('jose'), firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
  const maria = { id: personId('maria'), firstName: 'María José', lastName: 'López', secondLastName: null };
  const ana = { id: personId('ana'), firstName: 'Ana', lastName: 'de la O', secondLastName: null };
  const dates = (expected: string | null, max: string | null) => ({
    expectedDeliveryDate: expected,
    maxDeliveryDate: max,
  });
  const orders = [
    { patient: jose, day: '01', ...dates('2026-03-06T23:00:00.000Z', '2026-03-10T23:00:00.000Z') },
    { patient: maria, day: '02', orderStatus: 'pending_approval', ...dates(null, null) },
    {
      patient: jose,
      doctor: personId('eva'),
      day: '03',
      orderStatus: 'shipped',
      paymentStatus: 'paid',
      ...dates('2026-03-07T05:59:59.999Z', '2026-03-11T06:00:00.000Z'),
    },
    {
      patient: maria,
      day: '03',
      orderStatus: 'delivered',
      paymentStatus: 'credit',
      ...dates('2026-03-07T06:00:00.000Z', '2026-03-20T23:00:00.000Z'),
    },
    {
      patient: ana,
      doctor: personId('eva'),
      day: '05',
      orderStatus: 'cancelled',
      paymentStatus: 'rejected',
      ...dates('2026-03-06T23:00:00.000Z', '2026-03-11T05:59:59.999Z'),
    },
    { patient: ana, day: '06', paymentStatus: 'paid', ...dates(null, null) },
  ] as const;
  return orders.map(({ day, ...order }, index) =>
    syntheticOrder({ ...order, id: index + 1, clientId, createdAt: `2026-03-${day}T16:00:00.000Z` }),
  );
}

const list = (query = '', as = 'employee') =>
  server.request('GET', `${PATH}?${query}`, { key, token: people.get(as)?.token ?? '' });

const ids = (body: { results: OrderListItem[] }): number[] => body.results.map(({ id }) => id);

async function listedIds(query: string, as?: string): Promise<number[]> {
  const { status, body } = await list(query, as);
  expect({ status, count: body.count }).toEqual({ status: 200, count: body.results?.length });
  return ids(body);
}

// The order of a list, its pages and most of its filters are in `order-list.property`.
describe('a filter', () => {
  it.each([
    ['order_status__in=shipped,%20approved,approved&ordering=created_at', [1, 3, 6]],
    ['order_status__in=approved&exclude_order_status__in=approved', []],
    ['patient=99999999', []],
    ['patient=-1', []],
    // The orders 3 and 4 are due in the last millisecond of the 6th, and in the first of the 7th.
    ['expected_delivery_date_before=2026-03-06', [5, 3, 1]],
    ['expected_delivery_date_after=2026-03-07', [4]],
    ['max_delivery_date_before=2026-03-10', [5, 1]],
    ['max_delivery_date_after=2026-03-11', [4, 3]],
    ['expected_delivery_date_before=0001-01-01', []],
    ['expected_delivery_date_after=0001-01-01', [5, 4, 3, 1]],
    ['expected_delivery_date_before=9999-12-31', [5, 4, 3, 1]],
    ['expected_delivery_date_after=9999-12-31', []],
    ['nobody_knows_this=1', [6, 5, 4, 3, 2, 1]],
  ])('%s leaves %j', async (query, expected) => {
    expect(await listedIds(query)).toEqual(expected);
  });
});

describe('a search', () => {
  it.each([
    ['NÚÑEZ', [3, 1]],
    // This is the same letter as two code points.
    ['Nun\u0303ez', [3, 1]],
    ['  López   MARÍA  ', [4, 2]],
    ['%', []],
    ['   ', [6, 5, 4, 3, 2, 1]],
    ['a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9', []],
    [Array.from({ length: 100 }, () => 'o').join(' '), [6, 5, 4, 3, 2, 1]],
  ])('for %j finds %j', async (search, expected) => {
    expect(await listedIds(`search=${encodeURIComponent(search)}`)).toEqual(expected);
  });
});

describe('pages', () => {
  it('link to their neighbours with all other parameters', async () => {
    const asked = 'limit=2&order_status__in=approved%2Cshipped%2Cdelivered&ordering=created_at';
    const { body: first } = await list(`page=1&${asked}`);
    expect(first).toMatchObject({ count: 4, next: `${server.url}${PATH}?${asked}&page=2`, previous: null });
    const { body: last } = await list(`page=2&${asked}`);
    expect(last).toMatchObject({ count: 4, next: null, previous: `${server.url}${PATH}?${asked}&page=1` });
  });

  it('of an empty list are one page', async () => {
    const empty = { count: 0, next: null, previous: null, results: [] };
    expect((await list('order_status__in=quoted')).body).toEqual(empty);
    expect((await list('order_status__in=quoted&page=2')).status).toBe(404);
    expect((await list('search=nadie&page=2')).status).toBe(404);
    expect((await list('page=9007199254740991')).status).toBe(404);
  });
});

describe('a list', () => {
  const place = '/api/orders/resources/';

  it('contains each order after its answer, with a matching count, when many are placed at once', async () => {
    const token = await server.login('aseguradora@demo.example');
    const read = async () => (await server.request('GET', `${PATH}?limit=100`, { token })).body;
    const { count: before } = await read();
    const placeAndRead = async (index: number) => {
      const { body: order } = await server.request('POST', place, {
        token,
        body: orderBody(`vez-${index}@example.mx`),
      });
      const page = await read();
      expect(ids(page)).toContain(order.id);
      expect(new Set(ids(page)).size).toBe(page.count);
    };
    await Promise.all(Array.from({ length: 24 }, (_, index) => placeAndRead(index)));
    expect((await read()).count).toBe(before + 24);
  });
});
