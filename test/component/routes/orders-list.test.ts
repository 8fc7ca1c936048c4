import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OrderListItem } from '../../../shared/api/orders/order-list.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { ADDRESS, orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/';
let server: TestServer;
let tokens: DemoTokens;
/** Holds the ids of the orders below, by their names. */
const ids: Record<string, number> = {};
let patient: number;

// These are noon on a Monday, Tuesday and Wednesday in Mexico City; method 1 takes 3 to 5 working days, method 4 one.
const MONDAY = new Date('2026-11-23T18:00:00.000Z');
const TUESDAY = new Date('2026-11-24T18:00:00.000Z');
const WEDNESDAY = new Date('2026-11-25T18:00:00.000Z');

beforeAll(async () => {
  server = await openTestServer();
  await place('acido', MONDAY, { email: 'acido@example.mx', first_name: 'Ácido', last_name: 'Fólico Núñez' });
  await login();
  await place(
    'own',
    TUESDAY,
    { email: 'paciente@demo.example', first_name: 'Lucía', last_name: 'Ramírez' },
    {
      details: [
        { product: 1, quantity: 2 },
        { product: 4, quantity: 3 },
      ],
      shipping_method: 4,
      payment_method: 2,
      coupon: 'menos50',
    },
  );
  await place(
    'doctors',
    WEDNESDAY,
    { email: 'acido@example.mx', first_name: 'Ácido', last_name: 'Fólico Núñez' },
    {},
    'doctor',
  );
  await place('gone', WEDNESDAY, { email: 'third@example.mx', first_name: 'Tere', last_name: 'Luna' });
  await server.request('PATCH', `${PATH}${ids.gone}/`, { token: tokens.employee, body: { order_status: 'cancelled' } });
});
afterAll(() => server.close());
afterEach(() => setClock(WEDNESDAY));

async function login(): Promise<void> {
  tokens = await server.loginDemoUsers();
}

async function place(name: string, at: Date, user: object, order: object = {}, by: keyof typeof tokens = 'employee') {
  setClock(at);
  await login();
  const body = { ...orderBody('x', order as Record<string, unknown>), user };
  const answer = await server.request('POST', `${PATH}resources/`, { token: tokens[by], body });
  expect(answer.status).toBe(201);
  ids[name] = answer.body.id;
  if (name === 'own') patient = answer.body.patient.id;
}

const list = (query = '', by: keyof typeof tokens = 'employee') =>
  server.request('GET', `${PATH}${query}`, { token: tokens[by] });
const named = async (query = '', by: keyof typeof tokens = 'employee') => {
  const { status, body } = await list(query, by);
  expect(status).toBe(200);
  const names = (body.results as OrderListItem[]).map(({ id }) => Object.keys(ids).find((name) => ids[name] === id));
  expect(body.count).toBe(names.length);
  return names;
};

describe('the list of orders', () => {
  it('has the newest first, as the interface shows them', async () => {
    expect(await named()).toEqual(['gone', 'doctors', 'own', 'acido']);
    const { body } = await list(`?patient=${patient}`);
    expect(body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: ids.own,
          created_at: '2026-11-24T18:00:00.000Z',
          order_status: 'pending_approval',
          patient_order_status: 'in_process',
          patient: 'Lucía Ramírez Ortega',
          payment_status: 'credit',
          products_count: 2,
          details: [
            { default_image: 'https://images.demo.example/products/7509999000013.webp', quantity: 2 },
            { default_image: 'https://images.demo.example/products/7509999000044.webp', quantity: 3 },
          ],
          shipping: { street: ADDRESS.street, exterior_number: '245', city: 'Ciudad de México' },
          payment_method: 'Crédito',
          coupon: 'MENOS50',
          // 2 × 28.50 + 3 × 58.00 − 50.00 + 149.00
          total: '330.00',
          origin: 'demo',
          tags: '',
          subscription: null,
          expected_delivery_date: '2026-11-25T23:00:00.000Z',
          max_delivery_date: '2026-11-25T23:00:00.000Z',
        },
      ],
    });
  });

  it('is the same through the handler alone', async () => {
    const { status, body } = await server.invoke('GET', PATH, { token: tokens.employee });
    expect({ status, count: body.count }).toEqual({ status: 200, count: 4 });
  });

  it('shows a patient their own and a doctor those that they placed', async () => {
    expect(await named('', 'patient')).toEqual(['own']);
    expect(await named('', 'doctor')).toEqual(['doctors']);
    expect(await named(`?patient=${patient}`, 'doctor')).toEqual([]);
  });

  it('shows nothing to another client, nor without a token', async () => {
    const other = await server.addClient('Otra');
    await server.addUser(other.client, 'insurance_employee', 'otra@example.mx');
    const token = await server.login('otra@example.mx', other.key);
    const { body } = await server.request('GET', PATH, { token, key: other.key });
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] });
    expect((await server.request('GET', PATH)).status).toBe(401);
  });

  it.each([
    ['order_status__in=cancelled', ['gone']],
    ['order_status__in=approved', ['doctors', 'acido']],
    ['order_status__in=cancelled,pending_approval', ['gone', 'own']],
    ['exclude_order_status__in=cancelled,approved', ['own']],
    ['order_status__in=approved,cancelled&exclude_order_status__in=approved', ['gone']],
    ['order_status__in=delivered', []],
    ['payment_status__in=credit', ['own']],
    ['payment_status__in=unpaid,credit', ['gone', 'doctors', 'own', 'acido']],
    ['payment_status__in=unpaid&order_status__in=approved', ['doctors', 'acido']],
    ['patient=999999', []],
  ])('is filtered by %s', async (query, expected) => {
    expect(await named(`?${query}`)).toEqual(expected);
  });

  it.each([
    // The orders are due on Thursday 26, Wednesday 25, Monday 30 (after the weekend) and Monday 30.
    ['expected_delivery_date_before=2026-11-25', ['own']],
    ['expected_delivery_date_before=2026-11-26', ['own', 'acido']],
    ['expected_delivery_date_after=2026-11-26', ['gone', 'doctors', 'acido']],
    ['expected_delivery_date_after=2026-11-27', ['gone', 'doctors']],
    ['expected_delivery_date_after=2026-11-26&expected_delivery_date_before=2026-11-26', ['acido']],
    ['max_delivery_date_before=2026-11-25', ['own']],
    ['max_delivery_date_after=2026-12-02', ['gone', 'doctors']],
  ])('is filtered by local days: %s', async (query, expected) => {
    expect(await named(`?${query}`)).toEqual(expected);
  });

  it.each([
    ['acido', ['doctors', 'acido']],
    ['NÚÑEZ ácido', ['doctors', 'acido']],
    ['olic', ['doctors', 'acido']],
    ['ramirez ortega', ['own']],
    ['acido ramirez', []],
    ['  ', ['gone', 'doctors', 'own', 'acido']],
  ])('is searched by the name of the patient: %j', async (search, expected) => {
    expect(await named(`?search=${encodeURIComponent(search)}`)).toEqual(expected);
  });

  it.each([
    ['created_at', ['acido', 'own', 'doctors', 'gone']],
    ['-created_at', ['gone', 'doctors', 'own', 'acido']],
    ['expected_delivery_date', ['own', 'acido', 'doctors', 'gone']],
    ['-expected_delivery_date', ['gone', 'doctors', 'acido', 'own']],
    ['expected_delivery_date,-created_at', ['own', 'acido', 'doctors', 'gone']],
    ['-expected_delivery_date,created_at', ['gone', 'doctors', 'acido', 'own']],
  ])('is ordered by %s, ties by id in the direction of the first', async (ordering, expected) => {
    expect(await named(`?ordering=${ordering}`)).toEqual(expected);
  });

  it.each(['?limit=1', '?limit=3', '?limit=2&ordering=expected_delivery_date', '?limit=1&order_status__in=approved'])(
    'has every order once in the pages of %s',
    async (query) => {
      const all = (await list(query.replace(/limit=\d+/, 'limit=100'))).body;
      const seen: number[] = [];
      let next: string | null = `${server.url}${PATH}${query}`;
      while (next) {
        const { body } = await list(next.slice(next.indexOf('?')));
        expect(body.count).toBe(all.count);
        seen.push(...body.results.map(({ id }: OrderListItem) => id));
        next = body.next;
      }
      expect(seen).toEqual(all.results.map(({ id }: OrderListItem) => id));
      expect((await list(`${query}&page=50`)).status).toBe(404);
    },
  );

  it('shows an order immediately after it was placed, changed or cancelled', async () => {
    const before = (await list('?order_status__in=approved')).body.count;
    const placed = await server.request('POST', `${PATH}resources/`, {
      token: tokens.employee,
      body: orderBody('moment@example.mx'),
    });
    expect((await list('?order_status__in=approved&limit=1')).body).toMatchObject({
      count: before + 1,
      results: [{ id: placed.body.id, total: '136.00' }],
    });
    const change = (body: object) =>
      server.request('PATCH', `${PATH}${placed.body.id}/`, { token: tokens.employee, body });
    await change({ details: [{ product: 1, quantity: 1 }] });
    expect((await list('?limit=1')).body.results).toMatchObject([{ id: placed.body.id, total: '107.50' }]);
    await change({ order_status: 'cancelled' });
    expect((await list('?order_status__in=approved')).body.count).toBe(before);
    expect((await list('?order_status__in=cancelled&limit=1')).body.results).toMatchObject([{ id: placed.body.id }]);
  });
});
