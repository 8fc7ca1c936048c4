import { beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import { readCounts, sumOrders } from '../../../shared/order/lists/counters.ts';
import type { Order as StoredOrder } from '../../../shared/order/order.ts';
import { changeOrderWrites } from '../../../shared/order/order-writes.ts';
import { findOrder } from '../../../shared/order/orders.ts';
import type { OrderStatus } from '../../../shared/order/rules/status.ts';
import { openTable } from '../../../shared/store/table.ts';
import { BY_JOB, forceVersion } from '../../support/orders/forced-order.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const english = { 'Accept-Language': 'en' };
const change = (id: number, body: object, token = tokens.employee) =>
  server.request('PATCH', `/api/orders/${id}/`, { token, body, headers: english });

async function placed(order: object = {}, email = 'change@example.mx', token = tokens.employee): Promise<Order> {
  const body = orderBody(email, order as Record<string, unknown>);
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return answer.body;
}

async function stored(id: number): Promise<StoredOrder> {
  const order = await findOrder(openTable(), { clientId: server.client.id, id, viewer: 'client' });
  if (!order) throw new Error('no such order');
  return order;
}

/** Writes an order in a state that only operators and other systems reach. */
async function force(id: number, state: Partial<StoredOrder>): Promise<void> {
  const table = openTable();
  const before = await stored(id);
  const after = forceVersion(before, state);
  await table.transact(changeOrderWrites(before, after, BY_JOB));
}

describe('new details', () => {
  it('replace the old ones at catalog prices, with the coupon and the shipping of the order', async () => {
    const details = [1, 2, 3].map((product) => ({ product, quantity: 1 }));
    const before = await placed({ details, coupon: 'BIENVENIDA10', shipping_method: 3 });
    const { status, body } = await change(before.id, { details: [{ product: 5, quantity: 2 }] });
    expect(status).toBe(200);
    // 2 × 64.50 = 129.00, less 10 %, and 99.00 of shipping as before.
    expect(body).toMatchObject({
      id: before.id,
      subtotal: '129.00',
      discount: '12.90',
      iva: '0.00',
      shipping_price: '99.00',
      total: '215.10',
      order_status: 'approved',
      shipping_method: before.shipping_method,
      expected_delivery_date: before.expected_delivery_date,
      created_at: before.created_at,
    });
    expect(body.details).toHaveLength(1);
    expect(body.details[0]).toMatchObject({ quantity: 2, price: '64.50', discount: '12.90', total: '116.10' });
    expect(body.updated_at > before.updated_at).toBe(true);
    const read = await server.request('GET', `/api/orders/${before.id}/`, { token: tokens.employee });
    expect(read.body).toEqual(body);
  });

  it('lose a coupon whose minimum they no longer reach, with its free shipping', async () => {
    // 8 × 64.50 = 516.00 reach the 500.00 of MINIMO500, 2 × 28.50 do not.
    const before = await placed({ details: [{ product: 5, quantity: 8 }], coupon: 'MINIMO500' });
    expect(before.discount).toBe('75.00');
    const { body } = await change(before.id, { details: [{ product: 1, quantity: 2 }] });
    expect(body).toMatchObject({ coupon: null, discount: '0.00', total: '136.00' });
    const free = await placed({ coupon: 'ENVIOGRATIS' });
    const kept = await change(free.id, { details: [{ product: 1, quantity: 1 }] });
    expect(kept.body).toMatchObject({ shipping_discount: '79.00', total: '28.50' });
  });

  it.each([
    ['an unknown product', [{ product: 99999, quantity: 1 }], [{ product: ['Product 99999 does not exist.'] }]],
    [
      'a product out of stock',
      [{ product: 129, quantity: 1 }],
      [{ product: ['Oxímetro de pulso, 1 pieza (id 129) is out of stock at the moment.'] }],
    ],
    ['zeros alone', [{ product: 1, quantity: 0 }], ['At least one product needs a quantity above 0.']],
    [
      'a product that requires a prescription',
      [
        { product: 1, quantity: 1 },
        { product: 4, quantity: 1 },
      ],
      [
        {},
        {
          product: [
            'Ibuprofeno 800 mg, Caja con 10 tabletas (id 4) requires a prescription, and the order has no verified one for it.',
          ],
        },
      ],
    ],
  ])('with %s are refused and change nothing', async (_, details, errors) => {
    const before = await placed();
    const { status, body } = await change(before.id, { details });
    expect({ status, body }).toEqual({ status: 400, body: { details: errors } });
    const read = await server.request('GET', `/api/orders/${before.id}/`, { token: tokens.employee });
    expect(read.body).toEqual(before);
  });

  describe('of an order with a verified prescription', () => {
    const lines = [{ productId: 4, quantity: 2 }];
    const verification = { at: '2026-11-21T18:00:00.000Z', by: 'operator', lines };
    const verified = async (state: Partial<StoredOrder>, expiringDate: string | null = null) => {
      const before = await placed({ prescriptions: [{ document: PDF, issue_date: '2026-11-01' }] });
      const { prescriptions } = await stored(before.id);
      await force(before.id, {
        ...state,
        prescriptions: prescriptions.map((each) => ({ ...each, verification, expiringDate })),
      });
      return before.id;
    };
    const pair = (product: number, quantity: number) => ({ product, quantity });

    it.each([
      ['the verified quantity', [pair(4, 2)]],
      ['it in two lines', [pair(4, 1), pair(1, 7), pair(4, 1)]],
      ['less of it', [pair(4, 1)]],
      ['none of it', [pair(1, 1)]],
    ])('may have %s', async (_, details) => {
      expect((await change(await verified({}), { details })).status).toBe(200);
    });

    const LESS =
      'Ibuprofeno 800 mg, Caja con 10 tabletas (id 4) requires a prescription; the verified one is for 2 in all.';
    const NONE =
      'Diclofenaco 100 mg, Caja con 20 grageas de liberación prolongada (id 6) requires a prescription, and the order has no verified one for it.';
    it.each([
      ['more of it', [pair(4, 3)], [{ product: [LESS] }]],
      ['more of it in two lines', [pair(4, 2), pair(1, 1), pair(4, 1)], [{ product: [LESS] }, {}, { product: [LESS] }]],
      ['another one', [pair(4, 2), pair(6, 1)], [{}, { product: [NONE] }]],
    ])('may not have %s', async (_, details, errors) => {
      const { status, body } = await change(await verified({}), { details });
      expect({ status, body }).toEqual({ status: 400, body: { details: errors } });
    });

    it('may have any line while it is quoted, as it has yet to be approved', async () => {
      const id = await verified({ orderStatus: 'quoted' });
      expect((await change(id, { details: [pair(4, 9), pair(6, 1)] })).status).toBe(200);
    });

    it('may have none of it once the prescription has expired', async () => {
      const id = await verified({}, '2026-11-20');
      expect((await change(id, { details: [pair(4, 1)] })).status).toBe(400);
    });
  });

  it.each(['pending_approval', 'cancelled'])('are refused while the order is %s', async (orderStatus) => {
    const before = await placed();
    await force(before.id, { orderStatus: orderStatus as OrderStatus });
    const { status, body } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'order_not_changeable' });
  });

  describe('of an order with a product that ran short since', () => {
    const SHORT = 129;
    const message = { product: ['Oxímetro de pulso, 1 pieza (id 129) is out of stock at the moment.'] };
    const pair = (product: number, quantity: number) => ({ product, quantity });
    const short = async () => {
      const { id } = await placed({ details: [pair(1, 2), pair(2, 1), pair(1, 1)] });
      const { lines } = await stored(id);
      await force(id, { lines: lines.map((line) => ({ ...line, productId: line.productId === 1 ? SHORT : 2 })) });
      return id;
    };

    it.each([
      ['as much of it, and more of another', [pair(SHORT, 3), pair(2, 5)], null],
      ['as much of it in other lines', [pair(SHORT, 1), pair(SHORT, 1), pair(SHORT, 1)], null],
      ['0 of it', [pair(SHORT, 0), pair(2, 1)], null],
      ['more of it', [pair(SHORT, 4)], [message]],
      ['more of it in two lines', [pair(SHORT, 3), pair(2, 1), pair(SHORT, 1)], [message, {}, message]],
    ])('may have at most its former quantity: %s', async (_, details, errors) => {
      const { status, body } = await change(await short(), { details });
      expect([status, errors && body]).toEqual(errors ? [400, { details: errors }] : [200, null]);
    });

    it('may not have 0 of it if the order had none', async () => {
      const { status, body } = await change((await placed()).id, { details: [pair(1, 1), pair(SHORT, 0)] });
      expect([status, body]).toEqual([400, { details: [{}, message] }]);
    });
  });

  it('are accepted while the order is quoted', async () => {
    const before = await placed();
    await force(before.id, { orderStatus: 'quoted' });
    const { status, body } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    expect({ status, order: body.order_status }).toEqual({ status: 200, order: 'quoted' });
  });

  it('are refused once the order is paid', async () => {
    const before = await placed();
    await force(before.id, { paymentStatus: 'paid' });
    const { status, body } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    const detail =
      "The order is paid, being paid, or on somebody else's credit; its products can no longer be changed; place another order, or cancel this one.";
    expect({ status, body }).toEqual({ status: 409, body: { code: 'order_paid', detail } });
  });

  it.each(['rejected', 'credit'] as const)(
    'are accepted from an employee while its payment is %s',
    async (paymentStatus) => {
      const before = await placed();
      await force(before.id, { paymentStatus });
      const { status, body } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
      expect({ status, payment: body.payment_status }).toEqual({ status: 200, payment: paymentStatus });
    },
  );

  it("are refused on somebody else's credit, and accepted on one's own", async () => {
    const details = [{ product: 1, quantity: 1 }];
    const theirs = await placed({}, 'paciente@demo.example');
    await force(theirs.id, { paymentStatus: 'credit' });
    const refused = await change(theirs.id, { details }, tokens.patient);
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'order_paid' });
    const own = await placed({}, 'paciente@demo.example', tokens.patient);
    await force(own.id, { paymentStatus: 'credit' });
    expect((await change(own.id, { details }, tokens.patient)).status).toBe(200);
  });

  const priceless = { coupon: 'MENOS50', shipping: undefined, store: 2 };

  it.each([
    [1, 'unpaid'],
    [2, 'credit'],
  ])('by payment method %i that make an order cost nothing pay it, and others begin as %s', async (method, first) => {
    // 50.00 off: one box of 28.50 is free, two are not.
    const before = await placed({ ...priceless, payment_method: method });
    expect(before).toMatchObject({ total: '7.00', payment_status: first, payment_date: null });
    const { body: free } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    expect(free).toMatchObject({ total: '0.00', payment_status: 'paid', payment_date: free.updated_at });
    const { body: still } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    expect(still).toMatchObject({ total: '0.00', payment_status: 'paid', payment_date: free.payment_date });
    const { status, body } = await change(before.id, { details: [{ product: 1, quantity: 2 }] });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { total: '7.00', payment_status: first, payment_date: null },
    });
  });

  it('that make a rejected order cost nothing leave no reason of the rejection', async () => {
    const before = await placed(priceless);
    await force(before.id, { paymentStatus: 'rejected', rejectionReason: 'Sin fondos' });
    const { body } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    expect(body).toMatchObject({ total: '0.00', payment_status: 'paid', rejection_reason: '' });
  });

  it("are refused on somebody else's credit, though it costs nothing", async () => {
    const details = [{ product: 1, quantity: 1 }];
    const theirs = await placed({ ...priceless, details, payment_method: 2 }, 'paciente@demo.example');
    expect(theirs).toMatchObject({ total: '0.00', payment_status: 'paid' });
    const { status, body } = await change(theirs.id, { details: [{ product: 1, quantity: 9 }] }, tokens.patient);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'order_paid' });
  });

  it('may have a product that requires a prescription in quantity 0', async () => {
    const before = await placed();
    const details = [
      { product: 4, quantity: 0 },
      { product: 1, quantity: 1 },
    ];
    expect((await change(before.id, { details })).status).toBe(200);
  });

  it('are refused once the order is invoiced', async () => {
    const before = await placed();
    await force(before.id, { cfdi: '58e93bd8e86eb318b0197456' });
    const { status, body } = await change(before.id, { details: [{ product: 1, quantity: 1 }] });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'order_invoiced' });
  });
});

// `domain/order` has every status.
describe('a cancellation', () => {
  it.each(['pending_approval', 'shortage'])('ends an order that is %s, for good', async (from) => {
    const before = await placed();
    await force(before.id, { orderStatus: from as OrderStatus });
    const { status, body } = await change(before.id, { order_status: 'cancelled' });
    expect({ status, order: body.order_status, patient: body.patient_order_status }).toEqual({
      status: 200,
      order: 'cancelled',
      patient: 'cancelled',
    });
    const again = await change(before.id, { order_status: 'cancelled' });
    expect(again).toMatchObject({ status: 200, body: { order_status: 'cancelled', updated_at: body.updated_at } });
  });

  it('is refused once the order is in process', async () => {
    const before = await placed();
    await force(before.id, { orderStatus: 'in_process' });
    const { status, body } = await change(before.id, { order_status: 'cancelled' });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'order_not_cancellable' });
  });
});

describe('a cancellation of an order on credit', () => {
  const cancel = { order_status: 'cancelled' };

  it('is refused to the patient if somebody else placed it, and accepted from an employee', async () => {
    const order = await placed({}, 'paciente@demo.example');
    await force(order.id, { paymentStatus: 'credit' });
    const { status, body } = await change(order.id, cancel, tokens.patient);
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        code: 'order_on_credit',
        detail: 'The order is on credit; only who placed it or the insurer can cancel it.',
      },
    });
    expect((await change(order.id, cancel)).status).toBe(200);
    expect((await change(order.id, cancel, tokens.patient)).status).toBe(409);
    expect((await change(order.id, cancel)).status).toBe(200);
  });

  it('is accepted from the patient who placed it', async () => {
    const order = await placed({}, 'paciente@demo.example', tokens.patient);
    await force(order.id, { paymentStatus: 'credit' });
    expect((await change(order.id, cancel, tokens.patient)).status).toBe(200);
  });
});

describe('a change', () => {
  it.each([
    ['both forms', { details: [{ product: 1, quantity: 1 }], order_status: 'cancelled' }],
    ['neither form', {}],
    ['fields of no form', { total: '1.00' }],
    ['a null for both', { details: null, order_status: null }],
  ])('of %s is refused', async (_, body) => {
    const answer = await change((await placed()).id, body);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { non_field_errors: ['Send details or order_status, exactly one of the two.'] },
    });
  });

  it('is allowed only to users who see the order', async () => {
    const order = await placed();
    const cancel = { order_status: 'cancelled' };
    const foreign = await change(order.id, cancel, tokens.doctor);
    const missing = await change(99_999_999, cancel, tokens.doctor);
    expect({ status: foreign.status, body: foreign.body }).toEqual({ status: missing.status, body: missing.body });
    expect(missing.body).toEqual({ detail: 'Not found.', code: 'not_found' });
  });

  it('by its patient names the patient as its author', async () => {
    const order = await placed({}, 'paciente@demo.example');
    const { status, body } = await change(order.id, { order_status: 'cancelled' }, tokens.patient);
    expect(status).toBe(200);
    expect(body.updated_by).toMatchObject({ email: 'paciente@demo.example' });
    expect(body.generated_by.id).not.toBe(body.updated_by.id);
  });

  it('of one form may have a null for the other', async () => {
    const details = [{ product: 2, quantity: 1 }];
    const changed = await change((await placed()).id, { details, order_status: null });
    const cancelled = await change((await placed()).id, { details: null, order_status: 'cancelled' });
    expect([changed.body.order_status, cancelled.body.order_status]).toEqual(['approved', 'cancelled']);
  });

  it('wins once for each version among many at once, and the amounts match the lines', async () => {
    const order = await placed();
    const quantities = Array.from({ length: 24 }, (_, index) => index + 1);
    const answers = await Promise.all(
      quantities.map((quantity) => change(order.id, { details: [{ product: 1, quantity }] })),
    );
    const outcomes = answers.map(({ status, body }) => (status === 200 ? 'won' : body.code));
    expect(new Set(outcomes)).toEqual(new Set(['won', 'order_changed_meanwhile']));
    const { version, lines, subtotalCents } = await stored(order.id);
    expect(version).toBe(1 + outcomes.filter((outcome) => outcome === 'won').length);
    expect(lines).toHaveLength(1);
    expect(subtotalCents).toBe(2_850 * (lines[0]?.quantity ?? 0));
  });

  it('is counted together with the order', async () => {
    const counted = async () => {
      const { counts } = await readCounts(openTable(), { clientId: server.client.id, viewer: 'client' });
      const of = (status: OrderStatus) => sumOrders(counts.filter(({ orderStatus }) => orderStatus === status));
      return { approved: of('approved'), cancelled: of('cancelled') };
    };
    const start = await counted();
    const order = await placed();
    expect(await counted()).toEqual({ ...start, approved: start.approved + 1 });
    await change(order.id, { order_status: 'cancelled' });
    expect(await counted()).toEqual({ approved: start.approved, cancelled: start.cancelled + 1 });
  });
});
