import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { payments, table } from '../../../shared/deps.ts';
import type { ProviderCall } from '../../../shared/payments/provider.ts';
import { reconcilePayments } from '../../../shared/payments/reconcile-payments.ts';
import { giveBack } from '../../../shared/payments/reconcile-refunds.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { ops } from '../../support/operators/operator-world.ts';
import { getStoredEvents, getStoredOrder } from '../../support/orders/forced-order.ts';
import { INVOICING } from '../../support/orders/samples.ts';
import { openStripeServer, sendStripeCall, stripeError } from '../../support/payments/stripe-server.ts';
import { useServer } from '../../support/servers/test-server.ts';

const START = new Date('2026-11-23T18:00:00.000Z');
const CARD = 3;
const OXXO = 4;
const SPEI = 5;

const stripe = await openStripeServer();
afterAll(() => stripe.close());
const server = useServer({ settings: { ...stripe.environment, PURPOSE: 'demonstration' } });
let people = 0;
beforeEach(() => {
  setClock(START);
  stripe.script();
});

const sendCall = (call: ProviderCall) => sendStripeCall(server.url, call);
async function deliverCalls(): Promise<void> {
  for (const call of await stripe.life.takeCalls()) expect(await sendCall(call)).toBe(200);
}

/** Places an order of 136.00, 57.00 of it for two boxes without IVA and 79.00 for shipping. */
function place(payment_method: number, more: Record<string, unknown> = { invoicing: INVOICING }) {
  people += 1;
  return server.placeOrder(`devuelve-${people}@example.mx`, { payment_method }, more);
}

async function paidByCard(more?: Record<string, unknown>) {
  const placed = await place(CARD, more);
  stripe.life.payPage(stripe.life.openPage(placed.external_payment_id));
  await deliverCalls();
  const [line] = (await getStoredOrder(placed.id)).lines;
  return { id: placed.id, payment: placed.external_payment_id, line: line?.id ?? 0 };
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
  await reconcilePayments({ by: 'system', now: now() }, { table: table(), payments }, 'all');
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

  it('is made once Stripe accepts it, and not when the invoice is issued before', async () => {
    const { id } = await paidByCard({});
    stripe.script(() => 'drop');
    await refund(id, { amountCents: 5_000 });
    expect(await statuses(id)).toEqual(['requested']);
    stripe.script();
    const { status } = await server.asEmployee('PUT', `/api/orders/${id}/request-invoice/`, { invoicing: INVOICING });
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

describe('the till', () => {
  it('has what the provider collected and gave back, by the kind of card, and what came back of that', async () => {
    const cashUp = async () => JSON.parse((await ops('orders', 'cash-up', '--by', 'provider', '--json')).out);
    const before = await cashUp();
    setClock(new Date('2026-12-24T18:00:00.000Z'));
    const { id } = await paidByCard({});
    await refund(id, { amountCents: 5_000 });
    const row = { form: '04', by: 'provider', store: null, paid: '136.00', refunded: '50.00' };
    expect((await cashUp()).rows).toEqual([row]);
    sendBack();
    await deliverCalls();
    expect((await cashUp()).rows).toEqual([{ ...row, refunded: '0.00' }]);
    setClock(START);
    expect(await cashUp()).toEqual(before);
  });
});

describe('a refund that failed', () => {
  it('has its call answered 503 while Stripe cannot be asked about it, and may be repeated then, once', async () => {
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
    await refund(id, { amountCents: 5_000 });
    expect(await statuses(id)).toEqual(['failed', 'succeeded']);
    await expect(refund(id, { amountCents: 5_000 })).rejects.toMatchObject({ code: 'move_not_allowed' });
  });
});

const giveBackByHand = (id: number, ...options: string[]) =>
  ops('orders', 'refund', String(id), ...options, '--form', '03');

const transfer = (id: string, cents: number) =>
  stripe.life.transfer(stripe.life.intents.get(id)?.customer ?? '', cents);

/** Returns the money beside the total of an order that waits for an operator; undefined if none does. */
async function listedMismatch(id: number): Promise<string | undefined> {
  const { out } = await ops('payments', 'list', '--limit', '1000', '--json');
  type Row = { readonly id: number; readonly list: string; readonly besides: string };
  const rows: Row[] = JSON.parse(out).orders;
  return rows.find((row) => row.id === id && row.list === 'mismatch')?.besides;
}

async function isRefundDue(id: number): Promise<boolean> {
  const { out } = await ops('orders', 'list', '--refund-due', '--limit', '1000', '--json');
  return JSON.parse(out).orders.some((order: { readonly id: number }) => order.id === id);
}

describe('money beside the total', () => {
  it('goes back without a credit note and without the lines, for a reason that the history keeps', async () => {
    const { id, external_payment_id } = await place(SPEI);
    transfer(external_payment_id, 20_000);
    await deliverCalls();
    expect(await listedMismatch(id)).toBe('64.00');
    expect(await giveBackByHand(id, '--surplus', '--amount', '64.01')).toMatchObject({ code: 1 });
    const part = ['--surplus', '--amount', '24.00', '--reason', 'Pagó de más'];
    expect(await giveBackByHand(id, ...part)).toMatchObject({ code: 0 });
    expect(await listedMismatch(id)).toBe('40.00');
    expect(await giveBackByHand(id, '--surplus')).toMatchObject({ code: 0 });
    expect([await listedMismatch(id), await notes(id)]).toEqual([undefined, []]);
    expect(await giveBackByHand(id, '--surplus')).toMatchObject({ code: 1 });
    expect(await giveBackByHand(id, '--amount', '136.00')).toMatchObject({ code: 0 });
    expect(await notes(id)).toEqual([[13_600, '03']]);
    const { refunds } = await getStoredOrder(id);
    const history = await getStoredEvents(id);
    expect(history.filter(({ what }) => what === 'refunded')).toMatchObject([
      { from: '0.00', to: '24.00', reason: 'Pagó de más', by: { operator: expect.any(String) } },
      { from: '24.00', to: '64.00' },
      { from: '64.00', to: '200.00' },
    ]);
    expect(refunds?.map(({ isSurplus, parts }) => [isSurplus, parts.length])).toEqual([
      [true, 0],
      [true, 0],
      [undefined, 2],
    ]);
    const { body } = await server.asEmployee('GET', `/api/orders/${id}/?include=refunds`);
    expect(Object.keys(body.refunds[0])).toEqual(['amount', 'form', 'refunded_at', 'status']);
  });

  it('is that of a former voucher, which of two operators one gives back', async () => {
    const placed = await place(OXXO, {});
    const body = { details: [{ product: 1, quantity: 1 }] };
    const { body: changed } = await server.asEmployee('PATCH', `/api/orders/${placed.id}/`, body);
    for (const voucher of [placed, changed]) stripe.life.payVoucher(voucher.external_payment_id);
    await deliverCalls();
    const both = await Promise.all([1, 2].map(() => giveBackByHand(placed.id, '--surplus')));
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect((await getStoredOrder(placed.id)).refunds).toMatchObject([{ cents: 13_600, isSurplus: true }]);
  });

  it('that came by card goes back through the provider, and waits again when the bank sends it back', async () => {
    const { id, external_payment_id } = await place(CARD);
    const pages = [1, 2].map(() => stripe.life.openPage(external_payment_id));
    for (const page of pages) stripe.life.payPage(page);
    await deliverCalls();
    expect(await ops('orders', 'refund', String(id), '--surplus')).toMatchObject({ code: 0 });
    expect(await statuses(id)).toEqual(['succeeded']);
    expect([await listedMismatch(id), await notes(id)]).toEqual([undefined, []]);
    sendBack();
    await deliverCalls();
    expect(await listedMismatch(id)).toBe('136.00');
    expect(await giveBackByHand(id, '--surplus')).toMatchObject({ code: 0 });
    expect([await listedMismatch(id), await notes(id)]).toEqual([undefined, []]);
  });

  it('that came by the page of a former method goes back in the form of a card', async () => {
    const { id, external_payment_id } = await place(CARD, {});
    const page = stripe.life.openPage(external_payment_id);
    const body = { payment_method: OXXO };
    const { body: changed } = await server.asEmployee('POST', `/api/orders/${id}/payment/`, body);
    stripe.life.payPage(page);
    stripe.life.payVoucher(changed.external_payment_id);
    await deliverCalls();
    expect(await ops('orders', 'refund', String(id), '--surplus')).toMatchObject({ code: 0 });
    const { paymentForm, refunds } = await getStoredOrder(id);
    expect([paymentForm, refunds]).toMatchObject(['01', [{ form: '04', isSurplus: true, provided: { attempt: 1 } }]]);
  });

  it('is no part of what the patient still pays, nor of lines', async () => {
    const { id, external_payment_id } = await place(SPEI);
    transfer(external_payment_id, 5_700);
    await deliverCalls();
    expect(await giveBackByHand(id, '--amount', '57.00')).toMatchObject({ code: 1 });
    expect(await giveBackByHand(id, '--surplus', '--shipping')).toMatchObject({ code: 2 });
    expect(await giveBackByHand(id, '--surplus', '--reason', 'x'.repeat(201))).toMatchObject({ code: 2 });
  });
});

describe('money for a cancelled order', () => {
  type Placed = { readonly id: number; readonly external_payment_id: string };
  const cancel = ({ id }: Placed) => server.asEmployee('PATCH', `/api/orders/${id}/`, { order_status: 'cancelled' });
  const pay = (cents: number) => async (order: Placed) => transfer(order.external_payment_id, cents);

  const payPage = async ({ external_payment_id: id }: Placed) => stripe.life.payPage(stripe.life.openPage(id));
  const payVoucher = async ({ external_payment_id: id }: Placed) => stripe.life.payVoucher(id);
  const payCash = ({ id }: Placed) => ops('orders', 'pay', String(id), '--status', 'paid', '--form', '01');
  const ALL = ['--amount', '136.00'];
  const PART = ['--amount', '20.00'];
  const REST = ['--amount', '37.00'];
  const SURPLUS = ['--surplus'];

  it.each<[string, number, ((order: Placed) => Promise<unknown>)[], string[][]]>([
    ['a transfer afterwards', SPEI, [cancel, pay(13_600)], [ALL]],
    ['a part of it afterwards', SPEI, [cancel, pay(5_700)], [PART, REST]],
    ['a part of it before', SPEI, [pay(5_700), cancel], [SURPLUS]],
    ['more than it before', SPEI, [pay(20_000), cancel], [ALL, SURPLUS]],
    ['its voucher afterwards', OXXO, [cancel, payVoucher], [ALL]],
    ['a card before', CARD, [payPage, cancel], [ALL]],
    ['cash that is recorded afterwards', 1, [cancel, payCash], [ALL]],
  ])('is due until all of it has gone back: %s', async (_, method, acts, refunds) => {
    const placed = await place(method, {});
    expect(await isRefundDue(placed.id)).toBe(false);
    for (const act of acts) {
      await act(placed);
      await deliverCalls();
    }
    for (const options of refunds) {
      expect(await isRefundDue(placed.id)).toBe(true);
      expect(await giveBackByHand(placed.id, ...options)).toMatchObject({ code: 0, err: '' });
    }
    expect(await isRefundDue(placed.id)).toBe(false);
    expect(await giveBackByHand(placed.id, '--surplus')).toMatchObject({ code: 1 });
  });
});
