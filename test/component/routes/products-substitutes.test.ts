import { beforeAll, describe, expect, it } from 'vitest';
import { toBarcode } from '../../support/catalogs/barcodes.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { idsOf } from '../../support/orders/list-rules.ts';
import { useServer } from '../../support/servers/test-server.ts';

const medicine = (id: number, active_ingredient: string) => ({
  ...smallCatalog().bases[0],
  id,
  name: `Base ${id}`,
  sanitary_fraction: 'IV',
  medical_information: { active_ingredient, is_generic: true, group_number: 4, requires_prescription: true },
});
const sold = (id: number, base: number, price: string) => ({
  ...smallCatalog().products[0],
  id,
  base,
  price,
  presentation: id === 205 ? 'Caja con 10 tabletas' : 'Caja con 20 tabletas',
  ean_key: toBarcode(id),
});

const server = useServer({ settings: { CATALOG_BUCKET: 'products-substitutes' } });
beforeAll(async () => {
  const records = smallCatalog();
  records.bases.push(medicine(20, 'Losartán e hidroclorotiazida'), medicine(21, 'HIDROCLOROTIAZIDA + losartan'));
  records.products.push(
    sold(201, 20, '100.00'),
    sold(202, 20, '120.50'),
    sold(203, 21, '80.10'),
    sold(204, 21, '80.10'),
    sold(205, 21, '99.99'),
  );
  await publishRecords(records);
});

const ask = (id: number | string, query = '', headers: Record<string, string> = {}) =>
  server.request('GET', `/api/products/${id}/substitutes/${query}`, { headers });
const follow = (url: string) => server.request('GET', url.slice(server.url.length));

describe('the substitutes of a product', () => {
  it('have the same ingredients, cheapest first, each with the saving', async () => {
    const { status, body } = await ask(201);
    expect([status, body.count, body.next, body.previous]).toEqual([200, 4, null, null]);
    expect(body.results.map((one: { id: number; saving: string }) => [one.id, one.saving])).toEqual([
      [203, '19.90'],
      [204, '19.90'],
      [205, '-99.98'],
      [202, '-20.50'],
    ]);
  });

  it('are shown as in the list of products', async () => {
    const [shown] = (await ask(201, '?limit=1')).body.results;
    const [listed] = (await server.request('GET', '/api/products/?id__in=203')).body.results;
    expect(shown).toEqual({ ...listed, saving: '19.90' });
  });

  it('can be read to their end by cursor, which is of no other product', async () => {
    const first = await ask(201, '?cursor=&limit=1');
    const second = await follow(first.body.next);
    const last = await follow(second.body.next.replace('limit=1', 'limit=9'));
    expect([first, second, last].flatMap(idsOf)).toEqual([203, 204, 205, 202]);
    expect([last.body.count, last.body.next, last.body.previous]).toEqual([4, null, null]);
    const other = await follow(first.body.next.replace('/201/', '/202/'));
    expect([other.status, Object.keys(other.body)]).toEqual([400, ['cursor']]);
  });

  it('are not found of a product that does not exist, and beyond their last page', async () => {
    const answers = [
      await ask(99_999),
      await ask(99_999, '?cursor='),
      await ask(201, '?page=2'),
      await ask(101, '?page=2'),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(Array(4).fill('not_found'));
    expect((await ask(101)).body).toEqual({ count: 0, next: null, previous: null, results: [] });
  });

  it('may be cached for 30 s, and are answered with 304 when the ETag matches', async () => {
    const { headers } = await ask(201);
    const same = await ask(201, '', { 'If-None-Match': String(headers.etag) });
    expect([headers['cache-control'], same.status, same.body]).toEqual(['private, max-age=30', 304, '']);
    expect((await ask(202)).headers.etag).not.toBe(headers.etag);
  });
});
