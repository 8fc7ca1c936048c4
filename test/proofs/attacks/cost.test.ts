import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { generateCatalogFolder } from '../../support/catalogs/generated-catalog.ts';
import { COSTLY_DOCUMENTS } from '../../support/hostile/costly-documents.ts';
import { COSTLY_SEARCHES, type Costly, costlyBodies, costlyQueries } from '../../support/hostile/costly-requests.ts';
import { nameOf, WHOLE_BODIES } from '../../support/hostile/whole-bodies.ts';
import type { Call } from '../../support/http/call.ts';
import { prepareInvocation } from '../../support/http/invoke.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { isFull, prove, tries } from '../../support/proofs/proof.ts';
import { useServer } from '../../support/servers/test-server.ts';

/** The CPU time of all threads of this process and the growth of its resident memory at the peak. */
type Cost = { readonly cpuMs: number; readonly megabytes: number };

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the resident memory in megabytes when there is no garbage. */
function restingMegabytes(): number {
  collectGarbage();
  return readMegabytes('VmRSS');
}

/**
 * Measures one run, garbage included. Its memory is what the process has beyond `resting` at the peak, with all that it
 * did not give back since then; it is 0 on systems other than Linux.
 */
async function costOf(run: () => unknown, resting: number): Promise<Cost> {
  collectGarbage();
  resetPeak();
  const startedAt = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(startedAt);
  return { cpuMs: (user + system) / 1_000, megabytes: Math.max(0, readMegabytes('VmHWM') - resting) };
}

// Writing 5 resets the peak of the resident memory (proc_pid_clear_refs(5)).
function resetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
}

function readMegabytes(field: 'VmRSS' | 'VmHWM'): number {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

// One request costs at most this much. A quick run shares the machine, which makes the same work twice as long or more.
const MAX_CPU_MS = isFull() ? 100 : 250;
const MAX_MEGABYTES = 64;
// Documents of 4 MB are decoded and looked into.
const MAX_CPU_MS_WITH_DOCUMENTS = 1_000;
const MAX_MEGABYTES_WITH_DOCUMENTS = 450;
// Other processes make a run dearer, never cheaper.
const RUNS = 5;

const server = useServer();
let token: string;
let orderId: number;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  const { body } = await server.invoke('POST', '/api/orders/resources/', { token, body: orderBody('uno@example.mx') });
  orderId = body.id;
  // Large bodies before the first one that is measured let the heap grow to its usual size.
  const quote = byName('POST /api/orders/calculate/');
  const large = costlyBodies(quote).filter(({ what }) => what.startsWith('an unknown field'));
  for (const { body: make } of large) await (await prepare(quote, { body: make?.() }))();
});

type Sent = { readonly query?: string | undefined; readonly body?: string | undefined };

function prepare(route: Route, { query, body }: Sent): Promise<() => Promise<unknown>> {
  const path = route.path.replace('{id}', route.path.includes('orders') ? String(orderId) : '1');
  const call: Call = { ...(route.authentication === 'user' && { token }), ...(body !== undefined && { body }) };
  return prepareInvocation(server.keys, route.method, query === undefined ? path : `${path}?${query}`, call);
}

type Bars = Cost;
const BARS: Bars = { cpuMs: MAX_CPU_MS, megabytes: MAX_MEGABYTES };
const BARS_WITH_DOCUMENTS: Bars = { cpuMs: MAX_CPU_MS_WITH_DOCUMENTS, megabytes: MAX_MEGABYTES_WITH_DOCUMENTS };

const isDear = ({ cpuMs, megabytes }: Cost, bars = BARS): boolean => cpuMs > bars.cpuMs || megabytes > bars.megabytes;

/** Returns the cost of the first of several runs that is cheap in both, or of the one that took the least CPU. */
async function lowestCost(measure: () => Promise<Cost>, bars = BARS): Promise<Cost> {
  let lowest = await measure();
  for (let runs = 1; runs < RUNS && isDear(lowest, bars); runs++) {
    const cost = await measure();
    if (!isDear(cost, bars) || cost.cpuMs < lowest.cpuMs) lowest = cost;
  }
  return lowest;
}

/** Sends each of these requests to the handler alone, and proves that none of them is dear. */
async function proveCheap(check: string, route: Route, requests: readonly Costly[]): Promise<void> {
  await warmUp(route);
  const bars = route.contract.carriesDocuments ? BARS_WITH_DOCUMENTS : BARS;
  const resting = restingMegabytes();
  const measured: (Cost & { readonly what: string })[] = [];
  for (const { what, query, body } of requests) {
    const sent = { query, body: body?.() };
    const cost = await lowestCost(async () => costOf(await prepare(route, sent), resting), bars);
    measured.push({ what, ...cost });
  }
  const dear = measured.filter((cost) => isDear(cost, bars));
  expect(dear.slice(0, 20)).toEqual([]);
  const most = (name: keyof Cost) => Math.round(Math.max(...measured.map((one) => one[name])));
  const figure = `${most('cpuMs')} ms, ${most('megabytes')} MB`;
  prove({ check: `attack 5: ${check}`, tries: measured.length, lost: dear.length, figure });
}

// Node hashes passwords in four threads, each of which keeps the 19 MB of its first hash.
const THREADS = 4;

async function warmUp(route: Route): Promise<void> {
  const body = JSON.stringify(WHOLE_BODIES[nameOf(route)] ?? {});
  for (let runs = 0; runs < 3; runs++) {
    const prepared = Array.from({ length: THREADS }, () => prepare(route, route.contract.body ? { body } : {}));
    await Promise.all((await Promise.all(prepared)).map((run) => run()));
  }
}

/** Returns about this many of the requests, spread over them. */
const pick = (requests: readonly Costly[], count: number): Costly[] =>
  requests.filter((_, index) => index % Math.ceil(requests.length / count) === 0);

const named = routes.map((route) => ({ name: nameOf(route), route }));
const byName = (name: string): Route => named.find((one) => one.name === name)?.route as Route;

describe('a request costs at most 100 ms of CPU and 64 MB', () => {
  it.each(named.filter(({ route }) => route.contract.body ?? route.contract.query))(
    'whatever the schema of $name admits, and beyond it',
    async ({ name, route }) => {
      const requests = [...costlyBodies(route), ...costlyQueries(route)];
      await proveCheap(`the costliest requests of ${name}`, route, pick(requests, tries(3, 250)));
    },
  );

  it('when it was dear before', async () => {
    const create = byName('POST /api/orders/resources/');
    const order = JSON.stringify(orderBody('caro@example.mx'));
    const withPrescriptions = (prescriptions: string) =>
      order.replace('"details"', `"prescriptions":[${prescriptions}],"details"`);
    const prescription = {
      document: PDF,
      issue_date: '2026-01-02',
      document_name: `e${'\u0301\u0323'.repeat(30_000)}`,
    };
    await proveCheap('names of documents, empty prescriptions', create, [
      { what: '120 KB of document_name', body: () => withPrescriptions(JSON.stringify(prescription)) },
      { what: '150,000 empty prescriptions', body: () => withPrescriptions(`${'{},'.repeat(149_999)}{}`) },
    ]);
    await proveCheap('350 terms of an ordering', byName('GET /api/orders/'), [
      { what: '350 terms', query: `ordering=${'created_at,'.repeat(349)}created_at` },
    ]);
  });

  it('with 4 MB of documents', async () => {
    const requests = COSTLY_DOCUMENTS.map((one) => ({ what: one.what, body: () => JSON.stringify(orderOf(one)) }));
    // The dearest ones come first.
    const sent = requests.slice(0, tries(4, requests.length));
    await proveCheap('orders with 4 MB of documents', byName('POST /api/orders/resources/'), sent);
  });
});

const MB = 1024 * 1024;

function orderOf({ make }: (typeof COSTLY_DOCUMENTS)[number]): object {
  const prescriptions = [3 * MB, MB].map((bytes) => ({
    document: make(bytes - 64).toString('base64'),
    issue_date: '2026-01-02',
  }));
  return orderBody('papeles@example.mx', { prescriptions });
}

describe('a search of 200 characters', () => {
  const products = tries(2_000, 50_000);
  const folder = mkdtempSync(join(tmpdir(), 'cost-catalog-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(`among ${products} products costs at most 100 ms of CPU and 64 MB`, async () => {
    generateCatalogFolder(folder, { products, seed: 1 });
    const file = join(folder, 'catalog.sqlite');
    await buildCatalog(folder, file, { previous: null, now: new Date() });
    const catalog = openCatalog(file, { version: 'v1', imageBaseUrl: 'https://images.example' });
    const search = (text: string) => catalog.products(productsContract.query.parse({ search: text }));
    search('a');
    const resting = restingMegabytes();
    const costs: Cost[] = [];
    for (const text of COSTLY_SEARCHES) costs.push(await lowestCost(() => costOf(() => search(text), resting)));
    catalog.close();
    const figure = `${Math.round(Math.max(...costs.map(({ cpuMs }) => cpuMs)))} ms`;
    const lost = costs.filter((cost) => isDear(cost)).length;
    prove({ check: 'attack 5: searches of 200 characters', tries: costs.length, lost, figure });
  });
});
