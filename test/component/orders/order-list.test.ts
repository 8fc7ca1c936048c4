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

describe('the order of a list', () => {
  it.each([
    ['', [6, 5, 4, 3, 2, 1]],
    ['ordering=-created_at', [6, 5, 4, 3, 2, 1]],
    ['ordering=created_at', [1, 2, 3, 4, 5, 6]],
    ['ordering=expected_delivery_date', [1, 5, 3, 4, 2, 6]],
    ['ordering=-expected_delivery_date', [6, 2, 4, 3, 5, 1]],
    ['ordering=expected_delivery_date,-created_at', [5, 1, 3, 4, 6, 2]],
    ['ordering=-expected_delivery_date,created_at', [2, 6, 4, 3, 1, 5]],
    ['ordering=created_at,-expected_delivery_date', [1, 2, 4, 3, 5, 6]],
    ['ordering=-created_at,expected_delivery_date', [6, 5, 3, 4, 2, 1]],
  ])('by %j is %j', async (query, expected) => {
    expect(await listedIds(query)).toEqual(expected);
  });
});

describe('a filter', () => {
  it.each([
    ['order_status__in=approved', [6, 1]],
    ['order_status__in=approved,shipped', [6, 3, 1]],
    ['order_status__in=shipped,%20approved,approved&ordering=created_at', [1, 3, 6]],
    ['order_status__in=quoted', []],
    ['exclude_order_status__in=cancelled', [6, 4, 3, 2, 1]],
    ['exclude_order_status__in=cancelled,approved', [4, 3, 2]],
    ['order_status__in=approved,shipped&exclude_order_status__in=approved', [3]],
    ['order_status__in=approved&exclude_order_status__in=approved', []],
    ['payment_status__in=paid', [6, 3]],
    ['payment_status__in=paid,credit', [6, 4, 3]],
    ['order_status__in=approved,delivered&payment_status__in=paid,credit', [6, 4]],
    ['exclude_order_status__in=approved&payment_status__in=paid', [3]],
    ['patient=99999999', []],
    ['patient=-1', []],
    ['expected_delivery_date_before=2026-03-06', [5, 3, 1]],
    ['expected_delivery_date_before=2026-03-05', []],
    ['expected_delivery_date_after=2026-03-06', [5, 4, 3, 1]],
    ['expected_delivery_date_after=2026-03-07', [4]],
    ['expected_delivery_date_after=2026-03-06&expected_delivery_date_before=2026-03-06', [5, 3, 1]],
    ['max_delivery_date_before=2026-03-10', [5, 1]],
    ['max_delivery_date_before=2026-03-11', [5, 3, 1]],
    ['max_delivery_date_after=2026-03-11', [4, 3]],
    ['max_delivery_date_after=2026-03-21', []],
    ['expected_delivery_date_before=0001-01-01', []],
    ['expected_delivery_date_after=0001-01-01', [5, 4, 3, 1]],
    ['expected_delivery_date_before=9999-12-31', [5, 4, 3, 1]],
    ['expected_delivery_date_after=9999-12-31', []],
    ['payment_status__in=unpaid&max_delivery_date_after=2026-01-01&ordering=created_at', [1]],
    ['nobody_knows_this=1', [6, 5, 4, 3, 2, 1]],
  ])('%s leaves %j', async (query, expected) => {
    expect(await listedIds(query)).toEqual(expected);
  });

  it('by patient leaves those of that patient, in any order and with any other filter', async () => {
    const patient = `patient=${personId('jose')}`;
    expect(await listedIds(patient)).toEqual([3, 1]);
    expect(await listedIds(`${patient}&ordering=created_at`)).toEqual([1, 3]);
    expect(await listedIds(`${patient}&order_status__in=shipped`)).toEqual([3]);
    expect(await listedIds(`${patient}&search=maria`)).toEqual([]);
  });
});

describe('a search', () => {
  it.each([
    ['nunez', [3, 1]],
    ['NÚÑEZ', [3, 1]],
    // This is the same letter as two code points.
    ['Nun\u0303ez', [3, 1]],
    ['jose', [4, 3, 2, 1]],
    ['ose pez', [4, 2]],
    ['  López   MARÍA  ', [4, 2]],
    ['de la o', [6, 5]],
    ['jose nadie', []],
    ['%', []],
    ['approved', []],
    ['   ', [6, 5, 4, 3, 2, 1]],
    ['a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9', []],
    [Array.from({ length: 100 }, () => 'o').join(' '), [6, 5, 4, 3, 2, 1]],
  ])('for %j finds %j', async (search, expected) => {
    expect(await listedIds(`search=${encodeURIComponent(search)}`)).toEqual(expected);
  });

  it('combines with filters and an order', async () => {
    const query = 'search=jose&order_status__in=shipped,delivered,approved&ordering=expected_delivery_date';
    expect(await listedIds(query)).toEqual([1, 3, 4]);
  });
});

describe('a view', () => {
  it.each([
    ['employee', [6, 5, 4, 3, 2, 1]],
    ['jose', [3, 1]],
    ['maria', [4, 2]],
    ['eva', [5, 3]],
    ['leo', []],
  ])('of %s has %j', async (as, expected) => {
    expect(await listedIds('', as)).toEqual(expected);
    expect(
      await listedIds('ordering=-created_at,expected_delivery_date&exclude_order_status__in=quoted', as),
    ).toHaveLength(expected.length);
  });

  it('shows no viewer more when it is filtered by patient', async () => {
    expect(await listedIds(`patient=${personId('maria')}`, 'jose')).toEqual([]);
    expect(await listedIds(`patient=${personId('jose')}`, 'jose')).toEqual([3, 1]);
    expect(await listedIds(`patient=${personId('jose')}`, 'eva')).toEqual([3]);
    expect(await listedIds(`patient=${personId('maria')}`, 'eva')).toEqual([]);
  });

  it('of another client has none of these orders', async () => {
    const token = await server.login('aseguradora@demo.example');
    const { body } = await server.request('GET', `${PATH}?patient=${personId('jose')}`, { token });
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] });
  });
});

describe('pages', () => {
  it.each([
    ['', [6, 5, 4, 3, 2, 1]],
    ['&ordering=expected_delivery_date', [1, 5, 3, 4, 2, 6]],
  ])('of every size are parts of the whole: %j', async (query, whole) => {
    for (const limit of [1, 4, 100]) {
      const last = Math.ceil(whole.length / limit);
      for (let page = 1; page <= last; page++) {
        const { body } = await list(`limit=${limit}&page=${page}${query}`);
        expect(ids(body)).toEqual(whole.slice((page - 1) * limit, page * limit));
        expect(body.count).toBe(whole.length);
      }
      expect((await list(`limit=${limit}&page=${last + 1}${query}`)).status).toBe(404);
    }
  });

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
