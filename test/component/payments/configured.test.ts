import { afterAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { makeSandboxCall, offerLocalPayments, SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { canCollect, configuredPayments } from '../../../shared/payments/configured.ts';
import { PaymentsUnavailable } from '../../../shared/payments/provider.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { openTable } from '../../../shared/store/table.ts';
import { openScriptedApi } from '../../support/engines/scripted-api.ts';
import { inTime, newAttempt, paymentSuite } from '../../support/payments/payment-suite.ts';
import { openStripeServer } from '../../support/payments/stripe-server.ts';

/* The sandbox, and which provider of payments a configuration has. */

paymentSuite('the sandbox', async () => {
  Object.assign(process.env, inject('serverEnvironment'));
  const provider = new SandboxPayments({ table: openTable(), pageUrl: 'http://localhost:3000/payments', now });
  return {
    provider,
    pay: async ({ id }) => void (await provider.decide(id, 'paid', inTime())),
    transfer: ({ id }, cents) => provider.transfer(Number(id.split('-')[1]), cents, inTime()),
    sign: async (orderId, attempt, at) => makeSandboxCall({ orderId, attempt, about: 'payment' }, at),
    passTime: async () => undefined,
  };
});

const stripe = await openStripeServer();
afterAll(() => stripe.close());
beforeEach(() => {
  stripe.script();
  vi.stubEnv('STRIPE_URL', stripe.url);
});

const set = (settings: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
};
/** Has both secrets of Stripe read from this Secrets Manager. */
function useSecretOf(secretsUrl: string): void {
  set({ PAYMENTS_PROVIDER: 'stripe', PURPOSE: 'demonstration', STRIPE_SECRET_ID: 'stripe' });
  set({ AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsUrl, AWS_REGION: 'mx-central-1' });
  set({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
}
const request = () =>
  configuredPayments(openTable).request(newAttempt('card', { createdAt: new Date().toISOString() }), inTime());
const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

describe('the configured payment provider', () => {
  it('is none by default: nothing is collected', async () => {
    vi.stubEnv('PAYMENTS_PROVIDER', undefined);
    set({ PURPOSE: 'production' });
    expect(canCollect()).toBe(false);
    expect(await failure(request())).toBeInstanceOf(PaymentsUnavailable);
    expect(stripe.calls).toEqual([]);
  });

  it.each([
    ['demonstration', 'testKey', true],
    ['production', 'liveKey', true],
    ['demonstration', 'liveKey', false],
    ['production', 'testKey', false],
  ] as const)('in a %s with the %s: %s', async (PURPOSE, key, isAccepted) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    set({ PAYMENTS_PROVIDER: 'stripe', PURPOSE, STRIPE_KEY: stripe[key] });
    expect(canCollect()).toBe(true);
    const asked = await failure(request());
    if (isAccepted) expect(asked).toHaveProperty('reference.institution', 'Stripe');
    else expect(asked).toBeInstanceOf(PaymentsUnavailable);
    expect(stripe.calls).toHaveLength(isAccepted ? 1 : 0);
  });

  it('reads both secrets of Stripe from one secret, when it is first asked', async () => {
    const text = JSON.stringify({ key: stripe.testKey, webhookSecret: stripe.life.secret });
    const secrets = await openScriptedApi({ status: 200, body: { SecretString: text } });
    useSecretOf(secrets.url);
    const payments = configuredPayments(openTable);
    expect(secrets.heard).toHaveLength(0);
    const event = {
      object: 'event',
      type: 'payment_intent.canceled',
      data: { object: { object: 'payment_intent', metadata: { order: '7' } } },
    };
    const call = await stripe.life.sign(JSON.stringify(event));
    expect(await payments.readCall(call, inTime())).toEqual({ orderId: 7, attempt: null, about: 'payment' });
    expect(secrets.heard).toHaveLength(1);
  });

  it('has a call come again as long as the secret cannot be read', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const secrets = await openScriptedApi('hangs up');
    useSecretOf(secrets.url);
    const call = await stripe.life.sign('{}');
    expect(await failure(configuredPayments(openTable).readCall(call, inTime()))).toBeInstanceOf(PaymentsUnavailable);
  });

  it('has the sandbox that the local server offers', async () => {
    set(inject('serverEnvironment'));
    set({ PAYMENTS_PROVIDER: 'sandbox', SANDBOX_PAYMENTS_URL: 'http://localhost:3000/payments' });
    offerLocalPayments();
    const { id, reference } = await request();
    expect(reference.externalUrl).toBe(`http://localhost:3000/payments/${id}`);
  });
});
