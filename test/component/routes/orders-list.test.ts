import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { ADDRESS, orderBody } from '../../support/orders/samples.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/';
// This is noon on a Tuesday in Mexico City; method 4 takes one working day.
const TUESDAY = new Date('2026-11-24T18:00:00.000Z');

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await openServer();
  setClock(TUESDAY);
  token = await server.login('aseguradora@demo.example');
});
afterAll(async () => {
  setClock();
  await server.close();
});

const place = (body: object) => server.request('POST', `${PATH}resources/`, { token, body });
const list = (query: string) => server.request('GET', `${PATH}${query}`, { token });

// `orders/order-list` has the filters, searches, orders, views and pages.
describe('the list of orders', () => {
  it('shows an order as the interface says', async () => {
    const details = [
      { product: 1, quantity: 2 },
      { product: 4, quantity: 3 },
    ];
    const terms = { details, shipping_method: 4, payment_method: 2, coupon: 'menos50' };
    const user = { email: 'paciente@demo.example', first_name: 'Lucía', last_name: 'Ramírez' };
    const { body: own } = await place(orderBody('x', terms, { user }));
    const { body } = await list('');
    expect(body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: own.id,
          created_at: '2026-11-24T18:00:00.000Z',
          order_status: 'pending_approval',
          patient_order_status: 'in_process',
          patient: 'Lucía Ramírez Ortega',
          payment_status: 'credit',
          products_count: 2,
          details: [
            { default_image: 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png', quantity: 2 },
            { default_image: 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png', quantity: 3 },
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

  it('shows an order immediately after it was placed, changed or cancelled', async () => {
    const before = (await list('?order_status__in=approved')).body.count;
    const placed = await place(orderBody('moment@example.mx'));
    expect((await list('?order_status__in=approved&limit=1')).body).toMatchObject({
      count: before + 1,
      results: [{ id: placed.body.id, total: '136.00' }],
    });
    const change = (body: object) => server.request('PATCH', `${PATH}${placed.body.id}/`, { token, body });
    await change({ details: [{ product: 1, quantity: 1 }] });
    expect((await list('?limit=1')).body.results).toMatchObject([{ id: placed.body.id, total: '107.50' }]);
    await change({ order_status: 'cancelled' });
    expect((await list('?order_status__in=approved')).body.count).toBe(before);
    expect((await list('?order_status__in=cancelled&limit=1')).body.results).toMatchObject([{ id: placed.body.id }]);
  });
});
