import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payments, table } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { listTroubledPayments } from '../../../shared/usecases/payments/payment-troubles.ts';
import { settlePayments } from '../../../shared/usecases/payments/settle-payments.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openStripeServer, type StripeServer } from '../../support/payments/stripe-server.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const CARD = 3;
const OXXO = 4;
const SPEI = 5;
const START = Date.parse('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;

let stripe: StripeServer;
let server: TestServer;
let token: string;
beforeAll(async () => {
  stripe = await openStripeServer();
  server = await openServer({ settings: { ...stripe.environment, PURPOSE: 'demonstration' } });
  await server.loginDemoUsers();
});
afterAll(async () => {
  setClock();
  await server.close();
  await stripe.close();
});

async function waitHours(hours: number): Promise<void> {
  setClock(new Date(START + hours * HOUR_MS));
  stripe.life.passTime();
  token = await server.login('aseguradora@demo.example');
}
const lines = (quantity: number) => ({ details: [{ product: 1, quantity }] });
const place = (payment_method: number) => {
  const body = orderBody('llamadas@example.mx', { payment_method, ...lines(1) });
  return server.request('POST', '/api/orders/resources/', { token, body });
};
const change = (id: number, body: object) => server.request('PATCH', `/api/orders/${id}/`, { token, body });
const pay = (id: number) => server.request('POST', `/api/orders/${id}/payment/`, { token });
const read = async (id: number) => (await server.request('GET', `/api/orders/${id}/`, { token })).body;
const runJob = () => settlePayments({ by: 'system', now: now() }, { table: table(), payments }, 'all');

/** Returns what a request is answered, and how many calls to the provider it makes. */
async function count(request: () => ReturnType<typeof place>) {
  stripe.script();
  const { status, body } = await request();
  return { status, body, calls: stripe.calls.length };
}

describe('the calls to the provider', () => {
  it.each([
    [CARD, { created: 1, changed: 4, expired: 4, cancelled: 3 }],
    [OXXO, { created: 2, changed: 3, expired: 3, cancelled: 2 }],
    [SPEI, { created: 2, changed: 4, expired: 4, cancelled: 3 }],
  ])('of each request about an order by method %i are at most 4', async (method, calls) => {
    await waitHours(0);
    const created = await count(() => place(method));
    const { id } = created.body;
    const same = await count(() => change(id, lines(1)));
    const changed = await count(() => change(id, lines(2)));
    const working = await count(() => pay(id));
    // A voucher has ended then, after its last ten days.
    await waitHours(14 * 24);
    const expired = await count(() => pay(id));
    const cancelled = await count(() => change(id, { order_status: 'cancelled' }));
    const again = await count(() => change(id, { order_status: 'cancelled' }));
    const answers = { created, same, changed, working, expired, cancelled, again };
    expect(Object.entries(answers).map(([name, answer]) => [name, answer.status, answer.calls])).toEqual([
      ['created', 201, calls.created],
      ['same', 200, 0],
      ['changed', 200, calls.changed],
      ['working', 200, 0],
      ['expired', 201, calls.expired],
      ['cancelled', 200, calls.cancelled],
      ['again', 200, 0],
    ]);
    const ids = [created, same, changed, working, expired].map(({ body }) => body.external_payment_id);
    expect([ids[0] === ids[1], ids[1] === ids[2], ids[2] === ids[3], ids[3] === ids[4]]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it.each([CARD, OXXO, SPEI])('are at most 4 too when what is replaced by method %i was paid', async (method) => {
    await waitHours(0);
    const { id, external_payment_id } = (await place(method)).body;
    const pages = method === CARD ? [1, 2].map(() => stripe.life.openPage(external_payment_id)) : [];
    for (const page of pages) stripe.life.payPage(page);
    if (method === OXXO) stripe.life.payVoucher(external_payment_id);
    if (method === SPEI) stripe.life.transfer(stripe.life.intents.get(external_payment_id)?.customer ?? '', 10_750);
    const { status, body, calls } = await count(() => change(id, lines(2)));
    expect([status, body.code]).toEqual([409, 'order_paid']);
    expect(calls).toBeLessThanOrEqual(3);
    expect((await read(id)).payment_status).toBe('paid');
  });

  it('are as many for an order by card that has had 30 attempts', async () => {
    await waitHours(0);
    const { id } = (await place(CARD)).body;
    const counted: number[] = [];
    for (let number = 2; number <= 31; number++) counted.push((await count(() => change(id, lines(number)))).calls);
    expect(new Set(counted)).toEqual(new Set([4]));
  });
});

describe('a page that payers had open when it was withdrawn', () => {
  it('is closed by the job, and what was paid there meanwhile is listed', async () => {
    await waitHours(0);
    const { id, external_payment_id: link } = (await place(CARD)).body;
    const [paid, open] = [stripe.life.openPage(link), stripe.life.openPage(link)];
    const { body, calls } = await count(() => change(id, lines(2)));
    expect([calls, body.payment_status, body.payment_references.length]).toEqual([4, 'unpaid', 1]);
    expect(() => stripe.life.openPage(link)).toThrow('closed');
    await waitHours(1);
    await runJob();
    expect(() => stripe.life.payPage(open)).toThrow('closed');

    const second = stripe.life.openPage(body.external_payment_id);
    await change(id, lines(3));
    stripe.life.payPage(second);
    await stripe.life.takeCalls();
    await waitHours(2);
    await runJob();
    const listed = (await listTroubledPayments(table(), ['mismatch'], 10)).filter(({ orderId }) => orderId === id);
    expect(listed).toMatchObject([{ cents: 13_600 }]);
    expect(() => stripe.life.payPage(paid)).toThrow('closed');
    expect((await read(id)).payment_status).toBe('unpaid');
  });

  it('belongs to the order again once the job has closed it, if the change was not stored', async () => {
    await waitHours(0);
    const { id, external_payment_id: link } = (await place(CARD)).body;
    stripe.life.openPage(link);
    await payments().withdraw(link, AbortSignal.timeout(5_000));
    for (const minutes of [5, 10]) {
      await waitHours(minutes / 60);
      await runJob();
    }
    expect(await read(id)).toMatchObject({ payment_status: 'rejected', rejection_reason: 'cancelled' });
    expect((await pay(id)).status).toBe(201);
  });
});

describe('an order with five vouchers that can still be paid', () => {
  it('gets no other, and one again when the job has found one expired', async () => {
    await waitHours(0);
    const { id } = (await place(OXXO)).body;
    for (let number = 2; number <= 5; number++) {
      const { status, calls } = await count(() => change(id, lines(number)));
      expect([number, status, calls]).toEqual([number, 200, 3]);
    }
    const last = await read(id);
    const refused = await count(() => change(id, lines(6)));
    expect([refused.status, refused.body.code, refused.calls]).toEqual([409, 'too_many_references', 0]);
    expect((await count(() => change(id, lines(5)))).calls).toBe(0);
    expect(await read(id)).toMatchObject({ total: last.total, payment_references: last.payment_references });
    // The time of the vouchers is over, and nobody has looked at them yet.
    await waitHours(14 * 24);
    const early = await count(() => pay(id));
    expect([early.status, early.body.code, early.calls]).toEqual([409, 'too_many_references', 0]);
    await runJob();
    const { status, calls } = await count(() => pay(id));
    expect([status, calls]).toEqual([201, 1]);
    expect((await count(() => change(id, { order_status: 'cancelled' }))).calls).toBe(2);
  });
});
