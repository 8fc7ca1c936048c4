import { mkdtempSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { COUNTER_COMMANDS } from '../../../infra/counter/server/counter-commands.ts';
import { DEMO_API_KEY } from '../../../infra/local/seed.ts';
import { openStream } from '../../../infra/local/table-stream.ts';
import { commands } from '../../../infra/ops/cli.ts';
import type { TaxDocument } from '../../../shared/invoices/rules/tax-document.ts';
import type { Order } from '../../../shared/order/order.ts';
import { beginContainer } from '../../../shared/runtime/async.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { type FaultProxy, openFaultProxy } from '../../support/faults/fault-proxy.ts';
import { operate } from '../../support/operators/operator.ts';
import { captureOutput } from '../../support/operators/output.ts';
import { forceStored, getStoredOrder } from '../../support/orders/forced-order.ts';
import { INVOICING, PDF } from '../../support/orders/samples.ts';
import { roleStatements } from '../../support/rights/function-rights.ts';
import { stackTemplate } from '../../support/rights/stack-template.ts';
import { engines, localNames } from '../../support/servers/deployed-stack.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';
import { publishEvents } from '../../support/webhooks/feed.ts';
import { openReceiver, type Receiver } from '../../support/webhooks/receiver.ts';

let server: TestServer;
let receiver: Receiver;
const folder = mkdtempSync(join(tmpdir(), 'commands-'));
let environment: NodeJS.ProcessEnv;
const made = {
  order: '',
  prescribed: '',
  invoiced: '',
  unissued: '',
  rejected: '',
  replaced: '',
  mismatched: '',
  client: '',
  webhook: '',
  spareKey: '',
  version: '',
  pdf: '',
  csv: '',
  counts: '',
};

const ops = (...argv: readonly string[]) => operate('pipe', ...argv);
const json = async (...argv: readonly string[]) => JSON.parse((await ops(...argv, '--json')).out);

/** Stores the invoice of an order with other values; returns the order's id. */
const forceInvoice = (id: string, change: (invoice: TaxDocument) => Partial<TaxDocument>): Promise<string> =>
  forceOrder(id, ({ invoice: before }) => {
    if (!before) throw new Error(`order ${id} has no invoice`);
    const invoice = { ...before, ...change(before) };
    return { invoice, cfdi: invoice.providerId };
  });

/** Stores an order with other values; returns its id. */
async function forceOrder(id: string, change: (order: Order) => Partial<Order>): Promise<string> {
  await forceStored(Number(id), change(await getStoredOrder(Number(id))));
  return id;
}

beforeAll(async () => {
  const written = captureOutput();
  server = await openServer({ table: 'streamed', settings: { POWERTOOLS_LOG_LEVEL: 'INFO' } });
  process.env.API_KEYS_FILE = server.keys.file;
  process.env.API_URL = server.url;
  const place = async (product: number, order: object = {}, more: Record<string, unknown> = {}): Promise<string> =>
    String((await server.placeOrder('ana@example.mx', { details: [{ product, quantity: 1 }], ...order }, more)).id);
  [made.order, made.prescribed] = [await place(1), await place(4)];
  made.invoiced = await place(1, { payment_method: 2 }, { invoicing: INVOICING });
  const invoiced = () => place(1, {}, { invoicing: INVOICING });
  await forceInvoice(await invoiced(), ({ requestedAt: dueAt }) => ({
    mail: 'due',
    tasks: { mail: { tries: 1, dueAt } },
  }));
  made.unissued = await forceInvoice(await invoiced(), () => ({ status: 'not_issued', providerId: '', mail: null }));
  const cancellation = { motive: '03', substitution: null } as const;
  made.rejected = await forceInvoice(await invoiced(), () => ({ status: 'cancellation_rejected', cancellation }));
  made.replaced = await invoiced();
  made.mismatched = await forceOrder(await place(1, { payment_method: 5 }), ({ payment }) => ({
    ...(payment && { payment: { ...payment, unmatchedCents: 5_000 } }),
  }));
  receiver = await openReceiver();
  await publishEvents(openStream());
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
  made.pdf = join(folder, 'receta.pdf');
  await writeFile(made.pdf, Buffer.from(PDF, 'base64'));
  made.csv = join(folder, 'precios.csv');
  await writeFile(made.csv, 'id,price\n1,30.00\n');
  made.counts = join(folder, 'conteo.csv');
  await writeFile(made.counts, 'store;ean_key;quantity\n1;7509999000013;8\n');
  environment = { ...process.env };
  vi.restoreAllMocks();
  // The log of this process goes to stdout too, so that the tests below find a command that does not silence it.
  expect(written.join('')).toContain('"level":"INFO"');
});
afterAll(async () => {
  Object.assign(process.env, environment);
  await receiver.close();
  await pharmacist.close();
  await server.close();
});

describe('every command', () => {
  it.each(commands.map((each) => [each.name, each] as const))('%s explains itself', async (name, each) => {
    const { code, out, err } = await ops(...name.split(' '), '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`\nUsage: npm run ops -- ${name}`);
    expect(out).toContain(`\nExample: npm run ops -- ${name}`);
    const optionsOf = (text: string) => text.match(/--[a-z-]+/g) ?? [];
    expect(['--outputs', ...optionsOf(each.usage)]).toEqual(expect.arrayContaining(optionsOf(each.example)));
    const wrong = await ops(...name.split(' '), '--no-such-option');
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toMatch(/^Unknown option '--no-such-option'\.\n/);
  });

  it('has a name that is no prefix of another', () => {
    const names = commands.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      for (const other of names) expect(other === name || !other.startsWith(`${name} `)).toBe(true);
  });
});

const WHO = ['--client', '1', '--email', 'eva@example.mx'];
/** Holds a successful call of each command, in an order in which each finds the data that it needs. */
const CALLS: Readonly<Record<string, () => readonly string[]>> = {
  'catalog schema': () => [],
  'catalog init': () => [join(folder, 'tienda'), '--zipcode', '06700'],
  'catalog import': () => ['--template', join(folder, 'plantilla.csv')],
  'catalog build': () => [DEMO_CATALOG],
  'catalog publish': () => [DEMO_CATALOG],
  'catalog update': () => [made.csv],
  'catalog shortage': () => ['1', '2', '--on'],
  'catalog versions': () => [],
  'catalog activate': () => [made.version],
  'catalog search': () => ['ibuprofeno'],
  'catalog coupons': () => ['--client', '1'],
  'clients create': () => ['--name', 'Norte', '--origin', 'norte', '--payment-methods', '1', '--again'],
  'clients update': () => [made.client, '--name', 'Norte y Sur', '--enabled', 'yes'],
  'clients list': () => [made.client],
  'clients rotate-key': () => [made.client, '--retire', made.spareKey],
  'webhooks create': () => ['--client', '1', '--email', 'eva@example.mx', '--url', receiver.url],
  'webhooks list': () => [],
  'webhooks test': () => [made.webhook],
  'webhooks update': () => [made.webhook, '--enabled', 'yes', '--rotate-secret'],
  'webhooks deliveries': () => [made.webhook],
  'webhooks replay': () => [made.webhook, '--event', `evt_${made.order}_1_0`],
  'events repair': () => [made.order],
  'users create': () => [...WHO, '--role', 'patient', '--first-name', 'Eva', '--last-name', 'Ruiz'],
  'users list': () => ['--client', '1'],
  'users update': () => [...WHO, '--phone', '+525512345679', '--enabled', 'yes', '--generate-password'],
  'patients erase': () => [...WHO, '--yes'],
  'orders list': () => [],
  'orders export': () => ['--from', '2026-11-01', '--to', '2026-11-30', '--out', join(folder, 'pedidos.csv')],
  'orders show': () => [made.order],
  'orders move': () => [made.order, '--to', 'in_process'],
  'orders pay': () => [made.order, '--status', 'paid'],
  'orders refund': () => [made.order, '--amount', '1.00', '--form', '03'],
  'orders note': () => [made.order, 'Llamar antes'],
  'orders update': () => [made.order, '--tags', 'frio', '--claim', 'missing_data'],
  'orders cash-up': () => ['--day', '2026-11-23'],
  'orders attach-prescription': () => [made.prescribed, '--file', made.pdf, '--issue-date', '2026-11-01'],
  'orders verify-prescription': () => [made.prescribed],
  'orders reject-prescription': () => [made.prescribed, '--reason', 'Sin firma'],
  'orders rebuild': () => ['--client', '1', '--dry-run'],
  'payments list': () => [],
  'orders handled': () => [made.mismatched],
  'invoices list': () => [],
  'invoices global': () => ['--period', '2026-10'],
  'invoices issue': () => [made.unissued],
  'invoices cancel': () => [made.rejected],
  'invoices resend': () => [made.invoiced],
  'invoices credit': () => [made.invoiced, '--amount', '1.00'],
  'invoices replace': () => [made.replaced],
  'invoices files': () => [made.invoiced, '--out', join(folder, 'facturas')],
  'orders recall': () => ['--product', '1'],
  'stock set': () => [made.counts],
  'stock adjust': () => ['1', '--store', '1', '--by', '-2', '--reason', 'Caducados'],
  'stock list': () => ['--below', '10'],
  'stock history': () => ['1'],
  'jobs run': () => ['run-due-tasks'],
  'accounting export': () => ['--month', '2026-11'],
  'dispensing export': () => ['--month', '2026-11'],
  doctor: () => [],
};

/* The counter's commands run with the rights of a pharmacist alone. */
const OF_COUNTER = new Set([...Object.values(COUNTER_COMMANDS).map(({ name }) => name), 'orders attach-prescription']);
let pharmacist: FaultProxy;

async function asPharmacist<Result>(work: () => Promise<Result>): Promise<Result> {
  const { url } = pharmacist;
  for (const service of ['DYNAMODB', 'S3', 'SES']) process.env[`AWS_ENDPOINT_URL_${service}`] = url;
  beginContainer();
  try {
    return await work();
  } finally {
    Object.assign(process.env, environment);
    beginContainer();
  }
}

describe('with --json', () => {
  beforeAll(async () => {
    const sender = { name: 'Botica', address: 'facturas@botica.example', identity: 'address' };
    const statements = roleStatements(stackTemplate({ sender }), 'PeoplePharmacist', localNames());
    pharmacist = await openFaultProxy(engines(), { statements, secrets: {} });
    made.client = String((await json('clients', 'create', ...(CALLS['clients create']?.() ?? []))).id);
    made.webhook = String((await json('webhooks', 'create', ...(CALLS['webhooks create']?.() ?? []))).id);
    made.spareKey = (await json('clients', 'rotate-key', made.client)).api_key_id;
    made.version = (await json('catalog', 'versions')).current;
    await ops('orders', 'pay', made.invoiced, '--status', 'paid', '--form', '03');
  });

  it('no command is left out', () => {
    // No engine here keeps logs, and the counter runs until Ctrl-C: they have tests of their own.
    expect([...Object.keys(CALLS), 'counter', 'logs'].sort()).toEqual(commands.map(({ name }) => name).sort());
  });

  it.each(Object.entries(CALLS))('%s prints one document and nothing else', async (name, call) => {
    const written = captureOutput();
    const run = () => ops(...name.split(' '), ...call(), '--json');
    const { code, out, err } = await (OF_COUNTER.has(name) ? asPharmacist(run) : run());
    vi.restoreAllMocks();
    expect(written).toEqual([]);
    // Only the doctor may report a failed check here, because a local server is no installation on AWS.
    expect([code, err]).toEqual([name === 'doctor' ? 1 : 0, '']);
    expect(Object.keys(JSON.parse(out)).length).toBeGreaterThan(0);
  });

  it('a pharmacist has the rights for all that the counter does', async () => {
    const streams = { stdout: { write: () => true }, stderr: { write: () => true }, stdin: Readable.from([]) };
    const call = { ...streams, isTerminal: false, isJson: true, isLocal: true, operator: async () => 'eva' };
    const { 'orders-figures': figures, 'orders-queue': queue, 'orders-search': search } = COUNTER_COMMANDS;
    await asPharmacist(() => figures.runNamed({ from: '2026-11-01', to: '2026-11-30' }, call));
    await asPharmacist(() => queue.runNamed({}, call));
    for (const text of ['Ana', 'ana@example.mx', '+525555550199'])
      await asPharmacist(() => search.runNamed({ text }, call));
    expect(pharmacist.refused).toEqual([]);
  });

  it('no stored key is shown', async () => {
    for (const name of ['clients list', 'orders list', 'doctor', 'catalog versions']) {
      const { out } = await ops(...name.split(' '), ...(CALLS[name]?.() ?? []), '--json');
      expect(out).not.toContain(DEMO_API_KEY);
      for (const { value } of server.keys.list()) expect(out).not.toContain(value);
    }
  });
});

describe('catalog publish', () => {
  it('refuses to remove a payment method that a client has, unless told to', async () => {
    const changed = join(folder, 'catalogo');
    await cp(DEMO_CATALOG, changed, { recursive: true });
    const methods = await readFile(join(changed, 'payment_methods.jsonl'), 'utf8');
    await writeFile(join(changed, 'payment_methods.jsonl'), methods.replace('"id":2,', '"id":9,'));
    const { code, out } = await ops('catalog', 'publish', changed);
    expect([code, out.includes('Payment methods are removed that a client has: 2.')]).toEqual([1, true]);
    const twice = `${methods}${methods.split('\n')[1]?.replace('"id":2,', '"id":9,')}\n`;
    await writeFile(join(changed, 'payment_methods.jsonl'), twice);
    expect((await json('catalog', 'publish', changed)).outcome).toBe('published');
    // No client has the added one.
    expect((await json('catalog', 'publish', DEMO_CATALOG)).outcome).toBe('published');
  });
});

describe('--outputs', () => {
  const write = async (content: object | string): Promise<string> => {
    const file = join(folder, 'outputs.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const writeOwn = () => {
    const { AWS_REGION: AwsRegion, TABLE_NAME: TableName, CATALOG_BUCKET: CatalogBucket } = environment;
    return write({ Pharmacy: { AwsRegion, TableName, CatalogBucket } });
  };

  afterEach(() => Object.assign(process.env, environment));

  it('points a command at the stack of the file, before or after its name', async () => {
    const file = await writeOwn();
    for (const argv of [
      ['--outputs', file, 'orders', 'list', '--client', '1'],
      ['orders', 'list', '--client', '1', `--outputs=${file}`],
    ]) {
      process.env.TABLE_NAME = 'another';
      expect((await ops(...argv)).code).toBe(0);
      expect(process.env.TABLE_NAME).toBe(environment.TABLE_NAME);
    }
  });

  it.each([
    ['of another stack', '{"Other":{"Bucket":"x"}}', 'holds no outputs of a stack of ours'],
    ['of two stacks', '{"A":{"TableName":"a"},"B":{"TableName":"b"}}', 'holds the outputs of more than one stack'],
    ['that is not JSON', 'TableName=x', 'is no file that `cdk deploy --outputs-file` has written'],
  ])('refuses a file %s', async (_, content, complaint) => {
    const { code, out, err } = await ops('clients', 'list', '--outputs', await write(content));
    expect([code, out, err.includes(complaint)]).toEqual([2, '', true]);
  });

  it.each([
    ['no file', ['clients', 'list', '--outputs'], '--outputs needs the file'],
    ['--local as well', ['clients', 'list', '--local', '--outputs', 'x'], '--local and --outputs are two places'],
  ])('refuses %s', async (_, argv, complaint) => {
    expect(await ops(...argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(complaint) });
  });
});
