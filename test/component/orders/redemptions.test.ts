import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { couponCounterKey } from '../../../shared/store/keys.ts';
import { openTable } from '../../../shared/store/table.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer({ settings: { CATALOG_BUCKET: 'redemptions' } });
let token: string;
beforeAll(async () => {
  await publishCoupon({});
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => setClock());

async function publishCoupon(more: object): Promise<void> {
  await publishRecords({ ...smallCatalog(), coupons: [{ id: 7, code: 'CINCO', value: 5, ...more }] });
  await serveLatestCatalog();
}

const patch = (id: number, body: object) => server.request('PATCH', `/api/orders/${id}/`, { token, body });
async function place(name: string): Promise<{ readonly id: number; readonly discount: string }> {
  const details = [{ product: 102, quantity: 1 }];
  const body = orderBody(`${name}@example.mx`, { details, coupon: 'cinco' });
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}
const cancel = ({ id }: { readonly id: number }) => patch(id, { order_status: 'cancelled' });
const counter = async () => (await openTable().get(couponCounterKey(server.client.id, 7)))?.redemptions;

async function shownByOperator() {
  const { code, out } = await operate('pipe', 'catalog', 'coupons', '--client', String(server.client.id), '--json');
  const { coupons } = JSON.parse(out);
  return [code, coupons[0].redeemed, coupons[0].max_redemptions];
}

describe('the limit of a coupon', () => {
  it('counts the orders from its publication on, and each gives back what it took, whatever the limit is by then', async () => {
    const before = await place('sin-limite');
    expect([before.discount, await counter(), await shownByOperator()]).toEqual(['5.00', undefined, [0, null, null]]);

    await publishCoupon({ max_redemptions: 1 });
    const [first, second] = [await place('uno'), await place('dos')];
    expect([first.discount, second.discount, await counter()]).toEqual(['5.00', '0.00', 1]);
    expect(await shownByOperator()).toEqual([0, 1, 1]);
    await cancel(before);
    expect(await counter()).toBe(1);

    await publishCoupon({ max_redemptions: 2 });
    const [third, fourth] = [await place('dos'), await place('tres')];
    expect([third.discount, fourth.discount, await counter()]).toEqual(['5.00', '0.00', 2]);
    // A change of products keeps the coupon that the order holds.
    const kept = await patch(third.id, { details: [{ product: 102, quantity: 2 }] });
    expect([kept.body.discount, await counter()]).toEqual(['5.00', 2]);

    await publishCoupon({});
    const unlimited = await place('cuatro');
    await cancel(first);
    await cancel(unlimited);
    expect([unlimited.discount, await counter()]).toEqual(['5.00', 1]);

    // The code is that of another coupon now.
    await publishCoupon({ id: 8 });
    const changed = await patch(third.id, { details: [{ product: 102, quantity: 1 }] });
    expect([changed.body.coupon, await counter()]).toEqual([null, 0]);
  });
});
