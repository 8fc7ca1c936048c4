import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payments, table } from '../../../shared/deps.ts';
import type { ProviderCall } from '../../../shared/payments/provider.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { giveBack } from '../../../shared/usecases/payments/by-hand.ts';
import { settlePayments } from '../../../shared/usecases/payments/settle-payments.ts';
import { sendHttp } from '../../support/http/http.ts';
import { getStoredOrder } from '../../support/orders/forced-order.ts';
import { INVOICING, orderBody } from '../../support/orders/samples.ts';
import { openStripeServer, type StripeServer, stripeError } from '../../support/payments/stripe-server.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const START = new Date('2026-11-23T18:00:00.000Z');
const CARD = 3;

let stripe: StripeServer;
let server: TestServer;
let token: string;
let people = 0;
beforeAll(async () => {
  stripe = await openStripeServer();
  server = await openTestServer({ environment: { ...stripe.environment, PURPOSE: 'demonstration' } });
});
beforeEach(async () => {
  setClock(START);
  stripe.script();
  token = (await server.loginDemoUsers()).employee;
});
afterAll(async () => {
  setClock();
  await server.close();
  await stripe.close();
});

async function sendCall({ body, signature }: ProviderCall): Promise<number> {
  const headers = { 'Stripe-Signature': signature ?? '', 'Content-Type': 'application/json' };
  const url = '/v2/api/payments/stripe/';
  return (await sendHttp(server.url, url, { method: 'POST', headers, body: Buffer.from(body) })).status;
}

async function deliverCalls(): Promise<void> {
  for (const call of await stripe.life.takeCalls()) expect(await sendCall(call)).toBe(200);
}

/** Places an order of 136.00, 57.00 of it for two boxes without IVA and 79.00 for shipping, which is paid by card. */
async function paidByCard(more: Record<string, unknown> = { invoicing: INVOICING }) {
  people += 1;
  const body = orderBody(`devuelve-${people}@example.mx`, { payment_method: CARD }, more);
  const { status, body: placed } = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(status).toBe(201);
  stripe.life.payPage(stripe.life.openPage(placed.external_payment_id));
  await deliverCalls();
  const [line] = (await getStoredOrder(placed.id)).lines;
  return { id: placed.id as number, payment: placed.external_payment_id as string, line: line?.id ?? 0 };
}

type Asked = Partial<Parameters<typeof giveBack>[0]>;
const refund = (id: number, asked: Asked) =>
  giveBack({ id, ...asked, operator: 'ana', now: now() }, { table: table(), payments });

/** The bank sends back the last refund, of which Stripe tells. */
function sendBack(): void {
  const last = [...stripe.life.refunds.keys()].at(-1);
  stripe.life.settleRefund(last ?? '', 'failed');
}

const refuseRefunds = () =>
  stripe.script(({ path, method }) =>
    path === '/refunds' && method === 'POST' ? stripeError(400, { code: 'charge_already_refunded' }) : undefined,
  );

async function runJob(): Promise<void> {
  setClock(new Date(now().getTime() + 3_600_000));
  await settlePayments({ by: 'system', now: now() }, { table: table(), payments }, 'all');
}

const statuses = async (id: number) => (await getStoredOrder(id)).refunds?.map(({ provided }) => provided?.status);
const notes = async (id: number) =>
  (await getStoredOrder(id)).documents.map(({ amountCents, paymentForm }) => [amountCents, paymentForm]);

describe('the credit note of a refund by card', () => {
  it('is not made again when the money comes back and goes back in another way', async () => {
    const { id } = await paidByCard();
    await refund(id, { amountCents: 5_000 });
    expect([await statuses(id), await notes(id)]).toEqual([['succeeded'], [[5_000, '04']]]);
    sendBack();
    await deliverCalls();
    expect(await statuses(id)).toEqual(['failed']);
    await refund(id, { amountCents: 5_000, form: '03' });
    expect(await notes(id)).toEqual([[5_000, '04']]);
    await refund(id, { amountCents: 3_000, form: '03' });
    expect(await notes(id)).toEqual([
      [5_000, '04'],
      [3_000, '03'],
    ]);
  });

  it('of a line is not made again either', async () => {
    const { id, line } = await paidByCard();
    const one = { lines: [{ line, quantity: 1 }] };
    await refund(id, one);
    sendBack();
    await deliverCalls();
    await refund(id, { ...one, form: '03' });
    expect(await notes(id)).toEqual([[2_850, '04']]);
    await refund(id, { ...one, form: '01' });
    expect(await notes(id)).toEqual([
      [2_850, '04'],
      [2_850, '01'],
    ]);
  });

  it('is made once Stripe accepts it, and not when the invoice is issued before', async () => {
    const { id } = await paidByCard({});
    stripe.script(() => 'drop');
    await refund(id, { amountCents: 5_000 });
    expect(await statuses(id)).toEqual(['requested']);
    stripe.script();
    const body = { invoicing: INVOICING };
    const { status } = await server.request('PUT', `/api/orders/${id}/request-invoice/`, { token, body });
    expect([status, await notes(id)]).toEqual([200, []]);
    await runJob();
    expect([await statuses(id), await notes(id)]).toEqual([['succeeded'], [[5_000, '04']]]);
  });

  it('is not made when Stripe refuses it, and is when Stripe has given it after all', async () => {
    const { id, payment } = await paidByCard();
    refuseRefunds();
    await refund(id, { amountCents: 5_000 });
    expect([await statuses(id), await notes(id)]).toEqual([['failed'], []]);
    stripe.script();
    await payments().refund({ orderId: id, number: 1, payment, amountCents: 5_000 }, AbortSignal.timeout(5_000));
    await deliverCalls();
    expect([await statuses(id), await notes(id)]).toEqual([['succeeded'], [[5_000, '04']]]);
  });
});

describe('a refund that failed', () => {
  it('may be repeated at once, and one that was given may not', async () => {
    const { id } = await paidByCard();
    await refund(id, { amountCents: 5_000 });
    sendBack();
    await deliverCalls();
    await refund(id, { amountCents: 5_000 });
    expect(await statuses(id)).toEqual(['failed', 'succeeded']);
    await expect(refund(id, { amountCents: 5_000 })).rejects.toMatchObject({ code: 'move_not_allowed' });
  });

  it('has its call answered 503 while Stripe cannot be asked about it, so that the call comes again', async () => {
    const { id } = await paidByCard();
    await refund(id, { amountCents: 5_000 });
    await deliverCalls();
    sendBack();
    const [call] = await stripe.life.takeCalls();
    if (!call) throw new Error('Stripe makes a call');
    stripe.script(({ path }) => (path === '/refunds' ? 'drop' : undefined));
    expect([await sendCall(call), await statuses(id)]).toEqual([503, ['succeeded']]);
    stripe.script();
    expect([await sendCall(call), await statuses(id)]).toEqual([200, ['failed']]);
  });
});
