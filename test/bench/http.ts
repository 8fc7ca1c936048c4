import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { enterLocalEnvironment } from '../../infra/local/environment.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../infra/local/seed.ts';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { generateCatalogFolder } from '../support/catalogs/generated-catalog.ts';
import { manyAtOnce } from '../support/load/many-at-once.ts';
import { orderBody } from '../support/orders/samples.ts';
import { startScript, startServerProcess } from '../support/servers/server-process.ts';
import { type Figure, medianMs } from './figures.ts';

const PRODUCTS = 10_000;
const REFERENCE = join(import.meta.dirname, 'reference.ts');
const CONNECTIONS = 16;

type Call = { readonly method: string; readonly path: string; readonly token?: string; readonly body?: object };
type Bar = { readonly what: string; readonly p50Ms: number; readonly perSecond?: number; readonly runs: number };

/** Measures the local server over HTTP: latency with one connection, throughput with 16. */
export async function benchHttp(): Promise<Figure[]> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const reference = await startScript(REFERENCE, [], process.env);
    stops.push(reference.stop);
    const server = await startServerProcess();
    stops.push(server.stop);
    Object.assign(process.env, server.env);
    enterLocalEnvironment();
    const bare = `http://127.0.0.1:${reference.line.replace('ready ', '')}`;
    // Orders come first, because they need the payment methods of the demonstration catalog.
    const orders = await benchOrderCreation(server.url, bare);
    await publishGenerated(server.directory);
    await waitUntilServed(server.url);
    return [...(await benchCatalogRoutes(server.url, bare)), ...orders];
  } finally {
    // A process left running would keep the output open, so a reader would wait for ever.
    await Promise.all(stops.map((stop) => stop()));
  }
}

async function benchOrderCreation(url: string, bare: string): Promise<Figure[]> {
  const login = { email: 'aseguradora@demo.example', password: DEMO_PASSWORD };
  const answer = await send(url, { method: 'POST', path: '/api/token/', body: login }, createAgent(1));
  const token = JSON.parse(answer.text).access;
  let patients = 0;
  const details = [1, 2, 3, 5, 7].map((product) => ({ product, quantity: 2 }));
  const create = () => {
    patients += 1;
    const body = orderBody(`patient-${patients}@bench.example`, { details });
    return { method: 'POST', path: '/api/orders/resources/', token, body };
  };
  // The code is compiled for speed only after some hundred orders.
  await measureThroughput(400, () => send(url, create(), many));
  const bar = { what: 'create an order of 5 lines', p50Ms: 20, perSecond: 100, runs: 200 };
  return await measureRequest(url, bare, bar, create);
}

async function benchCatalogRoutes(url: string, bare: string): Promise<Figure[]> {
  const get = (path: string) => () => ({ method: 'GET', path });
  const sold = await send(url, get('/api/products/?is_active=true&has_shortage=false&limit=5')(), createAgent(1));
  const ids: number[] = JSON.parse(sold.text).results.map((product: { id: number }) => product.id);
  const details = ids.map((product) => ({ product, quantity: 2 }));
  const quote = () => ({
    method: 'POST',
    path: '/api/orders/calculate/',
    body: { details, zipcode: '06700' },
  });
  const list = { p50Ms: 3, runs: 500 };
  return [
    ...(await measureRequest(url, bare, { ...list, what: 'list', perSecond: 800 }, get('/api/products/'))),
    ...(await measureRequest(
      url,
      bare,
      { ...list, what: 'filtered list' },
      get('/api/products/?is_active=true&max_price=300'),
    )),
    ...(await measureRequest(url, bare, { ...list, what: 'searched list' }, get('/api/products/?search=tamol+para'))),
    ...(await measureRequest(url, bare, { what: 'detail', p50Ms: 2, runs: 500 }, get(`/api/products/${ids[0]}/`))),
    ...(await measureRequest(url, bare, { what: 'quote of 5 lines', p50Ms: 3, perSecond: 800, runs: 500 }, quote)),
  ];
}

async function measureRequest(url: string, bare: string, bar: Bar, next: () => Call): Promise<Figure[]> {
  const one = createAgent(1);
  const sample = await send(url, next(), one);
  if (sample.status >= 300) throw new Error(`${bar.what}: ${sample.status} ${sample.text}`);
  const size = Buffer.byteLength(sample.text);
  const p50 = await medianMs(bar.runs, () => expectSuccess(send(url, next(), one)));
  const bareP50 = await medianMs(bar.runs, () => send(bare, { ...next(), path: `/${size}` }, one));
  const figures: Figure[] = [
    { what: `HTTP, 1 connection: ${bar.what}, p50`, value: p50, unit: 'ms', bar: bar.p50Ms, ratio: p50 / bareP50 },
  ];
  if (bar.perSecond === undefined) return figures;
  const value = await measureThroughput(bar.runs * 3, () => expectSuccess(send(url, next(), many)));
  return [...figures, { what: `HTTP, 16 connections: ${bar.what}`, value, unit: '/s', bar: bar.perSecond }];
}

const createAgent = (maxSockets: number) => new Agent({ keepAlive: true, maxSockets });
const many = createAgent(CONNECTIONS);

async function measureThroughput(calls: number, run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await manyAtOnce(calls, CONNECTIONS, run);
  return calls / ((performance.now() - start) / 1_000);
}

export async function send(base: string, { method, path, token, body }: Call, agent: Agent) {
  const payload = body && JSON.stringify(body);
  const headers: Record<string, string | number> = { 'X-API-Key': DEMO_API_KEY };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (payload)
    Object.assign(headers, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) });
  const sent = request(`${base}${path}`, { method, headers, agent });
  sent.end(payload);
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode as number, text: Buffer.concat(chunks).toString() };
}

async function expectSuccess(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text}`);
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
  const one = createAgent(1);
  while (Date.now() < deadline) {
    const answer = await send(url, { method: 'GET', path: '/api/products/?limit=1' }, one);
    if (JSON.parse(answer.text).count === PRODUCTS) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the new catalog is not served after 40 s');
}
