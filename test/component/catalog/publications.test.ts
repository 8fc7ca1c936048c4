import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { handler as watchCatalog } from '../../../functions/jobs/watch-catalog.ts';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { activateVersion } from '../../../shared/catalog/publishing/publish.ts';
import { listPublishedVersions } from '../../../shared/catalog/publishing/versions.ts';
import { catalogBucket } from '../../../shared/deps.ts';
import { now, setClock } from '../../../shared/runtime/clock.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// A publication withdraws products that orders hold, and comes while a job reads the catalog.

const server = useServer({ settings: { CATALOG_BUCKET: 'publications' } });
let token: string;
beforeAll(async () => {
  await publishRecords(smallCatalog());
  token = await server.login('aseguradora@demo.example');
});
afterEach(() => setClock());

const details = (...products: number[]) => products.map((product) => ({ product, quantity: 1 }));
const ask = (method: string, path: string, body?: object) =>
  server.request(method, path, { token, ...(body && { body }) });

const place = async (...products: number[]) =>
  (await ask('POST', '/api/orders/resources/', orderBody('retira@example.mx', { details: details(...products) }))).body;

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
  const { body: product } = await ask('GET', '/api/products/101/');
  const order = await place(101, 102);
  expect(order.details[0].product).toEqual(product);

  const records = smallCatalog();
  records.products = records.products.filter(({ id }) => id !== 101);
  await publish(records);
  const path = `/api/orders/${order.id}/`;
  const [withdrawn, published] = (await ask('GET', path)).body.details;
  expect(withdrawn.product).toEqual({ ...product, is_active: false });
  expect(published.product.is_active).toBe(true);
  expect((await ask('GET', '/api/products/101/')).status).toBe(404);
  expect((await ask('GET', '/api/products/?id__in=101')).body.count).toBe(0);
  const unknown = { details: [{ product: ['El producto 101 no existe.'] }] };
  expect((await ask('POST', '/api/orders/calculate/', { details: details(101) })).body).toEqual(unknown);
  expect((await ask('PATCH', path, { details: details(101) })).body).toEqual(unknown);
  expect(await place(101)).toEqual({ order: unknown });

  await activateOlder();
  expect((await ask('GET', path)).body.details[0].product).toEqual(product);
  expect((await ask('POST', '/api/orders/calculate/', { details: details(101) })).status).toBe(201);
});

it('an order shows its own copy of a product that no published version knows', async () => {
  const records = smallCatalog();
  records.products.push({ ...records.products[0], id: 109, ean_key: '7501000000098', price: '12.50' });
  await publish(records);
  const order = await place(109);
  await activateOlder();
  const [line] = (await ask('GET', `/api/orders/${order.id}/`)).body.details;
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
