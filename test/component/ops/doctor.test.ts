import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { localEnvironment } from '../../../infra/local/environment.ts';
import { DEMO_API_KEY, DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { runChecks } from '../../../infra/ops/doctor/check.ts';
import { makeChecks } from '../../../infra/ops/doctor/doctor.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { DEMO_CATALOG, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { type FakeAnswer, type FakeAnswers, type FakeAws, openFakeAws } from '../../support/engines/fake-aws.ts';
import {
  ALARM_TOPIC,
  accountAnswer,
  alarmsAnswer,
  callerAnswer,
  MISSING_STACK,
  RETURNED_TOPIC,
  STACK_ANSWERS,
  STACK_SERVICES,
  stackAnswer,
  subscriptionsAnswer,
} from '../../support/engines/fake-stack.ts';
import { createFormerTable } from '../../support/engines/former-table.ts';
import { LOCAL_S3_CREDENTIALS } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';
import { openStripeServer, type StripeServer } from '../../support/payments/stripe-server.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

type Result = { check: string; state: string; finding: string; remedy: string | null };

let server: TestServer;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await openTestServer();
  environment = { ...process.env };
});
beforeEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});
afterEach(() => setClock());
afterAll(() => server.close());

async function examined(...argv: readonly string[]): Promise<{ code: number; checks: Result[] }> {
  const { code, out, err } = await operate('pipe', 'doctor', '--json', ...argv);
  expect(err).toBe('');
  return { code, checks: JSON.parse(out).checks };
}
/** Makes one check of an installation on AWS, without the time that the others take. */
async function looked(check: string): Promise<Result | undefined> {
  const checks = makeChecks({}).filter(({ name }) => name === check);
  const [found] = await runChecks(checks, false);
  return found;
}
const findCheck = ({ checks }: { checks: Result[] }, name: string) => checks.find(({ check }) => check === name);
const failedChecks = ({ checks }: { checks: Result[] }) => checks.filter(({ state }) => state === 'failed');

describe('doctor --local', () => {
  beforeEach(() => {
    process.env.PORT = new URL(server.url).port;
  });

  it('finds the local server in order, and names the checks that it skips', async () => {
    const { code, checks } = await examined('--local');
    expect(failedChecks({ checks })).toEqual([]);
    expect(code).toBe(0);
    expect(checks.map(({ check, state }) => `${state} ${check}`)).toEqual([
      'ok environment',
      'skipped account',
      'ok table',
      'ok catalog bucket',
      'ok documents bucket',
      'ok catalog',
      'ok token keys',
      'ok seal keys',
      "ok provider's key",
      'ok payment provider',
      'skipped mail sender',
      'skipped mail sending',
      'skipped mail subscriptions',
      'ok usage plan',
      'ok API',
      'skipped keyed read',
      'skipped quote',
      'skipped login',
      'skipped stack',
      'skipped mail stack',
      'skipped budget',
      'skipped alarms',
      'skipped alarm subscriptions',
      'skipped concurrency',
    ]);
  });

  it('says only that the local server is not running when it is not', async () => {
    // No program listens on port 1.
    process.env.PORT = '1';
    expect(await examined('--local')).toEqual({
      code: 1,
      checks: [
        {
          check: 'local server',
          state: 'failed',
          finding:
            'The local server is not running at localhost:1: start it with `npm start`; if it has another folder or port, name it in LOCAL_DIR or PORT.',
          remedy: null,
        },
      ],
    });
  });

  it('prints a line for each check', async () => {
    const { code, out } = await operate('terminal', 'doctor', '--local');
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {7}environment: complete\nskipped {2}account: The local server is in no account.\n/);
    expect(out).toContain('skipped  mail sender: The local mailbox takes mail from anybody.\n');
  });

  it('reads, quotes and logs in with a key and a user', async () => {
    Object.assign(process.env, { DOCTOR_API_KEY: DEMO_API_KEY, DOCTOR_PASSWORD: DEMO_PASSWORD });
    const found = await examined('--local', '--email', 'doctora@demo.example');
    expect(found.code).toBe(0);
    for (const check of ['keyed read', 'quote', 'login']) {
      expect(findCheck(found, check)).toMatchObject({
        state: 'ok',
        finding: expect.stringMatching(/^answered 20[01]$/),
      });
    }
    expect(JSON.stringify(found)).not.toMatch(new RegExp(`${DEMO_API_KEY}|${DEMO_PASSWORD}|eyJ`));
  });

  it('reports a key and a password that are refused', async () => {
    Object.assign(process.env, { DOCTOR_API_KEY: 'no-key-of-anybody', DOCTOR_PASSWORD: DEMO_PASSWORD });
    const refused = await examined('--local', '--email', 'doctora@demo.example');
    expect(refused.code).toBe(1);
    expect(findCheck(refused, 'keyed read')).toMatchObject({
      state: 'failed',
      finding: 'It is answered 403 api_key_invalid.',
    });
    expect(findCheck(refused, 'quote')).toMatchObject({ state: 'skipped', finding: 'No product is listed.' });
    expect(findCheck(refused, 'login')).toMatchObject({ state: 'failed' });
    Object.assign(process.env, { DOCTOR_API_KEY: DEMO_API_KEY, DOCTOR_PASSWORD: 'another' });
    const wrong = await examined('--local', '--email', 'doctora@demo.example');
    expect(findCheck(wrong, 'keyed read')?.state).toBe('ok');
    expect(findCheck(wrong, 'login')).toMatchObject({
      state: 'failed',
      finding: 'It is answered 401 wrong_credentials.',
    });
  });

  it('reads no key from its arguments, and needs it on stdin', async () => {
    expect(await operate('pipe', 'doctor', '--local', '--key')).toEqual({
      code: 1,
      out: '',
      err: 'A line is missing on stdin: API key.\n',
    });
    expect(await operate('pipe', 'doctor', '--local', '--key', 'of-a-client')).toMatchObject({ code: 2, out: '' });
  });
});

describe('doctor', () => {
  const MISSING = ['TABLE_NAME', 'DOCUMENTS_BUCKET', 'USAGE_PLAN_ID', 'API_URL'];

  it('names the missing variables, and checks the rest', async () => {
    for (const name of MISSING) delete process.env[name];
    const found = await examined();
    expect(found.code).toBe(1);
    expect(findCheck(found, 'environment')).toMatchObject({
      state: 'failed',
      finding:
        'Not set: STACK_ACCOUNT, TABLE_NAME, DOCUMENTS_BUCKET, SES_IDENTITY, MAIL_CONFIGURATION_SET, USAGE_PLAN_ID, API_URL, STACK_NAME, ALARM_TOPIC_ARN.',
    });
    expect(findCheck(found, 'table')).toMatchObject({ state: 'skipped', finding: 'TABLE_NAME is not set.' });
    expect(findCheck(found, 'catalog')).toMatchObject({ state: 'ok' });
  });

  it('accepts the keys of a table without indexes', async () => {
    expect(await looked('table')).toMatchObject({ state: 'ok', finding: expect.stringContaining(', pk, sk') });
  });

  it('refuses a table with local indexes', async () => {
    const client = new DynamoDBClient();
    process.env.TABLE_NAME = `former-${randomUUID()}`;
    await createFormerTable(client, process.env.TABLE_NAME);
    client.destroy();
    expect(await looked('table')).toMatchObject({ state: 'failed', finding: 'The table has local indexes.' });
  });
});

describe('doctor of a catalog', () => {
  it('reports that everything in it is out of stock', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'out-of-stock-'));
    await cp(DEMO_CATALOG, folder, { recursive: true });
    const products = await readFile(join(folder, 'products.jsonl'), 'utf8');
    const shortage = products.replaceAll('"has_shortage":false', '"has_shortage":true');
    await writeFile(join(folder, 'products.jsonl'), shortage);
    process.env.CATALOG_BUCKET = `catalog-${randomUUID()}`;
    const s3 = new S3Client({ forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: process.env.CATALOG_BUCKET }));
    s3.destroy();
    await publishToTestServer(folder);
    await rm(folder, { recursive: true });
    expect(await looked('catalog')).toEqual({
      check: 'catalog',
      state: 'failed',
      finding: 'No product can be bought.',
      remedy: 'Publish one with active products in stock: catalog publish <folder>.',
    });
  });
});

describe('doctor of an installation on AWS', () => {
  let aws: FakeAws;
  let s3: S3Client;
  const secret = (value: unknown): FakeAnswer => ({ body: { SecretString: JSON.stringify(value) } });
  const key = (kid: string) => ({ kid, secret: Buffer.alloc(32, kid).toString('base64url') });
  const xml = (body: string): FakeAnswer => ({ headers: { 'Content-Type': 'application/xml' }, body });
  const TABLE = {
    TableName: 'orders',
    TableStatus: 'ACTIVE',
    KeySchema: [{ AttributeName: 'pk' }, { AttributeName: 'sk' }],
  };
  const table = (changes: object): FakeAnswer => ({ body: { Table: { ...TABLE, ...changes } } });
  // The fields of GetAccount that AWS documents, with those of an account in good standing.
  const sending = (changes: object): FakeAnswer => ({
    body: { SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY', ...changes },
  });
  const destinations = (isOn: boolean): FakeAnswer => ({
    body: {
      EventDestinations: [
        {
          Name: 'events',
          Enabled: isOn,
          MatchingEventTypes: ['BOUNCE', 'COMPLAINT', 'REJECT'],
          SnsDestination: { TopicArn: RETURNED_TOPIC },
        },
      ],
    },
  });
  const TOKEN_SECRET = 'arn:aws:secretsmanager:mx-central-1:1:secret:keys';
  const SEAL_SECRET = 'arn:aws:secretsmanager:mx-central-1:1:secret:seals';
  const TOKEN_KEYS = secret({ current: key('2026-11'), previous: key('2026-08') });
  const providerKey = (text: string) => ({
    [TOKEN_SECRET]: TOKEN_KEYS,
    [SEAL_SECRET]: secret(key('first')),
    'pharmacy/facturapi': { body: { SecretString: text } },
  });
  let secrets: Record<string, FakeAnswer>;
  // The fields of an organization that Facturapi documents (openapi_v2.en.yaml of 2026-08-20).
  const organization = (changes: object): FakeAnswer => ({
    body: {
      id: '5a2a307be93a2f00129ea035',
      is_production_ready: true,
      pending_steps: [],
      certificate: { has_certificate: true, expires_at: '2036-11-22T18:00:00.000Z' },
      ...changes,
    },
  });
  /** Returns an object of the real local S3 as an answer. */
  const object = async ({ path }: { path: string }): Promise<FakeAnswer> => {
    const Key = decodeURIComponent(new URL(path, 'http://localhost').pathname).replace('/catalogs/', '');
    try {
      const found = await s3.send(new GetObjectCommand({ Bucket: 'pharmacy-catalog', Key }));
      const body = await found.Body?.transformToByteArray();
      return { headers: { 'Content-Type': 'application/octet-stream' }, body };
    } catch (error) {
      if (error instanceof NoSuchKey) return { status: 404, ...xml('<Error><Code>NoSuchKey</Code></Error>') };
      throw error;
    }
  };
  const GOOD: FakeAnswers = {
    ...STACK_ANSWERS,
    DescribeTable: table({}),
    'HEAD /catalogs': { body: '' },
    'HEAD /documents': { body: '' },
    'GET /catalogs': object,
    GetSecretValue: ({ body }) => secrets[JSON.parse(body).SecretId] ?? { status: 400, body: {} },
    'GET /facturapi/v2/organizations/me': organization({}),
    'GET /v2/email/identities/facturas%40farmacia.example': { body: { VerifiedForSendingStatus: true } },
    'GET /v2/email/account': sending({}),
    'GET /v2/email/configuration-sets/rules/event-destinations': destinations(true),
    'GET /usageplans/plan1/keys': { body: { item: [{ id: 'k1', type: 'API_KEY', name: 'sol' }] } },
    'GET /usageplans/plan1': { body: { id: 'plan1', apiStages: [{ apiId: 'api1', stage: 'v2' }] } },
    'GET /v2/api/products': { status: 403, body: { detail: 'Falta la clave de API.', code: 'api_key_invalid' } },
  };

  beforeAll(async () => {
    s3 = new S3Client({
      forcePathStyle: true,
      endpoint: inject('serverEnvironment').AWS_ENDPOINT_URL_S3 ?? '',
      region: 'mx-central-1',
      credentials: LOCAL_S3_CREDENTIALS,
    });
    aws = await openFakeAws(GOOD);
  });
  afterAll(async () => {
    s3.destroy();
    await aws.close();
  });
  beforeEach(() => {
    aws.answer();
    secrets = providerKey('sk_live_planted\n');
    for (const name of Object.keys(localEnvironment({}))) delete process.env[name];
    const services = ['DYNAMODB', 'S3', 'API_GATEWAY', 'SESV2', 'SECRETS_MANAGER', ...STACK_SERVICES];
    for (const service of services) process.env[`AWS_ENDPOINT_URL_${service}`] = aws.url;
    Object.assign(process.env, {
      AWS_REGION: 'mx-central-1',
      AWS_ACCESS_KEY_ID: 'AKIAOPERATOR',
      AWS_SECRET_ACCESS_KEY: 'operators-own-secret',
      AWS_SESSION_TOKEN: 'operators-own-session',
      S3_PATH_STYLE: 'true',
      STACK_NAME: 'Pharmacy-sol',
      STACK_ACCOUNT: '111122223333',
      ALARM_TOPIC_ARN: ALARM_TOPIC,
      TABLE_NAME: 'orders',
      CATALOG_BUCKET: 'catalogs',
      CATALOG_MAXIMUM_AGE_DAYS: '7',
      DOCUMENTS_BUCKET: 'documents',
      TOKEN_SECRET_ID: TOKEN_SECRET,
      SEAL_SECRET_ID: SEAL_SECRET,
      USAGE_PLAN_ID: 'plan1',
      API_URL: `${aws.url}/v2`,
      SES_IDENTITY: 'facturas@farmacia.example',
      MAIL_CONFIGURATION_SET: 'rules',
      PURPOSE: 'production',
      INVOICING_PROVIDER: 'facturapi',
      FACTURAPI_SECRET_ID: 'pharmacy/facturapi',
      FACTURAPI_URL: `${aws.url}/facturapi/v2`,
    });
  });

  it('passes a good one', async () => {
    const found = await examined();
    expect(found.checks.filter(({ state }) => state !== 'ok').map(({ check, state }) => [check, state])).toEqual([
      ['keyed read', 'skipped'],
      ['quote', 'skipped'],
      ['login', 'skipped'],
      ['mail stack', 'skipped'],
      ['budget', 'skipped'],
    ]);
    expect(found.code).toBe(0);
    expect(Object.fromEntries(found.checks.map(({ check, finding }) => [check, finding]))).toEqual({
      environment: 'complete',
      account: '111122223333',
      table: 'orders, pk, sk',
      'catalog bucket': 'catalogs',
      'documents bucket': 'documents',
      catalog: expect.stringMatching(/^version [0-9a-f]{16}, 0 days old, 123 products can be bought$/),
      'token keys': 'current 2026-11, previous 2026-08',
      'seal keys': 'current first, no previous one',
      "provider's key": 'a live key, which works',
      'payment provider': 'none: orders are not collected',
      'mail sender': 'facturas@farmacia.example is verified in mx-central-1',
      'mail sending': 'on in mx-central-1',
      'mail subscriptions': 'alarmas@sol.example',
      'usage plan': 'api1/v2',
      API: `${aws.url}/v2/api/products/ asks for a key`,
      'keyed read': expect.any(String),
      quote: expect.any(String),
      login: expect.any(String),
      stack: 'UPDATE_COMPLETE',
      'mail stack': 'The mail is in the stack of the stage.',
      budget: 'The stage has none (`budget`).',
      alarms: '2 are OK',
      'alarm subscriptions': 'alarmas@sol.example',
      concurrency: '1000 of 1000 are unreserved',
    });
  });

  it('signs its requests to AWS, and none to the API', async () => {
    await examined();
    const services = { GetSecretValue: 'secretsmanager', 'GET /v2/email/account': 'ses', DescribeTable: 'dynamodb' };
    for (const [call, service] of Object.entries(services)) {
      expect(aws.signatures.get(call)).toMatch(
        new RegExp(`^AWS4-HMAC-SHA256 Credential=AKIAOPERATOR/\\d{8}/mx-central-1/${service}/aws4_request`),
      );
    }
    expect(aws.signatures.get('GET /v2/api/products')).toBe('');
  });

  it('tries a wrong password once, as wrong ones are counted', async () => {
    Object.assign(process.env, { DOCTOR_API_KEY: 'a-key', DOCTOR_PASSWORD: 'planted' });
    aws.answer({
      'GET /v2/api/products': ({ path }) =>
        path.includes('is_active')
          ? { body: { results: [{ id: 7 }] } }
          : { status: 403, body: { code: 'api_key_invalid' } },
      'POST /v2/api/orders/calculate': { status: 201, body: {} },
      'POST /v2/api/token': { status: 401, body: { code: 'wrong_credentials' } },
    });
    const found = await examined('--email', 'ana@sol.example');
    expect(failedChecks(found).map(({ check }) => check)).toEqual(['login']);
    const bodies = (call: string) => aws.heard.filter(({ name }) => name === call).map(({ body }) => body);
    expect(bodies('POST /v2/api/token')).toEqual(['{"email":"ana@sol.example","password":"planted"}']);
    expect(bodies('POST /v2/api/orders/calculate')).toEqual(['{"details":[{"product":7,"quantity":1}]}']);
    expect(JSON.stringify(found)).not.toContain('planted');
  });

  it.each<[string, string, FakeAnswers]>([
    [
      'table',
      'ResourceNotFoundException: no',
      { DescribeTable: { status: 400, body: { __type: 'com.amazonaws#ResourceNotFoundException', message: 'no' } } },
    ],
    ['table', 'orders is CREATING.', { DescribeTable: table({ TableStatus: 'CREATING' }) }],
    ['table', 'The table is keyed by id.', { DescribeTable: table({ KeySchema: [{ AttributeName: 'id' }] }) }],
    ['documents bucket', 'S3 answers 404.', { 'HEAD /documents': { status: 404, body: '' } }],
    [
      'catalog',
      'No catalog is published: publish one with `catalog publish <folder>`.',
      { 'GET /catalogs': { status: 404, ...xml('<Error><Code>NoSuchKey</Code></Error>') } },
    ],
    [
      'mail sender',
      'facturas@farmacia.example is not verified in mx-central-1 yet.',
      { 'GET /v2/email/identities/facturas%40farmacia.example': { body: { VerifiedForSendingStatus: false } } },
    ],
    [
      'mail sender',
      'ses answers 404 NotFoundException',
      {
        'GET /v2/email/identities/facturas%40farmacia.example': {
          status: 404,
          headers: { 'x-amzn-errortype': 'NotFoundException' },
          body: {},
        },
      },
    ],
    [
      'mail sending',
      'The account is in the sandbox in mx-central-1: mail reaches verified addresses only.',
      { 'GET /v2/email/account': sending({ ProductionAccessEnabled: false }) },
    ],
    [
      'mail sending',
      'SES has paused sending in mx-central-1.',
      { 'GET /v2/email/account': sending({ SendingEnabled: false }) },
    ],
    [
      'mail sending',
      'SES has stopped the account for its reputation.',
      { 'GET /v2/email/account': sending({ EnforcementStatus: 'SHUTDOWN' }) },
    ],
    [
      'mail subscriptions',
      'There is no topic that mails anybody.',
      { 'GET /v2/email/configuration-sets/rules/event-destinations': destinations(false) },
    ],
    [
      'mail subscriptions',
      'alarmas@sol.example has not confirmed the subscription to Pharmacy-sol-Returned.',
      {
        ListSubscriptionsByTopic: ({ body }) =>
          new URLSearchParams(body).get('TopicArn') === RETURNED_TOPIC
            ? subscriptionsAnswer(['PendingConfirmation', 'alarmas@sol.example'])
            : subscriptionsAnswer(['arn:aws:sns:a', 'alarmas@sol.example']),
      },
    ],
    ['usage plan', 'It has no stage, so that no key works.', { 'GET /usageplans/plan1': { body: { id: 'plan1' } } }],
    [
      'account',
      'The credentials are of account 999, the stage is in 111122223333.',
      { GetCallerIdentity: { ...callerAnswer, body: String(callerAnswer.body).replace('::111122223333:', '::999:') } },
    ],
    ['stack', 'It is ROLLBACK_COMPLETE.', { DescribeStacks: stackAnswer('ROLLBACK_COMPLETE') }],
    [
      'stack',
      'Termination protection is off in production.',
      { DescribeStacks: stackAnswer('UPDATE_COMPLETE', false) },
    ],
    ['alarms', 'In ALARM: pharmacy-sol-failures.', { DescribeAlarms: alarmsAnswer({ StateValue: 'ALARM' }) }],
    [
      'alarm subscriptions',
      'Nobody is subscribed to Pharmacy-sol-Alarms.',
      { ListSubscriptionsByTopic: subscriptionsAnswer() },
    ],
  ])('reports of %s, with advice: %s', async (check, finding, answers) => {
    aws.answer(answers);
    expect(await looked(check)).toEqual({
      check,
      state: 'failed',
      finding: expect.stringContaining(finding),
      remedy: expect.stringMatching(/\w+/),
    });
  });

  it.each<[string, FakeAnswer, string]>([
    ['is open', { status: 200, body: { results: [] } }, 'answers 200 without a key.'],
    ['is broken', { status: 502, body: { code: 'internal_error' } }, 'answers 502 internal_error without a key.'],
    ['has no base path on its domain', { status: 403, body: { message: 'Forbidden' } }, 'answers 403 without a key.'],
  ])('reports an API that %s', async (_, answer, finding) => {
    aws.answer({ 'GET /v2/api/products': answer });
    expect(await looked('API')).toMatchObject({
      state: 'failed',
      finding: expect.stringContaining(finding),
    });
  });

  it('names the host that does not answer, and why', async () => {
    process.env.API_URL = 'https://api.farmacia.invalid/v2';
    expect(await looked('API')).toMatchObject({
      state: 'failed',
      finding: expect.stringMatching(/^api\.farmacia\.invalid cannot be reached \((ENOTFOUND|EAI_AGAIN)\)\.$/),
      remedy: expect.stringContaining('DNS'),
    });
  });

  it('says what to do where AWS refuses the operator, and where nobody is signed in', async () => {
    const refuse = (code: string): FakeAnswer => ({
      status: 403,
      ...xml(`<ErrorResponse><Error><Code>${code}</Code></Error></ErrorResponse>`),
    });
    aws.answer({ DescribeStacks: refuse('AccessDenied') });
    expect((await looked('stack'))?.remedy).toMatch(/^Your credentials lack this right/);
    aws.answer({ DescribeStacks: refuse('ExpiredToken') });
    expect((await looked('stack'))?.remedy).toMatch(/^Renew the credentials/);
  });

  it.each<[string, string, FakeAnswers]>([
    [
      'usage plan',
      'No key is in the plan, so that nobody is served.',
      { 'GET /usageplans/plan1/keys': { body: { item: [] } } },
    ],
    [
      'stack',
      'The last deployment failed and was undone.',
      { DescribeStacks: stackAnswer('UPDATE_ROLLBACK_COMPLETE') },
    ],
    [
      'stack',
      'It is UPDATE_IN_PROGRESS: a deployment is under way.',
      { DescribeStacks: stackAnswer('UPDATE_IN_PROGRESS') },
    ],
    [
      'alarms',
      'Without data so far: pharmacy-sol-failures.',
      { DescribeAlarms: alarmsAnswer({ StateValue: 'INSUFFICIENT_DATA' }) },
    ],
    [
      'alarm subscriptions',
      'ana@sol.example has not confirmed the subscription to Pharmacy-sol-Alarms.',
      {
        ListSubscriptionsByTopic: subscriptionsAnswer(
          ['arn:aws:sns:a', 'alarmas@sol.example'],
          ['PendingConfirmation', 'ana@sol.example'],
        ),
      },
    ],
    [
      'concurrency',
      'The account may run 10 functions at the same time; further requests fail.',
      { 'GET /2016-08-19/account-settings': accountAnswer(10) },
    ],
    [
      'mail sending',
      'SES reviews the account for its reputation.',
      { 'GET /v2/email/account': sending({ EnforcementStatus: 'PROBATION' }) },
    ],
  ])('warns of %s: %s', async (check, finding, answers) => {
    aws.answer(answers);
    expect(await looked(check)).toMatchObject({ check, state: 'warning', finding });
  });

  it('takes alarms that silence sets off in the first hour of a stack for a warning', async () => {
    aws.answer({ DescribeAlarms: alarmsAnswer({ StateValue: 'ALARM', TreatMissingData: 'breaching' }) });
    setClock(new Date('2026-11-01T18:59:00Z'));
    expect((await looked('alarms'))?.state).toBe('warning');
    setClock(new Date('2026-11-01T19:00:00Z'));
    expect((await looked('alarms'))?.state).toBe('failed');
  });

  it('asks for the alarms of the stack that an operator is told of, and no others', async () => {
    await looked('alarms');
    const [asked] = aws.heard.filter(({ name }) => name === 'DescribeAlarms').map(({ body }) => JSON.parse(body));
    expect(asked.AlarmNames).toEqual(['pharmacy-sol-failures', 'pharmacy-sol-catalogAgeHours']);
  });

  it('looks at the stacks of mail and budget, in their regions', async () => {
    Object.assign(process.env, {
      MAIL_STACK: 'Pharmacy-sol-mail',
      MAIL_REGION: 'us-east-1',
      BUDGET_STACK: 'Pharmacy-sol-budget',
    });
    expect(await looked('mail stack')).toMatchObject({ state: 'ok', finding: 'UPDATE_COMPLETE' });
    expect(aws.signatures.get('DescribeStacks')).toContain('/us-east-1/cloudformation/');
    aws.answer({ DescribeStacks: MISSING_STACK });
    expect(await looked('budget')).toMatchObject({
      state: 'failed',
      finding: 'Pharmacy-sol-budget does not exist in us-east-1.',
    });
  });

  it('asks SES again when it was asked too fast', async () => {
    let asked = 0;
    aws.answer({
      'GET /v2/email/account': () => {
        asked += 1;
        return asked < 3 ? { status: 429, body: {} } : sending({});
      },
    });
    expect(await looked('mail sending')).toMatchObject({ state: 'ok', finding: 'on in mx-central-1' });
    expect(asked).toBe(3);
  });

  describe('in a demonstration', () => {
    beforeEach(() => {
      process.env.PURPOSE = 'demonstration';
      secrets = providerKey('sk_test_planted');
    });

    it('accepts a test key, and warns of the sandbox of SES without failing', async () => {
      aws.answer({ 'GET /v2/email/account': sending({ ProductionAccessEnabled: false }) });
      const found = await examined();
      expect(found.code).toBe(0);
      expect(findCheck(found, "provider's key")).toMatchObject({ state: 'ok', finding: 'a test key, which works' });
      expect(findCheck(found, 'mail sending')).toMatchObject({
        state: 'warning',
        finding: 'The account is in the sandbox in mx-central-1: mail reaches verified addresses only.',
      });
    });

    it('needs no key with the sandbox of invoices', async () => {
      process.env.INVOICING_PROVIDER = 'sandbox';
      expect(await looked("provider's key")).toMatchObject({
        state: 'ok',
        finding: 'none: invoices are without fiscal validity',
      });
    });

    it('refuses a live key', async () => {
      secrets = providerKey('sk_live_planted');
      expect(await looked("provider's key")).toMatchObject({
        state: 'failed',
        finding: 'It is a live key in a demonstration: its invoices go to SAT.',
      });
    });
  });

  describe('the payment provider', () => {
    let stripe: StripeServer;
    beforeEach(async () => {
      stripe = await openStripeServer();
      process.env.PAYMENTS_PROVIDER = 'stripe';
      process.env.STRIPE_URL = stripe.url;
      process.env.STRIPE_KEY = stripe.liveKey;
      process.env.STRIPE_WEBHOOK_SECRET = 'whsec_planted';
      stripe.life.endpoints.push({
        url: `${aws.url}/v2/api/payments/stripe/`,
        status: 'enabled',
        api_version: '2026-10-28.endive',
        enabled_events: ['*'],
      });
    });
    afterEach(() => stripe.close());
    const payment = () => looked('payment provider');

    it('is in order with a live key and an endpoint that gets every event', async () => {
      expect(await payment()).toMatchObject({ state: 'ok', finding: 'a live key, which collects card, oxxo, spei' });
    });

    it.each<[string, () => void, string, string]>([
      ['a test key', () => (process.env.STRIPE_KEY = stripe.testKey), 'failed', 'Production needs a live key.'],
      [
        'a key that Stripe refuses',
        () => (process.env.STRIPE_KEY = 'sk_live_planted'),
        'failed',
        'Stripe does not take the key, or does not answer (Error).',
      ],
      [
        'no endpoint',
        () => stripe.life.endpoints.splice(0),
        'warning',
        'No endpoint of the account calls the stage: payments are seen within the hour.',
      ],
      [
        'no secret for its calls',
        () => delete process.env.STRIPE_WEBHOOK_SECRET,
        'warning',
        'The secret has no webhookSecret: payments are seen within the hour.',
      ],
    ])('is not in order with %s, without being shown', async (_, change, state, finding) => {
      change();
      const found = await payment();
      expect(found).toMatchObject({ state, finding });
      expect(JSON.stringify(found)).not.toContain('planted');
    });
  });

  describe("the provider's key in production", () => {
    it.each<[string, () => void, string]>([
      [
        'the sandbox',
        () => (process.env.INVOICING_PROVIDER = 'sandbox'),
        'The sandbox issues no invoices with fiscal validity.',
      ],
      [
        'a test key',
        () => (secrets = providerKey('sk_test_planted')),
        'It is a test key in production: no invoice goes to SAT.',
      ],
      ['another text', () => (secrets = providerKey('planted')), 'The secret holds no key of Facturapi.'],
      [
        'a key that is refused',
        () => aws.answer({ 'GET /facturapi/v2/organizations/me': { status: 401, body: { message: 'planted' } } }),
        'Facturapi answers 401.',
      ],
      [
        'an organization that is not ready',
        () =>
          aws.answer({
            'GET /facturapi/v2/organizations/me': organization({
              is_production_ready: false,
              pending_steps: [{ type: 'certificate', description: 'Subir certificado' }],
            }),
          }),
        'The organization cannot issue yet: certificate.',
      ],
      [
        'a certificate that has ended',
        () =>
          aws.answer({
            'GET /facturapi/v2/organizations/me': organization({ certificate: { expires_at: '2026-11-01T00:00:00Z' } }),
          }),
        "SAT's certificate of the organization expired on 2026-11-01.",
      ],
    ])('is refused with %s, without being shown', async (_, change, finding) => {
      change();
      const found = await looked("provider's key");
      expect(found).toMatchObject({ state: 'failed', finding });
      expect(JSON.stringify(found)).not.toContain('planted');
    });

    it('is warned of before the certificate ends', async () => {
      setClock(new Date('2036-11-01T00:00:00Z'));
      expect(await looked("provider's key")).toMatchObject({
        state: 'warning',
        finding: "SAT's certificate of the organization expires on 2036-11-22.",
      });
    });
  });

  it.each([
    ['one key', { current: key('a') }, 'ok', 'current a, no previous one'],
    ['a short key', { current: { kid: 'a', secret: 'c2hvcnQ' } }, 'failed', 'shorter than 32 bytes'],
  ])('reads a secret of %s without showing it', async (_, keys, state, finding) => {
    aws.answer({ GetSecretValue: secret(keys) });
    for (const check of ['token keys', 'seal keys']) {
      const found = await looked(check);
      expect([found?.state, found?.finding.includes(finding)]).toEqual([state, true]);
      expect(found?.finding).not.toMatch(/[\w-]{20}/);
    }
  });

  it('does not quote a secret that is not JSON', async () => {
    aws.answer({ GetSecretValue: { body: { SecretString: 'planted-secret-of-somebody' } } });
    expect(await looked('token keys')).toMatchObject({ state: 'failed', finding: 'They are not JSON.' });
  });

  it('reports the age of a catalog that is older than the stage allows', async () => {
    const day = 24 * 60 * 60 * 1_000;
    setClock(new Date(Date.now() + 7 * day));
    expect(await looked('catalog')).toMatchObject({ state: 'ok', finding: expect.stringContaining(', 7 days old, ') });
    setClock(new Date(Date.now() + 8 * day));
    expect(await looked('catalog')).toMatchObject({
      state: 'failed',
      finding: 'It was published 8 days ago; 7 are allowed.',
    });
  });
});
