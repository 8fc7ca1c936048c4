import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payments, table } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { listTroubledPayments } from '../../../shared/usecases/payments/payment-troubles.ts';
import { settlePayments } from '../../../shared/usecases/payments/settle-payments.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openStripeServer, type StripeServer } from '../../support/payments/stripe-server.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const START = Date.parse('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;

let stripe: StripeServer;
let server: TestServer;
beforeAll(async () => {
  stripe = await openStripeServer();
  server = await openTestServer({ environment: { ...stripe.environment, PURPOSE: 'demonstration' } });
});
afterAll(async () => {
  setClock();
  await server.close();
  await stripe.close();
});

describe('a reference that the provider never makes', () => {
  it('is asked for during 23 hours, also when each answer is an error that it keeps, and then waits for somebody', async () => {
    setClock(new Date(START));
    stripe.script(({ path }) => (path === '/payment_links' ? 'fail after' : undefined));
    const token = await server.login('aseguradora@demo.example');
    const body = orderBody('nunca@example.mx', { payment_method: 3 });
    const { body: placed } = await server.request('POST', '/api/orders/resources/', { token, body });
    expect([placed.payment_status, placed.payment_references]).toEqual(['unpaid', []]);
    const listed: object[] = [];
    for (let hours = 1; hours <= 23; hours++) {
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
