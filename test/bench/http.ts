import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { enterLocalEnvironment } from '../../infra/local/environment.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { generateCatalogFolder } from '../support/catalogs/generated-catalog.ts';
import { startDynamoDbLocal } from '../support/engines/dynamodb-local.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { type Figure, medianMs } from './figures.ts';
import { QUIET, startProcess, startServer } from './processes.ts';

const PRODUCTS = 10_000;
const CONNECTIONS = 16;

type Call = { readonly method: string; readonly path: string; readonly token?: string; readonly body?: object };
type Next = () => Call;

/** The requests that are measured, with their bars; one without a bar for the rate has its latency measured alone. */
type Subject = { readonly what: string; readonly runs: number; readonly ms: number; readonly perSecond?: number };
const ORDERS: Subject = { what: 'create an order of 5 lines', runs: 200, ms: 20, perSecond: 100 };

const one = new Agent({ keepAlive: true, maxSockets: 1 });
const many = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Measures the local server over HTTP: latency with one connection, throughput with 16. */
export async function benchHttp(): Promise<Figure[]> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const script = join(import.meta.dirname, 'reference.ts');
    const reference = await startProcess([process.execPath, script], process.env);
    stops.push(reference.stop);
    const bare = `http://127.0.0.1:${reference.ready}`;
    const server = await startServer();
    stops.push(server.stop);
    // Orders come first, because they need the payment methods of the demonstration catalog.
    const orders = await measureCall(server.url, await openOrders(server.url), ORDERS, bare);
    const figures = toFigures(orders, ORDERS);
    Object.assign(process.env, server.env);
    enterLocalEnvironment();
    await publishGenerated(server.directory);
    await waitUntilServed(server.url);
    for (const [subject, next] of await listCatalogCalls(server.url))
      figures.push(...toFigures(await measureCall(server.url, next, subject, bare), subject));
    return figures;
  } finally {
    // A process left running would keep the output open, so a reader would wait for ever.
    await Promise.all(stops.map((stop) => stop()));
  }
}

/** Logs in, places some hundred orders, after which the code is compiled for speed, and returns the calls that place more. */
async function openOrders(url: string): Promise<Next> {
  const login = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
  const token = JSON.parse(await send(url, { method: 'POST', path: '/api/token/', body: login }, one)).access;
  const details = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 }));
  let patients = 0;
  const next = () => {
    patients += 1;
    const body = orderBody(`patient-${patients}@bench.example`, { details });
    return { method: 'POST', path: '/api/orders/resources/', token, body };
  };
  await manyAtOnce(400, CONNECTIONS, () => send(url, next(), many));
  return next;
}

async function listCatalogCalls(url: string): Promise<(readonly [Subject, Next])[]> {
  const get = (path: string) => () => ({ method: 'GET', path: `/api/products/${path}` });
  const sold = JSON.parse(await send(url, get('?is_active=true&has_shortage=false&limit=5')(), one));
  const details = sold.results.map(({ id: product }: { id: number }) => ({ product, quantity: 2 }));
  const quote = () => ({ method: 'POST', path: '/api/orders/calculate/', body: { details, zipcode: '06700' } });
  const runs = 500;
  return [
    [{ what: 'list', runs, ms: 3, perSecond: 800 }, get('')],
    [{ what: 'filtered list', runs, ms: 3 }, get('?is_active=true&max_price=300')],
    [{ what: 'searched list', runs, ms: 3 }, get('?search=tamol+para')],
    [{ what: 'detail', runs, ms: 2 }, get(`${details[0].product}/`)],
    [{ what: 'quote of 5 lines', runs, ms: 3, perSecond: 800 }, quote],
  ];
}

type Measured = { readonly ms: number; readonly bareMs: number; readonly perSecond: number };

async function measureCall(url: string, next: Next, subject: Subject, bare: string): Promise<Measured> {
  const path = `/${Buffer.byteLength(await send(url, next(), one))}`;
  const measured = await measureRates(url, next, subject);
  return { ...measured, bareMs: await medianMs(subject.runs, () => send(bare, { ...next(), path }, one)) };
}

async function measureRates(url: string, next: Next, { runs, perSecond }: Subject) {
  const ms = await medianMs(runs, () => send(url, next(), one));
  const calls = perSecond === undefined ? 0 : runs * 3;
  const start = performance.now();
  await manyAtOnce(calls, CONNECTIONS, () => send(url, next(), many));
  return { ms, perSecond: calls / ((performance.now() - start) / 1_000) };
}

function toFigures({ ms, bareMs, perSecond }: Measured, { what, ...bars }: Subject): Figure[] {
  const latency = { what: `HTTP, 1 connection: ${what}`, value: ms, unit: 'ms', bar: bars.ms, ratio: ms / bareMs };
  if (bars.perSecond === undefined) return [latency];
  return [latency, { what: `HTTP, 16 connections: ${what}`, value: perSecond, unit: '/s', bar: bars.perSecond }];
}

/** Measures orders on the embedded engine against those on DynamoDB Local as Amazon ships it. */
export async function benchEngines(): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'bench-engines-'));
  const engine = await startDynamoDbLocal(directory);
  try {
    const own = await measureEngine({});
    const other = await measureEngine({ AWS_ENDPOINT_URL_DYNAMODB: engine.url });
    const what = 'an order of 5 lines on the embedded engine';
    return [
      { what: `${what} against DynamoDB Local, 1 connection`, value: own.ms / other.ms, unit: '×', bar: 0.45 },
      { what: `${what}: the inverse, 16 connections`, value: other.perSecond / own.perSecond, unit: '×', bar: 0.4 },
    ];
  } finally {
    await engine.stop();
    await rm(directory, { recursive: true });
  }
}

async function measureEngine(endpoints: NodeJS.ProcessEnv): Promise<Omit<Measured, 'bareMs'>> {
  const server = await startServer(QUIET, endpoints);
  try {
    return await measureRates(server.url, await openOrders(server.url), ORDERS);
  } finally {
    await server.stop();
  }
}

/** Sends a call and returns the body of its answer. Throws for one that failed. */
async function send(base: string, { method, path, token, body }: Call, agent: Agent): Promise<string> {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    'X-API-Key': DEMO_API_KEY,
    ...(token && { Authorization: `Bearer ${token}` }),
    ...(payload && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) }),
  };
  const sent = request(`${base}${path}`, { method, headers, agent });
  sent.end(payload);
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${answer}`);
  return answer;
}

async function publishGenerated(directory: string): Promise<void> {
  const folder = join(directory, 'generated');
  generateCatalogFolder(folder, { products: PRODUCTS, seed: 7 });
  const s3 = new S3Client({ forcePathStyle: true });
  const bucket = { s3, name: String(process.env.CATALOG_BUCKET) };
  const { outcome } = await publishCatalog({ folder, bucket, now: new Date() });
  s3.destroy();
  if (outcome !== 'published') throw new Error(`the generated catalog is ${outcome}`);
}

/** Waits until the server serves the new catalog, which it notices within 30 s. */
async function waitUntilServed(url: string): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (Date.now() < deadline) {
    const answer = await send(url, { method: 'GET', path: '/api/products/?limit=1' }, one);
    if (JSON.parse(answer).count === PRODUCTS) return;
    await pause(500);
  }
  throw new Error('the new catalog is not served after 40 s');
}
