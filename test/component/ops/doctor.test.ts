import { randomUUID } from 'node:crypto';
import { GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { localEnvironment } from '../../../infra/local/environment.ts';
import { createTable, DEMO_API_KEY, DEMO_PASSWORD } from '../../../infra/local/seed.ts';
import { type CheckResult, runChecks } from '../../../infra/ops/doctor/check.ts';
import { listSteps, makeChecks } from '../../../infra/ops/doctor/examine.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { openCatalogBucket, publishRecords } from '../../support/engines/catalog-bucket.ts';
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
  xml,
} from '../../support/engines/fake-stack.ts';
import { LOCAL_S3_CREDENTIALS } from '../../support/engines/local-s3.ts';
import { freePorts } from '../../support/engines/ports.ts';
import { type FakeAnswers, type FakeAws, openFakeAws } from '../../support/engines/scripted-api.ts';
import type { FakeAnswer } from '../../support/http/loopback.ts';
import { keepEnvironment, operate } from '../../support/operators/operator.ts';
import { openStripeServer, type StripeServer } from '../../support/payments/stripe-server.ts';
import { useServer } from '../../support/servers/test-server.ts';

const TIME = '2026-11-01T18:00:00.000Z';
const CLIENT = {
  ...{ pk: 'CLIENT#1', sk: 'CLIENT', format: 1, id: 1, name: 'Sol', origin: 'sol' },
  ...{ paymentMethods: [1], carrierName: null, createdAt: TIME, updatedAt: TIME },
};

const server = useServer();

keepEnvironment();
afterEach(() => setClock());

/** Runs the doctor; returns its exit code, its checks, and those that do not pass by their names. */
async function examine(...argv: readonly string[]) {
  const { code, out, err } = await operate('pipe', 'doctor', '--json', ...argv);
  expect(err).toBe('');
  const checks: CheckResult[] = JSON.parse(out).checks;
  const found = Object.fromEntries(checks.map(({ check, state, finding }) => [check, `${state}: ${finding}`]));
  return { code, checks, found };
}
/** Makes one check of an installation on AWS, without the time that the others take. */
async function look(check: string): Promise<CheckResult | undefined> {
  const checks = makeChecks({}).filter(({ name }) => name === check);
  return (await runChecks(checks, false))[0];
}

describe('doctor --local', () => {
  beforeEach(() => {
    process.env.PORT = new URL(server.url).port;
  });

  it('finds the local server in order, without the checks that only AWS can answer', async () => {
    const { code, checks } = await examine('--local');
    const namesOf = (wanted: string) => checks.filter(({ state }) => state === wanted).map(({ check }) => check);
    expect([code, namesOf('ok').length, namesOf('failed')]).toEqual([0, 6, []]);
    expect(namesOf('skipped')).toEqual(["provider's key", 'keyed read', 'quote', 'login']);
  });

  it('lists what is to do before opening, in its order, and what does it', async () => {
    const { opening } = JSON.parse((await operate('pipe', 'doctor', '--local', '--json')).out);
    const checksOf = (isDone: boolean) =>
      opening.filter(({ done }: { done: boolean }) => done === isDone).map(({ check }: { check: string }) => check);
    // The table of that name has no client here.
    expect(checksOf(true)).toEqual(['catalog', 'deliveries', 'payment provider']);
    expect(checksOf(false)).toEqual(['clients', 'users']);
    process.env.TABLE_NAME = `empty-${randomUUID()}`;
    await createTable(process.env.TABLE_NAME, 'plain');
    const { stores: _, shipping_rates: __, ...others } = smallCatalog();
    await openCatalogBucket();
    await publishRecords({ ...others, stores: [], shipping_rates: [] });
    const names = ['catalog', 'deliveries', 'clients', 'users'];
    const results = await runChecks(
      makeChecks({}).filter(({ name }) => names.includes(name)),
      false,
    );
    expect(listSteps(results).map(({ check, done }) => [check, done])).toEqual(
      names.map((check) => [check, check === 'catalog']),
    );
  });

  it('says only that the local server is not running when it is not, before it asks for a key', async () => {
    process.env.PORT = (await freePorts()).PORT;
    const { code, out, err } = await operate('pipe', 'doctor', '--local', '--key', '--json');
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^The local server is not running at /)]);
  });

  it.each([
    [0, DEMO_API_KEY, DEMO_PASSWORD, ['ok: answered 200', 'ok: answered 201', 'ok: answered 200']],
    [1, DEMO_API_KEY, 'another', ['ok: answered 200', 'ok: answered 201', /^failed: .* 401 wrong_credentials/]],
    [1, 'no-key-of-anybody', DEMO_PASSWORD, [/^failed: .* 403 api_key_invalid/, /^skipped/, /^failed: .* 403/]],
  ])('reads, quotes and logs in with a key and a user: %i', async (code, key, password, expected) => {
    Object.assign(process.env, { DOCTOR_API_KEY: key, DOCTOR_PASSWORD: password });
    const { found, ...examined } = await examine('--local', '--email', 'doctora@demo.example');
    expect(examined.code).toBe(code);
    expect(['keyed read', 'quote', 'login'].map((check) => found[check])).toEqual(
      expected.map((pattern) => expect.stringMatching(pattern)),
    );
    expect(JSON.stringify(found)).not.toMatch(new RegExp(`${DEMO_API_KEY}|${DEMO_PASSWORD}|eyJ`));
  });

  it('reads no key from its arguments', async () => {
    expect(await operate('pipe', 'doctor', '--local', '--key', 'of-a-client')).toMatchObject({ code: 2, out: '' });
  });
});

describe('doctor', () => {
  it('skips the checks whose variables are missing, and stops where there is no installation at all', async () => {
    for (const name of ['TABLE_NAME', 'USAGE_PLAN_ID']) delete process.env[name];
    const { found } = await examine();
    expect(found).toMatchObject({
      users: 'skipped: TABLE_NAME is not set.',
      catalog: expect.stringMatching(/^ok: /),
    });
    delete process.env.API_URL;
    expect(await operate('pipe', 'doctor')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^API_URL is /),
    });
  });

  it('reports that everything in a catalog is out of stock', async () => {
    const { products, ...others } = smallCatalog();
    await openCatalogBucket();
    await publishRecords({ ...others, products: products.map((product) => ({ ...product, has_shortage: true })) });
    expect(await look('catalog')).toMatchObject({ state: 'failed', finding: 'No product can be bought.' });
  });
});

describe('doctor of an installation on AWS', () => {
  let aws: FakeAws;
  let s3: S3Client;
  const secret = (value: unknown): FakeAnswer => ({ body: { SecretString: JSON.stringify(value) } });
  const key = (kid: string) => ({ kid, secret: Buffer.alloc(32, kid).toString('base64url') });
  const NO_SUCH_KEY = { status: 404, ...xml('<Error><Code>NoSuchKey</Code></Error>') };
  const TOKEN_SECRET = 'arn:aws:secretsmanager:mx-central-1:1:secret:keys';
  const SEAL_SECRET = 'arn:aws:secretsmanager:mx-central-1:1:secret:seals';
  /** Answers with the secrets of a stage whose invoicing provider has this key. */
  const secretsWith = (providerKey: string) => (call: { body: string }) => {
    const secrets: Record<string, FakeAnswer> = {
      [TOKEN_SECRET]: secret({ current: key('2026-11'), previous: key('2026-08') }),
      [SEAL_SECRET]: secret(key('first')),
      'pharmacy/facturapi': { body: { SecretString: providerKey } },
    };
    return secrets[JSON.parse(call.body).SecretId] ?? { status: 400, body: {} };
  };
  const withKey = (providerKey: string): FakeAnswers => ({ GetSecretValue: secretsWith(providerKey) });
  // The fields of an organization that Facturapi documents (openapi_v2.en.yaml of 2026-08-20).
  const organization = (changes: object): FakeAnswers => ({
    'GET /facturapi/v2/organizations/me': {
      body: {
        id: '5a2a307be93a2f00129ea035',
        is_production_ready: true,
        pending_steps: [],
        certificate: { has_certificate: true, expires_at: '2036-11-22T18:00:00.000Z' },
        ...changes,
      },
    },
  });
  const identity = (answer: FakeAnswer): FakeAnswers => ({
    'GET /v2/email/identities/facturas%40farmacia.example': answer,
  });
  // The fields of GetAccount that AWS documents, with those of an account in good standing.
  const sending = (changes: object): FakeAnswers => ({
    'GET /v2/email/account': {
      body: { SendingEnabled: true, ProductionAccessEnabled: true, EnforcementStatus: 'HEALTHY', ...changes },
    },
  });
  const api = (status: number, body: object): FakeAnswers => ({ 'GET /v2/api/products': { status, body } });
  /** Returns an object of the real local S3 as an answer. */
  const object = async ({ path }: { path: string }): Promise<FakeAnswer> => {
    const { pathname } = new URL(path, 'http://localhost');
    const Key = decodeURIComponent(pathname).replace('/catalogs/', '');
    try {
      const found = await s3.send(new GetObjectCommand({ Bucket: 'pharmacy-catalog', Key }));
      const body = await found.Body?.transformToByteArray();
      return { headers: { 'Content-Type': 'application/octet-stream' }, body };
    } catch (error) {
      if (error instanceof NoSuchKey) return NO_SUCH_KEY;
      throw error;
    }
  };
  const GOOD: FakeAnswers = {
    ...STACK_ANSWERS,
    'GET /catalogs': object,
    ...withKey('sk_live_planted\n'),
    ...organization({}),
    ...identity({ body: { VerifiedForSendingStatus: true } }),
    ...sending({}),
    'GET /v2/email/configuration-sets/rules/event-destinations': {
      body: { EventDestinations: [{ Name: 'events', Enabled: true, SnsDestination: { TopicArn: RETURNED_TOPIC } }] },
    },
    GetItem: { body: { Item: { format: { N: '1' }, lastId: { N: '1' } } } },
    BatchGetItem: { body: { Responses: { orders: [marshall(CLIENT)] } } },
    'GET /usageplans/plan1/keys': { body: { item: [{ id: 'k1', type: 'API_KEY', name: 'sol' }] } },
    ...api(403, { detail: 'Falta la clave de API.', code: 'api_key_invalid' }),
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
      ISSUER_ZIPCODE: '06700',
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
    const { code, checks, found } = await examine();
    expect(code).toBe(0);
    const skipped = checks.filter(({ state }) => state === 'skipped').map(({ check }) => check);
    expect(skipped).toEqual(['keyed read', 'quote', 'login']);
    expect(Object.keys(found)).toHaveLength(20);
    expect(found).toMatchObject({
      account: 'ok: 111122223333',
      catalog: expect.stringMatching(/^ok: version [0-9a-f]{16}, 0 days old, 123 products can be bought$/),
      'token keys': 'ok: current 2026-11, previous 2026-08',
      'mail sender': 'ok: facturas@farmacia.example is verified in mx-central-1',
      'usage plan': 'ok: has a key',
      stacks: 'ok: Pharmacy-sol is UPDATE_COMPLETE',
      'alarm subscriptions': 'ok: alarmas@sol.example',
      API: `ok: ${aws.url}/v2/api/products/ asks for a key`,
      alarms: 'ok: 2 are OK',
      concurrency: 'ok: 1000 of 1000 are unreserved',
    });
    const services = { GetSecretValue: 'secretsmanager', 'GET /v2/email/account': 'ses', GetItem: 'dynamodb' };
    for (const [call, service] of Object.entries(services)) {
      expect(aws.signatures.get(call)).toMatch(
        new RegExp(`^AWS4-HMAC-SHA256 Credential=AKIAOPERATOR/\\d{8}/mx-central-1/${service}/aws4_request`),
      );
    }
    expect(aws.signatures.get('GET /v2/api/products')).toBe('');
  });

  const demonstration = { PURPOSE: 'demonstration' };
  const sandbox = { INVOICING_PROVIDER: 'sandbox' };
  const budget = { BUDGET_STACK: 'Pharmacy-sol-budget' };
  const CONFIRMED = ['arn:aws:sns:a', 'alarmas@sol.example'] as const;
  const PENDING = ['PendingConfirmation', 'ana@sol.example'] as const;
  const pendingReturns = ({ body }: { body: string }) =>
    subscriptionsAnswer(new URLSearchParams(body).get('TopicArn') === RETURNED_TOPIC ? PENDING : CONFIRMED);
  const subscriptions = (...all: (readonly [string, string])[]): FakeAnswers => ({
    ListSubscriptionsByTopic: subscriptionsAnswer(...all),
  });
  const stack = (...all: Parameters<typeof stackAnswer>): FakeAnswers => ({ DescribeStacks: stackAnswer(...all) });
  const alarms = (changes: object): FakeAnswers => ({ DescribeAlarms: alarmsAnswer(changes) });
  const missingBudget = ({ body }: { body: string }) =>
    body.includes('budget') ? MISSING_STACK : stackAnswer('UPDATE_COMPLETE');
  const notFound = { status: 404, headers: { 'x-amzn-errortype': 'NotFoundException' }, body: {} };
  const otherCaller = { ...callerAnswer, body: String(callerAnswer.body).replace('::111122223333:', '::999:') };
  const refused = { status: 401, body: { message: 'planted' } };
  const unready = { is_production_ready: false, pending_steps: [{ type: 'certificate', description: 'Subir' }] };
  const ended = { certificate: { expires_at: '2026-11-01T00:00:00Z' } };
  const secretOf = (SecretString: string): FakeAnswers => ({ GetSecretValue: { body: { SecretString } } });
  const SHORT = '{"current":{"kid":"a","secret":"c2hvcnQ"}}';
  const FEW = { 'GET /2016-08-19/account-settings': accountAnswer(10) };
  const keyless = { 'GET /usageplans/plan1/keys': { body: {} } };

  it.each<[check: string, found: RegExp, answers: FakeAnswers, changes?: NodeJS.ProcessEnv]>([
    ['account', /^failed: .* 999, .* 111122223333/, { GetCallerIdentity: otherCaller }],
    ['catalog', /^failed: No catalog is published/, { 'GET /catalogs': NO_SUCH_KEY }],
    ['token keys', /^ok: current a, no previous/, secretOf(JSON.stringify({ current: key('a') }))],
    ['token keys', /^failed: .* 32 bytes/, secretOf(SHORT)],
    ['seal keys', /^failed: .* 32 bytes/, secretOf(SHORT)],
    ['seal keys', /^failed: .* not JSON/, secretOf('planted')],
    ["provider's key", /^failed: .* test key in production/, withKey('sk_test_planted')],
    ["provider's key", /^failed: .* no key of Facturapi/, withKey('planted')],
    ["provider's key", /^failed: .* 401/, { 'GET /facturapi/v2/organizations/me': refused }],
    ["provider's key", /^failed: .* certificate\.$/, organization(unready)],
    ["provider's key", /^failed: .* expired on 2026-11-01/, organization(ended)],
    ["provider's key", /^failed: .* no invoices/, {}, sandbox],
    ["provider's key", /^skipped: .* without fiscal validity/, {}, { ...sandbox, ...demonstration }],
    ["provider's key", /^ok: a test key/, withKey('sk_test_planted'), demonstration],
    ["provider's key", /^failed: .* live key in a demonstration/, {}, demonstration],
    ['mail sender', /^failed: .* not verified/, identity({ body: {} })],
    ['mail sender', /^failed: NotFoundException/, identity(notFound)],
    ['mail sending', /^failed: .* sandbox/, sending({ ProductionAccessEnabled: false })],
    ['mail sending', /^warning: .* sandbox/, sending({ ProductionAccessEnabled: false }), demonstration],
    ['mail sending', /^failed: .* paused/, sending({ SendingEnabled: false })],
    ['mail sending', /^failed: .* stopped/, sending({ EnforcementStatus: 'SHUTDOWN' })],
    ['mail sending', /^warning: .* reviews/, sending({ EnforcementStatus: 'PROBATION' })],
    ['alarm subscriptions', /^failed: ana@.*Pharmacy-sol-Returned/, { ListSubscriptionsByTopic: pendingReturns }],
    ['usage plan', /^warning: No key/, keyless],
    ['API', /^failed: .* 200 without a key/, api(200, { results: [] })],
    ['API', /^failed: .* 502 internal_error/, api(502, { code: 'internal_error' })],
    // A domain without a base path.
    ['API', /^failed: .* 403 without/, api(403, { message: 'Forbidden' })],
    ['stacks', /^failed: .* ROLLBACK_COMPLETE/, stack('ROLLBACK_COMPLETE')],
    ['stacks', /^failed: Termination protection/, stack('UPDATE_COMPLETE', false)],
    ['stacks', /^warning: .* undone/, stack('UPDATE_ROLLBACK_COMPLETE')],
    ['stacks', /^warning: .* UPDATE_IN_PROGRESS/, stack('UPDATE_IN_PROGRESS')],
    ['stacks', /^failed: ValidationError/, { DescribeStacks: missingBudget }, budget],
    ['alarms', /^failed: In ALARM: pharmacy-sol-failures\.$/, alarms({ StateValue: 'ALARM' })],
    ['alarms', /^warning: .* pharmacy-sol-failures\.$/, alarms({ StateValue: 'INSUFFICIENT_DATA' })],
    ['alarms', /^failed: The stage has no alarm/, { DescribeAlarms: { body: { MetricAlarms: [] } } }],
    ['alarm subscriptions', /^failed: Nobody .* Pharmacy-sol-Alarms/, subscriptions()],
    ['alarm subscriptions', /^warning: ana@.*Pharmacy-sol-Alarms/, subscriptions(CONFIRMED, PENDING)],
    ['concurrency', /^warning: .* 10 functions/, FEW],
  ])('reports of %s, with advice: %s', async (check, pattern, answers, changes = {}) => {
    aws.answer(answers);
    Object.assign(process.env, changes);
    const found = await look(check);
    expect(`${found?.state}: ${found?.finding}`).toMatch(pattern);
    expect(found?.remedy).toEqual(/^(ok|skipped)$/.test(found?.state ?? '') ? null : expect.stringMatching(/\w+/));
    expect(JSON.stringify(found)).not.toContain('planted');
  });

  it('names the host that does not answer, and why', async () => {
    process.env.API_URL = 'https://api.farmacia.invalid/v2';
    expect(await look('API')).toMatchObject({
      state: 'failed',
      finding: expect.stringMatching(/(ENOTFOUND|EAI_AGAIN) api\.farmacia\.invalid$/),
      remedy: expect.stringContaining('DNS'),
    });
  });

  it.each([
    ['AccessDenied', /^Your credentials lack this right/],
    ['ExpiredToken', /^Renew the credentials/],
  ])('says what to do where AWS refuses the operator: %s', async (code, remedy) => {
    const body = `<ErrorResponse><Error><Code>${code}</Code></Error></ErrorResponse>`;
    aws.answer({ DescribeStacks: { status: 403, ...xml(body) } });
    expect((await look('stacks'))?.remedy).toMatch(remedy);
  });

  it("warns before the provider's certificate ends", async () => {
    setClock(new Date('2036-11-01T00:00:00Z'));
    expect(await look("provider's key")).toMatchObject({
      state: 'warning',
      finding: expect.stringMatching(/2036-11-22/),
    });
  });

  it('takes the silence of a job in the first two hours of a stack for a warning', async () => {
    aws.answer(alarms({ StateValue: 'INSUFFICIENT_DATA', InsufficientDataActions: ['arn:aws:sns:a:1:t'] }));
    setClock(new Date('2026-11-01T19:59:00Z'));
    expect((await look('alarms'))?.state).toBe('warning');
    setClock(new Date('2026-11-01T20:00:00Z'));
    expect((await look('alarms'))?.state).toBe('failed');
  });

  it('leaves out the alarms that mail nobody of this stage, such as those of a release', async () => {
    aws.answer(alarms({ StateValue: 'ALARM', AlarmActions: [] }));
    expect(await look('alarms')).toMatchObject({ state: 'ok', finding: '1 are OK' });
    const [asked] = aws.heard.filter(({ name }) => name === 'DescribeAlarms').map(({ body }) => JSON.parse(body));
    expect(asked).toMatchObject({ AlarmNamePrefix: 'pharmacy-sol-' });
  });

  it('looks at the stack of the mail in its region', async () => {
    Object.assign(process.env, { MAIL_STACK: 'Pharmacy-sol-mail', MAIL_REGION: 'us-east-1' });
    const finding = 'Pharmacy-sol is UPDATE_COMPLETE, Pharmacy-sol-mail is UPDATE_COMPLETE';
    expect(await look('stacks')).toMatchObject({ state: 'ok', finding });
    const [own, mail] = aws.heard.filter(({ name }) => name === 'DescribeStacks').map(({ signature }) => signature);
    expect([own, mail].join()).toMatch(/us-east-1.cloudformation/);
    expect([own, mail].join()).toMatch(/mx-central-1.cloudformation/);
  });

  it('is in order in a demonstration that stays in the sandbox of SES', async () => {
    process.env.PURPOSE = 'demonstration';
    aws.answer({ ...withKey('sk_test_planted'), ...sending({ ProductionAccessEnabled: false }) });
    expect((await examine()).code).toBe(0);
  });

  describe('the payment provider', () => {
    let stripe: StripeServer;
    beforeEach(async () => {
      stripe = await openStripeServer();
      Object.assign(process.env, {
        PAYMENTS_PROVIDER: 'stripe',
        STRIPE_URL: stripe.url,
        STRIPE_KEY: stripe.liveKey,
        STRIPE_WEBHOOK_SECRET: 'whsec_planted',
      });
      stripe.life.endpoints.push({
        url: `${aws.url}/v2/api/payments/stripe/`,
        status: 'enabled',
        api_version: '2026-10-28.endive',
        enabled_events: ['*'],
      });
    });
    afterEach(() => stripe.close());

    it.each<[string, () => unknown, RegExp]>([
      ['a live key and an endpoint', () => undefined, /^ok: a live key, .* card, oxxo, spei$/],
      ['a test key', () => (process.env.STRIPE_KEY = stripe.testKey), /^failed: .* live key/],
      ['a key that Stripe refuses', () => (process.env.STRIPE_KEY = 'sk_live_planted'), /^failed: Stripe answers 401/],
      ['no network', () => (process.env.STRIPE_URL = 'http://127.0.0.1:1'), /^failed: Stripe does not answer/],
      ['no endpoint', () => stripe.life.endpoints.splice(0), /^warning: The endpoint .* missing/],
      ['no secret for its calls', () => delete process.env.STRIPE_WEBHOOK_SECRET, /^warning: .* webhookSecret/],
    ])('is looked at with %s, without being shown', async (_, change, pattern) => {
      change();
      const found = await look('payment provider');
      expect(`${found?.state}: ${found?.finding}`).toMatch(pattern);
      expect(JSON.stringify(found)).not.toContain('planted');
    });
  });

  it('reports the age of a catalog that is older than the stage allows', async () => {
    const day = 24 * 60 * 60 * 1_000;
    setClock(new Date(Date.now() + 7 * day));
    expect(await look('catalog')).toMatchObject({ state: 'ok', finding: expect.stringContaining(', 7 days old, ') });
    setClock(new Date(Date.now() + 8 * day));
    const finding = 'It was published 8 days ago; 7 are allowed.';
    expect(await look('catalog')).toMatchObject({ state: 'failed', finding });
  });
});
