import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { identifyOperator } from '../../../infra/ops/target.ts';
import { openCatalogBucket } from '../../support/engines/catalog-bucket.ts';
import { callerAnswer, xml } from '../../support/engines/fake-stack.ts';
import { openScriptedApi, type Scripted, type ScriptedApi } from '../../support/engines/scripted-api.ts';
import { operate } from '../../support/operators/operator.ts';
import { NEEDS_PRESCRIPTION, openOperatorWorld, refused } from '../../support/operators/operator-world.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { INVOICING, PDF } from '../../support/orders/samples.ts';

const ARN = 'arn:aws:sts::111122223333:assumed-role/Pharmacy/ana.sol@botica.example';
const KNOWN: Scripted = { status: 200, ...callerAnswer };
const EXPIRED: Scripted = {
  status: 403,
  ...xml('<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code></Error></ErrorResponse>'),
};

const world = openOperatorWorld();
let order: number;
beforeEach(async () => {
  const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
  order = await world.placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions } });
});

async function openSts(...script: readonly Scripted[]): Promise<ScriptedApi> {
  const sts = await openScriptedApi(...script);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', new URL(sts.url).origin);
  return sts;
}

const stored = () => world.stored(order);

const cancel = () => operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled');
const unknown = (reason: string) => refused(`AWS does not say who you are (${reason}), so nothing was changed.\n`);
const toWords = (words: readonly string[]) =>
  words.map((word) => (word === 'ID' ? String(order) : word === 'receta.pdf' ? world.pdf : word));

describe('a command that changes an order on AWS', () => {
  it('asks STS once who calls, with a signed request, and names them in the history', async () => {
    const sts = await openSts(KNOWN);
    expect(await cancel()).toMatchObject({ code: 0 });
    expect(sts.heard).toMatchObject([{ line: 'POST /', body: 'Action=GetCallerIdentity&Version=2011-06-15' }]);
    expect(sts.heard[0]?.headers).toMatchObject({
      'content-type': expect.stringContaining('application/x-www-form-urlencoded'),
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[\w-]+\/sts\/aws4_request, /),
    });
    expect((await getStoredEvents(order)).at(-1)).toMatchObject({
      what: 'cancelled',
      version: 2,
      by: { operator: ARN },
    });
  });

  it.each([
    ['orders', 'move', 'ID', '--to', 'cancelled'],
    ['orders', 'attach-prescription', 'ID', '--file', 'receta.pdf', '--issue-date', '2020-02-29'],
    ['invoices', 'resend', 'ID'],
    ['jobs', 'run', 'run-due-tasks'],
  ])('changes nothing while STS does not know the caller: %s %s', async (...words) => {
    const before = await stored();
    await openSts(EXPIRED);
    expect(await operate('pipe', ...toWords(words))).toEqual(unknown('ExpiredToken: Unknown'));
    expect(await stored()).toEqual(before);
  });

  it.each<[string, Scripted]>([
    ['STS answers without an ARN', { status: 200, ...xml('<GetCallerIdentityResponse/>') }],
    ['STS answers without an ARN', { status: 200, ...xml(String(callerAnswer.body).replace('arn:', '')) }],
    ['Unknown: Unknown', { status: 403, ...xml('<html/>') }],
    ['TimeoutError: socket hang up', 'hangs up'],
  ])('changes nothing while STS does not answer as it should: %s', async (reason, answer) => {
    const before = await stored();
    await openSts(answer);
    expect(await cancel()).toEqual(unknown(reason));
    expect(await stored()).toEqual(before);
  });
});

describe('a command that only reads', () => {
  it.each([
    ['orders', 'show', 'ID'],
    ['patients', 'erase', '--client', '1', '--email', 'paciente@demo.example', '--dry-run'],
  ])('does not ask who calls: %s %s', async (...words) => {
    const sts = await openSts(EXPIRED);
    const { code, err } = await operate('pipe', ...toWords(words));
    expect(code).not.toBe(2);
    expect(err).not.toContain('who you are');
    expect(sts.heard).toEqual([]);
  });
});

it('on a local server the operator is the user of the system, and STS is not asked', async () => {
  expect(await cancel()).toMatchObject({ code: 0 });
  expect((await getStoredEvents(order)).at(-1)?.by).toEqual({ operator: userInfo().username });
  const sts = await openSts(KNOWN);
  expect(await identifyOperator(true)).toBe(userInfo().username);
  expect(sts.heard).toEqual([]);
});

it('orders show ends with the history of the order: when, version, what, who', async () => {
  await openSts(KNOWN);
  vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '100000');
  await operate('pipe', 'orders', 'verify-prescription', String(order), '--accept-copy');
  await operate('pipe', 'orders', 'move', String(order), '--to', 'approved');
  const { prescriptions } = await stored();
  const ids = prescriptions.map(({ id }) => id);
  const json = JSON.parse((await operate('pipe', 'orders', 'show', String(order), '--json')).out);
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(json.history).toEqual([
    { what: 'created', at, version: 1, by: { user: json.generated_by.id } },
    { what: 'prescription_verified', at, version: 2, by: { operator: ARN }, prescriptions: ids },
    { what: 'moved', at, version: 3, by: { operator: ARN }, from: 'pending_approval', to: 'approved' },
  ]);
  const { out } = await operate('pipe', 'orders', 'show', String(order));
  const cells = out.trimEnd().split('\n').at(-1)?.split('\t').filter(Boolean);
  expect(cells).toEqual(['moved', at, '3', `operator ${ARN}`, 'pending_approval', 'approved']);
});

describe('the README of the commands', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../infra/ops/README.md'), 'utf8');
  const examples = [...readme.matchAll(/^\$ npm run ops -- ((?:.*\\\n)*.*)$/gm)].map(([, command = '']) => command);
  /** The orders that it calls 42 and 43. */
  const ids: Record<string, string> = {};
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    vi.unstubAllEnvs();
    const place = async (...asked: Parameters<typeof world.server.placeOrder>) =>
      String((await world.server.placeOrder(...asked)).id);
    ids['42'] = await place('ana.paz@example.mx', NEEDS_PRESCRIPTION);
    ids['43'] = await place('luz.mora@example.mx', { payment_method: 2 }, { invoicing: INVOICING });
    await world.force(Number(ids['43']), { orderStatus: 'delivered', paymentStatus: 'paid' });
    await world.file('receta.pdf', Buffer.from(world.newPrescription().document, 'base64'));
    process.env.API_KEYS_FILE = world.server.keys.file;
    process.env.PORT = new URL(world.server.url).port;
    await openCatalogBucket();
    environment = { ...process.env };
  });
  afterEach(() => Object.assign(process.env, environment));

  it.each(examples)('npm run ops -- %s', async (command) => {
    // As a shell splits them; all but the doctor use the tables and buckets of this test.
    const words = [...command.matchAll(/'([^']*)'|([^\s\\]+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const files = ['receta.pdf', 'facturas', 'pedidos.csv'];
    const argv = words
      .filter((word) => word !== '--local' || command.startsWith('doctor'))
      .map((word) => ids[word] ?? (files.includes(word) ? join(world.folder, word) : word));
    const { code, out } = await operate('terminal', ...argv);
    expect([code, out === '']).toEqual([0, false]);
  });

  it('has an example of every group of commands', () => {
    expect(examples.length).toBeGreaterThan(20);
  });
});
