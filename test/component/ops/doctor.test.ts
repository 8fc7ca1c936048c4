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
  actionsAnswer,
  alarmsAnswer,
  PUBLISHED,
  RESOURCES,
  RETURNED_TOPIC,
  resourcesAnswer,
  STACK_ANSWERS,
  STACK_SERVICES,
  subscriptionsAnswer,
} from '../../support/engines/fake-stack.ts';
import { createFormerTable } from '../../support/engines/former-table.ts';
import { LOCAL_S3_CREDENTIALS } from '../../support/engines/local-s3.ts';
import { operate } from '../../support/operators/operator.ts';
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
  const checks = makeChecks({ ring: false, access: {} }).filter(({ name }) => name === check);
  const [found] = await runChecks(checks, 'aws');
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
      'ok engines',
      'ok free space',
      'ok environment',
      'skipped account',
      'ok table',
      'ok table keys',
      'ok table time to live',
      'skipped table backups',
      'skipped table deletion protection',
      'ok catalog bucket',
      'skipped catalog bucket is private',
      'skipped catalog bucket keeps versions',
      'ok documents bucket',
      'skipped documents bucket is private',
      'skipped documents bucket keeps versions',
      'ok catalog',
      'ok catalog age',
      'ok catalog products',
      'ok token keys',
      'ok seal keys',
      "ok provider's key",
      'skipped mail sender',
      'skipped mail sending',
      'skipped mail sandbox',
      'skipped mail rules',
      'skipped mail subscriptions',
      'ok usage plan',
      'skipped clients',
      'ok API',
      'ok unknown paths',
      'skipped pages',
      'ok clock',
      'skipped keyed read',
      'skipped quote',
      'skipped login',
      'skipped stack',
      'skipped alarms',
      'skipped alarm actions',
      'skipped alarm subscriptions',
      'skipped alarm ring',
      'skipped schedules',
      'skipped job metrics',
      'skipped dead letters',
      'skipped functions',
      'skipped concurrency',
      'skipped releases',
      'skipped provisioned concurrency',
      'skipped API stage',
      'skipped domain',
      'skipped domain certificate',
      'skipped budget',
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
          finding: 'The local server is not running at localhost:1.',
          remedy: 'Start it with `npm start`.',
        },
      ],
    });
  });

  it('prints a line for each check', async () => {
    const { code, out } = await operate('terminal', 'doctor', '--local');
    expect(code).toBe(0);
    expect(out.split('\n')).toHaveLength(52);
    expect(out).toMatch(
      /^ok {7}engines: DynamoDB, S3, SES\nok {7}free space: .*\nok {7}environment: complete\nskipped {2}account: The local server is in no account.\nok {7}table: pharmacy\n/,
    );
    expect(out).toContain('skipped  mail sender: The local mailbox takes mail from anybody.\n');
  });

  it('reads, quotes and logs in with a key and a user, and tells the times', async () => {
    Object.assign(process.env, { DOCTOR_API_KEY: DEMO_API_KEY, DOCTOR_PASSWORD: DEMO_PASSWORD });
    const found = await examined('--local', '--email', 'doctora@demo.example');
    expect(found.code).toBe(0);
    for (const check of ['keyed read', 'quote', 'login']) {
      expect(findCheck(found, check)).toMatchObject({
        state: 'ok',
        finding: expect.stringMatching(/^first call \d+ ms, median of the next 4 \d+ ms$/),
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

  it('names an engine that has ended first, and skips what needs it', async () => {
    process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:1';
    const found = await examined('--local');
    expect(found.code).toBe(1);
    expect(failedChecks(found)).toEqual([
      {
        check: 'engines',
        state: 'failed',
        finding: 'DynamoDB does not answer at http://127.0.0.1:1.',
        remedy: 'Stop the local server with Ctrl-C, and start it again: `npm start`.',
      },
    ]);
    expect(found.checks[0]?.check).toBe('engines');
    for (const check of ['table', 'table keys', 'table time to live']) {
      expect(findCheck(found, check)).toEqual({
        check,
        state: 'skipped',
        finding: 'It needs DynamoDB, which does not answer.',
        remedy: null,
      });
    }
  });

  it('says as every command does that only an engine has ended, and that the server is not running if it is not', async () => {
    process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:1';
    expect(await operate('pipe', 'orders', 'list', '--local')).toEqual({
      code: 1,
      out: '',
      err: 'DynamoDB of the local server has ended (http://127.0.0.1:1): stop the server with Ctrl-C, and start it again with `npm start`.\n',
    });
    process.env.PORT = '1';
    expect(await operate('pipe', 'orders', 'list', '--local')).toEqual({
      code: 1,
      out: '',
      err: 'The local server is not running at 127.0.0.1:1: start it with `npm start`.\n',
    });
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
        'Not set: STACK_ACCOUNT, TABLE_NAME, DATA_ON_REMOVAL, DOCUMENTS_BUCKET, SES_IDENTITY, MAIL_CONFIGURATION_SET, USAGE_PLAN_ID, API_URL, STACK_NAME, ALARM_TOPIC_ARN.',
    });
    expect(findCheck(found, 'table')).toMatchObject({ state: 'skipped', finding: 'TABLE_NAME is not set.' });
    expect(findCheck(found, 'catalog')).toMatchObject({ state: 'ok' });
  });

  it('accepts the keys of a table without indexes', async () => {
    expect(await looked('table keys')).toMatchObject({ state: 'ok', finding: 'pk, sk, no local index' });
  });

  it('refuses a table with local indexes', async () => {
    const client = new DynamoDBClient();
    process.env.TABLE_NAME = `former-${randomUUID()}`;
    await createFormerTable(client, process.env.TABLE_NAME);
    client.destroy();
    expect(await looked('table keys')).toEqual({
      check: 'table keys',
      state: 'failed',
      finding: 'The table has local indexes.',
      remedy: 'Keys and local indexes of a table are fixed: deploy a new table.',
    });
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
    expect(await looked('catalog products')).toEqual({
      check: 'catalog products',
      state: 'failed',
      finding: 'No product can be bought.',
      remedy: 'Publish a catalog with active products in stock: catalog publish <folder>.',
    });
  });
});

describe('doctor of an installation on AWS', () => {
  let aws: FakeAws;
  let s3: S3Client;
  const secret = (value: unknown): FakeAnswer => ({ body: { SecretString: JSON.stringify(value) } });
  const key = (kid: string) => ({ kid, secret: Buffer.alloc(32, kid).toString('base64url') });
  const xml = (body: string): FakeAnswer => ({ headers: { 'Content-Type': 'application/xml' }, body });
  const block = (on: string) =>
    xml(
      `<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls>` +
        `<BlockPublicPolicy>true</BlockPublicPolicy><RestrictPublicBuckets>${on}</RestrictPublicBuckets></PublicAccessBlockConfiguration>`,
    );
  const versioning = (status: string) => xml(`<VersioningConfiguration>${status}</VersioningConfiguration>`);
  const TABLE = {
    TableName: 'orders',
    TableStatus: 'ACTIVE',
    KeySchema: [{ AttributeName: 'pk' }, { AttributeName: 'sk' }],
    DeletionProtectionEnabled: true,
  };
  const table = (changes: object): FakeAnswer => ({ body: { Table: { ...TABLE, ...changes } } });
  const backups = (status: string): FakeAnswer => ({
    body: {
      ContinuousBackupsDescription: {
        PointInTimeRecoveryDescription: {
          PointInTimeRecoveryStatus: status,
          EarliestRestorableDateTime: 1_795_370_400,
        },
      },
    },
  });
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
  const preflight = (origin: string): FakeAnswer => ({
    status: 204,
    headers: { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Headers': 'Authorization,X-API-Key' },
    body: '',
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
    DescribeTimeToLive: { body: { TimeToLiveDescription: { AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' } } },
    DescribeContinuousBackups: backups('ENABLED'),
    'HEAD /catalogs': { body: '' },
    'HEAD /documents': { body: '' },
    'GET /catalogs?publicAccessBlock': block('true'),
    'GET /documents?publicAccessBlock': block('true'),
    'GET /catalogs?versioning': versioning('<Status>Enabled</Status>'),
    'GET /documents?versioning': versioning('<Status>Enabled</Status>'),
    'GET /catalogs': object,
    GetSecretValue: ({ body }) => secrets[JSON.parse(body).SecretId] ?? { status: 400, body: {} },
    'GET /facturapi/v2/organizations/me': organization({}),
    'GET /v2/email/identities/facturas%40farmacia.example': { body: { VerifiedForSendingStatus: true } },
    'GET /v2/email/account': sending({}),
    'GET /v2/email/configuration-sets/rules': { body: { SendingOptions: { SendingEnabled: true } } },
    'GET /v2/email/configuration-sets/rules/event-destinations': destinations(true),
    'GET /usageplans/plan1/keys': { body: { item: [{ id: 'k1', type: 'API_KEY', name: 'sol' }] } },
    'OPTIONS /v2/api/products': preflight('https://tienda.sol.example'),
    'GET /usageplans/plan1': { body: { id: 'plan1', apiStages: [{ apiId: 'api1', stage: 'v2' }] } },
    'POST /v2/api/nothing': { status: 404, body: { detail: 'No existe esta ruta.', code: 'not_found' } },
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
      CORS_ORIGINS: 'https://tienda.sol.example',
      SES_IDENTITY: 'facturas@farmacia.example',
      MAIL_CONFIGURATION_SET: 'rules',
      PURPOSE: 'production',
      DATA_ON_REMOVAL: 'kept',
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
      ['alarm ring', 'skipped'],
      ['domain', 'skipped'],
      ['domain certificate', 'skipped'],
      ['budget', 'skipped'],
    ]);
    expect(found.code).toBe(0);
    expect(Object.fromEntries(found.checks.map(({ check, finding }) => [check, finding]))).toMatchObject({
      environment: 'complete',
      table: 'orders',
      'table keys': 'pk, sk, no local index',
      'table backups': 'to any second since 2026-11-22T18:00:00.000Z',
      'documents bucket is private': 'public access is blocked',
      'catalog age': '0 days',
      'catalog products': '123 products can be bought',
      'token keys': 'current 2026-11, previous 2026-08',
      'seal keys': 'current first, no previous one',
      "provider's key": 'a live key, which works',
      'mail rules': 'bounces and complaints are published',
      'mail sandbox': 'the account is out of it in mx-central-1',
      'mail sender': 'facturas@farmacia.example is verified in mx-central-1',
      'mail sending': 'on in mx-central-1',
      'usage plan': 'api1/v2',
      API: `${aws.url}/v2/api/products/ asks for a key`,
      clock: expect.stringMatching(/^off by \d s$/),
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
    expect(bodies('POST /v2/api/orders/calculate')).toEqual(Array(5).fill('{"details":[{"product":7,"quantity":1}]}'));
    expect(JSON.stringify(found)).not.toContain('planted');
  });

  it.each<[string, FakeAnswers, string, string]>([
    [
      'no table',
      { DescribeTable: { status: 400, body: { __type: 'com.amazonaws#ResourceNotFoundException', message: 'no' } } },
      'table',
      'ResourceNotFoundException: no',
    ],
    [
      'a table that is being created',
      { DescribeTable: table({ TableStatus: 'CREATING' }) },
      'table',
      'orders is CREATING.',
    ],
    [
      'a table with other keys',
      { DescribeTable: table({ KeySchema: [{ AttributeName: 'id' }] }) },
      'table keys',
      'The table is keyed by id.',
    ],
    [
      'no deletion protection',
      { DescribeTable: table({ DeletionProtectionEnabled: false }) },
      'table deletion protection',
      'It is off.',
    ],
    [
      'no time to live',
      { DescribeTimeToLive: { body: { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } } } },
      'table time to live',
      'It is not on by ttl.',
    ],
    [
      'no backups',
      { DescribeContinuousBackups: backups('DISABLED') },
      'table backups',
      'Point-in-time recovery is off.',
    ],
    ['no bucket', { 'HEAD /documents': { status: 404, body: '' } }, 'documents bucket', 'S3 answers 404.'],
    [
      'a bucket of another account',
      { 'HEAD /catalogs': { status: 403, body: '' } },
      'catalog bucket',
      'S3 answers 403.',
    ],
    [
      'a bucket that could be made public',
      { 'GET /documents?publicAccessBlock': block('false') },
      'documents bucket is private',
      'Off: RestrictPublicBuckets.',
    ],
    [
      'a bucket without versions',
      { 'GET /catalogs?versioning': versioning('') },
      'catalog bucket keeps versions',
      'Versioning is off.',
    ],
    [
      'no catalog',
      { 'GET /catalogs': { status: 404, ...xml('<Error><Code>NoSuchKey</Code></Error>') } },
      'catalog',
      'No catalog is published: publish one with `catalog publish <folder>`.',
    ],
    [
      'no secret',
      { GetSecretValue: { status: 400, body: { __type: 'ResourceNotFoundException' } } },
      'token keys',
      'secretsmanager answers 400 ResourceNotFoundException',
    ],
    [
      'a sender that is not verified',
      { 'GET /v2/email/identities/facturas%40farmacia.example': { body: { VerifiedForSendingStatus: false } } },
      'mail sender',
      'facturas@farmacia.example is not verified in mx-central-1 yet.',
    ],
    [
      'an unknown sender',
      {
        'GET /v2/email/identities/facturas%40farmacia.example': {
          status: 404,
          headers: { 'x-amzn-errortype': 'NotFoundException' },
          body: {},
        },
      },
      'mail sender',
      'ses answers 404 NotFoundException',
    ],
    [
      'the sandbox of SES',
      { 'GET /v2/email/account': sending({ ProductionAccessEnabled: false }) },
      'mail sandbox',
      'The account is in the sandbox in mx-central-1: mail reaches verified addresses only.',
    ],
    [
      'paused sending',
      { 'GET /v2/email/account': sending({ SendingEnabled: false }) },
      'mail sending',
      'SES has paused sending in mx-central-1.',
    ],
    [
      'a stopped account of SES',
      { 'GET /v2/email/account': sending({ EnforcementStatus: 'SHUTDOWN' }) },
      'mail sending',
      'SES has stopped the account for its reputation.',
    ],
    [
      'a configuration set that does not send',
      { 'GET /v2/email/configuration-sets/rules': { body: { SendingOptions: { SendingEnabled: false } } } },
      'mail rules',
      'The configuration set rules does not send.',
    ],
    [
      'bounces that nobody hears of',
      { 'GET /v2/email/configuration-sets/rules/event-destinations': destinations(false) },
      'mail rules',
      'Bounces and complaints of rules are published to no topic.',
    ],
    [
      'notices of bounces that nobody has confirmed',
      {
        ListSubscriptionsByTopic: ({ body }) =>
          new URLSearchParams(body).get('TopicArn') === RETURNED_TOPIC
            ? subscriptionsAnswer(['PendingConfirmation', 'alarmas@sol.example'])
            : subscriptionsAnswer(['arn:aws:sns:a', 'alarmas@sol.example']),
      },
      'mail subscriptions',
      'alarmas@sol.example has not confirmed the subscription to Pharmacy-sol-Returned.',
    ],
    [
      'no usage plan',
      {
        'GET /usageplans/plan1': {
          status: 404,
          headers: { 'x-amzn-errortype': 'NotFoundException' },
          body: { message: 'Invalid Usage Plan ID specified' },
        },
      },
      'usage plan',
      'NotFoundException: Invalid Usage Plan ID specified',
    ],
    [
      'a usage plan without a stage',
      { 'GET /usageplans/plan1': { body: { id: 'plan1' } } },
      'usage plan',
      'It has no stage.',
    ],
    [
      'a page that browsers do not let in',
      { 'OPTIONS /v2/api/products': preflight('https://otra.sol.example') },
      'pages',
      'Browsers may not call it from https://tienda.sol.example.',
    ],
    [
      'preflights that are not answered',
      { 'OPTIONS /v2/api/products': { status: 404, body: { code: 'not_found' } } },
      'pages',
      'Browsers may not call it from https://tienda.sol.example.',
    ],
    [
      'a clock that is behind',
      { 'GET /v2/api/products': { status: 403, headers: { Date: 'Fri, 21 Nov 2036 18:00:00 GMT' }, body: {} } },
      'clock',
      'It is off by -',
    ],
  ])('reports %s, with advice', async (_, answers, check, finding) => {
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
    [
      'is no API',
      { status: 403, headers: { 'Content-Type': 'text/html' }, body: '<html>' },
      'answers 403 without a key.',
    ],
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

  it('sets an alarm off with --ring, and back', async () => {
    const isRung = () => aws.heard.some(({ name }) => name === 'SetAlarmState');
    const before = ['pharmacy-sol-dead-letters', PUBLISHED] as const;
    aws.answer({
      ListStackResources: resourcesAnswer([...RESOURCES, ['AWS::CloudWatch::Alarm', 'pharmacy-sol-dead-letters']]),
      DescribeAlarms: alarmsAnswer({ AlarmName: 'pharmacy-sol-dead-letters' }),
      DescribeAlarmHistory: (call) => (isRung() ? actionsAnswer(before, before)(call) : actionsAnswer(before)(call)),
      SetAlarmState: { body: {} },
    });
    const found = await examined('--ring');
    expect(findCheck(found, 'alarm ring')).toEqual({
      check: 'alarm ring',
      state: 'ok',
      finding: `pharmacy-sol-dead-letters: ${PUBLISHED}. Look whether its mail has arrived.`,
      remedy: null,
    });
    const states = aws.heard.filter(({ name }) => name === 'SetAlarmState').map(({ body }) => JSON.parse(body));
    expect(states.map(({ StateValue }) => StateValue)).toEqual(['ALARM', 'OK']);
  });

  it('warns that no client has a key', async () => {
    aws.answer({ 'GET /usageplans/plan1/keys': { body: { item: [] } } });
    const found = await examined();
    expect(found.code).toBe(0);
    expect(findCheck(found, 'clients')).toMatchObject({
      state: 'warning',
      finding: 'No key is in the plan, so that nobody is served.',
    });
  });

  it('asks for no page where none may call the API', async () => {
    delete process.env.CORS_ORIGINS;
    expect((await looked('pages'))?.state).toBe('skipped');
    expect(aws.heard.some(({ name }) => name.startsWith('OPTIONS'))).toBe(false);
  });

  describe('in a demonstration', () => {
    beforeEach(() => {
      Object.assign(process.env, { PURPOSE: 'demonstration', DATA_ON_REMOVAL: 'deleted' });
      secrets = providerKey('sk_test_planted');
    });

    it('accepts that nothing is protected, with a test key', async () => {
      aws.answer({
        DescribeTable: table({ DeletionProtectionEnabled: false }),
        DescribeContinuousBackups: backups('DISABLED'),
      });
      const found = await examined();
      expect(failedChecks(found)).toEqual([]);
      expect(found.code).toBe(0);
      expect(findCheck(found, 'table backups')?.finding).toBe('off: the data is removed with the stack');
      expect(findCheck(found, 'table deletion protection')?.finding).toBe('off: the data is removed with the stack');
      expect(findCheck(found, "provider's key")).toMatchObject({ state: 'ok', finding: 'a test key, which works' });
    });

    it('warns of the sandbox of SES without failing', async () => {
      aws.answer({
        DescribeTable: table({ DeletionProtectionEnabled: false }),
        'GET /v2/email/account': sending({ ProductionAccessEnabled: false }),
      });
      const found = await examined();
      expect(found.code).toBe(0);
      expect(findCheck(found, 'mail sandbox')).toEqual({
        check: 'mail sandbox',
        state: 'warning',
        finding: 'The account is in the sandbox in mx-central-1: mail reaches verified addresses only.',
        remedy: 'Ask for production access in the SES console of that region.',
      });
    });

    it('warns of a table that keeps the stack from being removed', async () => {
      expect(await looked('table deletion protection')).toMatchObject({
        state: 'warning',
        finding: 'It is on: the stack cannot be removed.',
      });
    });

    it('requires the protection of data that is kept', async () => {
      process.env.DATA_ON_REMOVAL = 'kept';
      aws.answer({ DescribeTable: table({ DeletionProtectionEnabled: false }) });
      expect(await looked('table deletion protection')).toMatchObject({ state: 'failed' });
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
    ['two keys of one name', { current: key('a'), previous: key('a') }, 'failed', 'two keys of one name'],
    ['no key', {}, 'failed', 'signing keys:'],
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
    expect(await looked('catalog age')).toMatchObject({ state: 'ok', finding: '7 days' });
    setClock(new Date(Date.now() + 8 * day));
    expect(await looked('catalog age')).toMatchObject({
      state: 'failed',
      finding: 'It was published 8 days ago; 7 are allowed.',
    });
  });
});
