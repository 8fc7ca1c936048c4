import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { payments, table } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { listTroubledPayments } from '../../../shared/usecases/payments/payment-troubles.ts';
import { settlePayments } from '../../../shared/usecases/payments/settle-payments.ts';
import { parseWrites, type Written } from '../../bench/orders/item-units.ts';
import { type FaultProxy, openFaultProxy } from '../../support/faults/fault-proxy.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openStripeServer, type StripeServer } from '../../support/payments/stripe-server.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let proxy: FaultProxy;
let stripe: StripeServer;
let server: TestServer;
let token: string;
beforeAll(async () => {
  proxy = await openFaultProxy(inject('serverEnvironment').AWS_ENDPOINT_URL_DYNAMODB ?? '');
  stripe = await openStripeServer();
  server = await openTestServer({
    environment: { ...stripe.environment, PURPOSE: 'demonstration', AWS_ENDPOINT_URL_DYNAMODB: proxy.url },
  });
  token = (await server.loginDemoUsers()).employee;
});
afterAll(async () => {
  setClock();
  await server.close();
  await proxy.close();
  await stripe.close();
});

const START = Date.parse('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;
const DETAILS = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 1 }));

const place = async (payment_method: number) => {
  const body = orderBody('unidades@example.mx', { details: DETAILS, payment_method });
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return answer.body;
};

/** Returns what an order of five lines for a known patient writes, with its reference if it has one. */
async function measure(payment_method: number): Promise<{ units: number; written: Written[]; order: { id: number } }> {
  await place(payment_method);
  const written: Written[] = [];
  proxy.set(({ operation, body }) => {
    written.push(...parseWrites(operation, body).filter(({ kind }) => kind !== 'IDS'));
    return undefined;
  });
  const order = await place(payment_method);
  proxy.set();
  return { units: written.reduce((sum, { units }) => sum + units, 0), written, order };
}

describe('the write units of an order', () => {
  it.each([3, 4, 5])('that is collected by method %i are at most 6 more than of another', async (method) => {
    const other = await measure(1);
    expect(other.written.filter(({ kind }) => kind === 'PAYMENTS')).toEqual([]);
    const { units, written } = await measure(method);
    expect(written.filter(({ kind }) => kind === 'PAYMENTS')).toEqual([{ kind: 'PAYMENTS', units: 2 }]);
    expect(units - other.units).toBeGreaterThan(0);
    expect(units - other.units).toBeLessThanOrEqual(6);
  });
});

describe('the reference of an order', () => {
  it('is recorded once, though the answer of the write was lost', async () => {
    proxy.set(({ operation, nth }) => (operation === 'PutItem' && nth === 1 ? 'lost reply' : undefined));
    const { id, payment_references } = await place(4);
    expect(proxy.injected()).toBe(1);
    proxy.set();
    expect(payment_references).toHaveLength(1);
    const stored = await getOrderOfAnyClient(table(), id);
    expect([stored?.version, stored?.history.map(({ what }) => what)]).toEqual([2, ['created', 'payment_requested']]);
  });
});

describe('a reference that the provider never makes', () => {
  it('is asked for during 23 hours, also when each answer is an error that it keeps, and then waits for somebody', async () => {
    setClock(new Date(START));
    token = await server.login('aseguradora@demo.example');
    stripe.script(({ path }) => (path === '/payment_links' ? 'fail after' : undefined));
    const placed = await place(3);
    expect([placed.payment_status, placed.payment_references]).toEqual(['unpaid', []]);
    const listed: object[] = [];
    for (let hours = 1; hours <= 24; hours++) {
      listed.push(...(await listTroubledPayments(table(), ['not_made'], 10)));
      setClock(new Date(START + hours * HOUR_MS));
      await settlePayments({ by: 'system', now: now() }, { table: table(), payments }, 'all');
    }
    expect(listed).toEqual([]);
    expect(await listTroubledPayments(table(), ['not_made'], 10)).toMatchObject([{ orderId: placed.id }]);
    const order = await getOrderOfAnyClient(table(), placed.id);
    expect(order?.payment?.attempts.at(-1)).toMatchObject({ number: 23, status: 'not_made' });
  });
});

describe('an attempt that is not wanted any more', () => {
  it('is cancelled with the provider also when the call that asks for it arrives after the change', async () => {
    setClock(new Date(START));
    token = await server.login('aseguradora@demo.example');
    const asking = vi.spyOn(payments(), 'request');
    stripe.script(() => 'drop');
    const placed = await place(5);
    const [attempt] = asking.mock.calls[0] ?? [];
    asking.mockRestore();
    stripe.script();
    if (!attempt) throw new Error('nothing was asked for');
    setClock(new Date(START + HOUR_MS / 3));
    token = await server.login('aseguradora@demo.example');
    const body = { details: [{ product: 1, quantity: 2 }] };
    expect((await server.request('PATCH', `/api/orders/${placed.id}/`, { token, body })).status).toBe(200);
    // Somebody had read the order before it was changed.
    const { id } = await payments().request(attempt, AbortSignal.timeout(5_000));
    expect(stripe.life.intents.get(id)?.status).toBe('requires_action');
    setClock(new Date(START + HOUR_MS));
    await settlePayments({ by: 'system', now: now() }, { table: table(), payments }, 'all');
    expect(stripe.life.intents.get(id)?.status).toBe('canceled');
  });
});
