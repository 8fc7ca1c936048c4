import { describe, expect, it } from 'vitest';
import { payments } from '../../../shared/deps.ts';
import type { Order } from '../../../shared/order/order.ts';
import type { OrderStatus, PaymentStatus } from '../../../shared/order/rules/status.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import {
  done,
  LATER,
  listedIds,
  misunderstood,
  NOON,
  OPERATOR,
  openDesk,
  ops,
  refused,
} from '../../support/operators/desk.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { PDF } from '../../support/orders/samples.ts';

const desk = openDesk();
const { force, placed, stored } = desk;

// `domain/order` has the grid of all moves.
describe('orders move', () => {
  const NOW_DISPENSED = { at: '2026-11-24T15:30:00.000Z', under: [] };
  it.each([
    ['pending_approval', 'cancelled', {}],
    ['approved', 'in_process', { dispensed: NOW_DISPENSED }],
    ['ready', 'shipped', { shippingDate: '2026-11-24T15:30:00.000Z', dispensed: NOW_DISPENSED }],
    ['shipped', 'delivered', { receivingDate: '2026-11-24T15:30:00.000Z', dispensed: NOW_DISPENSED }],
  ])('moves the order from %s to %s', async (from, to, dates) => {
    const id = await placed();
    const before = await force(id, { orderStatus: from as OrderStatus });
    setClock(LATER);
    expect(await ops('orders', 'move', String(id), '--to', to)).toEqual(done(`Order ${id} is ${to} now.\n`));
    expect(await stored(id)).toEqual({
      ...before,
      ...dates,
      orderStatus: to,
      updatedAt: '2026-11-24T15:30:00.000Z',
      version: 3,
    });
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ from, to, version: 3 });
  });

  it('cancels with the provider what a cancelled order could be paid by', async () => {
    const id = await placed({ order: { payment_method: 5 } });
    expect(await ops('orders', 'move', String(id), '--to', 'cancelled')).toEqual(
      done(`Order ${id} is cancelled now.\n`),
    );
    const { state } = await payments().look(`sandbox-${id}-1`, AbortSignal.timeout(5_000));
    expect(state).toEqual({ status: 'cancelled' });
  });

  it('finds the order of any client, and prints it as JSON', async () => {
    const { client, key } = await desk.server.addClient('Tercera');
    await desk.server.addUser(client, 'insurance_employee', 'tercera@example.mx');
    const id = await placed({ token: await desk.server.login('tercera@example.mx', key), key });
    const { out } = await ops('orders', 'move', String(id), '--to', 'in_process', '--json');
    expect(JSON.parse(out)).toMatchObject({ id, client: client.id, order_status: 'in_process', version: 2 });
  });
});

describe('an order that was refunded in full', () => {
  const REASON = ['--refunded', '--reason', 'Se repone sin costo'];
  const refund = async (id: number, changes: Partial<Order>) => {
    const refunds = [{ cents: (await stored(id)).totalCents, form: '03', at: NOON.toISOString(), parts: [] }];
    return force(id, { paymentStatus: 'paid', refunds, ...changes });
  };
  const move = (id: number, to: string, ...options: string[]) =>
    ops('orders', 'move', String(id), '--to', to, ...options);

  it.each<[number, OrderStatus, OrderStatus]>([
    [3, 'approved', 'in_process'],
    [1, 'quoted', 'approved'],
    [1, 'in_process', 'ready'],
    [1, 'ready', 'shipped'],
    [1, 'shipped', 'delivered'],
  ])('and paid by method %i goes from %s to %s for a reason alone', async (payment_method, from, to) => {
    const id = await placed({ order: { payment_method } });
    const before = await refund(id, { orderStatus: from });
    const refusal = `Order ${id} is refunded in full: --refunded with --reason moves it all the same.\n`;
    expect(await move(id, to)).toEqual(refused(refusal));
    expect(await stored(id)).toEqual(before);
    expect(await move(id, to, ...REASON)).toMatchObject({ code: 0 });
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({
      what: 'moved',
      from,
      to,
      reason: 'Se repone sin costo',
    });
  });

  it('is stopped without one, and the reason is kept for no other move', async () => {
    const id = await placed();
    await move(id, 'in_process', ...REASON);
    expect((await getStoredEvents(id)).at(-1)).not.toHaveProperty('reason');
    await refund(id, { refundedReason: 'Se repone sin costo' });
    for (const to of ['shortage', 'cancelled']) {
      expect(await move(id, to)).toMatchObject({ code: 0 });
      const { orderStatus, refundedReason } = await stored(id);
      const history = await getStoredEvents(id);
      expect([orderStatus, refundedReason, history.at(-1)?.reason]).toEqual([to, undefined, undefined]);
    }
  });
});

describe('an operation with --version', () => {
  const OPERATIONS: readonly (readonly string[])[] = [
    ['move', '--to', 'in_process'],
    ['pay', '--status', 'paid'],
    ['verify-prescription', '--accept-copy'],
  ];
  const prescriptions = [{ document: PDF, issue_date: '2026-11-20' }];

  it.each(OPERATIONS)('is done on that version and refused on another one: %s', async (name, ...options) => {
    const id = await placed({ order: { prescriptions } });
    const before = await force(id, {});
    const operate = (version: string) => ops('orders', name, String(id), ...options, '--version', version);
    for (const version of ['1', '3']) {
      expect(await operate(version)).toEqual(
        refused(`Order ${id} has changed: it is at version 2 now, not at ${version}; look at it again.\n`),
      );
    }
    expect(await stored(id)).toEqual(before);
    expect(await operate('2')).toMatchObject({ code: 0 });
    expect((await stored(id)).version).toBe(3);
  });
});

describe('orders pay', () => {
  it.each([
    ['unpaid', 'paid', '2026-11-24T15:30:00.000Z'],
    ['processing', 'rejected', null],
    ['credit', 'paid', '2026-11-24T15:30:00.000Z'],
  ])('moves the payment from %s to %s', async (from, to, paymentDate) => {
    const id = await placed();
    const before = await force(id, { paymentStatus: from as PaymentStatus });
    setClock(LATER);
    expect(await ops('orders', 'pay', String(id), '--status', to)).toEqual(
      done(`The payment of order ${id} is ${to} now.\n`),
    );
    expect(await stored(id)).toEqual({
      ...before,
      paymentStatus: to,
      paymentDate,
      updatedAt: '2026-11-24T15:30:00.000Z',
      version: 3,
    });
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ from, to, version: 3 });
  });

  it.each([
    ['the given one', '04', ['--form', '28'], '28'],
    ['none beside that of its method', '04', [], null],
    ['the given one, which its method does not have', '99', ['--form', '03'], '03'],
  ])('records %s as the form', async (_, methodForm, options, paymentForm) => {
    const id = await placed();
    const { paymentMethod } = await stored(id);
    await force(id, { paymentMethod: { ...paymentMethod, sat_payment_form: methodForm } });
    expect(await ops('orders', 'pay', String(id), '--status', 'paid', ...options)).toMatchObject({ code: 0 });
    expect((await stored(id)).paymentForm).toBe(paymentForm);
    const { out } = await ops('orders', 'show', String(id), '--json');
    expect(JSON.parse(out).payment_form).toBe(paymentForm);
  });

  it('asks for the form where the method has none', async () => {
    const id = await placed();
    const { paymentMethod } = await stored(id);
    const before = await force(id, { paymentMethod: { ...paymentMethod, sat_payment_form: '99' } });
    expect(await ops('orders', 'pay', String(id), '--status', 'paid')).toEqual(
      refused(
        `The payment method of order ${id}, Tarjeta, does not say in which form it is paid: ` +
          "--form does (SAT's c_FormaPago).\n",
      ),
    );
    expect(await stored(id)).toEqual(before);
    expect(await ops('orders', 'pay', String(id), '--status', 'processing')).toMatchObject({ code: 0 });
  });

  it('shows why a payment was rejected until it moves on, and keeps it in the history', async () => {
    const id = await placed();
    await force(id, { paymentStatus: 'processing' });
    const pay = (...options: string[]) => ops('orders', 'pay', String(id), '--status', ...options);
    const shown = async () => {
      const path = `/api/orders/${id}/`;
      return (await desk.server.request('GET', path, { token: desk.tokens.employee })).body.rejection_reason;
    };
    expect(await pay('rejected', '--reason', 'Fondos insuficientes')).toMatchObject({ code: 0 });
    expect(await shown()).toBe('Fondos insuficientes');
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({ to: 'rejected', reason: 'Fondos insuficientes' });
    expect((await ops('orders', 'show', String(id))).out).toContain('processing -> rejected: Fondos insuficientes');
    expect(await pay('processing')).toMatchObject({ code: 0 });
    expect(await shown()).toBe('');
  });
});

describe('orders refund', () => {
  const refund = (id: number, ...options: string[]) => ops('orders', 'refund', String(id), ...options);

  it('records what has gone back, with who and when, until the order is no longer due for a refund', async () => {
    setClock(new Date(NOON.getTime() + 11 * 60_000));
    const id = await placed();
    await force(id, { paymentStatus: 'paid' });
    await ops('orders', 'move', String(id), '--to', 'cancelled');
    const isListed = async (...more: string[]) =>
      (await listedIds('orders', 'list', '--refund-due', '--limit', '5000', ...more)).ids.includes(id);
    setClock(LATER);
    // The order is 136.00.
    expect(await refund(id, '--amount', '100.00', '--form', '03')).toEqual(
      done(`100.00 of order ${id} is refunded, 36.00 is not.\n`),
    );
    const after = await stored(id);
    // 57.00 of 136.00 is the line's.
    const [line = 0] = after.lines.map((each) => each.id);
    const parts = [
      { line, quantity: 0, cents: 4_191 },
      { line: null, quantity: 0, cents: 5_809 },
    ];
    expect(after.refunds).toEqual([{ cents: 10_000, form: '03', at: '2026-11-24T15:30:00.000Z', parts }]);
    expect((await getStoredEvents(id)).at(-1)).toMatchObject({
      what: 'refunded',
      from: '0.00',
      to: '100.00',
      at: '2026-11-24T15:30:00.000Z',
      by: { operator: OPERATOR },
    });
    expect([await isListed(), await isListed('--client', String(desk.server.client.id))]).toEqual([true, true]);
    expect(await refund(id, '--amount', '36.01', '--form', '03')).toEqual(
      refused(`Order ${id} has 36.00 left to refund.\n`),
    );
    expect(await refund(id, '--amount', '36', '--form', '01')).toMatchObject({ code: 0 });
    expect([await isListed(), await isListed('--client', String(desk.server.client.id))]).toEqual([false, false]);
    const { out } = await ops('orders', 'show', String(id));
    expect(out).toMatch(/\n100.00\t03\t2026-11-24T15:30:00.000Z\t.*\n36.00\t01\t/);
    expect(out).toContain(`\t${line} (41.91), shipping (58.09)\n`);
  });

  describe('of lines', () => {
    // 2 × 28.50 without IVA, 249.00 with 16 % (288.84), and 79.00 of shipping: 424.84.
    const details = [
      { product: 1, quantity: 2 },
      { product: 121, quantity: 1 },
    ];
    const sold = async () => {
      const id = await placed({ order: { details } });
      await force(id, { paymentStatus: 'paid' });
      const [medicine, sunscreen] = (await stored(id)).lines.map((line) => String(line.id));
      return { id, medicine: medicine ?? '', sunscreen: sunscreen ?? '' };
    };

    it('gives back what is asked for, and no more than is left of each', async () => {
      const { id, medicine, sunscreen } = await sold();
      const form = ['--form', '03'];
      expect(await refund(id, '--line', `${medicine}:1`, '--line', sunscreen, ...form)).toEqual(
        done(`317.34 of order ${id} is refunded, 107.50 is not.\n`),
      );
      expect(await refund(id, '--line', `${medicine}:2`, ...form)).toEqual(
        refused(`Line ${medicine} of order ${id} has a quantity of 1 left.\n`),
      );
      expect(await refund(id, '--line', sunscreen, ...form)).toEqual(
        refused(`Line ${sunscreen} of order ${id} has a quantity of 0 left.\n`),
      );
      expect(await refund(id, '--line', '99999999', ...form)).toEqual(
        refused(`Order ${id} has no line 99999999; 107.50 is left.\n`),
      );
      expect(await refund(id, '--line', medicine, '--line', medicine, ...form)).toEqual(
        refused(`Line ${medicine} of order ${id} has a quantity of 0 left.\n`),
      );
      // 28.50 and 79.00 are left: 5.30 and 14.70 of 20.00.
      expect(await refund(id, '--amount', '20.00', ...form)).toMatchObject({ code: 0 });
      expect(await refund(id, '--line', medicine, '--shipping', ...form)).toEqual(
        done(`87.50 of order ${id} is refunded, 0.00 is not.\n`),
      );
      expect(await refund(id, '--shipping', ...form)).toEqual(
        refused(`The shipping of order ${id} has no money left.\n`),
      );
      const of = (line: string | null, quantity: number, cents: number) => {
        return { line: line === null ? null : Number(line), quantity, cents };
      };
      expect((await stored(id)).refunds?.map(({ parts }) => parts)).toEqual([
        [of(medicine, 1, 2_850), of(sunscreen, 1, 28_884)],
        [of(medicine, 0, 530), of(null, 0, 1_470)],
        [of(medicine, 1, 2_320), of(null, 0, 6_430)],
      ]);
    });

    it('takes the same line twice only on the version that the operator has seen', async () => {
      const { id, medicine } = await sold();
      const again = ['--line', `${medicine}:1`, '--form', '03'];
      expect(await refund(id, ...again)).toMatchObject({ code: 0 });
      expect(await refund(id, ...again)).toEqual(
        refused(
          `Order ${id} was refunded 28.50 within the last hour, and 396.34 is left; --version 3 records another one.\n`,
        ),
      );
      expect(await refund(id, ...again, '--version', '3')).toMatchObject({ code: 0 });
    });

    it('takes the same line with the shipment, which is another refund', async () => {
      const { id, medicine } = await sold();
      const again = ['--line', `${medicine}:1`, '--form', '03'];
      expect(await refund(id, ...again)).toMatchObject({ code: 0 });
      expect(await refund(id, ...again, '--shipping')).toEqual(
        done(`107.50 of order ${id} is refunded, 288.84 is not.\n`),
      );
    });
  });

  it('takes the same refund twice only on the version that the operator has seen', async () => {
    const id = await placed();
    await force(id, { paymentStatus: 'paid' });
    const again = ['--amount', '10.00', '--form', '03'];
    expect(await refund(id, ...again)).toMatchObject({ code: 0 });
    expect(await refund(id, ...again)).toEqual(
      refused(
        `Order ${id} was refunded 10.00 within the last hour, and 126.00 is left; --version 3 records another one.\n`,
      ),
    );
    expect(await refund(id, ...again, '--version', '2')).toMatchObject({ code: 1 });
    expect(await refund(id, ...again, '--version', '3')).toMatchObject({ code: 0 });
    expect((await stored(id)).refunds).toHaveLength(2);
  });
});

describe('an operation is refused', () => {
  it.each<[string, Partial<Order>, string]>([
    [
      'move --to approved',
      { orderStatus: 'approved' },
      'Order # cannot go from approved to approved; allowed: quoted, in_process, cancelled, shortage.',
    ],
    [
      'move --to cancelled',
      { orderStatus: 'shipped' },
      'Order # cannot go from shipped to cancelled; allowed: delivered.',
    ],
    [
      'move --to shipped',
      { orderStatus: 'delivered' },
      'Order # cannot go from delivered to shipped; allowed: nothing more.',
    ],
    [
      'pay --status rejected',
      { paymentStatus: 'unpaid' },
      'The payment of order # cannot go from unpaid to rejected; allowed: credit, paid, in_process, processing.',
    ],
    [
      'pay --status unpaid',
      { paymentStatus: 'paid' },
      'The payment of order # cannot go from paid to unpaid; allowed: nothing more.',
    ],
    [
      'pay --status in_process',
      { orderStatus: 'cancelled', paymentStatus: 'processing' },
      'The payment of the cancelled order # cannot go from processing to in_process; allowed: paid, rejected.',
    ],
    ['refund --amount 1.00 --form 03', {}, 'Order # is unpaid: only what was paid is refunded.'],
    [
      'refund --amount 1.00',
      { paymentStatus: 'paid' },
      'Order # was not paid by card online: --form says in which form the money goes back.',
    ],
  ])('orders %s, of an order with %j', async (words, state, complaint) => {
    const id = await placed();
    const before = await force(id, state);
    const [name = '', ...options] = words.split(' ');
    expect(await ops('orders', name, String(id), ...options)).toEqual(
      refused(`${complaint.replace('#', String(id))}\n`),
    );
    expect(await stored(id)).toEqual(before);
  });
});

describe('an operation is not understood', () => {
  const EITHER = 'Give either --amount';
  const LINE = '--line: It must be the id of a line, with a quantity after a colon unless it is all of it: 7001:2.';
  it.each([
    ['pay 1 --status paid --form 99', '--form: It must be one of: 12, 13, 14, 15, 17, 23,'],
    ['pay 1 --status paid --form 7', '--form: It must be one of: 12, 13,'],
    ['pay 1 --status processing --form 03', '--form: It goes with --status paid.'],
    ['pay 1 --status processing --reason Fondos', '--reason: It goes with --status rejected.'],
    ...['--refunded', '--unpaid', '--reason Ya'].map((part) => [
      `move 1 --to in_process ${part}`,
      '--unpaid or --refunded, and --reason: They go together.',
    ]),
    [`pay 1 --status rejected --reason ${'x'.repeat(51)}`, '--reason: '],
    ['refund 1 --amount 0 --form 03', '--amount: '],
    ['refund 1 --amount -1.00 --form 03', '--amount'],
    ['refund 1 --amount 1.005 --form 03', '--amount: '],
    ['refund 1 --amount 1.00 --form 99', '--form: It must be one of: '],
    ['refund 1 --form 03', EITHER],
    ['refund 1 --amount 1.00 --line 7 --form 03', EITHER],
    ['refund 1 --amount 1.00 --shipping --form 03', EITHER],
    ...['x', '7:', '7:0', '7:1.5', '7:1:1', '0'].map((line) => [`refund 1 --line ${line} --form 03`, LINE]),
  ])('orders %s', async (words = '', complaint = '') => {
    await misunderstood(['orders', ...words.split(' ')], complaint);
  });
});

it('each version has one winner among many changes at once, and none is lost', async () => {
  const id = await placed({ order: { prescriptions: [{ document: PDF, issue_date: '2026-11-20' }] } });
  const commands = [
    ['move', String(id), '--to', 'in_process'],
    ['pay', String(id), '--status', 'paid'],
    ['verify-prescription', String(id), '--accept-copy'],
  ];
  const wins: string[] = [];
  // The losers try again, as their error message says.
  for (let round = 0; round < 3; round++) {
    const said = await Promise.all(commands.map((argv) => ops('orders', ...argv)));
    for (const [index, { code }] of said.entries()) if (code === 0) wins.push(commands[index]?.[0] ?? '');
  }
  expect(new Set(wins)).toEqual(new Set(['move', 'pay', 'verify-prescription']));
  const order = await stored(id);
  const { prescriptions } = order;
  expect(order).toMatchObject({ orderStatus: 'in_process', paymentStatus: 'paid', version: 4 });
  expect(prescriptions[0]?.verification).toMatchObject({ lines: [] });
});
