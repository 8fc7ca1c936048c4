import { once } from 'node:events';
import { connect } from 'node:net';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import { routes } from '../../../shared/api/routes.ts';
import { type HttpCall, sendHttp } from '../../support/http/http.ts';
import { openTestGateway, TEST_KEY, type TestGateway } from '../../support/servers/test-gateway.ts';

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

describe('routing', () => {
  it.each([
    ['GET', '/v2/api/things/', 'functions/things/list.ts'],
    ['GET', '/v2/api/things', 'functions/things/list.ts'],
    ['GET', '/v2/api/things//', 'functions/things/list.ts'],
    ['GET', '/v2//api/things/', 'functions/things/list.ts'],
    ['GET', '//v2/api/things/', 'functions/things/list.ts'],
    ['POST', '/v2/api/things/', 'functions/things/create.ts'],
    ['GET', '/v2/api/things/7/', 'functions/things/detail.ts'],
    ['GET', '/v2/api/things/7', 'functions/things/detail.ts'],
    ['GET', '/v2/api/things/a%2Fb/', 'functions/things/detail.ts'],
    ['PATCH', '/v2/api/things/7/', 'functions/things/update.ts'],
    ['POST', '/v2/api/things/count/', 'functions/things/count.ts'],
    ['GET', '/v2/api/things/7/parts/8/', 'functions/things/part.ts'],
  ])('%s %s is %s', async (method, target, file) => {
    const answer = await send(await open(), target, { method });
    expect(answer).toMatchObject({ status: 200, body: { name: file } });
  });

  it.each([
    ['GET', '/v2/api/nothing/'],
    ['GET', '/v2/api/'],
    ['GET', '/v2/'],
    ['GET', '/v2'],
    ['GET', '/v1/api/things/'],
    ['GET', '/api/things/'],
    ['GET', '/v2/api/things/7//parts/8/'],
    ['GET', '/v2/api/things/7/parts//'],
    ['GET', '/v2/api/things/7/8/'],
    ['GET', '/v2/api/things/%zz/8/'],
    ['DELETE', '/v2/api/things/'],
    ['PATCH', '/v2/api/things//'],
    ['PUT', '/v2/api/things/7/'],
    ['POST', '/v2/api/things/7/'],
    // A parameter beside this literal has both methods.
    ['GET', '/v2/api/things/count/'],
    ['HEAD', '/v2/api/things/count/'],
    ['PATCH', '/v2/api/things/count/'],
    ['OPTIONS', '/v2/api/things/'],
  ])('%s %s has no route', async (method, target) => {
    const answer = await send(await open(), target, { method });
    const notFound = { detail: 'No existe esta ruta. / There is no such route.', code: 'not_found' };
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual(method === 'HEAD' ? '' : notFound);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'content-language': 'es, en' });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  describe.each(routes)('$method $path', ({ method, path }) => {
    const sent = path.replaceAll(/\{\w+\}/g, '7');
    it.each([
      ['with the slash', sent, sent],
      ['without it', sent.slice(0, -1), sent.slice(0, -1)],
      ['with two', `${sent}/`, `${sent}/`],
      ['with two in front', `/${sent}`, sent],
    ])('is the same resource %s, and the handler gets the path as sent', async (_, spelling, seen) => {
      const { gateway, calls } = await openRecorded({ routes });
      await send(gateway, `/v2${spelling}`, { method });
      const { event } = calls[0] ?? {};
      expect(event?.resource).toBe(path.slice(0, -1));
      expect(event?.path).toBe(seen);
      expect(event?.requestContext.path).toBe(`/v2${spelling}`);
    });
  });

  it('takes a HEAD for a GET, and leaves the body out of the answer', async () => {
    const { gateway, calls } = await openRecorded();
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => send(gateway, THINGS, { method })));
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head?.headers['content-length']).toBe(get?.headers['content-length']);
    const told = calls.map(({ event }) => [event.httpMethod, event.requestContext.httpMethod].join());
    expect(told.sort()).toEqual(['GET,GET', 'HEAD,HEAD']);
    expect(await send(gateway, THINGS, { method: 'HEAD', headers: {} })).toMatchObject({ status: 403 });
  });

  it('passes on an Authorization header on a known path', async () => {
    const { gateway, calls } = await openRecorded();
    await send(gateway, THINGS, { headers: { ...KEY, Authorization: 'Bearer abc' } });
    expect(calls[0]?.event.headers).toMatchObject({ Authorization: 'Bearer abc' });
  });
});

describe('the API key', () => {
  const refusal = {
    status: 403,
    body: {
      detail: 'Falta la clave de API o no es válida. / The API key is missing or not valid.',
      code: 'api_key_invalid',
    },
  };

  it.each(['X-API-Key', 'x-api-key'])('is read from %s', async (name) => {
    const answer = await send(await open(), THINGS, { headers: { [name]: TEST_KEY } });
    expect(answer.status).toBe(200);
  });

  it.each([{}, { 'X-API-Key': 'x' }])('must be there and known, and not %j', async (headers) => {
    expect(await send(await open(), THINGS, { headers })).toMatchObject(refusal);
  });

  it('must be enabled', async () => {
    const gateway = await open();
    gateway.keys.change(gateway.keys.find(TEST_KEY)?.id ?? '', { enabled: false });
    expect(await send(gateway, THINGS)).toMatchObject(refusal);
  });
});

describe('the body', () => {
  const MIB = 1024 * 1024;

  it('arrives as it was sent', async () => {
    const { gateway, calls } = await openRecorded();
    const body = 'ñ'.repeat(2.9 * MIB);
    const answer = await send(gateway, THINGS, { method: 'POST', body });
    expect(answer.status).toBe(200);
    expect(calls[0]?.event.body === body).toBe(true);
  });

  it('over 10 MB is refused in plain text before routing', async () => {
    const answer = await send(await open(), '/v2/nowhere/', { method: 'POST', body: 'a'.repeat(10 * MIB + 1) });
    expect(answer.status).toBe(413);
    expect(answer.headers['content-type']).toBe('text/plain');
    expect(answer.body).toBe('HTTP content length exceeded 10485760 bytes.');
  });

  it('may come in chunks', async () => {
    const { gateway, calls } = await openRecorded();
    const chunked = { method: 'POST', headers: { ...KEY, 'Transfer-Encoding': 'chunked', 'Content-Length': [] } };
    expect((await send(gateway, THINGS, { ...chunked, body: '{}' })).status).toBe(200);
    expect(calls[0]?.event.headers).not.toHaveProperty('Content-Length');
  });
});

describe('compression', () => {
  const long = JSON.stringify({ name: 'paracetamol '.repeat(200) });
  const fetched = async (gateway: TestGateway, init: RequestInit) => {
    const answer = await fetch(`${gateway.url}/api/things/`, { ...init, headers: { ...KEY, ...init.headers } });
    return { text: await answer.text(), header: (name: string) => answer.headers.get(name) };
  };

  it.each([
    ['gzip', 'gzip'],
    ['br, gzip', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
    ['br', null],
  ])('for a caller that accepts %s is %s', async (accepted, coding) => {
    const gateway = await openAnswering({ statusCode: 200, body: long, headers: { ETag: '"a"' } });
    const { text, header } = await fetched(gateway, { headers: { 'Accept-Encoding': accepted } });
    expect(text).toBe(long);
    expect([header('content-encoding'), header('etag')]).toEqual([coding, '"a"']);
    const length = Number(header('content-length'));
    if (coding === null) expect(length).toBe(2_411);
    else expect(length).toBeLessThan(100);
  });

  it('has the same headers for HEAD, and none without a body', async () => {
    const gateway = await openAnswering({ statusCode: 200, body: long });
    const gzip = { 'Accept-Encoding': 'gzip' };
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetched(gateway, { method, headers: gzip })));
    expect(head?.header('content-encoding')).toBe('gzip');
    expect(head?.header('content-length')).toBe(get?.header('content-length'));
    gateway.answerWith(async () => ({ statusCode: 304, body: '' }));
    const unchanged = await fetched(gateway, { headers: gzip });
    expect([unchanged.text, unchanged.header('content-encoding')]).toEqual(['', null]);
  });
});

describe('the function', () => {
  const failure = {
    status: 503,
    headers: { 'retry-after': '2', 'content-type': 'application/json' },
    body: {
      detail:
        'El servicio no está disponible por el momento. La solicitud pudo haberse realizado: repítala solo con la misma Idempotency-Key, o consulte antes. / The service is unavailable at the moment. The request may have been carried out: repeat it only with the same Idempotency-Key, or look first.',
      code: 'unavailable',
    },
  };

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
    [
      'exceeds its own time-out',
      { functionTimeoutMs: 20, loadHandler: async () => () => new Promise(() => undefined) },
    ],
  ])('that %s is 503', async (_, options) => {
    expect(await send(await open(options), '/v2/api/things/')).toMatchObject(failure);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'hello'],
    ['a list', []],
    ['a field too many', { statusCode: 200, body: '', status: 200 }],
    ['a status that is no number', { statusCode: 'fine' }],
    ['a body that is no text', { statusCode: 200, body: { name: 'x' } }],
    ['a header that is no scalar', { statusCode: 200, headers: { a: {} }, body: '' }],
    ['multiple headers that are no list', { statusCode: 200, multiValueHeaders: { a: 'x' }, body: '' }],
    ['a header with a line break', { statusCode: 200, headers: { a: 'x\r\ny: z' }, body: '' }],
  ])('that returns %s is 503', async (_, malformed) => {
    const gateway = await openAnswering(malformed);
    expect(await send(gateway, THINGS)).toMatchObject(failure);
  });

  it('answers with single and multiple headers merged', async () => {
    const gateway = await open();
    gateway.answerWith(async () => ({
      statusCode: '201',
      headers: { 'X-One': 1, 'Set-Cookie': 'c=3', 'WWW-Authenticate': 'Bearer' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
      body: '{}',
    }));
    const answer = await send(gateway, THINGS);
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({
      'x-one': '1',
      'set-cookie': ['a=1', 'b=2', 'c=3'],
      'content-type': 'application/json',
      'x-amzn-remapped-www-authenticate': 'Bearer',
    });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  it('answers 200 without a status, and bytes when its body is base64', async () => {
    const gateway = await open();
    gateway.answerWith(async () => ({
      headers: { 'Content-Type': 'text/plain' },
      body: 'aG9sYQ==',
      isBase64Encoded: true,
    }));
    expect(await send(gateway, THINGS)).toMatchObject({ status: 200, body: 'hola' });
  });

  it('answers 304 without a body', async () => {
    const gateway = await openAnswering({ statusCode: 304, headers: { ETag: '"a"' }, body: '' });
    const answer = await send(gateway, THINGS);
    expect(answer).toMatchObject({ status: 304, headers: { etag: '"a"' }, body: '' });
    expect(answer.headers).not.toHaveProperty('content-length');
  });
});

describe('cross-origin calls', () => {
  const corsOrigins = ['https://farmacia.example'];
  const from = (origin: string) => ({ method: 'OPTIONS', headers: { Origin: origin } });

  it('are allowed to a configured origin by a preflight without a key', async () => {
    const answer = await send(await open({ corsOrigins }), '/v2/api/things/7/', from('https://farmacia.example'));
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      vary: 'Origin',
      'access-control-allow-origin': 'https://farmacia.example',
      'access-control-allow-methods': 'GET,PATCH',
      'access-control-allow-headers':
        'X-API-Key,Authorization,Content-Type,Accept,Accept-Language,Idempotency-Key,If-None-Match',
    });
    // The access cookie is sent to exact origins only.
    expect(answer.headers['access-control-allow-credentials']).toBe('true');
    expect(answer.headers['access-control-max-age']).toBe('7200');
  });

  it('are refused to any other origin', async () => {
    const answer = await send(await open({ corsOrigins }), '/v2/api/things/', from('https://evil.example'));
    expect(answer.status).toBe(204);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('have no preflight on an unknown path', async () => {
    const gateway = await open({ corsOrigins });
    expect((await send(gateway, '/v2/api/nothing/', from('https://farmacia.example'))).status).toBe(404);
  });

  it("can read the gateway's own refusals", async () => {
    const headers = { Origin: 'https://farmacia.example' };
    const answer = await send(await open({ corsOrigins }), '/v2/api/things/', { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://farmacia.example',
      'access-control-expose-headers': 'X-Request-Id,Retry-After,ETag,Idempotent-Replayed,Content-Language',
    });
  });
});

describe('the event', () => {
  it('equals the event of a REST API, field by field', async () => {
    const { gateway, calls } = await openRecorded();
    const before = Date.now();
    const { host, port } = new URL(gateway.url);
    await send(gateway, '/v2//api/things/a%20b/?b=2&a=1&b=%C3%B1+x&empty', {
      method: 'PATCH',
      headers: { ...KEY, Host: host, 'User-Agent': 'test', 'x-TWICE': ['1', '2'], 'X-Forwarded-For': '9.9.9.9' },
      body: { name: 'año' },
    });
    const { event } = calls[0] ?? {};
    if (!event) throw new Error('the handler was not called');
    const { requestId, requestTime, requestTimeEpoch, resourceId } = event.requestContext;
    const { id } = gateway.keys.find(TEST_KEY) ?? {};
    expect(JSON.parse(JSON.stringify(event))).toEqual({
      resource: '/api/things/{id}',
      path: '/api/things/a%20b/',
      httpMethod: 'PATCH',
      headers: {
        'X-API-Key': TEST_KEY,
        Host: host,
        'User-Agent': 'test',
        'x-TWICE': '2',
        'Content-Type': 'application/json',
        'Content-Length': '15',
        Connection: 'keep-alive',
        'X-Forwarded-For': '9.9.9.9, 127.0.0.1',
        'X-Forwarded-Port': port,
        'X-Forwarded-Proto': 'http',
      },
      multiValueHeaders: {
        'X-API-Key': [TEST_KEY],
        Host: [host],
        'User-Agent': ['test'],
        'x-TWICE': ['1', '2'],
        'Content-Type': ['application/json'],
        'Content-Length': ['15'],
        Connection: ['keep-alive'],
        'X-Forwarded-For': ['9.9.9.9, 127.0.0.1'],
        'X-Forwarded-Port': [port],
        'X-Forwarded-Proto': ['http'],
      },
      queryStringParameters: { a: '1', b: 'ñ x', empty: '' },
      multiValueQueryStringParameters: { a: ['1'], b: ['2', 'ñ x'], empty: [''] },
      pathParameters: { id: 'a%20b' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        domainName: host,
        domainPrefix: 'localhost',
        extendedRequestId: requestId,
        httpMethod: 'PATCH',
        identity: {
          accessKey: null,
          accountId: null,
          apiKey: TEST_KEY,
          apiKeyId: id,
          caller: null,
          clientCert: null,
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
          principalOrgId: null,
          sourceIp: '127.0.0.1',
          user: null,
          userAgent: 'test',
          userArn: null,
        },
        path: '/v2//api/things/a%20b/',
        protocol: 'HTTP/1.1',
        requestId,
        requestTime,
        requestTimeEpoch,
        resourceId,
        resourcePath: '/api/things/{id}',
        stage: 'v2',
      },
      body: '{"name":"año"}',
      isBase64Encoded: false,
    });
    expect(requestTime).toMatch(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/);
    expect(requestTimeEpoch).toBeGreaterThanOrEqual(before);
    expect(resourceId).toMatch(/^[0-9a-f]{6}$/);
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has null for each missing part', async () => {
    const { gateway, calls } = await openRecorded();
    await send(gateway, '/v2/api/things');
    expect(calls[0]?.event).toMatchObject({
      path: '/api/things',
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
    });
  });

  it('comes with the context of a function of 10 s', async () => {
    const { gateway, calls } = await openRecorded();
    await send(gateway, '/v2/api/things/7/');
    const { event, context } = calls[0] ?? {};
    expect(context).toMatchObject({
      functionName: 'things-detail',
      functionVersion: '$LATEST',
      awsRequestId: event?.requestContext.requestId,
    });
    const remaining = context?.getRemainingTimeInMillis() ?? 0;
    expect(remaining).toBeGreaterThan(5_000);
    expect(remaining).toBeLessThanOrEqual(10_000);
  });
});

describe('the server', () => {
  it('finishes running requests before it closes, and accepts no new ones', async () => {
    const gateway = await openTestGateway();
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    gateway.answerWith(async () => {
      begun.resolve();
      await held.promise;
      return { statusCode: 200, body: '{"name":"late"}' };
    });
    const underWay = send(gateway, THINGS);
    await begun.promise;
    const closed = gateway.close();
    held.resolve();
    expect(await underWay).toMatchObject({ status: 200, body: { name: 'late' } });
    await closed;
    await expect(send(gateway, THINGS)).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN/) });
  });

  it('survives a caller who disconnects in the middle of a body', async () => {
    const gateway = await open();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write('POST /v2/api/things/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
    await once(socket, 'connect');
    socket.destroy();
    expect((await send(gateway, THINGS)).status).toBe(200);
  });
});
