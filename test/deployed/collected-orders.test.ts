import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendHttp } from '../support/http/http.ts';
import { orderBody } from '../support/orders/samples.ts';
import { openStripeServer, type StripeServer } from '../support/payments/stripe-server.ts';
import { type DeployedStack, openDeployedStack } from '../support/servers/deployed-stack.ts';

/*
 * These tests run the functions as bundles.test.ts does, with the environment and the rights of a stage that collects orders,
 * against a fake Stripe.
 */

const SECRET = 'pharmacy/stripe';
const CARD = 3;
const OXXO = 4;

let stripe: StripeServer;
let server: DeployedStack;
let token: string;
beforeAll(async () => {
  stripe = await openStripeServer();
  server = await openDeployedStack({
    settings: { payments: { provider: 'stripe', secretName: SECRET } },
    secrets: { [SECRET]: JSON.stringify({ key: stripe.testKey, webhookSecret: stripe.life.secret }) },
    environment: { STRIPE_URL: stripe.url },
  });
  token = await server.login('aseguradora@demo.example');
}, 600_000);
afterAll(async () => {
  await server.close();
  await stripe.close();
});

async function place(payment_method: number) {
  const body = orderBody('cobrada@example.mx', { payment_method });
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return answer.body;
}
const readStatus = async (id: number): Promise<string> =>
  (await server.request('GET', `/api/orders/${id}/`, { token })).body.payment_status;

describe('an order of a stage that collects', () => {
  it('has its reference with the 201, and is paid once the provider calls', async () => {
    const order = await place(OXXO);
    expect(order).toMatchObject({ payment_status: 'unpaid', payment_references: [{ method: 'oxxo' }] });
    stripe.life.payVoucher(order.external_payment_id);
    for (const { body, signature } of await stripe.life.takeCalls()) {
      const headers = { 'Stripe-Signature': signature ?? '', 'Content-Type': 'application/json' };
      const call = { method: 'POST', headers, body: Buffer.from(body) };
      expect((await sendHttp(server.url, '/v2/api/payments/stripe/', call)).status).toBe(200);
    }
    expect(await readStatus(order.id)).toBe('paid');
  });

  it('is rejected with the 201 when the provider refuses it for good, and gets a reference later', async () => {
    stripe.life.allowed.delete('oxxo');
    const order = await place(OXXO);
    stripe.life.allowed.add('oxxo');
    expect(order).toMatchObject({
      payment_status: 'rejected',
      rejection_reason: 'payment_method_not_enabled',
      payment_references: [],
    });
    expect(await server.request('POST', `/api/orders/${order.id}/payment/`, { token })).toMatchObject({
      status: 201,
      body: { payment_status: 'unpaid', payment_references: [{ method: 'oxxo' }] },
    });
  });

  it('is paid by a job when the call was lost', async () => {
    const order = await place(CARD);
    stripe.life.payPage(stripe.life.openPage(order.external_payment_id));
    await server.run('jobs-run-due-tasks');
    expect(await readStatus(order.id)).toBe('paid');
  });
});

it('no function is refused a call for a missing right', async () => {
  expect(await server.refused()).toEqual([]);
});
