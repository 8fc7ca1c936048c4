import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
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
import type { Caller } from '../support/http/http.ts';
import { createInvoke } from '../support/http/invoke.ts';
import { type Figure, medianMs } from './figures.ts';

const API_KEY = 'bench-key';
const BUCKET = 'pharmacy-catalog';
const SIZES = [
  { products: 10_000, openMs: 150, listMs: 1 },
  { products: 50_000, openMs: 600, listMs: 2.5 },
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
    for (const { products, openMs, listMs } of SIZES) {
      const folder = join(scratch, String(products));
      generateCatalogFolder(folder, { products, seed: 1 });
      figures.push(await benchOpening(folder, products, openMs));
      await publishCatalog({ folder, bucket: { s3: s3.client, name: BUCKET }, now: new Date() });
      figures.push(...(await benchHandlers(createInvoke(keys), s3, products, listMs)));
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

/** Measures opening a catalog from its compressed bytes. */
async function benchOpening(folder: string, products: number, bar: number): Promise<Figure> {
  const file = join(folder, 'catalog.sqlite');
  const build = await buildCatalog(folder, file, { previous: null, now: new Date() });
  if ('errors' in build) throw new Error('the generated catalog has errors');
  const snapshot = await packSnapshot(createReadStream(file));
  rmSync(file);
  const value = await medianMs(9, async () => {
    await unpackSnapshotInto(file, Readable.from([snapshot.compressed]), snapshot);
    openCatalog(file, { version: 'bench', imageBaseUrl: 'https://images.example' }).close();
    rmSync(file);
  });
  return { what: `${products} products: opened from compressed bytes`, value, unit: 'ms', bar };
}

async function benchHandlers(invoke: Caller, s3: LocalS3, products: number, listMs: number): Promise<Figure[]> {
  const key = API_KEY;
  const get = async (query: string) => (await invoke('GET', `/api/products/?${query}`, { key })).body;
  const ids: number[] = (await get('is_active=true&has_shortage=false&limit=5')).results.map(
    ({ id }: { id: number }) => id,
  );
  const medicine = (await get('is_active=true&limit=100')).results.find(
    (one: ProductListItem) => one.base.medical_information?.active_ingredient,
  );
  const requestsBefore = s3.requests.length;
  const figures: Figure[] = [];
  const measure = async (what: string, bar: number, ask: () => Promise<unknown>) => {
    const value = await medianMs(300, ask);
    figures.push({ what: `${products} products: ${what}`, value, unit: 'ms', bar });
  };
  const groups = [
    [listMs, LISTS],
    [listMs, await beginCursors(invoke)],
    [2, FACETED],
    [5, MISSPELLED],
  ] as const;
  for (const [bar, lists] of groups) {
    for (const [what, query] of Object.entries(lists)) await measure(what, bar, () => get(query));
  }
  const body = { details: ids.map((product) => ({ product, quantity: 2 })), zipcode: '06700', coupon: 'AHORRA0' };
  await measure('substitutes', 1, () => invoke('GET', `/api/products/${medicine.id}/substitutes/`, { key }));
  await measure('quote of 5 lines', 1, () => invoke('POST', '/api/orders/calculate/', { key, body }));
  const value = s3.requests.length - requestsBefore;
  return [...figures, { what: `${products} products: network calls of all these`, value, unit: 'calls', bar: 0 }];
}
