import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '../../../infra/local/payments/sandbox/record.ts';
import { makeSandboxCall, SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { payments, table } from '../../../shared/deps.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { watchedPayments } from '../../../shared/order/rows/payment-rows.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { payByHand } from '../../../shared/payments/move-payment.ts';
import { findPaymentExceptions, handlePayment } from '../../../shared/payments/payment-exceptions.ts';
import { type PaymentProvider, PaymentsUnavailable } from '../../../shared/payments/provider.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { giveBack } from '../../../shared/payments/reconcile-refunds.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { sendHttp } from '../../support/http/http.ts';
import { forceStored, getStoredEvents } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const [TRANSFER, CARD, OXXO, SPEI] = [1, 3, 4, 5];
const START = new Date('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;

const server = useServer();
let sandbox: SandboxPayments;
let people = 0;
beforeAll(() => {
  sandbox = new SandboxPayments({ table: table(), pageUrl: 'http://localhost/unused', now });
  setClock(START);
});
afterEach(() => setClock(START));

const signal = () => AbortSignal.timeout(5_000);
/** Lets this many hours pass since the start. */
const waitHours = (hours: number) => setClock(new Date(START.getTime() + hours * HOUR_MS));

function place(payment_method: number, order = {}) {
  people += 1;
  const body = orderBody(`paga-${people}@example.mx`, { payment_method, ...order });
  return server.asEmployee('POST', '/api/orders/resources/', body);
}
const read = async (id: number) => (await server.asEmployee('GET', `/api/orders/${id}/`)).body;
/** Asks for a reference, by another payment method if one is given. */
const pay = (id: number, payment_method?: number) =>
  server.asEmployee('POST', `/api/orders/${id}/payment/`, payment_method ? { payment_method } : undefined);
const change = (id: number, body: object) => server.asEmployee('PATCH', `/api/orders/${id}/`, body);
const decide = (id: string, outcome: Outcome) => sandbox.decide(id, outcome, signal());
/** Runs the job at the hour that has begun, every five minutes, so that every order has its turn. */
async function runJob(): Promise<void> {
  const start = now().getTime();
  for (let run = 0; run < 12; run++) {
    setClock(new Date(start + run * 300_000));
    await reconcilePayments({ by: 'system', now: now() }, { table: table(), payments });
  }
}
/** Sends the call that the sandbox makes. */
async function call(orderId: number) {
  const { signature, body } = makeSandboxCall({ orderId, attempt: 1, about: 'payment' }, now());
  const headers = { 'Stripe-Signature': signature, 'Content-Type': 'application/json' };
  return sendHttp(server.url, '/v2/api/payments/stripe/', { method: 'POST', headers, body });
}
const history = async (id: number) => (await getStoredEvents(id)).map(({ what }) => what);
const events = async (id: number) =>
  (await server.asEmployee('GET', `/api/orders/${id}/events/`)).body.results.map(({ type }: { type: string }) => type);

describe('an order that is collected', () => {
  it.each([
    [CARD, 'card', 'Sandbox'],
    [OXXO, 'oxxo', 'OXXO'],
    [SPEI, 'spei', 'Sandbox'],
  ])('by method %i brings its reference with the 201', async (payment_method, method, institution) => {
    const { status, body } = await place(payment_method);
    expect([status, body.payment_status, body.rejection_reason]).toEqual([201, 'unpaid', '']);
    expect(body.external_payment_id).toBe(`sandbox-${body.id}-1`);
    expect(body.payment_references).toEqual([
      {
        id: expect.any(Number),
        created_at: '2026-11-23T18:00:00.000Z',
        updated_at: '2026-11-23T18:00:00.000Z',
        order: body.id,
        method,
        institution,
        reference: expect.stringMatching(/^.{1,50}$/),
        external_url: expect.stringMatching(/^http.{1,196}$/),
      },
    ]);
    expect(await read(body.id)).toEqual(body);
    expect(await history(body.id)).toEqual(['created']);
    expect(await events(body.id)).toEqual(['order.created']);
  });

  it('is paid once the provider calls, however often, and keeps its reference', async () => {
    const { body: placed } = await place(OXXO);
    await decide(placed.external_payment_id, 'paid');
    expect((await read(placed.id)).payment_status).toBe('unpaid');
    waitHours(2);
    const answers = [await call(placed.id), await call(placed.id)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { received: true }],
      [200, { received: true }],
    ]);
    const paid = await read(placed.id);
    expect(paid).toMatchObject({ payment_status: 'paid', payment_date: '2026-11-23T18:00:00.000Z' });
    expect(paid.payment_references).toEqual(placed.payment_references);
    expect((await getOrderOfAnyClient(table(), placed.id))?.paymentForm).toBe('01');
    expect(await events(placed.id)).toEqual(['order.created', 'order.paid']);
  });

  it('is rejected with the reason when it fails or expires, and can be paid by a new reference', async () => {
    const { body: placed } = await place(CARD);
    expect(await pay(placed.id)).toMatchObject({ status: 200, body: placed });
    waitHours(24.1);
    await runJob();
    const rejected = await read(placed.id);
    expect(rejected).toMatchObject({ payment_status: 'rejected', rejection_reason: 'expired', payment_references: [] });
    const { status, body: again } = await pay(placed.id);
    expect([status, again.payment_status, again.rejection_reason]).toEqual([201, 'unpaid', '']);
    expect(again.external_payment_id).toBe(`sandbox-${placed.id}-2`);
    expect(again.payment_references).toHaveLength(1);
    expect(again.payment_references[0].id).not.toBe(placed.payment_references[0].id);
    expect((await pay(placed.id)).status).toBe(200);
    await decide(again.external_payment_id, 'rejected');
    await call(placed.id);
    waitHours(25);
    await runJob();
    expect(await read(placed.id)).toMatchObject({ payment_status: 'rejected', rejection_reason: 'card_declined' });
    expect(await events(placed.id)).toEqual([
      'order.created',
      'payment.rejected',
      'order.changed',
      'payment.requested',
      'payment.rejected',
    ]);
  });
});

it('an amount that cannot be collected is refused on the method, and on the lines when they change', async () => {
  // A piece costs 29.00, and its delivery 79.00; OXXO takes 10,000.00 at most.
  const [most, tooMany] = [342, 343].map((quantity) => ({ details: [{ product: 32, quantity }] }));
  const refused = { status: 400, body: { order: { payment_method: [expect.any(String)] } } };
  expect(await place(OXXO, tooMany)).toMatchObject(refused);
  // The total that an order expects is compared after every validation error.
  expect(await place(OXXO, { ...tooMany, expected_total: '1.00' })).toMatchObject(refused);
  expect(await place(OXXO, { ...most, expected_total: '1.00' })).toMatchObject({ status: 409 });
  const { body: placed } = await place(OXXO, most);
  expect(await change(placed.id, tooMany ?? {})).toMatchObject({
    status: 400,
    body: { details: [expect.any(String)] },
  });
  expect((await read(placed.id)).payment_references).toEqual(placed.payment_references);
});

describe('another payment method', () => {
  const listPayments = async (id: number) =>
    (await server.asEmployee('GET', `/api/orders/${id}/?include=payments`)).body.payments;

  it('may be one that is collected, of an order that was not', async () => {
    const { body: placed } = await place(TRANSFER);
    expect(await pay(placed.id)).toMatchObject({ status: 409, body: { code: 'not_payable' } });
    const { status, body } = await pay(placed.id, OXXO);
    expect([status, body.payment_references[0].method]).toEqual([201, 'oxxo']);
  });

  it('brings a new reference, and the former one is over', async () => {
    const { body: placed } = await place(OXXO);
    const { status, body } = await pay(placed.id, CARD);
    expect([status, body.payment_method.id, body.payment_status]).toEqual([201, CARD, 'unpaid']);
    const [reference, ...others] = body.payment_references;
    expect([reference.method, others]).toEqual(['card', []]);
    const { external_url, institution } = reference;
    const sums = { amount: '136.00', received: '0.00', expires_at: expect.any(String) };
    const former = { collection: 'oxxo', reference: placed.payment_references[0].reference, institution: 'OXXO' };
    expect(await listPayments(placed.id)).toEqual([
      { ...sums, collection: 'card', reference: reference.reference, institution, external_url, status: 'open' },
      { ...sums, ...former, external_url: null, status: 'expired' },
    ]);
    expect(await pay(placed.id, CARD)).toMatchObject({ status: 200, body: { payment_references: [reference] } });
  });

  it.each([
    ['is not collected', TRANSFER, 2],
    ["is not the client's", 99, 2],
    ['does not take the total', OXXO, 400],
  ])('is refused if it %s, and nothing changes', async (_, method, quantity) => {
    const { body: placed } = await place(CARD, { details: [{ product: 1, quantity }] });
    const answer = await pay(placed.id, method);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['payment_method']]);
    expect(await listPayments(placed.id)).toMatchObject([{ collection: 'card', status: 'open' }]);
  });

  it('is refused while the provider works on the payment', async () => {
    const { id } = (await place(OXXO)).body;
    await forceStored(id, { paymentStatus: 'in_process' });
    expect(await pay(id, CARD)).toMatchObject({ status: 409, body: { code: 'not_payable' } });
  });
});

describe('an operator', () => {
  const operator = () => ({ operator: 'ana', now: now() });
  const deps = () => ({ table: table(), payments });
  const paid = async (method: number) => {
    const { body } = await place(method);
    await decide(body.external_payment_id, 'paid');
    await call(body.id);
    return body.id;
  };
  it('has to say in which form cash and transfers go back', async () => {
    const id = await paid(OXXO);
    await expect(giveBack({ id, amountCents: 500, ...operator() }, deps())).rejects.toMatchObject({ field: 'form' });
    await giveBack({ id, amountCents: 500, form: '03', ...operator() }, deps());
    expect((await getOrderOfAnyClient(table(), id))?.refunds).toMatchObject([{ cents: 500, form: '03' }]);
  });

  it('pays by hand once what the patient could pay by is cancelled, and not when that is paid', async () => {
    const { body: open } = await place(CARD);
    const byHand = { to: 'paid', form: '01', ...operator() } as const;
    expect(await payByHand({ id: open.id, ...byHand }, deps())).toMatchObject({
      paymentStatus: 'paid',
      paymentForm: '01',
    });
    expect((await sandbox.look(open.external_payment_id, signal())).state.status).toBe('cancelled');
    expect((await read(open.id)).payment_references).toEqual([]);
    const { body: raced } = await place(CARD);
    await decide(raced.external_payment_id, 'paid');
    await expect(payByHand({ id: raced.id, ...byHand }, deps())).rejects.toMatchObject({ code: 'move_not_allowed' });
    expect((await getOrderOfAnyClient(table(), raced.id))?.paymentForm).toBe('04');
  });

  it('moves a rejected payment, which the expired reference moves no more, and whose late money is listed', async () => {
    const { body: placed } = await place(SPEI);
    waitHours(72.1);
    await runJob();
    expect((await read(placed.id)).payment_status).toBe('rejected');
    await payByHand({ id: placed.id, to: 'unpaid', ...operator() }, deps());
    await call(placed.id);
    await reconcilePayments({ by: 'system', now: now() }, deps(), 'all');
    expect((await read(placed.id)).payment_status).toBe('unpaid');
    await sandbox.transfer(placed.id, 1_000, signal());
    await call(placed.id);
    expect((await history(placed.id))?.slice(1)).toEqual(['payment_rejected', 'payment_moved', 'payment_mismatched']);
    expect((await pay(placed.id)).status).toBe(201);
  });

  it('prepares the order once it is paid, or for a reason, which the history tells', async () => {
    const settings = { table: table(), business: business() };
    const { body: placed } = await place(OXXO);
    const move = { id: placed.id, to: 'in_process', ...operator() } as const;
    await expect(moveOrder(move, settings)).rejects.toMatchObject({ code: 'move_not_allowed' });
    await moveOrder({ ...move, unpaidReason: 'Es para un hospital' }, settings);
    expect((await getStoredEvents(placed.id)).at(-1)).toMatchObject({
      what: 'moved',
      to: 'in_process',
      reason: 'Es para un hospital',
    });
    const id = await paid(CARD);
    expect((await moveOrder({ id, to: 'in_process', ...operator() }, settings)).orderStatus).toBe('in_process');
    const { body: other } = await place(1);
    expect((await moveOrder({ ...move, id: other.id }, settings)).orderStatus).toBe('in_process');
  });
});

describe('money that is not the total', () => {
  it('is listed again when the same amount comes a second time, after an operator has seen to the first', async () => {
    const { body: placed } = await place(SPEI);
    const listed = async () =>
      (await findPaymentExceptions(table(), ['mismatch'], 1_000)).filter(({ orderId }) => orderId === placed.id);
    await sandbox.transfer(placed.id, 1_000, signal());
    await call(placed.id);
    expect(await listed()).toMatchObject([{ cents: 1_000 }]);
    const handle = () => handlePayment({ id: placed.id, operator: 'ana', now: now() }, table());
    await handle();
    expect(await listed()).toEqual([]);
    await expect(handle()).rejects.toMatchObject({ code: 'move_not_allowed' });
    // With the rest the first is no money beside the total any more.
    expect(placed.total).toBe('136.00');
    await sandbox.transfer(placed.id, 12_600, signal());
    await call(placed.id);
    expect([(await read(placed.id)).payment_status, await listed()]).toEqual(['paid', []]);
    await sandbox.transfer(placed.id, 1_000, signal());
    await call(placed.id);
    expect(await listed()).toMatchObject([{ cents: 1_000 }]);
    expect((await history(placed.id))?.slice(1)).toEqual([
      'payment_mismatched',
      'payment_handled',
      'paid',
      'payment_mismatched',
    ]);
  });
});

// `unit/payments/order-payment` has the turns of older ones.
it('the job reads the cards of the last hour at every run, the newest first', async () => {
  const ids: number[] = [];
  for (let order = 0; order < 15; order++) {
    setClock(new Date(START.getTime() + order * 60_000));
    ids.push((await place(CARD)).body.id);
  }
  const isOwn = (id: number) => ids.includes(id);
  const rows = (await Array.fromAsync(watchedPayments(table()))).flat();
  expect(rows.map(({ orderId }) => orderId).filter(isOwn)).toEqual(ids.toReversed());
  /** Returns the orders that a run asks the provider about. */
  const listRead = async (minutes: number) => {
    const asked: number[] = [];
    const note = async (id: string): Promise<never> => {
      asked.push(Number(id.split('-')[1]));
      throw new PaymentsUnavailable('not now');
    };
    const provider = { ...sandbox, look: note, cancel: note, withdraw: note } as unknown as PaymentProvider;
    const now = new Date(START.getTime() + minutes * 60_000);
    await reconcilePayments({ by: 'system', now }, { table: table(), payments: () => provider });
    return asked.filter(isOwn);
  };
  const begunAt = performance.now();
  expect((await listRead(20)).sort((a, b) => a - b)).toEqual(ids);
  // The provider would refuse a faster job: five at once, then 20 a second.
  expect(performance.now() - begunAt).toBeGreaterThan(450);
});
