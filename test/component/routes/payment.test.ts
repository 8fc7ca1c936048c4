import { beforeAll, describe, expect, it } from 'vitest';
import { makeSandboxCall, SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { table } from '../../../shared/deps.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sendHttp } from '../../support/http/http.ts';
import { forceStored } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

// A buyer pays an order in another way or again, and the provider calls. `component/payments` has the flows.

const [TRANSFER, CARD, OXXO] = [1, 3, 4];

const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const place = async (payment_method: number, more = {}) => {
  const body = orderBody('paga@example.mx', { payment_method, ...more });
  return (await server.request('POST', '/api/orders/resources/', { token: tokens.employee, body })).body;
};
/** Asks for a reference, by another payment method if one is given. */
const pay = (id: number, payment_method?: number) =>
  server.request('POST', `/api/orders/${id}/payment/`, {
    token: tokens.employee,
    ...(payment_method && { body: { payment_method } }),
  });
const payments = async (id: number) =>
  (await server.request('GET', `/api/orders/${id}/?include=payments`, { token: tokens.employee })).body.payments;

describe('a reference', () => {
  it('is the present one while it works, and there is none of an order that is not collected', async () => {
    const placed = await place(OXXO);
    expect(await pay(placed.id)).toMatchObject({ status: 200, body: placed });
    const elsewhere = await place(TRANSFER);
    expect(await pay(elsewhere.id)).toMatchObject({ status: 409, body: { code: 'not_payable' } });
    const { status, body } = await pay(elsewhere.id, OXXO);
    expect([status, body.payment_references[0].method]).toEqual([201, 'oxxo']);
  });

  it('of another payment method is new, and the former one is over', async () => {
    const placed = await place(OXXO);
    const { status, body } = await pay(placed.id, CARD);
    expect([status, body.payment_method.id, body.payment_status]).toEqual([201, CARD, 'unpaid']);
    const [reference, ...others] = body.payment_references;
    expect([reference.method, others]).toEqual(['card', []]);
    const { external_url, institution } = reference;
    const sums = { amount: '136.00', received: '0.00', expires_at: expect.any(String) };
    const former = { collection: 'oxxo', reference: placed.payment_references[0].reference, institution: 'OXXO' };
    expect(await payments(placed.id)).toEqual([
      { ...sums, collection: 'card', reference: reference.reference, institution, external_url, status: 'open' },
      { ...sums, ...former, external_url: null, status: 'expired' },
    ]);
    expect(await pay(placed.id, CARD)).toMatchObject({ status: 200, body: { payment_references: [reference] } });
  });

  it.each([
    ['is not collected', TRANSFER, 2],
    ["is not the client's", 99, 2],
    ['does not take the total', OXXO, 400],
  ])('is refused of a method that %s, and nothing changes', async (_, method, quantity) => {
    const placed = await place(CARD, { details: [{ product: 1, quantity }] });
    const answer = await pay(placed.id, method);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['payment_method']]);
    expect(await payments(placed.id)).toMatchObject([{ collection: 'card', status: 'open' }]);
  });

  it.each([{ paymentStatus: 'in_process' }, { orderStatus: 'cancelled' }] as const)(
    'is refused of an order in %j',
    async (state) => {
      const { id } = await place(OXXO);
      await forceStored(id, state);
      expect(await pay(id, CARD)).toMatchObject({ status: 409, body: { code: 'not_payable' } });
    },
  );
});

it('a call of the provider is refused without its signature, and pays the order with it', async () => {
  /** Sends the call that the sandbox makes without an API key, or one with another signature. */
  const call = (orderId: number, signature?: string) => {
    const made = makeSandboxCall({ orderId, attempt: 1, about: 'payment' }, now());
    const headers = { 'Stripe-Signature': signature ?? made.signature, 'Content-Type': 'application/json' };
    return sendHttp(server.url, '/v2/api/payments/stripe/', { method: 'POST', headers, body: made.body });
  };
  const placed = await place(OXXO);
  const sandbox = new SandboxPayments({ table: table(), pageUrl: 'http://localhost/unused', now });
  await sandbox.decide(placed.external_payment_id, 'paid', AbortSignal.timeout(5_000));
  const status = async () =>
    (await server.request('GET', `/api/orders/${placed.id}/`, { token: tokens.employee })).body.payment_status;
  expect(await call(placed.id, 't=1,v1=00')).toMatchObject({ status: 400, body: { code: 'call_not_signed' } });
  expect(await status()).toBe('unpaid');
  expect(await call(placed.id)).toMatchObject({ status: 200, body: { received: true } });
  expect(await status()).toBe('paid');
  // There is no such order.
  expect((await call(999_999)).status).toBe(200);
});
