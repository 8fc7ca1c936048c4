import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import { type HttpCall, sendHttp } from '../../support/http/http.ts';
import { openTestGateway, TEST_KEY, type TestGateway } from '../../support/servers/test-gateway.ts';

// The local gateway stands for API Gateway: it routes, checks the key, limits, and answers in our shape what no function answers.
// How exactly it resembles API Gateway is not tested.

const KEY = { 'X-API-Key': TEST_KEY };
const THINGS = '/v2/api/things/';

async function open(options?: Partial<GatewayOptions>): Promise<TestGateway> {
  const gateway = await openTestGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

const send = (gateway: TestGateway, target: string, call: Partial<HttpCall> = {}) =>
  sendHttp(gateway.url, target, { method: 'GET', headers: KEY, ...call });

/** Opens a gateway whose functions all return this. */
async function openAnswering(answer: unknown, options?: Partial<GatewayOptions>): Promise<TestGateway> {
  const gateway = await open(options);
  gateway.answerWith(async () => answer);
  return gateway;
}

it.each([
  ['GET', '/v2/'],
  ['GET', '/v1/api/things/'],
  ['GET', '/v2/api/things/%zz/8/'],
  ['DELETE', '/v2/api/things/'],
  ['OPTIONS', '/v2/api/things/'],
])('%s %s has no route', async (method, target) => {
  const answer = await send(await open(), target, { method });
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'content-language': 'es, en' });
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

describe('the API key', () => {
  it('must be there, known and enabled, in a header of any case', async () => {
    const gateway = await open();
    const refusal = { status: 403, body: { code: 'api_key_invalid' } };
    expect(await send(gateway, THINGS, { headers: { 'x-api-key': TEST_KEY } })).toMatchObject({ status: 200 });
    expect(await send(gateway, THINGS, { headers: {} })).toMatchObject(refusal);
    expect(await send(gateway, THINGS, { headers: { 'X-API-Key': 'x' } })).toMatchObject(refusal);
    gateway.keys.change(gateway.keys.find(TEST_KEY)?.id ?? '', { enabled: false });
    expect(await send(gateway, THINGS)).toMatchObject(refusal);
  });

  it('may make as many requests as its limit, and a burst', async () => {
    const gateway = await open({ rateLimit: { requestsPerSecond: 1, burst: 2 } });
    const statuses = [(await send(gateway, THINGS)).status, (await send(gateway, THINGS)).status];
    expect(statuses).toEqual([200, 200]);
    const refusal = { status: 429, headers: { 'retry-after': '1' }, body: { code: 'throttled' } };
    expect(await send(gateway, THINGS)).toMatchObject(refusal);
  });
});

describe('the function', () => {
  const failure = { status: 503, headers: { 'retry-after': '2' }, body: { code: 'unavailable' } };

  it('that throws is 503, and its error is not shown', async () => {
    const gateway = await open();
    gateway.answerWith(async () => {
      throw new Error('secret of the server');
    });
    const answer = await send(gateway, THINGS);
    expect(answer).toMatchObject(failure);
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(gateway.reports[0]).toContain('secret of the server');
  });

  it.each<[string, Partial<GatewayOptions>]>([
    ['cannot be loaded', { loadHandler: () => Promise.reject(new Error('no such file')) }],
    ['exceeds its time-out', { functionTimeoutMs: 20, loadHandler: async () => () => new Promise(() => undefined) }],
  ])('that %s is 503', async (_, options) => {
    expect(await send(await open(options), THINGS)).toMatchObject(failure);
  });

  it.each([undefined, { statusCode: 'fine' }, { statusCode: 200, body: { name: 'x' } }])(
    'that returns %j is 503',
    async (malformed) => {
      expect(await send(await openAnswering(malformed), THINGS)).toMatchObject(failure);
    },
  );
});

it('calls from pages of a configured origin are allowed by a preflight without a key, and those of others are not', async () => {
  const gateway = await open({ corsOrigins: ['https://farmacia.example'] });
  const from = (Origin: string) => ({ method: 'OPTIONS', headers: { Origin } });
  expect(await send(gateway, '/v2/api/things/7/', from('https://farmacia.example'))).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': 'https://farmacia.example',
      'access-control-allow-methods': 'GET,PATCH',
      'access-control-allow-headers': expect.stringContaining('X-API-Key,Authorization,'),
      // The access cookie is sent to exact origins only.
      'access-control-allow-credentials': 'true',
    },
  });
  const { headers } = await send(gateway, THINGS, from('https://evil.example'));
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});
