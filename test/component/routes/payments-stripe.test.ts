import { beforeAll, describe, expect, it } from 'vitest';
import { makeSandboxCall } from '../../../infra/local/payments/sandbox/calls.ts';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { table } from '../../../shared/deps.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sendHttp } from '../../support/http/http.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const OXXO = 4;

const server = useServer();
let token: string;
beforeAll(async () => {
  token = (await server.loginDemoUsers()).employee;
});

/** Sends the call that the sandbox makes without an API key, or one with another signature. */
async function call(orderId: number, signature?: string) {
  const made = makeSandboxCall({ orderId, attempt: 1, about: 'payment' }, now());
  const headers = { 'Stripe-Signature': signature ?? made.signature, 'Content-Type': 'application/json' };
  return sendHttp(server.url, '/v2/api/payments/stripe/', { method: 'POST', headers, body: made.body });
}

describe('the calls of the provider', () => {
  it('are refused without its signature, and change nothing', async () => {
    const body = orderBody('llamada@example.mx', { payment_method: OXXO });
    const { body: placed } = await server.request('POST', '/api/orders/resources/', { token, body });
    const sandbox = new SandboxPayments({ table: table(), pageUrl: 'http://localhost/unused', now });
    await sandbox.decide(placed.external_payment_id, 'paid', AbortSignal.timeout(5_000));
    const status = async () =>
      (await server.request('GET', `/api/orders/${placed.id}/`, { token })).body.payment_status;
    expect(await call(placed.id, 't=1,v1=00')).toMatchObject({ status: 400, body: { code: 'call_not_signed' } });
    expect(await status()).toBe('unpaid');
    expect(await call(placed.id)).toMatchObject({ status: 200, body: { received: true } });
    expect(await status()).toBe('paid');
  });

  it('about an order that there is not are taken', async () => {
    expect((await call(999_999)).status).toBe(200);
  });
});
