import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { DEMO_CATALOG, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { useServer } from '../../support/servers/test-server.ts';

// The list of products as clients read it: pages, caching, facets, spelling, and after another version is published.
const PATH = '/api/products/';
const server = useServer({ settings: { CATALOG_BUCKET: 'products-list' } });
beforeAll(async () => {
  await publishToTestServer(DEMO_CATALOG);
});
afterEach(() => setClock());

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

  it('shows a product as the interface says, and nothing more', async () => {
    const { body } = await ask('?id__in=1');
    expect(body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: 1,
          presentation: 'Caja con 20 tabletas',
          base: {
            id: 1,
            name: 'Paracetamol 500 mg',
            pharmaceutical_company: { id: 1, name: 'Genéricos Solmar' },
            category: { id: 1, name: 'Analgésicos' },
            tags: [
              {
                id: 1,
                name: 'Genérico',
                created_at: '2026-01-05T14:00:00.000Z',
                updated_at: '2026-03-02T14:00:00.000Z',
              },
            ],
            medical_information: {
              active_ingredient: 'Paracetamol',
              is_generic: true,
              group_number: 6,
              requires_prescription: false,
            },
          },
          created_at: '2026-01-12T14:00:00.000Z',
          updated_at: '2026-06-08T14:00:00.000Z',
          price: '28.50',
          is_active: true,
          has_shortage: false,
          ean_key: '7509999000013',
          default_image: 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png',
          name_slug: 'paracetamol-500-mg-caja-con-20-tabletas',
        },
      ],
    });
  });

  it('shows the default image of the album, else its first, else that of the product, else none', async () => {
    const { body } = await ask('?id__in=1,127,130,131&ordering=created_at');
    const images = Object.fromEntries(
      body.results.map((one: { id: number; default_image: string }) => [one.id, one.default_image]),
    );
    expect(images).toEqual({
      1: 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png',
      127: 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png',
      130: 'https://images.demo.example/fdff9d103db6764c3de276113637e4af.png',
      131: null,
    });
  });

  it('shows products as inactive that were published so, or may not be sold online by law', async () => {
    // 14, 109 and 110 are of fraction II; the folder itself calls all three active.
    expect(await idsOfAll('is_active=false&ordering=price')).toEqual([51, 132, 59, 109, 14, 110]);
    expect(await idsOfAll('is_active=true&id__in=13,14,108,109,110,111')).toEqual([108, 13, 111]);
  });
});

// `unit/catalog/queries` has what each filter, search and order finds.
describe('a filter of the list of products', () => {
  it.each([
    ['base__category=9', [41, 44, 43, 46, 42, 45]],
    ['base__pharmaceutical_company=10', [135, 134, 133]],
    ['base__diseases=39', [41, 128, 44, 43, 46, 42, 45]],
    ['min_price=48900.00E-2', [128, 62, 127, 45]],
    ['id__in=0,-1,1,999,999999999999999999999', [1]],
    ['ean_key__in=7509999000013,%207509999000020%20,1,', [2, 1]],
    ['base__category=12&has_shortage=false&max_price=46', [70, 77, 72, 64, 71]],
  ])('%s', async (query, ids) => {
    expect(await idsOfAll(query)).toEqual(ids);
  });
});

describe('a search of products', () => {
  it.each([
    ['search=  500   AMOXICILINA ', [15, 18]],
    ['search=ÁCIDO', [11, 10, 17, 118]],
    ['search=9999000013', [1]],
    ['search=Solmar', []],
    ['search=aspirina&search_all=true', [11, 10]],
    ['search=Solmar naproxeno&search_all=true', [5]],
    ['search=aspirina&search_all=false', []],
  ])('%s', async (query, ids) => {
    expect(await idsOfAll(encodeURI(query))).toEqual(ids);
  });
});

describe('facets of the list of products', () => {
  it('count for the list as searched, the same on every page', async () => {
    const pages = await Promise.all(
      [1, 3].map((page) => ask(`?search=amoxicilina&facets=base__diseases&limit=1&page=${page}`)),
    );
    for (const { body } of pages) {
      expect(body.facets).toEqual({
        base__diseases: [
          { id: 15, name: 'Faringitis bacteriana', count: 3 },
          { id: 16, name: 'Otitis media', count: 3 },
          { id: 17, name: 'Sinusitis', count: 2 },
          { id: 18, name: 'Bronquitis bacteriana', count: 1 },
          { id: 19, name: 'Infección de vías urinarias', count: 1 },
        ],
      });
    }
    const next = new URL(pages[0]?.body.next);
    expect(next.searchParams.get('facets')).toBe('base__diseases');
  });

  it('have an ETag of their own, and leave the rest of the answer as it is', async () => {
    const [plain, blank, counted] = [
      await ask('?limit=2'),
      await ask('?limit=2&facets='),
      await ask('?limit=2&facets=base__category'),
    ];
    expect([Object.keys(plain.body), Object.keys(blank.body)]).toEqual([
      ['count', 'next', 'previous', 'results'],
      ['count', 'next', 'previous', 'results'],
    ]);
    expect(Object.keys(counted.body)).toEqual(['count', 'next', 'previous', 'results', 'facets']);
    expect(counted.body.results).toEqual(plain.body.results);
    const etag = String(counted.headers.etag);
    expect(etag).not.toBe(plain.headers.etag);
    expect((await ask('?limit=2&facets=base__category', { 'If-None-Match': etag })).status).toBe(304);
  });
});

// `catalog/spelling` has what becomes of which words.
describe('the spelling of a search', () => {
  it.each([
    ['search=amoxisilina', 0, 'amoxicilina'],
    ['search=paracetmol&base__category=1', 0, 'paracetamol'],
    ['search=paracetmol&base__category=4', 0, null],
    ['search=amoxi', 4, null],
    ['search=solmarr&search_all=true', 0, null],
  ])('of %s', async (query, count, suggested) => {
    const { body } = await ask(`?spelling=true&${query}`);
    expect([body.count, body.did_you_mean]).toEqual([count, suggested]);
  });

  it('is in the body only if it is asked for', async () => {
    const keys = async (query: string) => Object.keys((await ask(`?search=paracetmol${query}`)).body);
    const plain = ['count', 'next', 'previous', 'results'];
    expect(await keys('')).toEqual(plain);
    expect(await keys('&spelling=false')).toEqual(plain);
    expect(await keys('&spelling=1')).toEqual([...plain, 'did_you_mean']);
    expect(await keys('&spelling=true&facets=base__category')).toEqual([...plain, 'did_you_mean', 'facets']);
    expect(await keys('&spelling=true&cursor=')).toEqual([...plain, 'did_you_mean']);
  });
});

describe('a new version of the catalog', () => {
  it('is shown after 30 s, with new ETags where the content differs', async () => {
    const before = [await ask('?id__in=1'), await ask('?id__in=2')];
    const folder = await mkdtemp(join(tmpdir(), 'products-list-'));
    await cp(DEMO_CATALOG, folder, { recursive: true });
    const products = await readFile(join(folder, 'products.jsonl'), 'utf8');
    await writeFile(join(folder, 'products.jsonl'), products.replace('"price":"28.50"', '"price":"28.51"'));
    await publishToTestServer(folder);
    await rm(folder, { recursive: true });
    await serveLatestCatalog();

    const held = String(before[0]?.headers.etag);
    const changed = await ask('?id__in=1', { 'If-None-Match': held });
    expect([changed.status, changed.body.results[0].price]).toEqual([200, '28.51']);
    expect(changed.headers.etag).not.toBe(held);
    const same = await ask('?id__in=2', { 'If-None-Match': String(before[1]?.headers.etag) });
    expect(same.status).toBe(304);
  });
});
