import { afterAll, describe, expect, it } from 'vitest';
import { payments, table } from '../../../shared/deps.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { findPaymentExceptions, handlePayment } from '../../../shared/payments/payment-exceptions.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { parseWrites, type Written } from '../../bench/meter.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import {
  openStripeServer,
  type StripeOutcome,
  sendStripeCall,
  stripeError,
} from '../../support/payments/stripe-server.ts';
import { useServer } from '../../support/servers/test-server.ts';

const stripe = await openStripeServer();
afterAll(() => stripe.close());
const server = useServer({ faults: true, settings: { ...stripe.environment, PURPOSE: 'demonstration' } });

const START = Date.parse('2026-11-23T18:00:00.000Z');
const MINUTE_MS = 60_000;
const DETAILS = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 1 }));

const place = (payment_method: number) =>
  server.placeOrder('unidades@example.mx', { details: DETAILS, payment_method });

/** Lets this many minutes pass since the start. */
const waitMinutes = (minutes: number) => setClock(new Date(START + minutes * MINUTE_MS));
const change = (id: number, body: object) => server.asEmployee('PATCH', `/api/orders/${id}/`, body);
const pay = (id: number) => server.asEmployee('POST', `/api/orders/${id}/payment/`);
const runJob = (which: 'due' | 'all') =>
  reconcilePayments({ by: 'system', now: now() }, { table: table(), payments }, which);
/** Sets the fault of the calls that create something at a path of the provider. */
const failCreating = (created: string, outcome: StripeOutcome) =>
  stripe.script(({ method, path }) => (method === 'POST' && path === created ? outcome : undefined));

/** Returns what an order of five lines for a known patient writes, with its reference if it has one. */
async function measure(payment_method: number): Promise<{ units: number; written: Written[] }> {
  await place(payment_method);
  const written: Written[] = [];
  server.faults.set(({ operation, body }) => {
    written.push(...parseWrites(operation, body).filter(({ kind }) => kind !== 'IDS'));
    return undefined;
  });
  await place(payment_method);
  server.faults.set();
  return { units: written.reduce((sum, { units }) => sum + units, 0), written };
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

describe('a reference that the provider never makes', () => {
  it('is asked for during 23 hours, also when each answer is an error that it keeps, and then waits for somebody', async () => {
    waitMinutes(0);
    failCreating('/payment_links', 'fail after');
    const placed = await place(3);
    expect([placed.payment_status, placed.payment_references]).toEqual(['unpaid', []]);
    const listed: object[] = [];
    for (const hours of [1, 8, 22, 23, 24]) {
      listed.push(...(await findPaymentExceptions(table(), ['not_made'], 10)));
      waitMinutes(hours * 60);
      await runJob('all');
    }
    expect(listed).toEqual([]);
    expect(await findPaymentExceptions(table(), ['not_made'], 10)).toMatchObject([{ orderId: placed.id }]);
    const order = await getOrderOfAnyClient(table(), placed.id);
    expect(order?.payment?.attempts.at(-1)).toMatchObject({ number: 4, status: 'not_made' });
    const handle = () => handlePayment({ id: placed.id, operator: 'ana', now: now() }, table());
    await handle();
    const history = await getStoredEvents(placed.id);
    expect(history.map(({ what }) => what)).toEqual(['created', 'payment_not_made', 'payment_handled']);
    expect(await findPaymentExceptions(table(), ['not_made'], 10)).toEqual([]);
    await expect(handle()).rejects.toMatchObject({ code: 'move_not_allowed' });
    stripe.script();
    waitMinutes(24 * 60);
    expect((await pay(placed.id)).status).toBe(201);
    expect((await getStoredEvents(placed.id)).map(({ what }) => what)).toEqual([
      'created',
      'payment_not_made',
      'payment_handled',
      'payment_requested',
    ]);
  });
});

describe('money to a CLABE that an order showed before', () => {
  /** Places an order and changes its lines, while the provider makes no other reference. Returns it with its customer. */
  async function replaceReference(outcome: StripeOutcome): Promise<{ id: number; customer: string }> {
    waitMinutes(0);
    stripe.script();
    const { id, external_payment_id } = await place(5);
    failCreating('/payment_intents', outcome);
    expect((await change(id, { details: [{ product: 1, quantity: 2 }] })).status).toBe(200);
    await stripe.life.takeCalls();
    return { id, customer: stripe.life.intents.get(external_payment_id)?.customer ?? '' };
  }
  async function deliverCalls(): Promise<void> {
    for (const call of await stripe.life.takeCalls()) await sendStripeCall(server.url, call);
  }
  const listMismatch = async (id: number) =>
    (await findPaymentExceptions(table(), ['mismatch'], 100)).filter(({ orderId }) => orderId === id);

  it.each<[string, StripeOutcome]>([
    ['refuses', stripeError(400, { code: 'amount_too_large' })],
    ['does not answer', 'drop'],
  ])('is listed when the provider calls, also if it %s when asked for the next one', async (_, outcome) => {
    const { id, customer } = await replaceReference(outcome);
    expect(await listMismatch(id)).toEqual([]);
    stripe.life.transfer(customer, 5_000);
    await deliverCalls();
    expect(await listMismatch(id)).toMatchObject([{ cents: 5_000 }]);
  });
});

const lines = (quantity: number) => ({ details: [{ product: 1, quantity }] });
const cancel = { order_status: 'cancelled' };
const read = async (id: number) => (await server.asEmployee('GET', `/api/orders/${id}/`)).body;
/** Lets 14 days pass since the start: a voucher has ended then, after its last ten days. */
function waitForVouchers(): void {
  waitMinutes(14 * 24 * 60);
  stripe.life.passTime();
}
/** Returns the status of an answer, its code or the id of the payment that it shows, and the calls to the provider for it. */
async function count(request: () => ReturnType<typeof pay>): Promise<[number, string, number]> {
  stripe.script();
  const { status, body } = await request();
  return [status, body.code ?? body.external_payment_id, stripe.calls.length];
}

describe('the calls to the provider', () => {
  it.each([
    [3, { created: 1, changed: 4, expired: 4, cancelled: 3 }],
    [4, { created: 2, changed: 3, expired: 3, cancelled: 2 }],
    [5, { created: 2, changed: 4, expired: 4, cancelled: 3 }],
  ])('for a request about an order by method %i are at most 4', async (method, calls) => {
    waitMinutes(0);
    stripe.script();
    const { id, external_payment_id: first } = await place(method);
    expect(stripe.calls).toHaveLength(calls.created);
    expect(await count(() => change(id, { details: DETAILS }))).toEqual([200, first, 0]);
    const changed = await count(() => change(id, lines(2)));
    expect(changed).toEqual([200, expect.not.stringMatching(first), calls.changed]);
    expect(await count(() => pay(id))).toEqual([200, changed[1], 0]);
    waitForVouchers();
    expect(await count(() => pay(id))).toEqual([201, expect.not.stringMatching(changed[1]), calls.expired]);
    expect(await count(() => change(id, cancel))).toEqual([200, expect.any(String), calls.cancelled]);
    expect(await count(() => change(id, cancel))).toEqual([200, expect.any(String), 0]);
  });

  it.each([
    [3, 3],
    [4, 2],
    [5, 3],
  ])('for lines whose reference by method %i turns out to be paid are %i', async (method, calls) => {
    waitMinutes(0);
    const { id, external_payment_id: paid } = await place(method);
    const { life } = stripe;
    // Two payers at once, which a limit of one payment may not keep from paying.
    for (const page of method === 3 ? [life.openPage(paid), life.openPage(paid)] : []) life.payPage(page);
    if (method === 4) life.payVoucher(paid);
    const { amount = 0, customer } = life.intents.get(paid) ?? {};
    if (method === 5) life.transfer(customer ?? '', amount);
    expect(await count(() => change(id, lines(2)))).toEqual([409, 'order_paid', calls]);
    expect((await read(id)).payment_status).toBe('paid');
  });
});

describe('a page that payers had open when it was withdrawn', () => {
  it('is closed by the job, and what was paid there meanwhile is listed', async () => {
    waitMinutes(0);
    const { id, external_payment_id: link } = await place(3);
    const open = stripe.life.openPage(link);
    const [, second, calls] = await count(() => change(id, lines(2)));
    expect(calls).toBe(4);
    const paid = stripe.life.openPage(second);
    await change(id, lines(3));
    stripe.life.payPage(paid);
    await stripe.life.takeCalls();
    waitMinutes(60);
    await runJob('all');
    expect(() => stripe.life.payPage(open)).toThrow('closed');
    const listed = (await findPaymentExceptions(table(), ['mismatch'], 100)).filter(({ orderId }) => orderId === id);
    expect(listed).toMatchObject([{ cents: 13_600 }]);
  });
});

describe('an order with five vouchers that can still be paid', () => {
  it('gets no other before the job has found that one has expired', async () => {
    waitMinutes(0);
    const { id } = await place(4);
    for (let number = 2; number <= 5; number++) expect((await count(() => change(id, lines(number))))[2]).toBe(3);
    const tooMany = [409, 'too_many_references', 0];
    const { external_payment_id: last } = await read(id);
    expect(await count(() => change(id, lines(6)))).toEqual(tooMany);
    expect(await count(() => change(id, lines(5)))).toEqual([200, last, 0]);
    waitForVouchers();
    expect(await count(() => pay(id))).toEqual(tooMany);
    await runJob('all');
    expect(await count(() => pay(id))).toEqual([201, expect.not.stringMatching(last), 1]);
  });
});
