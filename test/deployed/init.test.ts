import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { publishCatalog } from '../../shared/catalog/publishing/publish.ts';
import { catalogFolder, smallCatalog } from '../support/catalogs/small-catalog.ts';
import { type LocalS3, startLocalS3 } from '../support/engines/local-s3.ts';
import { openScriptedApi, type ScriptedApi } from '../support/engines/scripted-api.ts';
import { bundleOnce, type FunctionProcess, startFunction } from '../support/servers/bundles.ts';

/* These tests run the real bundles in bare processes, as Lambda does, with a local S3. */

const BUCKET = 'catalogs';

const home = mkdtempSync(join(tmpdir(), 'init-'));
let s3: LocalS3;
let files: ReadonlyMap<string, string>;

beforeAll(async () => {
  s3 = await startLocalS3(BUCKET);
  const bucket = { s3: s3.client, name: BUCKET };
  await publishCatalog({ folder: catalogFolder(smallCatalog()), bucket, now: new Date() });
  files = await bundleOnce(['functions/products/list.ts', 'functions/orders/list.ts', 'functions/token/issue.ts']);
});
afterAll(() => s3.stop());

type Place = { readonly environment?: Readonly<Record<string, string>>; readonly nodeOptions?: readonly string[] };
const WITHOUT_LIMITS = 'data:text/javascript,AbortSignal.timeout=()=>new AbortController().signal';

const ON_LAMBDA = { AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };

/** Starts a function and returns it with the requests that S3 had meanwhile. */
async function start(handler: string, { environment = ON_LAMBDA, nodeOptions = [] }: Place = {}) {
  const before = s3.requests.length;
  const settings = {
    AWS_REGION: 'mx-central-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    S3_PATH_STYLE: 'true',
    CATALOG_BUCKET: BUCKET,
    IMAGE_BASE_URL: 'https://images.example/',
  };
  const running = await startFunction(files.get(`functions/${handler}.ts`) ?? '', {
    environment: { ...settings, ...environment },
    folder: home,
    nodeOptions,
  });
  onTestFinished(running.stop);
  return { running, asked: () => s3.requests.slice(before).map((line) => line.replace(/[0-9a-f]{64}/, '<hash>')) };
}

const errors = ({ log }: FunctionProcess) =>
  log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'ERROR');

/** Calls a route without parameters and returns the status of the answer. */
async function ask(running: FunctionProcess, resourcePath: string): Promise<number> {
  const identity = { apiKeyId: 'key', sourceIp: '127.0.0.1' };
  const requestContext = { requestId: 'request', httpMethod: 'GET', resourcePath, identity };
  const headers = { Host: 'api.example', Authorization: 'Bearer not.a.token' };
  const event = { httpMethod: 'GET', headers, queryStringParameters: null, requestContext };
  const answer = await running.call(event, { getRemainingTimeInMillis: () => 10_000 });
  return (answer as { statusCode: number }).statusCode;
}

describe('a catalog function', () => {
  const LOOK = ['GET /catalogs/current.json', 'GET /catalogs/shortages.json'];
  const askForProducts = (running: FunctionProcess) => ask(running, '/api/products');

  it('opens the catalog during INIT, so that its first request asks S3 for nothing', async () => {
    const { running, asked } = await start('products/list');
    expect(asked().toSorted()).toEqual([...LOOK, 'GET /catalogs/snapshots/<hash>.sqlite.zst']);
    expect(await askForProducts(running)).toBe(200);
    expect(asked()).toHaveLength(3);
    expect(errors(running)).toEqual([]);
  });

  it('asks for nothing while it is imported elsewhere', async () => {
    const { running, asked } = await start('products/list', { environment: {} });
    expect(asked()).toEqual([]);
    expect(await askForProducts(running)).toBe(200);
  });

  it('survives INIT while S3 does not answer, and opens the catalog at a request', async () => {
    s3.turn('hanging');
    const { running, asked } = await start('products/list');
    // Lambda gives up INIT after 10 s; a request for the pointer ends after 1 s (catalog/publish.test.ts).
    expect(asked().toSorted()).toEqual(LOOK);
    expect(errors(running)).toMatchObject([{ message: 'the function is not ready after INIT', code: 'unavailable' }]);
    s3.turn('failing');
    expect(await askForProducts(running)).toBe(503);
    s3.turn('fair');
    expect(await askForProducts(running)).toBe(200);
  });

  it('survives INIT without its settings', async () => {
    const { running } = await start('products/list', { environment: { ...ON_LAMBDA, CATALOG_BUCKET: '' } });
    expect(errors(running)).toMatchObject([{ message: 'the function is not ready after INIT' }]);
    expect(await askForProducts(running)).toBe(500);
  });
});

describe('the function that issues tokens', () => {
  const KEYS = '{"current":{"kid":"a","secret":"bG9jYWwtb25seS1ub3QtYS1zZWNyZXQtMzItYnl0ZXM"}}';

  it('publishes its public key during INIT, which `openssl pkey -pubout` computed', async () => {
    const secrets = await openScriptedApi({ status: 200, body: { SecretString: KEYS } });
    const dynamodb = await openScriptedApi({ status: 200 });
    const { running } = await start('token/issue', {
      environment: { ...ON_LAMBDA, ...toTable(dynamodb), ...toSecrets(secrets) },
    });
    const written = dynamodb.heard.flatMap(({ body }) => JSON.parse(body).RequestItems?.pharmacy ?? []);
    expect(written.map((one) => one.PutRequest.Item)).toEqual([
      {
        pk: { S: 'SIGNER#RrwA3Z7aSBoTwj2P3g7HtleenUSXegcZjZ9yeFt9g8Y' },
        sk: { S: 'SIGNER' },
        format: { N: '1' },
        publicKey: { S: 'xd-VdySJrBgfXqC8-ENiEPJXhsEF84_Gc7TkmrEMWyE' },
        ttl: { N: expect.stringMatching(/^\d{10}$/) },
      },
    ]);
    expect(errors(running)).toEqual([]);
  });

  it('survives INIT while the secret cannot be read', async () => {
    const secrets = await openScriptedApi({ status: 400 });
    const dynamodb = await openScriptedApi({ status: 200 });
    const environment = { ...ON_LAMBDA, ...toTable(dynamodb), ...toSecrets(secrets) };
    // The limit of the call would pass on a busy machine.
    const { running } = await start('token/issue', { environment, nodeOptions: ['--import', WITHOUT_LIMITS] });
    expect(errors(running)).toMatchObject([
      { message: 'a secret could not be read', code: '400' },
      { message: 'the function is not ready after INIT', code: 'unavailable' },
    ]);
  });
});

describe('a function of users', () => {
  it('opens its connection to DynamoDB during INIT, by looking up a key that nobody has', async () => {
    const dynamodb = await openScriptedApi({ status: 200 });
    const { running } = await start('orders/list', { environment: { ...ON_LAMBDA, ...toTable(dynamodb) } });
    const asked = dynamodb.heard.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body).Key]);
    expect(asked).toEqual([['DynamoDB_20120810.GetItem', { pk: { S: 'KEY#none' }, sk: { S: 'KEY' } }]]);
    expect(errors(running)).toEqual([]);
  });
});

const toTable = ({ url }: ScriptedApi) => ({ AWS_ENDPOINT_URL_DYNAMODB: url, TABLE_NAME: 'pharmacy' });
const toSecrets = ({ url }: ScriptedApi) => ({
  AWS_ENDPOINT_URL_SECRETS_MANAGER: url,
  TOKEN_SECRET_ID: 'tokens',
});
