import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { prove } from '../../support/proofs/proof.ts';
import { openTestGateway, TEST_KEY, type TestGateway } from '../../support/servers/test-gateway.ts';

// The parts that `npm start` puts together, which the engines of a test run are too.
let gateway: TestGateway;
const urls = {
  gateway: () => new URL(gateway.url).origin,
  dynamodb: () => `http://127.0.0.1:${inject('dynamoDbPort')}`,
  s3: () => inject('serverEnvironment').AWS_ENDPOINT_URL_S3 ?? '',
  ses: () => inject('serverEnvironment').AWS_ENDPOINT_URL_SES ?? '',
};
beforeAll(async () => {
  gateway = await openTestGateway();
});
afterAll(() => gateway.close());

const SIGNED = 'AWS4-HMAC-SHA256 Credential=S3RVER/20261122/local/x/aws4_request, SignedHeaders=host, Signature=0';
const KEY = { 'X-API-Key': TEST_KEY };
const LIST_TABLES = {
  Authorization: SIGNED,
  'X-Amz-Date': '20261122T180000Z',
  'X-Amz-Target': 'DynamoDB_20120810.ListTables',
  'Content-Type': 'application/x-amz-json-1.0',
};

type Target = {
  readonly server: keyof typeof urls;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};
const API: readonly Target[] = [
  { server: 'gateway', method: 'GET', path: '/v2/api/things/', headers: KEY },
  { server: 'gateway', method: 'GET', path: '/docs/' },
];
const ENGINES: readonly Target[] = [
  { server: 'dynamodb', method: 'POST', path: '/', headers: LIST_TABLES, body: '{}' },
  { server: 's3', method: 'GET', path: '/pharmacy-catalog/current.json' },
  { server: 'ses', method: 'GET', path: '/store' },
  { server: 'ses', method: 'GET', path: '/' },
];

const TARGETS = [...API, ...ENGINES];
const HOSTS = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  'localhost.',
  'localhost:80:80',
  '0.0.0.0',
];
const ORIGINS = ['https://evil.example', 'http://localhost.evil.example', 'null', 'https://evil.example:3000'];

function ask({ server, method, path, headers, body }: Target, more: Record<string, string>): Promise<HttpAnswer> {
  return sendHttp(urls[server](), path, { method, body, headers: { ...headers, ...more } });
}

/** A page asks so whether it may send the request. */
const askPreflight = (target: Target, Origin: string): Promise<HttpAnswer> => {
  const wanted = { 'Access-Control-Request-Method': target.method, 'Access-Control-Request-Headers': 'authorization' };
  return sendHttp(urls[target.server](), target.path, { method: 'OPTIONS', headers: { Origin, ...wanted } });
};

it.each(TARGETS)('$server $path answers programs and pages of this machine', async (target) => {
  const own = `localhost:${new URL(urls[target.server]()).port}`;
  for (const Host of [own, 'localhost', '127.0.0.1', 'localhost:1']) {
    expect((await ask(target, { Host })).status, Host).toBe(200);
  }
  expect((await ask(target, { Host: own, Origin: `http://${own}` })).status).toBe(200);
});

it('no page reaches a port of the local server under its own name', async () => {
  for (const target of TARGETS) {
    for (const Host of HOSTS)
      expect([target.path, Host, (await ask(target, { Host })).status]).toEqual([target.path, Host, 421]);
  }
  prove({ check: 'attack 14: a port of the local server, by DNS rebinding', tries: TARGETS.length * HOSTS.length });
});

it('no page of another site reads or writes through a port of the local server', async () => {
  let [tried, lost] = [0, 0];
  for (const Origin of ORIGINS) {
    for (const target of TARGETS) {
      const answers = [await ask(target, { Origin }), await askPreflight(target, Origin)];
      tried += 2;
      if (ENGINES.includes(target) && answers[0]?.status !== 421) lost += 1;
      lost += answers.filter(({ headers }) => 'access-control-allow-origin' in headers).length;
    }
  }
  prove({ check: 'attack 14: a port of the local server, from a page of another site', tries: tried, lost });
});
