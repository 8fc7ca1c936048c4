import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { DEMO_CATALOG, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/products/';
// biome-ignore format: one long list of ids
const NEWEST_FIRST = [
  63, 125, 52, 114, 41, 103, 30, 92, 19, 81, 8, 70, 132, 59, 121, 48, 110, 37, 99, 26,
  88, 15, 77, 4, 66, 128, 55, 117, 44, 106, 33, 95, 22, 84, 11, 73, 135, 62, 124, 51,
  113, 40, 102, 29, 91, 18, 80, 7, 69, 131, 58, 120, 47, 109, 36, 98, 25, 87, 14, 76,
  3, 65, 127, 54, 116, 43, 105, 32, 94, 21, 83, 10, 72, 134, 61, 123, 50, 112, 39, 101,
  28, 90, 17, 79, 6, 68, 130, 57, 119, 46, 108, 35, 97, 24, 86, 13, 75, 2, 64, 126,
  53, 115, 42, 104, 31, 93, 20, 82, 9, 71, 133, 60, 122, 49, 111, 38, 100, 27, 89, 16,
  78, 5, 67, 129, 56, 118, 45, 107, 34, 96, 23, 85, 12, 74, 1,
];

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ environment: { CATALOG_BUCKET: 'products-list' } });
  await publishToTestServer(DEMO_CATALOG);
});
afterAll(() => server.close());
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
    ids: NEWEST_FIRST,
    fields: 'created_at, updated_at, base__name, price',
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
          default_image: 'https://images.demo.example/products/7509999000013.webp',
          name_slug: 'paracetamol-500-mg-caja-con-20-tabletas',
        },
      ],
    });
  });

  it('shows a product that is no medicine without medical information and tags', async () => {
    const [gauze] = (await ask('?id__in=131')).body.results;
    expect(gauze.base).toMatchObject({ name: 'Gasa estéril 10 x 10 cm', tags: [], medical_information: null });
    expect(gauze.name_slug).toBe('gasa-esteril-10-x-10-cm-caja-con-10-sobres');
  });

  it('shows the default image of the album, else its first, else that of the product, else none', async () => {
    const { body } = await ask('?id__in=1,127,130,131&ordering=created_at');
    const images = Object.fromEntries(
      body.results.map((one: { id: number; default_image: string }) => [one.id, one.default_image]),
    );
    expect(images).toEqual({
      1: 'https://images.demo.example/products/7509999000013.webp',
      127: 'https://images.demo.example/products/7509999001270-frente.webp',
      130: 'https://images.demo.example/products/7509999001300.webp',
      131: null,
    });
  });

  it('shows products as inactive that were published so, or may not be sold online by law', async () => {
    // 14, 109 and 110 are of fraction II; the folder itself calls all three active.
    expect(await idsOfAll('is_active=false&ordering=price')).toEqual([51, 132, 59, 109, 14, 110]);
    expect(await idsOfAll('is_active=true&id__in=13,14,108,109,110,111')).toEqual([108, 13, 111]);
  });
});

describe('a filter of the list of products', () => {
  it.each([
    ['base__category=9', [41, 44, 43, 46, 42, 45]],
    ['base__category=30', []],
    ['base__category=999', []],
    ['base__category=-1', []],
    ['base__category=999999999999999999999', []],
    ['base__category=-999999999999999999999', []],
    ['base__pharmaceutical_company=10', [135, 134, 133]],
    ['base__pharmaceutical_company=11', []],
    ['base__diseases=39', [41, 128, 44, 43, 46, 42, 45]],
    ['base__diseases=94', []],
    ['has_shortage=true', [73, 97, 89, 16, 129, 45]],
    ['min_price=489', [128, 62, 127, 45]],
    ['min_price=489.00', [128, 62, 127, 45]],
    ['min_price=489.01', [62, 127, 45]],
    ['min_price=489.000001', [62, 127, 45]],
    ['max_price=28.5', [70, 77, 55, 72, 118, 1]],
    ['max_price=28.499999', [70, 77, 55, 72, 118]],
    ['max_price=28.509999', [70, 77, 55, 72, 118, 1]],
    ['max_price=-1', []],
    ['min_price=4.89e2', [128, 62, 127, 45]],
    ['min_price=48900.00E-2', [128, 62, 127, 45]],
    ['min_price=1e400', []],
    ['max_price=-0', []],
    ['max_price=1e-400', []],
    ['min_price=9999999999999999', []],
    ['min_price=98&max_price=98', [11, 43, 112, 126, 89]],
    ['min_price=98&max_price=97', []],
    ['id__in=3,1,2', [3, 2, 1]],
    ['id__in=1,1,1', [1]],
    ['id__in=', []],
    ['id__in=%20', []],
    ['id__in=%201%20,%202%20', [2, 1]],
    ['id__in=0,-1,1,999,999999999999999999999', [1]],
    ['ean_key__in=7509999000013', [1]],
    ['ean_key__in=7509999000013,%207509999000020%20,1,', [2, 1]],
    ['ean_key__in=07509999000013', [1]],
    ['ean_key__in=750999900001', []],
    ['ean_key__in=', []],
  ])('%s', async (query, ids) => {
    expect(await idsOfAll(query)).toEqual(ids);
  });

  it.each([
    ['true', 129],
    ['TRUE', 129],
    ['True', 129],
    ['1', 129],
    ['false', 6],
    ['False', 6],
    ['FALSE', 6],
    ['0', 6],
  ])('is_active=%s is understood', async (flag, count) => {
    expect((await ask(`?is_active=${flag}`)).body.count).toBe(count);
  });

  it('has_shortage=false leaves available products', async () => {
    for (const flag of ['false', '0', 'FALSE']) {
      expect((await ask(`?has_shortage=${flag}`)).body.count).toBe(129);
    }
    expect((await ask('?has_shortage=false&is_active=true')).body.count).toBe(123);
  });

  it.each([
    ['base__category=4&base__pharmaceutical_company=1', [15, 21, 23]],
    ['base__category=12&has_shortage=false&max_price=46', [70, 77, 72, 64, 71]],
    ['base__category=12&has_shortage=true', [73]],
    ['base__diseases=39&base__pharmaceutical_company=9', [128]],
    ['base__category=9&search=insulina', [46]],
    ['search=amoxicilina&id__in=15,17,1&ordering=-price', [17, 15]],
    ['is_active=true&id__in=132,59,1', [1]],
    ['ean_key__in=7509999000013,7509999000020&id__in=2,3', [2]],
  ])('together with others: %s', async (query, ids) => {
    expect(await idsOfAll(query)).toEqual(ids);
  });

  const boolean = ['Debe ser true o false.', 'It must be true or false.'] as const;
  const integer = ['Debe ser un número entero.', 'It must be an integer.'] as const;
  const decimal = ['Debe ser un número decimal.', 'It must be a decimal number.'] as const;
  const integers = [
    'Deben ser números enteros separados por comas.',
    'They must be integers separated by commas.',
  ] as const;
  it.each([
    ...['yes', 'sí', '2', '', 'null', 'true ', 'on', '[true]'].map((value) => ['is_active', value, boolean] as const),
    ...['no', 'FALSO', '01'].map((value) => ['has_shortage', value, boolean] as const),
    ...['x', '', '1.5', '1,2', ' 1', '1e3', '0x1'].map((value) => ['base__category', value, integer] as const),
    ...['abc', 'null'].map((value) => ['base__diseases', value, integer] as const),
    ...['Genéricos', '1;2'].map((value) => ['base__pharmaceutical_company', value, integer] as const),
    ...['x', '', '1,5', '$10', '1e', 'NaN', '.', '-', '--1'].map((value) => ['min_price', value, decimal] as const),
    ...['Infinity', '0x10', '1 000'].map((value) => ['max_price', value, decimal] as const),
    ...[',', '1,', ',1', '1,,2', '1;2', '1 2', '--1', 'a', '1.5'].map((value) => ['id__in', value, integers] as const),
  ])('%s=%s is refused in both languages', async (name, value, [spanish, english]) => {
    const query = `?${name}=${encodeURIComponent(value)}`;
    const answers = [await ask(query), await ask(query, { 'Accept-Language': 'en' })];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, { [name]: [spanish] }],
      [400, { [name]: [english] }],
    ]);
  });

  it('that is a list of values may come in parts; of others the last counts', async () => {
    expect((await idsOfAll('id__in=1&id__in=2')).sort()).toEqual([1, 2]);
    expect(await idsOfAll('is_active=x&is_active=true&id__in=1')).toEqual([1]);
  });
});

describe('a search of products', () => {
  it.each([
    ['acido', [10, 11, 17, 118]],
    ['ÁCIDO', [10, 11, 17, 118]],
    ['cido', [10, 11, 17, 118]],
    ['amoxicilina', [15, 16, 17]],
    ['  500   AMOXICILINA ', [15]],
    ['amoxicilina amoxicilina', [15, 16, 17]],
    ['fólico ácido', [118]],
    ['insulina paracetamol', []],
    ['mg/ml', [2]],
    ['7509999000013', [1]],
    ['9999000013', [1]],
    ['99990013', [130, 131, 132, 133, 134, 135]],
    ['99990013 gasa', [131]],
    ['paracetamol 990000', [1, 2]],
    ['paracetamol 0000', []],
    ['07509999000013', [1]],
    ['sertralina 50', [106]],
    ['sertralina 10', []],
    ['enalapril 10mg', [50]],
    ['enalapril 5', []],
    ['digoxina 0,25', [63]],
    ['digoxina 25', []],
    ['complejo b', [120]],
    ['´', []],
    ['+ /', []],
  ])('%j', async (words, ids) => {
    expect(await idsOfAll(`ordering=updated_at&search=${encodeURIComponent(words)}`)).toHaveLength(ids.length);
    const found = await idsOfAll(`search=${encodeURIComponent(words)}`);
    expect(found.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it.each(['Solmar', 'tabletas', 'Caja', 'Analgésicos', 'Fiebre', 'sertralina de clorhidrato'])(
    'looks at names and barcodes alone: %j',
    async (words) => {
      expect(await idsOfAll(`search=${encodeURIComponent(words)}`)).toEqual([]);
    },
  );
});

describe('a search of products in all fields', () => {
  it.each([
    ['ibuprofeno tabletas', [3, 4]],
    ['ibuprofeno 10 tabletas', [3, 4]],
    ['ibuprofeno 1 tabletas', []],
    ['acetaminofén', [1, 2, 83]],
    ['aspirina', [10, 11]],
    ['analgésico 500', [1, 9, 10]],
    ['opioide', [14]],
    ['Solmar naproxeno', [5]],
    ['sertralina 10', []],
    ['99990013 gasa', [131]],
    ['+', []],
  ])('%j', async (words, ids) => {
    const found = await idsOfAll(`search_all=true&search=${encodeURIComponent(words)}`);
    expect(found.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('is asked for, and refused with another value', async () => {
    expect((await ask('?search=aspirina&search_all=false')).body.count).toBe(0);
    const { status, body } = await ask('?search=aspirina&search_all=2');
    expect([status, body]).toEqual([400, { search_all: ['Debe ser true o false.'] }]);
  });
});

describe('facets of the list of products', () => {
  const value = (id: number, name: string, count: number) => ({ id, name, count });

  it('count the values of filters for the list as filtered, each without its own filter', async () => {
    const { facets, ...page } = (
      await ask('?base__category=4&facets=base__pharmaceutical_company,base__category&base__pharmaceutical_company=1')
    ).body;
    expect([page.count, page.results.length]).toEqual([3, 3]);
    expect(Object.keys(facets)).toEqual(['base__pharmaceutical_company', 'base__category']);
    expect(facets.base__pharmaceutical_company).toEqual([
      value(3, 'Farmacéutica Nuvalis', 3),
      value(1, 'Genéricos Solmar', 3),
      value(5, 'Grupo Biosanta', 3),
      value(2, 'Laboratorios Altavera', 2),
      value(6, 'Laboratorios Ceibal', 2),
      value(4, 'Químicos Montelar', 2),
    ]);
    expect(facets.base__category).toHaveLength(18);
    expect(facets.base__category.slice(0, 5)).toEqual([
      value(10, 'Hipertensión', 4),
      value(1, 'Analgésicos', 3),
      value(4, 'Antibióticos', 3),
      value(12, 'Gastrointestinal', 3),
      value(2, 'Antiinflamatorios', 2),
    ]);
  });

  it('count for the list as searched, the same on every page', async () => {
    const pages = await Promise.all(
      [1, 3].map((page) => ask(`?search=amoxicilina&facets=base__diseases&limit=1&page=${page}`)),
    );
    for (const { body } of pages) {
      expect(body.facets).toEqual({
        base__diseases: [
          value(16, 'Otitis media', 3),
          value(15, 'Faringitis bacteriana', 2),
          value(17, 'Sinusitis', 2),
          value(18, 'Bronquitis bacteriana', 1),
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

  const choices = 'base__category, base__pharmaceutical_company, base__diseases';
  const unknown = [`Debe ser uno de: ${choices}.`, `It must be one of: ${choices}.`] as const;
  it.each([
    ['price', unknown],
    ['base__category,', unknown],
    ['BASE__CATEGORY', unknown],
    ['constructor', unknown],
    ['base__category,base__category', ['Cada valor puede estar una sola vez.', 'Each value may stand only once.']],
    ['a,b,c,d', ['Debe tener a lo más 3 elementos.', 'It must have at most 3 elements.']],
  ] as const)('of %j are refused in both languages', async (names, [spanish, english]) => {
    const query = `?facets=${names}`;
    const answers = [await ask(query), await ask(query, { 'Accept-Language': 'en' })];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, { facets: [spanish] }],
      [400, { facets: [english] }],
    ]);
  });
});

describe('the spelling of a search', () => {
  const suggest = async (query: string) => {
    const { body } = await ask(`?spelling=true&${query}`);
    return [body.count, body.did_you_mean];
  };

  it.each([
    ['paracetmol', 'paracetamol'],
    ['amoxisilina', 'amoxicilina'],
    ['ibuprofenoo', 'ibuprofeno'],
    ['IBUPROFÉNOO 400', 'ibuprofeno 400'],
    ['azitromisina', 'azitromicina'],
    ['omeprasol', 'omeprazol'],
    ['losratan', 'losartan'],
    ['sitagliptna/metformina', 'sitagliptina/metformina'],
    ['crma humectnte', 'crema humectante'],
  ])('%s becomes one that finds something: %s', async (search, corrected) => {
    expect(await suggest(`search=${encodeURIComponent(search)}`)).toEqual([0, corrected]);
    expect((await ask(`?search=${encodeURIComponent(corrected)}`)).body.count).toBeGreaterThan(0);
  });

  it.each([
    ['finds something', 'search=amoxi', 3],
    ['is empty', 'search=&limit=1', 135],
    ['is like no word', 'search=xyzxyzxyz', 0],
    ['has words that stand in different products', 'search=paracetamol+ibuprofeno', 0],
    ['finds nothing with the other words either', 'search=paracetmol+400', 0],
    ['would be another strength', 'search=paracetmol+50', 0],
    ['would be another strength, written as one word', 'search=paracetmol50mg', 0],
    ['is the name of a company', 'search=solmar', 0],
    ['is like the name of a company', 'search=solmarr', 0],
    ['is like the name of a company, in all fields', 'search=solmarr&search_all=true', 0],
  ])('is null when it %s', async (_, query, count) => {
    expect(await suggest(query)).toEqual([count, null]);
  });

  it('finds something under the same filters', async () => {
    expect(await suggest('search=paracetmol&base__category=1')).toEqual([0, 'paracetamol']);
    expect(await suggest('search=paracetmol&base__category=4')).toEqual([0, null]);
    expect(await suggest('search=paracetmol&min_price=5000')).toEqual([0, null]);
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

describe('the order of products', () => {
  const first = async (query: string) => idsOf(await ask(`?limit=5&${query}`));
  it.each([
    ['created_at', [1, 74, 12, 85, 23]],
    ['-created_at', [63, 125, 52, 114, 41]],
    ['updated_at', [1, 108, 80, 52, 24]],
    ['-updated_at', [29, 57, 85, 113, 6]],
    // Case and accents are ignored: Aciclovir, Ácido ...
    ['base__name', [88, 39, 11, 10, 118]],
    ['-base__name', [122, 49, 25, 14, 135]],
    ['price', [72, 70, 118, 77, 55]],
    ['-price', [62, 45, 127, 128, 46]],
  ])('by %s', async (ordering, ids) => {
    expect(await first(`ordering=${ordering}`)).toEqual(ids);
  });

  // 63, 65, 81 and 109 cost 96.00; 26 costs 97.00; 11, 43, 89, 112 and 126 cost 98.00.
  it.each([
    ['price', [63, 65, 81, 109, 26, 11, 43, 89, 112, 126]],
    ['-price', [126, 112, 89, 43, 11, 26, 109, 81, 65, 63]],
    ['price,-base__name', [65, 63, 81, 109, 26, 126, 89, 43, 112, 11]],
    ['price, -base__name', [65, 63, 81, 109, 26, 126, 89, 43, 112, 11]],
    ['-price,created_at', [89, 126, 112, 43, 11, 26, 65, 109, 81, 63]],
    ['price,price,-price', [63, 65, 81, 109, 26, 11, 43, 89, 112, 126]],
  ])('of equal prices by %s', async (ordering, ids) => {
    const query = `min_price=96&max_price=98&ordering=${encodeURIComponent(ordering)}`;
    expect(await idsOfAll(query)).toEqual(ids);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => ask(`?${query}&limit=3&page=${page}`)));
    expect(pages.flatMap(idsOf)).toEqual(ids);
  });
});

type Change = (lines: string) => string;

/** Publishes the demonstration catalog with other lines in these files. */
async function publishChanged(changes: Readonly<Record<string, Change>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'products-list-'));
  await cp(DEMO_CATALOG, folder, { recursive: true });
  for (const [name, change] of Object.entries(changes)) {
    const file = join(folder, `${name}.jsonl`);
    await writeFile(file, change(await readFile(file, 'utf8')));
  }
  await publishToTestServer(folder);
  await rm(folder, { recursive: true });
}

const lineOf = (id: number) => new RegExp(`^\\{"id":${id},.*\\n`, 'm');

describe('a new version of the catalog', () => {
  it('is shown after 30 s, with new ETags where the content differs', async () => {
    const before = [await ask('?id__in=1'), await ask('?id__in=2')];
    await publishChanged({ products: (lines) => lines.replace('"price":"28.50"', '"price":"28.51"') });
    await serveLatestCatalog();

    const held = String(before[0]?.headers.etag);
    const changed = await ask('?id__in=1', { 'If-None-Match': held });
    expect([changed.status, changed.body.results[0].price]).toEqual([200, '28.51']);
    expect(changed.headers.etag).not.toBe(held);
    const same = await ask('?id__in=2', { 'If-None-Match': String(before[1]?.headers.etag) });
    expect(same.status).toBe(304);
  });

  it('neither skips nor repeats products for who works through them by cursor', async () => {
    const QUEUE = 'base__category=9';
    expect(await idsOfAll(QUEUE)).toEqual([41, 44, 43, 46, 42, 45]);
    const first = await ask(`?${QUEUE}&cursor=&limit=2`);
    expect([first.body.count, ...idsOf(first)]).toEqual([6, 41, 44]);

    // The work takes 41 out of the queue and 44 out of the catalog. Meanwhile 46 becomes dearer, and 900 is new.
    await publishChanged({
      bases: (lines) => lines.replace(lineOf(41), (line) => line.replace('"category":9', '"category":1')),
      products: (lines) =>
        lines
          .replace(lineOf(44), '')
          .replace(lineOf(46), (line) => line.replace(/"price":"[\d.]+"/, '"price":"999.00"'))
          .replace(lineOf(43), (line) => {
            const added = {
              ...JSON.parse(line),
              id: 900,
              ean_key: '7509999009009',
              created_at: '2026-11-20T12:00:00Z',
            };
            return `${line}${JSON.stringify({ ...added, album: null, supplier_products: [], product_variants: [] })}\n`;
          }),
    });
    setClock(new Date(Date.now() + 62_000));
    expect(await idsOfAll(QUEUE)).toEqual([900, 43, 46, 42, 45]);
    const second = await server.request('GET', first.body.next.slice(server.url.length));
    expect([second.body.count, ...idsOf(second)]).toEqual([5, 43, 46]);

    await publishChanged({});
    setClock(new Date(Date.now() + 93_000));
    const third = await server.request('GET', second.body.next.slice(server.url.length));
    expect([third.body.count, ...idsOf(third), third.body.next]).toEqual([6, 42, 45, null]);
  });
});
