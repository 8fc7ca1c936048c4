import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeBundles } from '../../infra/bundle.ts';
import { enterLocalEnvironment, localEnvironment } from '../../infra/local/environment.ts';
import { buildCatalog } from '../../shared/catalog/compile/compile.ts';
import { POINTER_KEY, packSnapshot, snapshotKey, toVersion } from '../../shared/catalog/file/snapshot.ts';
import { generateCatalogFolder } from '../support/catalogs/generated-catalog.ts';
import { DEMO_CATALOG } from '../support/engines/catalog-bucket.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { prepareEvents } from './cold-events.ts';
import { type Figure, median } from './figures.ts';
import { type SlowS3, startSlowS3 } from './slow-s3.ts';

const DEMO_PRODUCTS = 135;
const SIZES = [DEMO_PRODUCTS, 10_000, 50_000] as const;
const COLD_STARTS = 15;
// S3 in the same region, as a function of 1 GB sees it. The secret comes from there as well.
const PACE = { delayMs: 20, bytesPerMs: 50_000 };
const SECRET = 'secret';
const COLD_START = join(import.meta.dirname, 'cold-start.ts');
const HANDLERS = ['functions/products/list.ts', 'functions/token/issue.ts', 'functions/orders/create.ts'];

type Environment = Readonly<Record<string, string>>;
type Subject = {
  readonly what: string;
  readonly bundle: string;
  readonly products: number;
  readonly nextEvent: () => string;
};
type Start = { readonly bundle: string; readonly environment: Environment; readonly event: string };
type Times = { readonly initMs: number; readonly firstMs: number };

/**
 * Measures INIT and the first request of the list of products, with catalogs of 135, 10,000 and 50,000 products, of the
 * log-in and of a new order. DynamoDB is the engine of a local server; S3 and Secrets Manager are slowed down.
 */
export async function benchCold(): Promise<Figure[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-cold-'));
  const objects = await prepareObjects(scratch);
  const server = await startServerProcess();
  Object.assign(process.env, server.env);
  enterLocalEnvironment();
  const s3 = await startSlowS3(objects, PACE);
  try {
    const figures: Figure[] = [];
    for (const subject of await prepareSubjects(server, scratch)) {
      figures.push(...(await benchSubject(subject, toEnvironment(server, s3, subject.products))));
    }
    return figures;
  } finally {
    s3.stop();
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function prepareObjects(scratch: string): Promise<Map<string, Buffer>> {
  const secret = { SecretString: localEnvironment({}).TOKEN_KEYS };
  const objects = new Map([[SECRET, Buffer.from(JSON.stringify(secret))]]);
  for (const products of SIZES) await storeCatalog(objects, products, scratch);
  return objects;
}

async function storeCatalog(objects: Map<string, Buffer>, products: number, scratch: string): Promise<void> {
  const folder = products === DEMO_PRODUCTS ? DEMO_CATALOG : join(scratch, String(products));
  if (folder !== DEMO_CATALOG) generateCatalogFolder(folder, { products, seed: 1 });
  const file = join(scratch, `${products}.sqlite`);
  const build = await buildCatalog(folder, file, { previous: null, now: new Date() });
  if ('errors' in build) throw new Error('the catalog has errors');
  const { compressed, sha256, bytes } = await packSnapshot(readFileSync(file));
  const pointer = { version: toVersion(sha256), sha256, bytes, published_at: new Date().toISOString() };
  objects.set(`${products}/${POINTER_KEY}`, Buffer.from(JSON.stringify(pointer)));
  objects.set(`${products}/${snapshotKey(sha256)}`, compressed);
}

async function prepareSubjects({ url }: ServerProcess, scratch: string): Promise<Subject[]> {
  const bundles = await makeBundles(HANDLERS, join(scratch, 'bundles'));
  const [list = '', login = '', order = ''] = bundles.map(({ file }) => file);
  const events = await prepareEvents(url);
  const toList = (products: number) => ({
    what: `list of ${products.toLocaleString('en')} products`,
    bundle: list,
    products,
    nextEvent: events.products,
  });
  return [
    ...SIZES.map(toList),
    { what: 'log-in', bundle: login, products: DEMO_PRODUCTS, nextEvent: events.login },
    { what: 'new order of 5 lines', bundle: order, products: DEMO_PRODUCTS, nextEvent: events.order },
  ];
}

/** Returns the environment of a function whose catalog has this many products. */
function toEnvironment(server: ServerProcess, s3: SlowS3, products: number): Environment {
  const { TOKEN_KEYS: _, ...local } = localEnvironment(server.env);
  return {
    ...local,
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: `${s3.endpoint}/${SECRET}`,
    TOKEN_SECRET_ID: SECRET,
    CATALOG_BUCKET: String(products),
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  };
}

/** Measures both ways in turns, so that both meet the same moods of the machine. */
async function benchSubject({ what, bundle, nextEvent }: Subject, environment: Environment): Promise<Figure[]> {
  const onLambda = { ...environment, AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
  const atInit: Times[] = [];
  const atFirst: Times[] = [];
  for (let run = 0; run < COLD_STARTS; run++) {
    atFirst.push(await startCold({ bundle, environment, event: nextEvent() }));
    atInit.push(await startCold({ bundle, environment: onLambda, event: nextEvent() }));
  }
  return [
    ...toFigures(`${what}, prepared by the first request`, atFirst),
    ...toFigures(`${what}, prepared during INIT`, atInit),
  ];
}

async function startCold({ bundle, environment, event }: Start): Promise<Times> {
  const { stdout } = await promisify(execFile)(process.execPath, [COLD_START, bundle, event], { env: environment });
  return JSON.parse(stdout);
}

/** Returns the median and the smallest time of INIT, of the first request, and of both. */
function toFigures(what: string, times: readonly Times[]): Figure[] {
  const toFigure = (part: string, values: readonly number[]): Figure => ({
    what: `${what}: ${part}, median and smallest`,
    value: [median(values), Math.min(...values)],
    unit: 'ms',
  });
  return [
    toFigure(
      'INIT',
      times.map(({ initMs }) => initMs),
    ),
    toFigure(
      'first request',
      times.map(({ firstMs }) => firstMs),
    ),
    toFigure(
      'both',
      times.map(({ initMs, firstMs }) => initMs + firstMs),
    ),
  ];
}
