import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as publishEvents } from '../../functions/jobs/publish-events.ts';
import { buildClient } from '../../infra/client/build.ts';
import { createLocalFunctions } from '../../infra/local/local-functions.ts';
import { runStream } from '../../infra/local/stream/run-stream.ts';
import { PUBLISHER } from '../../infra/stream-jobs.ts';
import { setClock } from '../../shared/runtime/clock.ts';
import { serveLatestCatalog } from '../support/catalogs/republish.ts';
import { DEMO_CATALOG, publishToTestServer } from '../support/engines/catalog-bucket.ts';
import { freePorts } from '../support/engines/ports.ts';
import { operate } from '../support/operators/operator.ts';
import { PDF } from '../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;
/** A project of a reader: a folder elsewhere, with the client as its only dependency. */
let project: string;
let server: TestServer;
let stopEvents: () => Promise<unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'example-'));
  project = join(folder, 'shop');
  await mkdir(project);
  buildClient(join(folder, 'botica-client'));
  await writeFile(join(project, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
  await writeFile(join(project, 'receta.pdf'), Buffer.from(PDF, 'base64'));
  await copyFile(join(ROOT, 'shared/client/example.ts'), join(project, 'example.ts'));
  await Promise.all([startServer(), install('../botica-client')]);
}, 90_000);
afterEach(() => setClock());
afterAll(async () => {
  await stopEvents();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const install = (name: string) =>
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', name], { cwd: project });

/** Starts a server that tells events as the local one does. */
async function startServer(): Promise<void> {
  const { PORT } = await freePorts();
  const functions = createLocalFunctions((line) => process.stderr.write(`${line}\n`));
  server = await openTestServer({
    table: 'streamed',
    environment: {
      CATALOG_BUCKET: `example-${randomUUID()}`,
      AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${PORT}/_control`,
    },
    gateway: { port: Number(PORT), invokeFunction: functions.invoke },
  });
  await publishToTestServer(DEMO_CATALOG);
  const publisher = runStream({ source: PUBLISHER, handler: publishEvents }, join(folder, 'published-events.json'));
  stopEvents = () => publisher.stop().then(functions.stop);
}

async function ops(...argv: readonly string[]): Promise<string> {
  const { code, out, err } = await operate('pipe', ...argv);
  if (code !== 0) throw new Error(err);
  return out;
}

/** Publishes the demonstration catalog with product 15 at 75.00, which the server serves when it returns. */
async function publishDearerCatalog(): Promise<void> {
  const dearer = join(folder, 'dearer');
  await cp(DEMO_CATALOG, dearer, { recursive: true });
  const products = await readFile(join(dearer, 'products.jsonl'), 'utf8');
  await writeFile(
    join(dearer, 'products.jsonl'),
    products.replace('"price":"68.00","cost":', '"price":"75.00","cost":'),
  );
  await ops('catalog', 'publish', dearer);
  await serveLatestCatalog();
  expect((await server.request('GET', '/api/products/15/')).body.price).toBe('75.00');
  setClock();
}

async function shipOrder(id: string): Promise<void> {
  await ops('orders', 'verify-prescription', id, '--prescriber', 'Dra. Eva Luna', '--licence', '1234567');
  await ops('orders', 'move', id, '--to', 'approved');
  await ops('orders', 'pay', id, '--status', 'paid');
  for (const status of ['in_process', 'ready', 'shipped']) await ops('orders', 'move', id, '--to', status);
}

/** Runs the program, and does what it waits for when it says so. */
async function runExample(): Promise<string[]> {
  const { PORT } = await freePorts();
  const url = `http://127.0.0.1:${PORT}/`;
  const client = String(server.client.id);
  const created = await ops('webhooks', 'create', '--client', client, '--url', url, '--email', 'dev@demo.example');
  const secret = created.match(/whsec_\S+/)?.[0] ?? '';
  const program = spawn(process.execPath, ['example.ts', 'receta.pdf', secret, PORT, server.url], {
    cwd: project,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  for await (const line of createInterface({ input: program.stdout })) {
    printed.push(line);
    if (line.startsWith('Publish')) await publishDearerCatalog().then(() => program.stdin.write('\n'));
    if (line.startsWith('Waiting')) await shipOrder(printed.join().match(/, id (\d+)/)?.[1] ?? '');
  }
  return printed;
}

describe('the example program', { timeout: 60_000 }, () => {
  it('finds ids, holds a price, orders at it when the catalog is dearer, and follows the order until it is shipped', async () => {
    expect(await runExample()).toEqual([
      'Nothing is called amoxisilina: did you mean amoxicilina?',
      'Product 15, Amoxicilina 500 mg: 68.00, needs a prescription',
      'Refused with 400, details.0.product: Product 99999 does not exist.',
      'Store 1, Sucursal Del Valle: Lunes a sábado de 8:00 a 22:00, domingo de 9:00 a 20:00',
      'Payment method 1, Tarjeta',
      'Quote: 68.00 - 6.80 = 61.20 {',
      "  prescriptions: 'Prescription required, by line number: 1: Amoxicilina 500 mg, Caja con 12 cápsulas (id 15).'",
      '}',
      'Publish a dearer catalog within 15 minutes, then press Enter to order at the held price.',
      'Its price today: 67.50',
      expect.stringMatching(/^Order RX-\d{8}: 61.20, pending_approval, id \d+$/),
      expect.stringMatching(/^Invoice [0-9a-f]{24} to MOXL900412AB1, mailed to facturas@example.mx$/),
      'Waiting until the pharmacy has shipped it',
      'order.created: pending_approval, unpaid',
      'invoice.issued: pending_approval, unpaid',
      'prescription.verified: pending_approval, unpaid',
      'order.moved: approved, unpaid',
      'order.paid: approved, paid',
      'order.moved: in_process, paid',
      'order.moved: ready, paid',
      'order.moved: shipped, paid',
    ]);
  });

  it('compiles without zod and without this project', async () => {
    const strict = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--types',
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
    ];
    const modern = ['--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    const compiling = run(join(ROOT, 'node_modules/.bin/tsc'), [...modern, ...strict, 'example.ts'], { cwd: project });
    expect(await compiling).toMatchObject({ stdout: '' });
  });
});
