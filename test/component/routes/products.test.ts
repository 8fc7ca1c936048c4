import { appendFile, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { setStock } from '../../../shared/stock/keep-stock.ts';
import { toBarcode } from '../../support/catalogs/small-catalog.ts';
import { DEMO_CATALOG, publishToTestServer, serveLatestCatalog } from '../../support/engines/catalog-bucket.ts';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// Products as clients read them: lists with facets and spelling, one in full, its stock, its substitutes, and the next version of
// the catalog. `unit/catalog` has what filters, searches and orders find, `docs/openapi-examples` every field of an answer.

const PATH = '/api/products/';
const server = useServer({ settings: { CATALOG_BUCKET: 'products' } });
beforeAll(() => publishToTestServer(DEMO_CATALOG));

const ask = (query: string, headers: Record<string, string> = {}) => server.request('GET', PATH + query, { headers });
const idsOfAll = async (query: string) => {
  const answer = await ask(`?limit=100&${query}`);
  expect([answer.status, answer.body.count]).toEqual([200, answer.body.results.length]);
  return idsOf(answer);
};

describe('the list of products', () => {
  followsTheRulesOfLists({
    server: () => server,
    path: PATH,
    latest: [63, 125, 52, 114, 41, 103, 30, 92, 19, 81, 8, 70, 132, 59, 121, 48, 110, 37, 99, 26, 88, 15, 77, 4, 66],
    fields: ['created_at', 'updated_at', 'base__name', 'price'],
  });

  it('shows the default image of the album, else its first, else that of the product, else none', async () => {
    const { results } = (await ask('?id__in=1,127,130,131&ordering=created_at')).body;
    const images = results.map((one: { id: number; default_image: string }) => [one.id, one.default_image]);
    const front = 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png';
    expect(Object.fromEntries(images)).toEqual({ 1: front, 127: front, 130: front, 131: null });
  });

  it.each([
    // 14, 109 and 110 are of fraction II; the folder itself calls all three active.
    ['is_active=false&ordering=price', [51, 132, 59, 109, 14, 110]],
    ['base__category=12&has_shortage=false&max_price=46', [70, 77, 72, 64, 71]],
    ['base__diseases=39', [41, 128, 44, 43, 46, 42, 45]],
    ['id__in=0,-1,1,999,999999999999999999999', [1]],
    ['ean_key__in=7509999000013, 7509999000020 ,1,', [2, 1]],
    ['search=Solmar naproxeno&search_all=true', [5]],
  ])('finds %s', async (query, ids) => {
    expect(await idsOfAll(encodeURI(query))).toEqual(ids);
  });

  it('has facets of the list as searched, the same on every page, beside its results', async () => {
    for (const page of [1, 3]) {
      const { body } = await ask(`?search=amoxicilina&facets=base__diseases&limit=1&page=${page}`);
      expect(body.facets).toEqual({
        base__diseases: [
          { id: 15, name: 'Faringitis bacteriana', count: 3 },
          { id: 16, name: 'Otitis media', count: 3 },
          { id: 17, name: 'Sinusitis', count: 2 },
          { id: 18, name: 'Bronquitis bacteriana', count: 1 },
          { id: 19, name: 'Infección de vías urinarias', count: 1 },
        ],
      });
      const other = new URL(body.next ?? body.previous).searchParams;
      expect(other.get('facets')).toBe('base__diseases');
    }
    const [plain, counted] = [await ask('?limit=2'), await ask('?limit=2&facets=base__category')];
    expect(counted.body.results).toEqual(plain.body.results);
    const etag = String(counted.headers.etag);
    expect(etag).not.toBe(plain.headers.etag);
    expect((await ask('?limit=2&facets=base__category', { 'If-None-Match': etag })).status).toBe(304);
  });

  it.each([
    ['search=amoxisilina', 0, 'amoxicilina'],
    ['search=paracetmol&base__category=1', 0, 'paracetamol'],
    ['search=paracetmol&base__category=4', 0, null],
    ['search=amoxi', 4, null],
    ['search=solmarr&search_all=true', 0, null],
  ])('corrects the spelling of %s', async (query, count, suggested) => {
    const { body } = await ask(`?spelling=true&${query}`);
    expect([body.count, body.did_you_mean]).toEqual([count, suggested]);
  });

  it('has only the parts that are asked for', async () => {
    const added = async (query: string) => Object.keys((await ask(`?search=paracetmol${query}`)).body).slice(4);
    expect(await added('&facets=&spelling=false')).toEqual([]);
    expect(await added('&spelling=true&facets=base__category')).toEqual(['did_you_mean', 'facets']);
    expect(await added('&spelling=1&cursor=')).toEqual(['did_you_mean']);
  });
});

describe('a product', () => {
  it('can be cached for 30 s, and is 304 for its ETag, with and without the slash', async () => {
    const { headers } = await ask('1/');
    expect(headers['cache-control']).toBe('private, max-age=30');
    const held = { 'If-None-Match': String(headers.etag) };
    for (const path of ['1/', '1']) expect(await ask(path, held)).toMatchObject({ status: 304, body: '' });
    expect((await ask('2/', held)).status).toBe(200);
    expect((await ask('136/')).headers['cache-control']).toBe('no-store');
  });

  it('shows what it costs the pharmacy to clients that are made to see it', async () => {
    const { client, key } = await server.addClient('Otra');
    await server.addUser(client, 'patient', 'costos@demo.example');
    const token = await server.login('costos@demo.example', key);
    const body = orderBody('costos@demo.example');
    const order = (await server.request('POST', '/api/orders/resources/', { key, token, body })).body;
    const ofOrder = (await server.request('GET', `/api/orders/${order.id}/`, { key, token })).body;
    const product = (await server.request('GET', '/api/products/1/', { key })).body;
    const hidden = { price: '28.50', cost: null, average_cost: null, supplier_products: [] };
    for (const shown of [product, order.details[0].product, ofOrder.details[0].product])
      expect(shown).toMatchObject(hidden);
    expect(product).toEqual({ ...(await ask('1/')).body, ...hidden });
  });

  it('is available as each store counts it, or else by its shortage', async () => {
    const counts = [
      { store: 1, product: 1, quantity: 7 },
      { store: 2, product: 1, quantity: 0 },
    ];
    await setStock(counts, { operator: 'ana', now: new Date() }, table());
    const { status, body, headers } = await ask('1/availability/');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toEqual([
      { store: 1, is_available: true, quantity: 7 },
      { store: 2, is_available: false, quantity: 0 },
      { store: 3, is_available: true, quantity: null },
    ]);
    expect((await ask('129/availability/')).body[2]).toEqual({ store: 3, is_available: false, quantity: null });
    expect((await ask('99999/availability/')).body.code).toBe('not_found');
  });
});

/** Returns the demonstration catalog at another price of product 1, with five products of two ingredients in all. */
async function writeNextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'products-'));
  await cp(DEMO_CATALOG, folder, { recursive: true });
  const [products, bases] = [join(folder, 'products.jsonl'), join(folder, 'bases.jsonl')];
  const text = await readFile(products, 'utf8');
  await writeFile(products, text.replace('"price":"28.50"', '"price":"28.51"'));
  const [base, product] = [await readFile(bases, 'utf8'), text].map((lines) => JSON.parse(lines.split('\n')[0] ?? ''));
  const append = (file: string, records: readonly object[]) =>
    appendFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const ingredients: [number, string][] = [
    [920, 'Losartán e hidroclorotiazida'],
    [921, 'HIDROCLOROTIAZIDA + losartan'],
  ];
  const medical = { is_generic: true, group_number: 4, requires_prescription: true };
  const information = (active_ingredient: string) => ({ medical_information: { active_ingredient, ...medical } });
  await append(
    bases,
    ingredients.map(([id, names]) => ({ ...base, id, sanitary_fraction: 'IV', ...information(names) })),
  );
  const sold: [id: number, base: number, price: string, presentation: string][] = [
    [901, 920, '100.00', 'Caja con 20 tabletas'],
    [902, 920, '120.50', 'Caja con 20 tabletas'],
    [903, 921, '80.10', 'Caja con 20 tabletas'],
    [904, 921, '80.10', 'Caja con 20 tabletas'],
    [905, 921, '99.99', 'Caja con 10 tabletas'],
  ];
  await append(
    products,
    sold.map(([id, base, price, presentation]) => ({
      ...{ ...product, id, base, price, presentation, ean_key: toBarcode(id) },
      ...{ album: undefined, supplier_products: [], product_variants: [] },
    })),
  );
  return folder;
}

describe('the next version of the catalog', () => {
  let before: string[];
  beforeAll(async () => {
    before = (await Promise.all([1, 2].map((id) => ask(`?id__in=${id}`)))).map(({ headers }) => String(headers.etag));
    await publishToTestServer(await writeNextVersion());
    await serveLatestCatalog();
  });

  it('is shown after 30 s, with new ETags where the content differs', async () => {
    const changed = await ask('?id__in=1', { 'If-None-Match': before[0] ?? '' });
    expect([changed.status, changed.body.results[0].price]).toEqual([200, '28.51']);
    expect((await ask('?id__in=2', { 'If-None-Match': before[1] ?? '' })).status).toBe(304);
  });

  const follow = (url: string) => server.request('GET', url.slice(server.url.length));

  it('has substitutes with the same ingredients, cheapest first, each as it is listed and with the saving', async () => {
    const { status, body, headers } = await ask('901/substitutes/');
    expect([status, body.count, headers['cache-control']]).toEqual([200, 4, 'private, max-age=30']);
    expect(body.results.map((one: { id: number; saving: string }) => [one.id, one.saving])).toEqual([
      [903, '19.90'],
      [904, '19.90'],
      [905, '-99.98'],
      [902, '-20.50'],
    ]);
    expect(body.results[0]).toEqual({ ...(await ask('?id__in=903')).body.results[0], saving: '19.90' });
  });

  it('has substitutes that can be read to their end by cursor, which is of no other product', async () => {
    const first = await ask('901/substitutes/?cursor=&limit=1');
    const second = await follow(first.body.next);
    const last = await follow(second.body.next.replace('limit=1', 'limit=9'));
    expect([first, second, last].flatMap(idsOf)).toEqual([903, 904, 905, 902]);
    expect([last.body.count, last.body.next]).toEqual([4, null]);
    const other = await follow(first.body.next.replace('/901/', '/902/'));
    expect([other.status, Object.keys(other.body)]).toEqual([400, ['cursor']]);
    for (const path of ['99999/substitutes/', '99999/substitutes/?cursor=', '901/substitutes/?page=2'])
      expect((await ask(path)).body.code).toBe('not_found');
  });
});
