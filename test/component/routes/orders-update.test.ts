import { describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/api/orders/orders.ts';
import type { Order as StoredOrder } from '../../../shared/order/order.ts';
import { listErrorPaths } from '../../support/http/http.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// New details and cancellations of an order in each state. `unit/order` has the tables of states, `proofs/order-model` random
// changes with their amounts and counts, `proofs/races` concurrent ones and `proofs/refusals` who may change an order.

const server = useServer();
const tokens = useDemoTokens(server);
const PATIENT = 'paciente@demo.example';
const change = (id: number, body: object, token = tokens.employee) =>
  server.request('PATCH', `/api/orders/${id}/`, { token, body });
const see = async (id: number) =>
  (await server.request('GET', `/api/orders/${id}/`, { token: tokens.employee })).body as Order;
const lines = (...pairs: [product: number, quantity: number][]) => ({
  details: pairs.map(([product, quantity]) => ({ product, quantity })),
});
const ONE = lines([1, 1]);
const CANCEL = { order_status: 'cancelled' };

async function placed(order: object = {}, email = 'change@example.mx', token = tokens.employee): Promise<Order> {
  const body = orderBody(email, order as Record<string, unknown>);
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status).toBe(201);
  return answer.body;
}
/** Places an order and forces it into a state that operators and other systems bring about. */
async function placedIn(state: Partial<StoredOrder>, ...order: Parameters<typeof placed>): Promise<number> {
  const { id } = await placed(...order);
  await forceStored(id, state);
  return id;
}

describe('new details', () => {
  it('replace the old ones at catalog prices, with the coupon and the shipping of the order', async () => {
    const before = await placed({ ...lines([1, 1], [2, 1], [3, 1]), coupon: 'BIENVENIDA10', shipping_method: 3 });
    const { status, body } = await change(before.id, { ...lines([5, 2]), order_status: null });
    expect(status).toBe(200);
    // 2 × 64.50 = 129.00, less 10 %, and 99.00 of shipping as before.
    const { id, shipping_method, expected_delivery_date, created_at } = before;
    expect(body).toMatchObject({
      ...{ id, shipping_method, expected_delivery_date, created_at, order_status: 'approved' },
      ...{ subtotal: '129.00', discount: '12.90', iva: '0.00', shipping_price: '99.00', total: '215.10' },
      details: [{ quantity: 2, price: '64.50', discount: '12.90', total: '116.10' }],
    });
    expect(body.updated_at > before.updated_at).toBe(true);
    expect(await see(before.id)).toEqual(body);
  });

  it('lose a coupon whose minimum they no longer reach, and keep free shipping', async () => {
    // 8 × 64.50 = 516.00 reach the 500.00 of MINIMO500, 2 × 28.50 do not.
    const before = await placed({ ...lines([5, 8]), coupon: 'MINIMO500' });
    expect(before.discount).toBe('75.00');
    const { body } = await change(before.id, lines([1, 2]));
    expect(body).toMatchObject({ coupon: null, discount: '0.00', total: '136.00' });
    const free = await change((await placed({ coupon: 'ENVIOGRATIS' })).id, ONE);
    expect(free.body).toMatchObject({ shipping_discount: '79.00', total: '28.50' });
  });

  it('are refused at their lines, and then change nothing', async () => {
    const before = await placed();
    const refused: [paths: readonly string[], body: object][] = [
      [['details.0.product'], lines([99999, 1])],
      [['details.1.product'], lines([1, 1], [129, 0])],
      [['details'], lines([1, 0])],
      [['details.1.product'], lines([1, 1], [4, 1])],
    ];
    for (const [paths, body] of refused) {
      const answer = await change(before.id, body);
      expect([answer.status, listErrorPaths(answer.body)]).toEqual([400, paths]);
    }
    expect(await see(before.id)).toEqual(before);
    expect((await change(before.id, lines([4, 0], [1, 1]))).status).toBe(200);
  });

  describe('of an order with a prescription that was verified for two of product 4', () => {
    const verification = { at: '2026-11-21T18:00:00.000Z', by: 'operator', lines: [{ productId: 4, quantity: 2 }] };
    const verified = async (state: Partial<StoredOrder> = {}, expiringDate: string | null = null) => {
      const { id } = await placed({ prescriptions: [{ document: PDF, issue_date: '2026-11-01' }] });
      const { prescriptions } = await getStoredOrder(id);
      await forceStored(id, {
        ...state,
        prescriptions: prescriptions.map((each) => ({ ...each, verification, expiringDate })),
      });
      return id;
    };

    it('may have as much of it in all, and no more', async () => {
      const id = await verified();
      for (const body of [lines([4, 1], [1, 7], [4, 1]), lines([4, 1])])
        expect((await change(id, body)).status).toBe(200);
      const more = await change(id, lines([4, 2], [1, 1], [4, 1]));
      expect([more.status, listErrorPaths(more.body)]).toEqual([400, ['details.0.product', 'details.2.product']]);
      expect(listErrorPaths((await change(id, lines([4, 2], [6, 1]))).body)).toEqual(['details.1.product']);
    });

    it('may have any line while it is quoted, and none of it once the prescription has expired', async () => {
      expect((await change(await verified({ orderStatus: 'quoted' }), lines([4, 9], [6, 1]))).status).toBe(200);
      expect((await change(await verified({}, '2026-11-20'), lines([4, 1]))).status).toBe(400);
    });
  });

  it('of an order with a product that ran short since may have at most its former quantity', async () => {
    const SHORT = 129;
    const { id } = await placed(lines([1, 2], [2, 1], [1, 1]));
    const ordered = (await getStoredOrder(id)).lines;
    const toShort = ordered.map((line) => ({ ...line, productId: line.productId === 1 ? SHORT : 2 }));
    await forceStored(id, { lines: toShort });
    const more = await change(id, lines([SHORT, 3], [2, 1], [SHORT, 1]));
    expect([more.status, listErrorPaths(more.body)]).toEqual([400, ['details.0.product', 'details.2.product']]);
    for (const body of [lines([SHORT, 1], [2, 5], [SHORT, 2]), lines([SHORT, 0], [2, 1])])
      expect((await change(id, body)).status).toBe(200);
  });

  const FREE = { coupon: 'MENOS50', shipping: undefined, store: 2 };

  it('that make a rejected order cost nothing pay it, and leave no reason of the rejection', async () => {
    const id = await placedIn({ paymentStatus: 'rejected', rejectionReason: 'Sin fondos' }, FREE);
    const { body: free } = await change(id, ONE);
    const paid = { total: '0.00', payment_status: 'paid', payment_date: free.updated_at };
    expect(free).toMatchObject({ ...paid, rejection_reason: '' });
    expect((await change(id, ONE)).body).toMatchObject(paid);
  });
});

describe('an order on credit', () => {
  it('of somebody else is neither changed nor cancelled by its patient, though it costs nothing', async () => {
    const refused = async (id: number, body: object) => (await change(id, body, tokens.patient)).body.code;
    const id = await placedIn({ paymentStatus: 'credit' }, {}, PATIENT);
    expect([await refused(id, ONE), await refused(id, CANCEL)]).toEqual(['order_paid', 'order_on_credit']);
    const terms = { coupon: 'MENOS50', shipping: undefined, store: 2, ...ONE, payment_method: 2 };
    const free = await placed(terms, PATIENT);
    expect([free.payment_status, await refused(free.id, lines([1, 9]))]).toEqual(['paid', 'order_paid']);
    expect((await change(id, CANCEL)).status).toBe(200);
    expect(await refused(id, CANCEL)).toBe('order_on_credit');
  });

  it('of their own is changed and cancelled by its patient', async () => {
    const id = await placedIn({ paymentStatus: 'credit' }, {}, PATIENT, tokens.patient);
    for (const body of [ONE, CANCEL]) expect((await change(id, body, tokens.patient)).status).toBe(200);
  });
});

describe('a cancellation', () => {
  it('ends an order for good, in the name of who cancelled it', async () => {
    const id = await placedIn({ orderStatus: 'shortage' }, {}, PATIENT);
    const { status, body } = await change(id, { ...CANCEL, details: null }, tokens.patient);
    const cancelled = { order_status: 'cancelled', patient_order_status: 'cancelled' };
    expect([status, body]).toMatchObject([200, { ...cancelled, updated_by: { email: PATIENT } }]);
    expect(body.generated_by.id).not.toBe(body.updated_by.id);
    expect(await change(id, CANCEL)).toMatchObject({ status: 200, body: { updated_at: body.updated_at } });
  });
});

it('a change of both forms or of neither is refused', async () => {
  const { id } = await placed();
  for (const body of [{ ...ONE, ...CANCEL }, {}, { total: '1.00' }, { details: null, order_status: null }]) {
    const answer = await change(id, body);
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['non_field_errors']]);
  }
});
