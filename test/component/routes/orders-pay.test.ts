import { beforeAll, describe, expect, it } from 'vitest';
import { forceStored } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const TRANSFER = 1;
const OXXO = 4;

const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const pay = (id: number, token: string) => server.request('POST', `/api/orders/${id}/payment/`, { token });

it.each([
  ['the present reference while it works', OXXO, 'employee', 200, {}],
  ['409 for an order that is not collected', TRANSFER, 'employee', 409, { code: 'not_payable' }],
  ["404 for somebody else's order", OXXO, 'doctor', 404, { code: 'not_found' }],
] as const)('answers %s', async (_, payment_method, role, status, part) => {
  const body = orderBody('paga@example.mx', { payment_method });
  const { body: placed } = await server.request('POST', '/api/orders/resources/', { token: tokens.employee, body });
  const answer = await pay(placed.id, tokens[role]);
  expect(answer).toMatchObject({ status, body: status === 200 ? placed : part });
});

describe('another payment method', () => {
  const CARD = 3;
  const place = async (payment_method: number, more = {}) => {
    const body = orderBody('cambia@example.mx', { payment_method, ...more });
    return (await server.request('POST', '/api/orders/resources/', { token: tokens.employee, body })).body;
  };
  const change = (id: number, payment_method: number, token = tokens.employee) =>
    server.request('POST', `/api/orders/${id}/payment/`, { token, body: { payment_method } });
  const payments = async (id: number) =>
    (await server.request('GET', `/api/orders/${id}/?include=payments`, { token: tokens.employee })).body.payments;

  it('gets a reference of its own, and the former one is over', async () => {
    const placed = await place(OXXO);
    const { status, body } = await change(placed.id, CARD);
    expect([status, body.payment_method.id, body.payment_status]).toEqual([201, CARD, 'unpaid']);
    const [reference, ...others] = body.payment_references;
    expect([reference.method, others]).toEqual(['card', []]);
    const { external_url, institution } = reference;
    expect(await payments(placed.id)).toEqual([
      {
        ...{ collection: 'card', reference: reference.reference, institution, external_url },
        ...{ amount: '136.00', received: '0.00', status: 'open', expires_at: expect.any(String) },
      },
      {
        ...{ collection: 'oxxo', reference: placed.payment_references[0].reference, institution: 'OXXO' },
        ...{
          external_url: null,
          amount: '136.00',
          received: '0.00',
          status: 'expired',
          expires_at: expect.any(String),
        },
      },
    ]);
    expect(await change(placed.id, CARD)).toMatchObject({ status: 200, body: { payment_references: [reference] } });
    expect((await pay(placed.id, tokens.employee)).status).toBe(200);
  });

  it('collects an order that was to be paid elsewhere', async () => {
    const { status, body } = await change((await place(TRANSFER)).id, OXXO);
    expect([status, body.payment_references[0].method]).toEqual([201, 'oxxo']);
  });

  it.each([
    ['is not collected', TRANSFER, { details: [{ product: 1, quantity: 2 }] }],
    ["is not the client's", 99, { details: [{ product: 1, quantity: 2 }] }],
    ['does not take the total', OXXO, { details: [{ product: 1, quantity: 400 }] }],
  ])('is refused that %s, and nothing changes', async (_, method, lines) => {
    const placed = await place(CARD, lines);
    const answer = await change(placed.id, method);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['payment_method']]);
    expect(await payments(placed.id)).toMatchObject([{ collection: 'card', status: 'open' }]);
  });

  it('is refused for an order that is paid, cancelled or of somebody else', async () => {
    const paid = await place(OXXO);
    await forceStored(paid.id, { paymentStatus: 'in_process' });
    expect(await change(paid.id, CARD)).toMatchObject({ status: 409, body: { code: 'not_payable' } });
    const cancelled = await place(OXXO);
    const body = { order_status: 'cancelled' };
    await server.request('PATCH', `/api/orders/${cancelled.id}/`, { token: tokens.employee, body });
    expect(await change(cancelled.id, CARD)).toMatchObject({ status: 409, body: { code: 'not_payable' } });
    expect((await change(paid.id, CARD, tokens.doctor)).status).toBe(404);
  });
});
