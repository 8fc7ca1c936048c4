import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { localEnvironment } from '../../infra/local/environment.ts';
import { openApiKeys } from '../../infra/local/gateway/api-keys.ts';
import type { ProductListItem } from '../../shared/api/catalog/products.ts';
import { packSnapshot, unpackSnapshotInto } from '../../shared/catalog/file/snapshot.ts';
import { openCatalog } from '../../shared/catalog/open.ts';
import { buildCatalog } from '../../shared/catalog/publishing/compile/compile.ts';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { generateCatalogFolder } from '../support/catalogs/generated-catalog.ts';
import { type LocalS3, startLocalS3 } from '../support/engines/local-s3.ts';
import type { Caller } from '../support/http/call.ts';
import { createInvoke } from '../support/http/invoke.ts';
import { type Figure, medianMs } from './figures.ts';

const API_KEY = 'bench-key';
const BUCKET = 'pharmacy-catalog';
type Bars = {
  readonly openMs: number;
  readonly listMs: number;
  readonly facetsMs: number;
  readonly spellingMs: number;
};
const SIZES: readonly (readonly [products: number, bars: Bars])[] = [
  [10_000, { openMs: 150, listMs: 1, facetsMs: 2, spellingMs: 5 }],
  [50_000, { openMs: 600, listMs: 2.5, facetsMs: 2, spellingMs: 5 }],
];

// The queries are the first page, filters, an ordering by name, rare and common words, and a part of every barcode.
const LISTS: Readonly<Record<string, string>> = {
  list: '',
  'list, page 100': 'page=100',
  'filtered by category': 'base__category=70005',
  'filtered by flags and price, by name':
    'is_active=true&has_shortage=false&min_price=100&max_price=500.50&ordering=base__name,-price',
  'searched, one word': 'search=paraceta',
  'searched, two words': 'search=%C3%A1cido+500',
  'searched, part of every barcode': 'search=750100',
  'searched, a number': 'search=500mg',
  'searched in all fields': 'search=tableta+paraceta&search_all=true',
};

const ALL_FACETS = 'facets=base__category,base__pharmaceutical_company,base__diseases';
const FACETED: Readonly<Record<string, string>> = {
  'filtered by category, with all facets': `base__category=70005&${ALL_FACETS}`,
  'filtered by flag, with all facets': `is_active=true&${ALL_FACETS}`,
};

const MISSPELLED: Readonly<Record<string, string>> = {
  'searched, one word misspelled': 'search=paracetmol+500&spelling=true',
  'searched, three words misspelled': 'search=paracetmol+clorhidratto+pediatricoo&spelling=true',
};

/** Measures opening and querying catalogs of 10,000 and 50,000 products with warm handlers in this process. */
export async function benchCatalog(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-catalog-'));
  const s3 = await startLocalS3(BUCKET);
  try {
    Object.assign(process.env, localEnvironment({ LOCAL_DIR: scratch, AWS_ENDPOINT_URL_S3: s3.endpoint }));
    process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
    const keys = openApiKeys(join(scratch, 'api-keys.json'));
    keys.create({ name: 'bench', value: API_KEY, enabled: true });
    const figures: Figure[] = [];
    for (const [products, bars] of SIZES) {
      const folder = join(scratch, String(products));
      generateCatalogFolder(folder, { products, seed: 1 });
      figures.push(await benchOpening(folder, products, bars));
      await publishCatalog({ folder, bucket: { s3: s3.client, name: BUCKET }, now: new Date() });
      figures.push(...(await benchHandlers(createInvoke(keys), s3, products, bars)));
      // Handlers notice the next catalog after 30 s.
      setClock(new Date(Date.now() + 31_000));
    }
    return figures;
  } finally {
    setClock();
    await s3.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

// 9,990 products, in pages of 90.
const CURSOR_STEPS = 111;

/** Returns the queries of page 1 and page 1,000 of 10 products, both by cursor. */
async function beginCursors(invoke: Caller): Promise<Record<string, string>> {
  const queries: Record<string, string> = {};
  for (const ordering of ['-created_at', 'base__name']) {
    let next = `/api/products/?ordering=${ordering}&cursor=&limit=90`;
    for (let step = 0; step < CURSOR_STEPS; step++) {
      const { body } = await invoke('GET', next, { key: API_KEY });
      next = `/api/products/${new URL(body.next).search}`;
    }
    queries[`by cursor, ${ordering}, page 1 of 10`] = `ordering=${ordering}&cursor=&limit=10`;
    queries[`by cursor, ${ordering}, page 1,000`] = next.replace(/^.*\?/, '').replace('limit=90', 'limit=10');
  }
  return queries;
}

async function benchOpening(folder: string, products: number, { openMs }: Bars): Promise<Figure> {
  const file = join(folder, 'catalog.sqlite');
  const build = await buildCatalog(folder, file, { previous: null, now: new Date() });
  if ('errors' in build) throw new Error('the generated catalog has errors');
  const snapshot = await packSnapshot(readFileSync(file));
  rmSync(file);
  const value = await medianMs(9, async () => {
    await unpackSnapshotInto(file, Readable.from([snapshot.compressed]), snapshot);
    openCatalog(file, { version: 'bench', imageBaseUrl: 'https://images.example' }).close();
    rmSync(file);
  });
  return { what: `${products} products: opened from compressed bytes`, value, unit: 'ms', bar: openMs };
}

async function benchHandlers(invoke: Caller, s3: LocalS3, products: number, bars: Bars): Promise<Figure[]> {
  const of = (what: string, value: number, bar: number): Figure => ({
    what: `${products} products: ${what}`,
    value,
    unit: 'ms',
    bar,
  });
  const key = API_KEY;
  const sold = await invoke('GET', '/api/products/?is_active=true&has_shortage=false&limit=5', { key });
  const ids: number[] = sold.body.results.map(({ id }: { id: number }) => id);
  const requestsBefore = s3.requests.length;

  const figures: Figure[] = [];
  for (const [lists, bar] of [
    [LISTS, bars.listMs],
    [await beginCursors(invoke), bars.listMs],
    [FACETED, bars.facetsMs],
    [MISSPELLED, bars.spellingMs],
  ] as const) {
    for (const [what, query] of Object.entries(lists)) {
      figures.push(of(what, await medianMs(300, () => invoke('GET', `/api/products/?${query}`, { key })), bar));
    }
  }
  const body = { details: ids.map((product) => ({ product, quantity: 2 })), zipcode: '06700', coupon: 'AHORRA0' };
  const { body: prescribed } = await invoke('GET', '/api/products/?is_active=true&limit=100', { key });
  const medicine = prescribed.results.find((one: ProductListItem) => one.base.medical_information?.active_ingredient);
  const substitutes = `/api/products/${medicine.id}/substitutes/`;
  figures.push(of('substitutes', await medianMs(300, () => invoke('GET', substitutes, { key })), 1));
  figures.push(of('detail', await medianMs(300, () => invoke('GET', `/api/products/${ids[0]}/`, { key })), 1));
  const quote = await medianMs(300, () => invoke('POST', '/api/orders/calculate/', { key, body }));
  figures.push(of('quote of 5 lines', quote, 1));
  const calls = s3.requests.length - requestsBefore;
  return [
    ...figures,
    { what: `${products} products: network calls of all these`, value: calls, unit: 'calls', bar: 0 },
  ];
}
