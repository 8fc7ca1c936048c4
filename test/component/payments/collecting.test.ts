import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeSandboxCall } from '../../../infra/local/payments/sandbox/calls.ts';
import type { Outcome } from '../../../infra/local/payments/sandbox/record.ts';
import { SandboxPayments } from '../../../infra/local/payments/sandbox/sandbox.ts';
import { payments, table } from '../../../shared/deps.ts';
import { listOpenActions } from '../../../shared/invoices/rules/invoice-status.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { moveOrder } from '../../../shared/ordering/move-order.ts';
import { payByHand } from '../../../shared/payments/move-payment.ts';
import { findPaymentExceptions, handlePayment } from '../../../shared/payments/payment-exceptions.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { giveBack } from '../../../shared/payments/reconcile-refunds.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { business } from '../../../shared/runtime/config.ts';
import { sendHttp } from '../../support/http/http.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { INVOICING, orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const CARD = 3;
const OXXO = 4;
const SPEI = 5;
const START = new Date('2026-11-23T18:00:00.000Z');
const HOUR_MS = 3_600_000;

const server = useServer();
let sandbox: SandboxPayments;
let token: string;
let people = 0;
beforeAll(async () => {
  token = (await server.loginDemoUsers()).employee;
  sandbox = new SandboxPayments({ table: table(), pageUrl: 'http://localhost/unused', now });
  setClock(START);
});
afterEach(() => setClock(START));

const signal = () => AbortSignal.timeout(5_000);
/** Lets this many hours pass since the start. */
const waitHours = (hours: number) => setClock(new Date(START.getTime() + hours * HOUR_MS));

async function place(payment_method: number, order = {}, more = {}) {
  people += 1;
  const body = orderBody(`paga-${people}@example.mx`, { payment_method, ...order }, more);
  return server.request('POST', '/api/orders/resources/', { token, body });
}
const read = async (id: number) => (await server.request('GET', `/api/orders/${id}/`, { token })).body;
const pay = (id: number) => server.request('POST', `/api/orders/${id}/payment/`, { token });
const change = (id: number, body: object) => server.request('PATCH', `/api/orders/${id}/`, { token, body });
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
  (await server.request('GET', `/api/orders/${id}/events/`, { token })).body.results.map(
    ({ type }: { type: string }) => type,
  );

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

  it('by nobody but an operator brings no reference, and asks for nothing', async () => {
    const { body } = await place(1);
    expect([body.payment_references, body.external_payment_id]).toEqual([[], '']);
    expect(await history(body.id)).toEqual(['created']);
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

  it('is paid by a job when the call was lost', async () => {
    const { body: placed } = await place(CARD);
    await decide(placed.external_payment_id, 'paid');
    waitHours(1);
    await runJob();
    expect((await read(placed.id)).payment_status).toBe('paid');
    expect((await getOrderOfAnyClient(table(), placed.id))?.paymentForm).toBe('04');
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

  it('is invoiced in the form of its method before it is paid, which is listed if it is paid in another', async () => {
    const [{ body: same }, { body: other }] = [
      await place(OXXO, {}, { invoicing: INVOICING }),
      await place(OXXO, {}, { invoicing: INVOICING }),
    ];
    expect([same.cfdi === '', same.payment_references.length]).toEqual([false, 1]);
    for (const { external_payment_id, id } of [same, other]) {
      await decide(external_payment_id, 'paid');
      await call(id);
    }
    const actions = async (id: number, more = {}) => {
      const order = await getOrderOfAnyClient(table(), id);
      return order && listOpenActions({ ...order, ...more });
    };
    expect(await actions(same.id)).toEqual([]);
    // A debit card in place of the credit card that the method says.
    expect(await actions(other.id, { paymentForm: '28' })).toEqual(['form_differs']);
  });
});

describe('an amount that cannot be collected', () => {
  // A piece costs 29.00, and its delivery 79.00.
  it.each([
    [CARD, 34_480, 34_481, '0.01 a 999999.99'],
    [OXXO, 342, 343, '10.00 a 10000.00'],
    [SPEI, 34_480, 34_481, '0.01 a 999999.99'],
  ])('by method %i is refused on it, and on the lines when they change', async (method, most, tooMany, bounds) => {
    // A line has at most 32,767.
    const lines = (count: number) =>
      [count % 2, ...Array(2).fill(Math.floor(count / 2))].map((quantity) => ({ product: 32, quantity }));
    const message = `Con el método de pago ${method} se pagan órdenes de ${bounds} pesos.`;
    const refused = { status: 400, body: { order: { payment_method: [message] } } };
    expect(await place(method, { details: lines(tooMany) })).toMatchObject(refused);
    // The total that an order expects is compared after every validation error.
    expect(await place(method, { details: lines(tooMany), expected_total: '1.00' })).toMatchObject(refused);
    expect(await place(method, { details: lines(most), expected_total: '1.00' })).toMatchObject({ status: 409 });
    const { body: placed } = await place(method, { details: lines(most) });
    expect(placed.payment_references).toHaveLength(1);
    expect(await change(placed.id, { details: lines(tooMany) })).toMatchObject({
      status: 400,
      body: { details: [message] },
    });
    expect((await read(placed.id)).payment_references).toEqual(placed.payment_references);
  });
});

describe('lines that change', () => {
  const three = { details: [{ product: 1, quantity: 3 }] };

  it('cancel the reference and bring one of the new total', async () => {
    const { body: placed } = await place(CARD);
    const { status, body: changed } = await change(placed.id, three);
    expect([status, changed.external_payment_id]).toEqual([200, `sandbox-${placed.id}-2`]);
    expect(changed.payment_references).toHaveLength(1);
    const [first, second] = [
      await sandbox.look(`sandbox-${placed.id}-1`, signal()),
      await sandbox.look(`sandbox-${placed.id}-2`, signal()),
    ];
    expect([first.state.status, second.state.status, second.amountCents]).toEqual([
      'cancelled',
      'open',
      Math.round(Number(changed.total) * 100),
    ]);
  });

  it('are refused when the reference turns out to be paid', async () => {
    const { body: placed } = await place(SPEI);
    await decide(placed.external_payment_id, 'paid');
    const { status, body } = await change(placed.id, three);
    expect([status, body.code]).toEqual([409, 'order_paid']);
    expect(await read(placed.id)).toMatchObject({ payment_status: 'paid', total: placed.total });
  });

  it('leave a voucher, whose money is not for the order any more', async () => {
    const { body: placed } = await place(OXXO);
    const { body: changed } = await change(placed.id, three);
    await decide(placed.external_payment_id, 'paid');
    waitHours(1);
    await runJob();
    expect(await read(placed.id)).toMatchObject({
      payment_status: 'unpaid',
      payment_references: changed.payment_references,
    });
    expect(await history(placed.id)).toContain('payment_mismatched');
    await decide(changed.external_payment_id, 'paid');
    waitHours(2);
    await runJob();
    expect((await read(placed.id)).payment_status).toBe('paid');
  });

  it('that cost the same leave the reference as it is', async () => {
    const { body: placed } = await place(CARD);
    const { body: same } = await change(placed.id, {
      details: [
        { product: 1, quantity: 1 },
        { product: 1, quantity: 1 },
      ],
    });
    expect(same.external_payment_id).toBe(placed.external_payment_id);
  });
});

describe('an order that is cancelled', () => {
  it('has its reference cancelled with the provider, and cannot be paid again', async () => {
    const { body: placed } = await place(CARD);
    const { body: cancelled } = await change(placed.id, { order_status: 'cancelled' });
    expect(cancelled.payment_references).toEqual([]);
    expect((await sandbox.look(placed.external_payment_id, signal())).state.status).toBe('cancelled');
    const refused = await pay(placed.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'not_payable']);
  });

  it('is paid, with a refund due, when its voucher brings money all the same', async () => {
    const { body: placed } = await place(OXXO);
    const { body: cancelled } = await change(placed.id, { order_status: 'cancelled' });
    expect([cancelled.payment_status, cancelled.payment_references]).toEqual(['unpaid', []]);
    await decide(placed.external_payment_id, 'paid');
    await call(placed.id);
    const { payment_references } = placed;
    expect(await read(placed.id)).toMatchObject({
      order_status: 'cancelled',
      payment_status: 'paid',
      payment_references,
    });
    expect(await events(placed.id)).toEqual(['order.created', 'order.cancelled', 'order.paid']);
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
  const refunds = async (id: number) =>
    (await getOrderOfAnyClient(table(), id))?.refunds?.map(({ cents, form, provided }) => [
      cents,
      form,
      provided?.status,
    ]);

  it('gives back through the provider what came by card, once for each refund, and the rest by hand', async () => {
    const id = await paid(CARD);
    await giveBack({ id, amountCents: 2_000, ...operator() }, deps());
    await giveBack({ id, amountCents: 1_000, ...operator() }, deps());
    await giveBack({ id, amountCents: 500, form: '01', ...operator() }, deps());
    expect(await refunds(id)).toEqual([
      [2_000, '04', 'succeeded'],
      [1_000, '04', 'succeeded'],
      [500, '01', undefined],
    ]);
    const found = await sandbox.findRefund(
      { orderId: id, number: 2, payment: `sandbox-${id}-1`, amountCents: 1_000 },
      signal(),
    );
    expect(found).toMatchObject({ amountCents: 1_000, status: 'succeeded' });
  });

  it('has to say in which form cash and transfers go back', async () => {
    const id = await paid(OXXO);
    await expect(giveBack({ id, amountCents: 500, ...operator() }, deps())).rejects.toMatchObject({ field: 'form' });
    await giveBack({ id, amountCents: 500, form: '03', ...operator() }, deps());
    expect(await refunds(id)).toEqual([[500, '03', undefined]]);
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
  it('is not a payment while it is less, and leaves the rest when it is more', async () => {
    const { body: placed } = await place(SPEI);
    await sandbox.transfer(placed.id, 1_000, signal());
    await call(placed.id);
    expect((await read(placed.id)).payment_status).toBe('unpaid');
    expect(await history(placed.id)).toEqual(['created', 'payment_mismatched']);
    await sandbox.transfer(placed.id, 1_000_000, signal());
    await call(placed.id);
    expect((await read(placed.id)).payment_status).toBe('paid');
    expect((await history(placed.id))?.slice(2)).toEqual(['paid', 'payment_mismatched']);
  });

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
