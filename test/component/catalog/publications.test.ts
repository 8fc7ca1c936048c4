import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { handler as watchCatalog } from '../../../functions/jobs/watch-catalog.ts';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { activateVersion } from '../../../shared/catalog/publishing/publish.ts';
import { listPublishedVersions } from '../../../shared/catalog/publishing/versions.ts';
import { catalogBucket } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { couponCounterKey } from '../../../shared/store/keys.ts';
import { openTable } from '../../../shared/store/table.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { publishRecords, serveLatestCatalog } from '../../support/engines/catalog-bucket.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// A publication withdraws products that orders hold, limits their coupons, and comes while a job reads the catalog.

const server = useServer({ settings: { CATALOG_BUCKET: 'publications' } });
beforeAll(() => publishRecords(smallCatalog()));
afterEach(() => setClock());

const details = (...products: number[]) => products.map((product) => ({ product, quantity: 1 }));

async function place(...products: number[]) {
  const body = orderBody('retira@example.mx', { details: details(...products) });
  return (await server.asEmployee('POST', '/api/orders/resources/', body)).body;
}

async function publish(records: ReturnType<typeof smallCatalog>): Promise<void> {
  await publishRecords(records);
  await serveLatestCatalog();
}

/** Makes the version current that was published before the current one. */
async function activateOlder(): Promise<void> {
  const bucket = catalogBucket();
  const { current, versions } = await listPublishedVersions(bucket);
  const version = versions.find((one) => one.version !== current)?.version ?? '';
  const read = await readPointer(bucket);
  expect(await activateVersion({ version, read, bucket, now: new Date() })).toBe('activated');
  await serveLatestCatalog();
}

it('an order shows a withdrawn product as last published, and nothing else finds it', async () => {
  const { body: product } = await server.asEmployee('GET', '/api/products/101/');
  const order = await place(101, 102);
  expect(order.details[0].product).toEqual(product);

  const records = smallCatalog();
  records.products = records.products.filter(({ id }) => id !== 101);
  await publish(records);
  const path = `/api/orders/${order.id}/`;
  const [withdrawn, published] = (await server.asEmployee('GET', path)).body.details;
  expect(withdrawn.product).toEqual({ ...product, is_active: false });
  expect(published.product.is_active).toBe(true);
  expect((await server.asEmployee('GET', '/api/products/101/')).status).toBe(404);
  expect((await server.asEmployee('GET', '/api/products/?id__in=101')).body.count).toBe(0);
  const unknown = { details: [{ product: ['El producto 101 no existe.'] }] };
  expect((await server.asEmployee('POST', '/api/orders/calculate/', { details: details(101) })).body).toEqual(unknown);
  expect((await server.asEmployee('PATCH', path, { details: details(101) })).body).toEqual(unknown);
  expect(await place(101)).toEqual({ order: unknown });

  await activateOlder();
  expect((await server.asEmployee('GET', path)).body.details[0].product).toEqual(product);
  expect((await server.asEmployee('POST', '/api/orders/calculate/', { details: details(101) })).status).toBe(201);
});

it('an order shows its own copy of a product that no published version knows', async () => {
  const records = smallCatalog();
  records.products.push({ ...records.products[0], id: 109, ean_key: '7501000000098', price: '12.50' });
  await publish(records);
  const order = await place(109);
  await activateOlder();
  const [line] = (await server.asEmployee('GET', `/api/orders/${order.id}/`)).body.details;
  expect(line.product).toMatchObject({
    id: 109,
    name: 'Ácido fólico 5 mg',
    price: '12.50',
    is_active: false,
    base: null,
  });
});

it('a catalog that is published while the job looks at the bucket is no failure', async () => {
  const before = smallCatalog();
  Object.assign(before.products[0] ?? {}, { price: '51.00' });
  await publish(before);
  const next = smallCatalog();
  next.products = next.products.filter(({ id }) => id !== 101);
  const send = S3Client.prototype.send;
  // The job's first call reads the pointer.
  vi.spyOn(S3Client.prototype, 'send').mockImplementationOnce(async function (this: S3Client, ...call) {
    const answer = await Reflect.apply(send, this, call);
    await publishRecords(next);
    setClock(new Date(now().getTime() + 31_000));
    return answer;
  });
  await expect(watchCatalog()).resolves.toBeUndefined();
  vi.restoreAllMocks();
});

it('a limit counts the orders with a coupon from its publication on, and each gives back what it took', async () => {
  const publishCoupon = (more: object) =>
    publish({ ...smallCatalog(), coupons: [{ id: 7, code: 'CINCO', value: 5, ...more }] });
  const order = async (name: string) => {
    const { id, discount } = await server.placeOrder(`${name}@example.mx`, { details: details(102), coupon: 'cinco' });
    return { id, discount, path: `/api/orders/${id}/` };
  };
  const cancel = ({ path }: { readonly path: string }) =>
    server.asEmployee('PATCH', path, { order_status: 'cancelled' });
  const count = async () => (await openTable().get(couponCounterKey(server.client.id, 7)))?.redemptions;
  const shown = async () => {
    const { out } = await operate('pipe', 'catalog', 'coupons', '--client', String(server.client.id), '--json');
    const [coupon] = JSON.parse(out).coupons;
    return [coupon.redeemed, coupon.max_redemptions];
  };
  await publishCoupon({});
  const before = await order('sin-limite');
  expect([before.discount, await count(), await shown()]).toEqual(['5.00', undefined, [null, null]]);

  await publishCoupon({ max_redemptions: 1 });
  const [first, second] = [await order('uno'), await order('dos')];
  expect([first.discount, second.discount, await count(), await shown()]).toEqual(['5.00', '0.00', 1, [1, 1]]);
  await cancel(before);
  expect(await count()).toBe(1);

  await publishCoupon({ max_redemptions: 2 });
  const [third, fourth] = [await order('dos'), await order('tres')];
  expect([third.discount, fourth.discount, await count()]).toEqual(['5.00', '0.00', 2]);
  // A change of products keeps the coupon that the order holds.
  const kept = await server.asEmployee('PATCH', third.path, { details: [{ product: 102, quantity: 2 }] });
  expect([kept.body.discount, await count()]).toEqual(['5.00', 2]);

  await publishCoupon({});
  const unlimited = await order('cuatro');
  await cancel(first);
  await cancel(unlimited);
  expect([unlimited.discount, await count()]).toEqual(['5.00', 1]);

  // The code is that of another coupon now.
  await publishCoupon({ id: 8 });
  const changed = await server.asEmployee('PATCH', third.path, { details: details(102) });
  expect([changed.body.coupon, await count()]).toEqual([null, 0]);
});
