import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { identifyOperator } from '../../../infra/ops/aws.ts';
import { getOrderOfAnyClient } from '../../../shared/store/orders/orders.ts';
import { openTable } from '../../../shared/store/table.ts';
import { openScriptedApi, type Scripted, type ScriptedApi } from '../../support/engines/scripted-api.ts';
import { operate } from '../../support/operators/operator.ts';
import { orderBody, PDF } from '../../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/Pharmacy/ana.sol@botica.example';
/** The answers of STS, as its API reference shows them. */
const KNOWN: Scripted = {
  status: 200,
  headers: { 'Content-Type': 'text/xml' },
  body:
    '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n  <GetCallerIdentityResult>\n' +
    `    <Arn>${ARN}</Arn>\n    <UserId>AROAEXAMPLE:ana.sol</UserId>\n    <Account>123456789012</Account>\n` +
    '  </GetCallerIdentityResult>\n</GetCallerIdentityResponse>\n',
};
const EXPIRED: Scripted = {
  status: 403,
  headers: { 'Content-Type': 'text/xml' },
  body:
    '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">\n  <Error>\n    <Type>Sender</Type>\n' +
    '    <Code>ExpiredToken</Code>\n    <Message>The security token included in the request is expired</Message>\n' +
    '  </Error>\n</ErrorResponse>\n',
};

let server: TestServer;
let token: string;
let folder: string;
let order: number;
beforeAll(async () => {
  server = await openTestServer();
  token = await server.login('aseguradora@demo.example');
  folder = await mkdtemp(join(tmpdir(), 'operator-'));
  await writeFile(join(folder, 'receta.pdf'), Buffer.from(PDF, 'base64'));
});
beforeEach(async () => {
  const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
  const body = orderBody('ana@example.mx', { details: [{ product: 4, quantity: 1 }], prescriptions });
  const answer = await server.request('POST', '/api/orders/resources/', { token, body });
  order = answer.body.id;
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

async function openSts(...script: readonly Scripted[]): Promise<ScriptedApi> {
  const sts = await openScriptedApi(...script);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', sts.url);
  return sts;
}

const stored = () => getOrderOfAnyClient(openTable(), order);

const WRITING = [
  ['orders', 'move', 'ID', '--to', 'cancelled'],
  ['orders', 'pay', 'ID', '--status', 'processing'],
  ['orders', 'attach-prescription', 'ID', '--file', 'receta.pdf', '--issue-date', '2020-02-29'],
  ['orders', 'verify-prescription', 'ID'],
  ['orders', 'reject-prescription', 'ID', '--reason', 'Sin firma'],
  ['invoices', 'handled', 'ID'],
  ['invoices', 'resend', 'ID'],
  ['invoices', 'settle'],
];
const toWords = (words: readonly string[]) =>
  words.map((word) => (word === 'ID' ? String(order) : word === 'receta.pdf' ? join(folder, word) : word));

describe('a command that changes an order on AWS', () => {
  it('asks STS once who calls, with a signed request, and names them in the history', async () => {
    const sts = await openSts(KNOWN);
    expect(await operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled')).toMatchObject({ code: 0 });
    expect(sts.heard).toMatchObject([{ line: 'POST /', body: 'Action=GetCallerIdentity&Version=2011-06-15' }]);
    expect(sts.heard[0]?.headers).toMatchObject({
      'content-type': expect.stringContaining('application/x-www-form-urlencoded'),
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[\w-]+\/sts\/aws4_request, /),
    });
    expect((await stored())?.history.at(-1)).toMatchObject({
      what: 'cancelled',
      version: 2,
      by: { operator: 'arn:aws:sts::123456789012:assumed-role/Pharmacy/ana.sol@botica.example' },
    });
  });

  it.each(WRITING)('changes nothing while STS does not know the caller: %s %s', async (...words) => {
    const before = await stored();
    await openSts(EXPIRED);
    expect(await operate('pipe', ...toWords(words))).toEqual({
      code: 1,
      out: '',
      err: 'AWS does not say who you are (sts answers 403 ExpiredToken), so nothing was changed.\n',
    });
    expect(await stored()).toEqual(before);
  });

  it.each<[string, Scripted]>([
    ['an answer without an ARN', { status: 200, body: '<GetCallerIdentityResponse/>' }],
    ['an answer that is no ARN', { status: 200, body: '<Arn>ana</Arn>' }],
    ['an error without a code', { status: 403, body: '<html/>' }],
    ['no answer', 'hangs up'],
  ])('changes nothing after %s', async (_what, answer) => {
    const before = await stored();
    await openSts(answer);
    const { code, out, err } = await operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^AWS does not say who you are \(.+\), so nothing was changed\.\n$/);
    expect(await stored()).toEqual(before);
  });
});

describe('a command that only reads', () => {
  it.each([
    ['orders', 'show', 'ID'],
    ['orders', 'list'],
    ['orders', 'list', '--email', 'ana@example.mx'],
    ['invoices', 'list'],
    ['patients', 'erase', '--client', '1', '--email', 'paciente@demo.example', '--dry-run'],
  ])('does not ask who calls: %s %s', async (...words) => {
    const sts = await openSts(EXPIRED);
    const { code, err } = await operate('pipe', ...toWords(words));
    expect(code).not.toBe(2);
    expect(err).not.toContain('who you are');
    expect(sts.heard).toEqual([]);
  });
});

describe('on a desk', () => {
  it('the operator is the user of the system', async () => {
    expect(await operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled')).toMatchObject({ code: 0 });
    expect((await stored())?.history.at(-1)?.by).toEqual({ operator: userInfo().username });
  });

  it('--local does not ask STS', async () => {
    const sts = await openSts(KNOWN);
    expect(await identifyOperator(true)).toBe(userInfo().username);
    expect(sts.heard).toEqual([]);
  });
});

describe('orders show', () => {
  it('ends with the history of the order: when, version, what, who', async () => {
    await openSts(KNOWN);
    vi.stubEnv('PRESCRIPTION_MAXIMUM_AGE_DAYS', '100000');
    await operate('pipe', 'orders', 'verify-prescription', String(order));
    await operate('pipe', 'orders', 'move', String(order), '--to', 'approved');
    const history = (await stored())?.history ?? [];
    const employee = history[0]?.by;
    const [prescription] = (await stored())?.prescriptions ?? [];
    const json = JSON.parse((await operate('pipe', 'orders', 'show', String(order), '--json')).out);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(json.history).toEqual([
      { what: 'created', at, version: 1, by: { user: expect.any(Number) } },
      { what: 'prescription_verified', at, version: 2, by: { operator: ARN }, prescriptions: [prescription?.id] },
      { what: 'moved', at, version: 3, by: { operator: ARN }, from: 'pending_approval', to: 'approved' },
    ]);
    expect(json.history_omitted).toBe(0);
    expect(json.generated_by.id).toBe((employee as { user: number }).user);
    const { out } = await operate('pipe', 'orders', 'show', String(order));
    const [created, verified, moved] = json.history.map((event: { at: string }) => event.at);
    expect(out.split('\n').slice(-4)).toEqual([
      `${created}\t1\tcreated\t\tuser ${json.generated_by.id}`,
      `${verified}\t2\tprescription_verified\t${prescription?.id}\toperator ${ARN}`,
      `${moved}\t3\tmoved\tpending_approval -> approved\toperator ${ARN}`,
      '',
    ]);
  });
});
