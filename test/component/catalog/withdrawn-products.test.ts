import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { activateVersion } from '../../../shared/catalog/publish/publish.ts';
import { listPublishedVersions, readPointer } from '../../../shared/catalog/publish/versions.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { catalogConfig } from '../../../shared/runtime/config.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await openTestServer({ environment: { CATALOG_BUCKET: 'withdrawn-products' } });
  await publishRecords(smallCatalog());
  token = await server.login('aseguradora@demo.example');
});
afterAll(() => server.close());
afterEach(() => setClock());

const details = (...products: number[]) => products.map((product) => ({ product, quantity: 1 }));
const ask = (method: string, path: string, body?: object) =>
  server.request(method, path, { token, ...(body && { body }) });

it('an order shows a withdrawn product as last published, and nothing else finds it', async () => {
  const { body: product } = await ask('GET', '/api/products/101/');
  const { body: order } = await ask(
    'POST',
    '/api/orders/resources/',
    orderBody('retira@example.mx', { details: details(101, 102) }),
  );
  expect(order.details[0].product).toEqual(product);

  const records = smallCatalog();
  records.products = records.products.filter(({ id }) => id !== 101);
  await publishRecords(records);
  await serveLatestCatalog();
  const path = `/api/orders/${order.id}/`;
  const [withdrawn, published] = (await ask('GET', path)).body.details;
  expect(withdrawn.product).toEqual({ ...product, is_active: false });
  expect(published.product.is_active).toBe(true);
  expect((await ask('GET', '/api/products/101/')).status).toBe(404);
  expect((await ask('GET', '/api/products/?id__in=101')).body.count).toBe(0);
  const unknown = { details: [{ product: ['El producto 101 no existe.'] }] };
  expect((await ask('POST', '/api/orders/calculate/', { details: details(101) })).body).toEqual(unknown);
  expect((await ask('PATCH', path, { details: details(101) })).body).toEqual(unknown);
  const again = await ask('POST', '/api/orders/resources/', orderBody('retira@example.mx', { details: details(101) }));
  expect([again.status, again.body]).toEqual([400, { order: unknown }]);

  const bucket = { s3: new S3Client({ forcePathStyle: true }), name: catalogConfig().CATALOG_BUCKET };
  const { current, versions } = await listPublishedVersions(bucket);
  const read = await readPointer(bucket);
  const first = versions.find(({ version }) => version !== current)?.version ?? '';
  expect(await activateVersion({ version: first, read, bucket, now: new Date() })).toBe('activated');
  bucket.s3.destroy();
  await serveLatestCatalog();
  expect((await ask('GET', path)).body.details[0].product).toEqual(product);
  expect((await ask('POST', '/api/orders/calculate/', { details: details(101) })).status).toBe(201);
});

it('an order shows its own copy of a product that no published version knows', async () => {
  const records = smallCatalog();
  records.products.push({ ...records.products[0], id: 109, ean_key: '7501000000098', price: '12.50' });
  await publishRecords(records);
  await serveLatestCatalog();
  const { body: order } = await ask(
    'POST',
    '/api/orders/resources/',
    orderBody('regresa@example.mx', { details: details(109) }),
  );
  const bucket = { s3: new S3Client({ forcePathStyle: true }), name: catalogConfig().CATALOG_BUCKET };
  const { current, versions } = await listPublishedVersions(bucket);
  const read = await readPointer(bucket);
  const older = versions.find(({ version }) => version !== current)?.version ?? '';
  expect(await activateVersion({ version: older, read, bucket, now: new Date() })).toBe('activated');
  bucket.s3.destroy();
  await serveLatestCatalog();
  const [line] = (await ask('GET', `/api/orders/${order.id}/`)).body.details;
  expect(line.product).toMatchObject({
    id: 109,
    name: 'Ácido fólico 5 mg',
    price: '12.50',
    is_active: false,
    base: null,
  });
});
