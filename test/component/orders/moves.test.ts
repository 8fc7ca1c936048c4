import { describe, expect, it } from 'vitest';
import { payments } from '../../../shared/deps.ts';
import type { Order } from '../../../shared/order/order.ts';
import type { OrderStatus } from '../../../shared/order/rules/status.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import {
  LATER,
  listedIds,
  misunderstood,
  NOON,
  OPERATOR,
  openOperatorWorld,
  ops,
} from '../../support/operators/operator-world.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { PDF } from '../../support/orders/samples.ts';

/*
 * How operators move, pay and refund orders. `unit/order/order` has the grid of all moves, and `next-actions` proves for
 * random orders that what is offered is accepted and the rest is refused.
 */

const world = openOperatorWorld();
const { force, placed, stored } = world;

const LATER_AT = '2026-11-24T15:30:00.000Z';
const DONE = { code: 0, err: '' };
const refusedWith = (...words: (string | number)[]) => ({
  code: 1,
  out: '',
  err: expect.stringMatching(new RegExp(words.join('.*'))),
});
const move = (id: number, to: string, ...options: string[]) =>
  ops('orders', 'move', String(id), '--to', to, ...options);
const pay = (id: number, to: string, ...options: string[]) =>
  ops('orders', 'pay', String(id), '--status', to, ...options);
const refund = (id: number, ...options: string[]) => ops('orders', 'refund', String(id), ...options);
const lastEvent = async (id: number) => (await getStoredEvents(id)).at(-1);
const read = async (id: number) => (await world.server.asEmployee('GET', `/api/orders/${id}/`)).body;

describe('orders move', () => {
  it('moves the order step by step, each with its date and its event', async () => {
    const id = await placed();
    const before = await stored(id);
    setClock(LATER);
    for (const to of ['in_process', 'ready', 'shipped', 'delivered']) expect(await move(id, to)).toMatchObject(DONE);
    const dates = { dispensed: { at: LATER_AT, under: [] }, shippingDate: LATER_AT, receivingDate: LATER_AT };
    expect(await stored(id)).toEqual({
      ...{ ...before, ...dates, orderStatus: 'delivered', updatedAt: LATER_AT, version: 5 },
    });
    const moves = (await getStoredEvents(id)).slice(1).map(({ what, from, to, version }) => [what, from, to, version]);
    expect(moves).toEqual([
      ['moved', 'approved', 'in_process', 2],
      ['moved', 'in_process', 'ready', 3],
      ['moved', 'ready', 'shipped', 4],
      ['moved', 'shipped', 'delivered', 5],
    ]);
  });

  it('cancels with the provider what a cancelled order could be paid by', async () => {
    const id = await placed({ order: { payment_method: 5 } });
    expect(await move(id, 'cancelled')).toMatchObject(DONE);
    const { state } = await payments().look(`sandbox-${id}-1`, AbortSignal.timeout(5_000));
    expect(state).toEqual({ status: 'cancelled' });
  });
});

describe('an order that was refunded in full', () => {
  const REASON = ['--refunded', '--reason', 'Se repone sin costo'];
  const refundAll = async (id: number, changes: Partial<Order>) => {
    const refunds = [{ cents: (await stored(id)).totalCents, form: '03', at: NOON.toISOString(), parts: [] }];
    return force(id, { paymentStatus: 'paid', refunds, ...changes });
  };

  it.each<[number, OrderStatus, OrderStatus]>([
    [3, 'approved', 'in_process'],
    [1, 'quoted', 'approved'],
  ])('and paid by method %i goes from %s to %s for a reason alone', async (payment_method, from, to) => {
    const id = await placed({ order: { payment_method } });
    const before = await refundAll(id, { orderStatus: from });
    expect(await move(id, to)).toMatchObject(refusedWith('--refunded'));
    expect(await stored(id)).toEqual(before);
    expect(await move(id, to, ...REASON)).toMatchObject(DONE);
    expect(await lastEvent(id)).toMatchObject({ what: 'moved', from, to, reason: 'Se repone sin costo' });
  });

  it('is stopped without one, and the reason is kept for no other move', async () => {
    const id = await placed();
    await move(id, 'in_process', ...REASON);
    expect(await lastEvent(id)).not.toHaveProperty('reason');
    await refundAll(id, { refundedReason: 'Se repone sin costo' });
    for (const to of ['shortage', 'cancelled']) {
      expect(await move(id, to)).toMatchObject(DONE);
      const { orderStatus, refundedReason } = await stored(id);
      expect([orderStatus, refundedReason, (await lastEvent(id))?.reason]).toEqual([to, undefined, undefined]);
    }
  });
});

it.each([
  ['move', '--to', 'in_process'],
  ['pay', '--status', 'paid'],
  ['verify-prescription', '--accept-copy'],
])('orders %s with --version is done on that version and refused on another one', async (name, ...options) => {
  const id = await placed({ order: { prescriptions: [{ document: PDF, issue_date: '2026-11-20' }] } });
  const before = await force(id, {});
  const operate = (version: string) => ops('orders', name, String(id), ...options, '--version', version);
  for (const version of ['1', '3']) {
    expect(await operate(version)).toMatchObject(refusedWith(`version 2 now, not at ${version}`));
  }
  expect(await stored(id)).toEqual(before);
  expect(await operate('2')).toMatchObject({ code: 0 });
  expect((await stored(id)).version).toBe(3);
});

describe('orders pay', () => {
  it.each([
    ['the given one', '04', ['--form', '28'], '28'],
    ['none beside that of its method', '04', [], null],
    ['the given one, which its method does not have', '99', ['--form', '03'], '03'],
  ])('records %s as the form', async (_, methodForm, options, paymentForm) => {
    const id = await placed();
    const { paymentMethod } = await stored(id);
    const before = await force(id, { paymentMethod: { ...paymentMethod, sat_payment_form: methodForm } });
    if (methodForm === '99') {
      expect(await pay(id, 'paid')).toMatchObject(refusedWith('--form'));
      expect(await stored(id)).toEqual(before);
    }
    setClock(LATER);
    expect(await pay(id, 'paid', ...options)).toMatchObject(DONE);
    expect(await stored(id)).toMatchObject({ paymentForm, paymentStatus: 'paid', paymentDate: LATER_AT, version: 3 });
    expect(await lastEvent(id)).toMatchObject({ from: 'unpaid', to: 'paid', version: 3 });
    const { out } = await ops('orders', 'show', String(id), '--json');
    expect(JSON.parse(out).payment_form).toBe(paymentForm);
  });

  it('shows why a payment was rejected until it moves on, and keeps it in the history', async () => {
    const id = await placed();
    await force(id, { paymentStatus: 'processing' });
    expect(await pay(id, 'rejected', '--reason', 'Fondos insuficientes')).toMatchObject(DONE);
    expect((await read(id)).rejection_reason).toBe('Fondos insuficientes');
    expect(await lastEvent(id)).toMatchObject({ to: 'rejected', reason: 'Fondos insuficientes' });
    expect(await pay(id, 'processing')).toMatchObject(DONE);
    expect((await read(id)).rejection_reason).toBe('');
  });
});

describe('orders refund', () => {
  it('records what has gone back, with who and when, until the order is no longer due for a refund', async () => {
    setClock(new Date(NOON.getTime() + 11 * 60_000));
    const id = await placed();
    await force(id, { paymentStatus: 'paid' });
    await move(id, 'cancelled');
    const isDue = async () => {
      const { ids } = await listedIds('orders', 'list', '--refund-due', '--limit', '5000');
      return ids.includes(id);
    };
    setClock(LATER);
    // The order is 136.00, of which 57.00 is the line's.
    expect(await refund(id, '--amount', '100.00', '--form', '03')).toMatchObject({
      out: expect.stringMatching(/36\.00/),
    });
    const after = await stored(id);
    const [line = 0] = after.lines.map((each) => each.id);
    const parts = [
      { line, quantity: 0, cents: 4_191 },
      { line: null, quantity: 0, cents: 5_809 },
    ];
    expect(after.refunds).toEqual([{ cents: 10_000, form: '03', at: LATER_AT, parts }]);
    const refunded = { what: 'refunded', from: '0.00', to: '100.00', at: LATER_AT, by: { operator: OPERATOR } };
    expect(await lastEvent(id)).toMatchObject(refunded);
    expect(await isDue()).toBe(true);
    expect(await refund(id, '--amount', '36.01', '--form', '03')).toMatchObject(refusedWith('36.00 left'));
    expect(await refund(id, '--amount', '36', '--form', '01')).toMatchObject(DONE);
    expect(await isDue()).toBe(false);
  });

  // `component/invoices/corrections` proves what is left of each line.
  it('takes the same refund twice only on the version that the operator has seen, and with the shipment as another', async () => {
    const FORM = ['--form', '03'];
    const id = await placed();
    await force(id, { paymentStatus: 'paid' });
    const line = ['--line', `${(await stored(id)).lines[0]?.id}:1`, ...FORM];
    expect(await refund(id, ...line)).toMatchObject(DONE);
    expect(await refund(id, ...line)).toMatchObject(refusedWith('28.50', '107.50', '--version 3'));
    expect(await refund(id, ...line, '--version', '2')).toMatchObject({ code: 1 });
    expect((await refund(id, ...line, '--shipping')).out).toMatch(/^107\.50 .* 0\.00/);
    const other = await placed();
    await force(other, { paymentStatus: 'paid' });
    const amount = ['--amount', '10.00', ...FORM];
    expect(await refund(other, ...amount)).toMatchObject(DONE);
    expect(await refund(other, ...amount)).toMatchObject(refusedWith('10.00', '--version 3'));
    expect(await refund(other, ...amount, '--version', '3')).toMatchObject(DONE);
  });
});

it.each<[string, Partial<Order>, string]>([
  ['move --to approved', { orderStatus: 'approved' }, 'allowed: quoted, in_process, cancelled, shortage'],
  ['pay --status in_process', { orderStatus: 'cancelled', paymentStatus: 'processing' }, 'allowed: paid, rejected'],
  ['refund --amount 1.00 --form 03', {}, 'is unpaid'],
  ['refund --amount 1.00', { paymentStatus: 'paid' }, '--form'],
])('orders %s, of an order with %j, is refused', async (words, state, complaint) => {
  const id = await placed();
  const before = await force(id, state);
  const [name = '', ...options] = words.split(' ');
  expect(await ops('orders', name, String(id), ...options)).toMatchObject(refusedWith(id, complaint));
  expect(await stored(id)).toEqual(before);
});

it.each([
  ['pay 1 --status paid --form 99', '--form: '],
  ['pay 1 --status processing --form 03', '--form: '],
  ['pay 1 --status processing --reason Fondos', '--reason: '],
  ['move 1 --to in_process --refunded', 'together'],
  ['move 1 --to in_process --unpaid', 'together'],
  ['move 1 --to in_process --reason Ya', 'together'],
  [`pay 1 --status rejected --reason ${'x'.repeat(51)}`, '--reason: '],
  ['refund 1 --amount 0 --form 03', '--amount: '],
  ['refund 1 --amount 1.005 --form 03', '--amount: '],
  ['refund 1 --amount 1.00 --form 99', '--form: '],
  ['refund 1 --form 03', 'either --amount'],
  ['refund 1 --amount 1.00 --line 7 --form 03', 'either --amount'],
  ['refund 1 --amount 1.00 --shipping --form 03', 'either --amount'],
  ['refund 1 --line 7:0 --form 03', '--line: '],
  ['refund 1 --line 7:1:1 --form 03', '--line: '],
])('orders %s is not understood', async (words = '', complaint = '') => {
  await misunderstood(['orders', ...words.split(' ')], complaint);
});
