import { userInfo } from 'node:os';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { identifyOperator } from '../../../infra/ops/operator.ts';
import { callerAnswer, xml } from '../../support/engines/fake-stack.ts';
import { openScriptedApi, type Scripted, type ScriptedApi } from '../../support/engines/scripted-api.ts';
import { NEEDS_PRESCRIPTION, openDesk } from '../../support/operators/desk.ts';
import { operate } from '../../support/operators/operator.ts';
import { getStoredEvents } from '../../support/orders/forced-order.ts';
import { PDF } from '../../support/orders/samples.ts';

const ARN = 'arn:aws:sts::111122223333:assumed-role/Pharmacy/ana.sol@botica.example';
const KNOWN: Scripted = { status: 200, ...callerAnswer };
const EXPIRED: Scripted = {
  status: 403,
  ...xml('<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code></Error></ErrorResponse>'),
};

const desk = openDesk();
let order: number;
beforeEach(async () => {
  const prescriptions = [{ document: PDF, issue_date: '2020-02-29' }];
  order = await desk.placed({ order: { ...NEEDS_PRESCRIPTION, prescriptions } });
});

async function openSts(...script: readonly Scripted[]): Promise<ScriptedApi> {
  const sts = await openScriptedApi(...script);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', new URL(sts.url).origin);
  return sts;
}

const stored = () => desk.stored(order);

const WRITING = [
  ['orders', 'move', 'ID', '--to', 'cancelled'],
  ['orders', 'pay', 'ID', '--status', 'processing'],
  ['orders', 'attach-prescription', 'ID', '--file', 'receta.pdf', '--issue-date', '2020-02-29'],
  ['orders', 'verify-prescription', 'ID'],
  ['orders', 'reject-prescription', 'ID', '--reason', 'Sin firma'],
  ['orders', 'handled', 'ID'],
  ['invoices', 'resend', 'ID'],
  ['jobs', 'run', 'run-due-tasks'],
];
const toWords = (words: readonly string[]) =>
  words.map((word) => (word === 'ID' ? String(order) : word === 'receta.pdf' ? desk.pdf : word));

describe('a command that changes an order on AWS', () => {
  it('asks STS once who calls, with a signed request, and names them in the history', async () => {
    const sts = await openSts(KNOWN);
    expect(await operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled')).toMatchObject({ code: 0 });
    expect(sts.heard).toMatchObject([{ line: 'POST /', body: 'Action=GetCallerIdentity&Version=2011-06-15' }]);
    expect(sts.heard[0]?.headers).toMatchObject({
      'content-type': expect.stringContaining('application/x-www-form-urlencoded'),
      authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[\w-]+\/sts\/aws4_request, /),
    });
    expect((await getStoredEvents(order)).at(-1)).toMatchObject({
      what: 'cancelled',
      version: 2,
      by: { operator: 'arn:aws:sts::111122223333:assumed-role/Pharmacy/ana.sol@botica.example' },
    });
  });

  it.each(WRITING)('changes nothing while STS does not know the caller: %s %s', async (...words) => {
    const before = await stored();
    await openSts(EXPIRED);
    expect(await operate('pipe', ...toWords(words))).toEqual({
      code: 1,
      out: '',
      err: 'AWS does not say who you are (ExpiredToken: Unknown), so nothing was changed.\n',
    });
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
    expect(await operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled')).toEqual({
      code: 1,
      out: '',
      err: `AWS does not say who you are (${reason}), so nothing was changed.\n`,
    });
    expect(await stored()).toEqual(before);
  });
});

describe('a command that only reads', () => {
  it.each([
    ['orders', 'show', 'ID'],
    ['orders', 'list'],
    ['orders', 'list', 'ana@example.mx'],
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

it('on a desk the operator is the user of the system, and STS is not asked', async () => {
  expect(await operate('pipe', 'orders', 'move', String(order), '--to', 'cancelled')).toMatchObject({ code: 0 });
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
  const [created, verified, moved] = json.history.map((event: { at: string }) => event.at);
  expect(out.split('\n').slice(-4)).toEqual([
    `${created}\t1\tcreated\t\tuser ${json.generated_by.id}`,
    `${verified}\t2\tprescription_verified\t${ids[0]}\toperator ${ARN}`,
    `${moved}\t3\tmoved\tpending_approval -> approved\toperator ${ARN}`,
    '',
  ]);
});
