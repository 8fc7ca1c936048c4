import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEMO_API_KEY } from '../../infra/local/seed.ts';
import { commands } from '../../infra/ops/cli.ts';
import { STACK_OUTPUTS } from '../../infra/ops/target/outputs.ts';
import { changeOrderWrites } from '../../shared/store/orders/order-writes.ts';
import { getOrderOfAnyClient } from '../../shared/store/orders/orders.ts';
import { openTable } from '../../shared/store/table.ts';
import { DEMO_CATALOG, publishToTestServer } from '../support/engines/catalog-bucket.ts';
import { operate } from '../support/operators/operator.ts';
import { captureOutput } from '../support/operators/output.ts';
import { forceVersion } from '../support/orders/forced-order.ts';
import { INVOICING, orderBody, PDF } from '../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../support/servers/test-server.ts';

let server: TestServer;
let folder: string;
let environment: NodeJS.ProcessEnv;
const made: Record<'order' | 'prescribed' | 'invoiced' | 'client' | 'spareKey' | 'version' | 'pdf', string> = {
  order: '',
  prescribed: '',
  invoiced: '',
  client: '',
  spareKey: '',
  version: '',
  pdf: '',
};

const ops = (...argv: readonly string[]) => operate('pipe', ...argv);
const json = async (...argv: readonly string[]) => JSON.parse((await ops(...argv, '--json')).out);

async function ownCatalogBucket(): Promise<string> {
  const Bucket = `catalog-${randomUUID()}`;
  const s3 = new S3Client({ forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket }));
  s3.destroy();
  return Bucket;
}

async function makeMailDue(id: string): Promise<void> {
  const before = await getOrderOfAnyClient(openTable(), Number(id));
  if (!before?.invoice) throw new Error(`order ${id} has no invoice`);
  const invoice = { ...before.invoice, mail: { status: 'due', tries: 1 }, dueAt: before.invoice.requestedAt } as const;
  await openTable().transact(changeOrderWrites(before, forceVersion(before, { invoice })));
}

beforeAll(async () => {
  const written = captureOutput();
  server = await openTestServer({ environment: { POWERTOOLS_LOG_LEVEL: 'INFO' } });
  process.env.AWS_ENDPOINT_URL_API_GATEWAY = new URL('/_control', server.url).href;
  process.env.API_URL = server.url;
  const token = await server.login('aseguradora@demo.example');
  const place = async (product: number, order: object = {}, more: Record<string, unknown> = {}): Promise<string> => {
    const body = orderBody('ana@example.mx', { details: [{ product, quantity: 1 }], ...order }, more);
    return String((await server.request('POST', '/api/orders/resources/', { token, body })).body.id);
  };
  [made.order, made.prescribed] = [await place(1), await place(4)];
  made.invoiced = await place(1, { payment_method: 2 }, { invoicing: INVOICING });
  await makeMailDue(await place(1, {}, { invoicing: INVOICING }));
  process.env.CATALOG_BUCKET = await ownCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
  folder = await mkdtemp(join(tmpdir(), 'commands-'));
  made.pdf = join(folder, 'receta.pdf');
  await writeFile(made.pdf, Buffer.from(PDF, 'base64'));
  environment = { ...process.env };
  vi.restoreAllMocks();
  // The log of this process goes to stdout too, so that the tests below find a command that does not silence it.
  expect(written.join('')).toContain('"level":"INFO"');
});
afterAll(async () => {
  Object.assign(process.env, environment);
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

describe('every command', () => {
  it.each(commands.map(({ name }) => name))('%s has a help with an example and the exit codes', async (name) => {
    const { code, out, err } = await ops(...name.split(' '), '--help');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`\nUsage: npm run ops -- ${name}`);
    expect(out).toContain(`\nExample: npm run ops -- ${name}`);
    expect(out).toContain('Exit codes: 0 done, 1 refused or failed, 2 not understood.\n');
  });

  it.each(commands.map(({ name }) => name))('%s refuses an unknown option', async (name) => {
    const { code, out, err } = await ops(...name.split(' '), '--no-such-option');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^Unknown option '--no-such-option'/);
    expect(err).toContain(`\nUsage: npm run ops -- ${name}`);
  });

  it.each(commands.map((each) => [each.name, each] as const))('%s has the options of its example', (_, each) => {
    const options = [...`${each.usage} ${each.example}`.matchAll(/--([a-z-]+)/g)].map(([, option]) => option);
    for (const option of options) expect(['outputs', ...Object.keys(each.options)]).toContain(option);
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
  'catalog build': () => [DEMO_CATALOG],
  'catalog publish': () => [DEMO_CATALOG],
  'catalog versions': () => [],
  'catalog activate': () => [made.version],
  'catalog coupons': () => ['--client', '1'],
  'clients create': () => ['--name', 'Norte', '--origin', 'norte', '--payment-methods', '1'],
  'clients list': () => [],
  'clients rotate-key': () => [made.client],
  'clients retire-key': () => [made.client, made.spareKey],
  'clients disable': () => [made.client],
  'clients enable': () => [made.client],
  'users create': () => [...WHO, '--role', 'patient', '--first-name', 'Eva', '--last-name', 'Ruiz'],
  'users password': () => [...WHO, '--generate-password'],
  'users disable': () => WHO,
  'users enable': () => WHO,
  'patients erase': () => [...WHO, '--yes'],
  'orders list': () => [],
  'orders find': () => ['--email', 'ana@example.mx'],
  'orders show': () => [made.order],
  'orders move': () => [made.order, '--to', 'in_process'],
  'orders pay': () => [made.order, '--status', 'paid'],
  'orders attach-prescription': () => [made.prescribed, '--file', made.pdf, '--issue-date', '2026-11-01'],
  'orders verify-prescription': () => [made.prescribed],
  'orders recount': () => ['--client', '1'],
  'invoices list': () => [],
  'invoices settle': () => [],
  'invoices resend': () => [made.invoiced],
  'invoices handled': () => [made.invoiced],
  'documents sweep': () => [],
  doctor: () => [],
};

describe('with --json', () => {
  beforeAll(async () => {
    made.client = String((await json('clients', 'create', ...(CALLS['clients create']?.() ?? []))).id);
    made.spareKey = (await json('clients', 'rotate-key', made.client)).api_key_id;
    made.version = (await json('catalog', 'versions')).current;
    await ops('orders', 'pay', made.invoiced, '--status', 'paid', '--form', '03');
  });

  it('no command is left out', () => {
    // No engine here keeps logs: test/unit/ops/logs.test.ts has the calls of that command.
    expect([...Object.keys(CALLS), 'logs'].sort()).toEqual(commands.map(({ name }) => name).sort());
  });

  it.each(Object.entries(CALLS))('%s prints one document and nothing else', async (name, call) => {
    const written = captureOutput();
    const { code, out, err } = await ops(...name.split(' '), ...call(), '--json');
    vi.restoreAllMocks();
    expect(written).toEqual([]);
    // Only the doctor may report a failed check here, because a local server is no installation on AWS.
    expect([code, err]).toEqual([name === 'doctor' ? 1 : 0, '']);
    expect(Object.keys(JSON.parse(out)).length).toBeGreaterThan(0);
  });

  it('no stored key is shown', async () => {
    for (const name of ['clients list', 'orders list', 'doctor', 'catalog versions']) {
      const { out } = await ops(...name.split(' '), ...(CALLS[name]?.() ?? []), '--json');
      expect(out).not.toContain(DEMO_API_KEY);
      for (const { value } of server.keys.list()) expect(out).not.toContain(value);
    }
  });
});

describe('--outputs', () => {
  const stack = (changes: object = {}) =>
    JSON.stringify({
      Pharmacy: {
        Region: 'mx-central-1',
        TableName: environment.TABLE_NAME,
        CatalogBucket: environment.CATALOG_BUCKET,
        Other: 'x',
        ...changes,
      },
    });

  async function withOutputs(content: string, ...argv: readonly string[]) {
    const file = join(folder, 'outputs.json');
    await writeFile(file, content);
    return ops('--outputs', file, ...argv);
  }

  it('points a command at the stack of the file, before or after its name', async () => {
    process.env.TABLE_NAME = 'another';
    expect((await withOutputs(stack(), 'orders', 'list', '--client', '1')).code).toBe(0);
    process.env.TABLE_NAME = 'another';
    const file = join(folder, 'outputs.json');
    expect((await ops('orders', 'list', '--client', '1', `--outputs=${file}`)).code).toBe(0);
    expect(process.env.TABLE_NAME).toBe(environment.TABLE_NAME);
    expect(process.env).not.toHaveProperty('Other');
  });

  it('sets a variable from every output of the stack', async () => {
    const all = Object.fromEntries(Object.values(STACK_OUTPUTS).map((output) => [output, `of ${output}`]));
    await withOutputs(JSON.stringify({ Pharmacy: all }), 'catalog', 'schema');
    for (const [variable, output] of Object.entries(STACK_OUTPUTS)) expect(process.env[variable]).toBe(`of ${output}`);
    Object.assign(process.env, environment);
  });

  it('puts the credentials of a profile into the environment', async () => {
    const file = join(folder, 'credentials');
    await writeFile(file, '[desk]\naws_access_key_id = AKIADESK\naws_secret_access_key = of-the-desk\n');
    delete process.env.AWS_ACCESS_KEY_ID;
    Object.assign(process.env, { AWS_PROFILE: 'desk', AWS_SHARED_CREDENTIALS_FILE: file, AWS_SESSION_TOKEN: 'old' });
    expect((await withOutputs(stack(), 'catalog', 'schema')).code).toBe(0);
    expect(process.env).toMatchObject({ AWS_ACCESS_KEY_ID: 'AKIADESK', AWS_SECRET_ACCESS_KEY: 'of-the-desk' });
    expect(process.env).not.toHaveProperty('AWS_SESSION_TOKEN');
    expect(process.env).not.toHaveProperty('AWS_PROFILE');
    Object.assign(process.env, environment);
  });

  it.each([
    ['of another stack', '{"Other":{"Bucket":"x"}}', 'holds no outputs of a stack of ours'],
    ['of two stacks', '{"A":{"TableName":"a"},"B":{"TableName":"b"}}', 'holds the outputs of more than one stack'],
    ['that is not JSON', 'TableName=x', 'is no file that `cdk deploy --outputs-file` has written'],
    ['of another shape', '["TableName"]', 'is no file that `cdk deploy --outputs-file` has written'],
  ])('refuses a file %s', async (_, content, complaint) => {
    expect(await withOutputs(content, 'clients', 'list')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(complaint),
    });
  });

  it.each([
    ['no file', ['clients', 'list', '--outputs'], '--outputs needs the file'],
    ['a missing file', ['clients', 'list', '--outputs', '/nowhere.json'], 'cannot be read (ENOENT)'],
    ['--local as well', ['clients', 'list', '--local', '--outputs', 'x'], '--local and --outputs are two places'],
  ])('refuses %s', async (_, argv, complaint) => {
    expect(await ops(...argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(complaint) });
  });
});
