import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import { type HttpCall, sendHttp } from '../../support/http/http.ts';
import { openTestGateway, TEST_KEY, type TestGateway } from '../../support/servers/test-gateway.ts';

// The local gateway stands for API Gateway: it routes, checks the key, limits, passes events on as a REST API does, and
// answers in our shape what no function answers. How exactly it resembles API Gateway is not tested.

const KEY = { 'X-API-Key': TEST_KEY };
const THINGS = '/v2/api/things/';

async function open(options?: Partial<GatewayOptions>): Promise<TestGateway> {
  const gateway = await openTestGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

const send = (gateway: TestGateway, target: string, call: Partial<HttpCall> = {}) =>
  sendHttp(gateway.url, target, { method: 'GET', headers: KEY, ...call });

/** Opens a gateway that keeps the event and context of each call. */
async function openRecorded(options?: Partial<GatewayOptions>) {
  const gateway = await open(options);
  const calls: { event: APIGatewayProxyEvent; context: Context }[] = [];
  gateway.answerWith(async (event, context) => {
    calls.push({ event, context });
    return { statusCode: 200, body: '{"name":"recorded"}' };
  });
  return { gateway, calls };
}

/** Opens a gateway whose functions all return this. */
async function openAnswering(answer: unknown, options?: Partial<GatewayOptions>): Promise<TestGateway> {
  const gateway = await open(options);
  gateway.answerWith(async () => answer);
  return gateway;
}

it.each([
  ['GET', '/v2/api/things', 'functions/things/list.ts'],
  ['GET', '/v2/api/things/a%2Fb/', 'functions/things/detail.ts'],
  ['PATCH', '/v2/api/things/7/', 'functions/things/update.ts'],
  ['POST', '/v2/api/things/count/', 'functions/things/count.ts'],
  ['GET', '/v2/api/things/7/parts/8/', 'functions/things/part.ts'],
])('%s %s is %s', async (method, target, file) => {
  expect(await send(await open(), target, { method })).toMatchObject({ status: 200, body: { name: file } });
});

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

it('the event is that of a REST API', async () => {
  const { gateway, calls } = await openRecorded();
  const { host } = new URL(gateway.url);
  const headers = { ...KEY, Host: host, 'x-TWICE': ['1', '2'], 'X-Forwarded-For': '9.9.9.9' };
  const target = '/v2//api/things/a%20b/?b=2&a=1&b=%C3%B1+x&empty';
  await send(gateway, target, { method: 'PATCH', headers, body: { name: 'año' } });
  const { event, context } = calls[0] ?? {};
  expect(event).toMatchObject({
    ...{ resource: '/api/things/{id}', path: '/api/things/a%20b/', httpMethod: 'PATCH' },
    headers: {
      'X-API-Key': TEST_KEY,
      'x-TWICE': '2',
      'X-Forwarded-For': '9.9.9.9, 127.0.0.1',
      'X-Forwarded-Proto': 'http',
    },
    multiValueHeaders: { 'x-TWICE': ['1', '2'] },
    queryStringParameters: { a: '1', b: 'ñ x', empty: '' },
    multiValueQueryStringParameters: { a: ['1'], b: ['2', 'ñ x'], empty: [''] },
    ...{ pathParameters: { id: 'a%20b' }, body: '{"name":"año"}', isBase64Encoded: false },
    requestContext: {
      ...{ domainName: host, httpMethod: 'PATCH', path: '/v2//api/things/a%20b/', stage: 'v2' },
      ...{ resourcePath: '/api/things/{id}', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      identity: { apiKeyId: gateway.keys.find(TEST_KEY)?.id, sourceIp: '127.0.0.1' },
    },
  });
  expect(context).toMatchObject({ functionName: 'things-update', awsRequestId: event?.requestContext.requestId });
  expect(context?.getRemainingTimeInMillis()).toBeLessThanOrEqual(10_000);
});
