import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeBundles } from '../../infra/bundle.ts';
import { buildCatalog } from '../../shared/catalog/compile/compile.ts';
import { POINTER_KEY, snapshotKey, toVersion } from '../../shared/catalog/file/pointer.ts';
import { packSnapshot } from '../../shared/catalog/file/snapshot.ts';
import { generateCatalogFolder } from '../support/catalogs/generated-catalog.ts';
import { DEMO_CATALOG } from '../support/engines/catalog-bucket.ts';
import { type Figure, median } from './figures.ts';
import { startSlowS3 } from './slow-s3.ts';

const SIZES = [135, 10_000, 50_000] as const;
const COLD_STARTS = 11;
// S3 in the same region, as a function of 1 GB sees it.
const PACE = { delayMs: 20, bytesPerMs: 50_000 };
const COLD_START = join(import.meta.dirname, 'cold-start.ts');

const EVENT = JSON.stringify({
  httpMethod: 'GET',
  headers: { Host: 'api.example' },
  queryStringParameters: null,
  requestContext: {
    requestId: 'bench',
    domainName: 'api.example',
    path: '/v2/api/products/',
    httpMethod: 'GET',
    resourcePath: '/api/products',
    identity: { apiKeyId: 'bench', sourceIp: '127.0.0.1' },
  },
});

type Times = { readonly initMs: number; readonly firstMs: number };
type Start = { readonly bundle: string; readonly environment: Readonly<Record<string, string>> };

/** Measures INIT and the first request of the list of products, with catalogs of 135, 10,000 and 50,000 products in S3. */
export async function benchCold(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-cold-'));
  const objects = new Map<string, Buffer>();
  for (const products of SIZES) await storeCatalog(objects, products, scratch);
  const s3 = await startSlowS3(objects, PACE);
  try {
    const [list] = await makeBundles(['functions/products/list.ts'], join(scratch, 'bundles'));
    const figures: Figure[] = [];
    for (const products of SIZES) {
      const environment = toEnvironment(s3.endpoint, products, scratch);
      figures.push(...(await benchSize({ bundle: list?.file ?? '', environment }, products)));
    }
    return figures;
  } finally {
    s3.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function storeCatalog(objects: Map<string, Buffer>, products: number, scratch: string): Promise<void> {
  const folder = products === SIZES[0] ? DEMO_CATALOG : join(scratch, String(products));
  if (folder !== DEMO_CATALOG) generateCatalogFolder(folder, { products, seed: 1 });
  const file = join(scratch, `${products}.sqlite`);
  const build = await buildCatalog(folder, file, { previous: null, now: new Date() });
  if ('errors' in build) throw new Error('the catalog has errors');
  const { compressed, sha256, bytes } = await packSnapshot(readFileSync(file));
  const pointer = { version: toVersion(sha256), sha256, bytes, published_at: new Date().toISOString() };
  objects.set(`${products}/${POINTER_KEY}`, Buffer.from(JSON.stringify(pointer)));
  objects.set(`${products}/${snapshotKey(sha256)}`, compressed);
}

const toEnvironment = (endpoint: string, products: number, scratch: string) => ({
  AWS_REGION: 'mx-central-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL_S3: endpoint,
  S3_PATH_STYLE: 'true',
  CATALOG_BUCKET: String(products),
  CATALOG_DIR: join(scratch, 'tmp'),
  IMAGE_BASE_URL: 'https://images.example',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
});

/** Measures both ways in turns, so that both meet the same moods of the machine. */
async function benchSize({ bundle, environment }: Start, products: number): Promise<Figure[]> {
  const onLambda = { ...environment, AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
  const atInit: Times[] = [];
  const atFirst: Times[] = [];
  for (let run = 0; run < COLD_STARTS; run++) {
    atInit.push(await startCold({ bundle, environment: onLambda }));
    atFirst.push(await startCold({ bundle, environment }));
  }
  return [
    toFigure(`${products} products: INIT, first request, both; opened during INIT`, atInit),
    toFigure(`${products} products: the same; opened by the first request`, atFirst),
  ];
}

async function startCold({ bundle, environment }: Start): Promise<Times> {
  const { stdout } = await promisify(execFile)(process.execPath, [COLD_START, bundle, EVENT], { env: environment });
  return JSON.parse(stdout);
}

const toFigure = (what: string, times: readonly Times[]): Figure => ({
  what,
  value: [
    median(times.map(({ initMs }) => initMs)),
    median(times.map(({ firstMs }) => firstMs)),
    median(times.map(({ initMs, firstMs }) => initMs + firstMs)),
  ],
  unit: 'ms',
});
