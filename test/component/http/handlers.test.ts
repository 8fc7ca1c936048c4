import type { APIGatewayProxyEvent } from 'aws-lambda';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { lambdaContext } from '../../../infra/local/gateway/event.ts';
import { loadHandler, readProxyAnswer } from '../../../infra/local/gateway/invocation.ts';
import { routes, type ServedRoute, servedRoutes } from '../../../shared/api/routes.ts';
import { table } from '../../../shared/deps.ts';
import { toOrderItem } from '../../../shared/order/orders.ts';
import { callHeaders, type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { captureOutput } from '../../support/operators/output.ts';
import { getStoredOrder } from '../../support/orders/forced-order.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// Every handler answers a HEAD, the console's test button, a search of signs, and a row that is damaged.

const server = useServer({ settings: { POWERTOOLS_LOG_LEVEL: 'ERROR' } });
let token: string;
let order: number;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  order = await place('Ana');
});

async function place(first_name: string): Promise<number> {
  const { user } = orderBody('paciente@demo.example');
  return (await server.placeOrder(user.email, {}, { user: { ...user, first_name } })).id;
}

describe('HEAD', () => {
  const target = (path: string) => `/v2${path.replace('{id}', path.includes('orders') ? `${order}` : '1')}`;
  const ask = (method: 'GET' | 'HEAD', path: string, call: Parameters<typeof callHeaders>[0] = { token }) =>
    sendHttp(server.url, target(path), { method, headers: callHeaders(call) });
  const same = ({ headers }: HttpAnswer) => {
    const { 'x-request-id': _, date: __, 'server-timing': ___, ...alike } = headers;
    return alike;
  };

  it.each(routes.filter(({ method }) => method === 'GET'))(
    '$path is answered as GET, without the body',
    async (route) => {
      const [get, head] = [await ask('GET', route.path), await ask('HEAD', route.path)];
      expect([get.status, head.status, head.body]).toEqual([200, 200, '']);
      expect(same(head)).toEqual(same(get));
    },
  );

  it('takes the cookie, as it is safe, and If-None-Match, and needs a key', async () => {
    const cookie = { Cookie: `__Host-access=${token}`, Origin: 'https://elsewhere.example' };
    expect((await ask('HEAD', '/api/orders/{id}/', { headers: cookie })).status).toBe(200);
    const { etag } = (await ask('HEAD', '/api/products/{id}/')).headers;
    expect((await ask('HEAD', '/api/products/{id}/', { headers: { 'If-None-Match': String(etag) } })).status).toBe(304);
    expect(await ask('HEAD', '/api/products/', { key: null })).toMatchObject({ status: 403, body: '' });
  });
});

describe("the test button of API Gateway's console", () => {
  /** Its event when nothing is filled in. */
  const bareEvent = ({ method: httpMethod, path }: ServedRoute) => {
    const resource = path.replace(/\/$/, '');
    const none = { headers: null, multiValueHeaders: null, pathParameters: null, stageVariables: null, body: null };
    return {
      ...none,
      ...{ resource, path: resource, httpMethod, isBase64Encoded: false },
      ...{ queryStringParameters: null, multiValueQueryStringParameters: null },
      requestContext: {
        ...{ resourcePath: resource, path: resource, httpMethod, stage: 'test-invoke-stage', requestId: 'request-1' },
        ...{ domainName: 'testPrefix.testDomainName', domainPrefix: 'testPrefix' },
        identity: { apiKeyId: 'test-invoke-api-key-id', sourceIp: 'test-invoke-source-ip' },
      },
    } as unknown as APIGatewayProxyEvent;
  };
  const expectedAnswer = ({ contract, authentication, path }: ServedRoute): [number, string | undefined] => {
    if (contract.body && !contract.isBodyOptional) return [415, 'not_json'];
    if (authentication === 'none') return [400, 'call_not_signed'];
    if (authentication !== 'key') return [403, 'client_unknown'];
    return path.includes('{id}') ? [404, 'not_found'] : [200, undefined];
  };

  it.each(servedRoutes)('is answered by $method $path', async (route) => {
    const handler = await loadHandler(route.handler);
    const { statusCode, body } = readProxyAnswer(await handler(bareEvent(route), lambdaContext('test', 'x', 10_000)));
    expect([statusCode, JSON.parse(String(body)).code]).toEqual(expectedAnswer(route));
  });
});

describe('a text', () => {
  it.each(['/api/products/', '/api/orders/'])(
    'of signs alone finds nothing in %s, and a blank one all',
    async (path) => {
      const count = async (search: string) =>
        (await server.request('GET', `${path}?search=${search}`, { token })).body.count;
      expect(await Promise.all(['%C2%B4', '***', '%CC%81'].map(count))).toEqual([0, 0, 0]);
      expect(await count('%20%E2%80%8B%09')).toBe(await count(''));
    },
  );
});

describe('Server-Timing', () => {
  const timingsOf = ({ headers }: HttpAnswer) => String(headers['server-timing']).split(/, (?=[a-z]+;)/);
  const namesOf = (answer: HttpAnswer) => timingsOf(answer).map((entry) => entry.split(';')[0]);

  it('has the parts of a request, and the round trips of each by itself', async () => {
    const reading = () => server.request('GET', `/api/orders/${order}/`, { token });
    for (const answer of await Promise.all([reading(), reading()])) {
      expect(namesOf(answer)).toEqual(['auth', 'validation', 'dynamodb', 'handler', 'total']);
      const [, , dynamodb] = timingsOf(answer);
      expect(dynamodb).toMatch(/;desc="round trips 2, read units [1-9]\d?(\.5)?, write units 0"$/);
    }
    const body = orderBody('paciente@demo.example');
    const [, , placing] = timingsOf(await server.request('POST', '/api/orders/resources/', { token, body }));
    // `npm run bench` has how many of them follow one another.
    expect(placing).toMatch(/;desc="round trips 4, /);
    expect(namesOf(await server.request('GET', '/api/orders/'))).toEqual(['auth', 'total']);
    expect((await server.invoke('GET', '/api/products/?limit=1')).headers).not.toHaveProperty('server-timing');
  });
});

it('a stored order that does not parse is an internal error, logged once with its bad fields and without their values', async () => {
  const stored = await getStoredOrder(await place('Luz'));
  const damaged = { ...toOrderItem(stored), comments: 7, patient: { ...stored.patient, lastName: ['Plantado'] } };
  await table().transact([{ Put: { Item: damaged } }]);
  const logged = captureOutput();
  const { status, body } = await server.request('GET', `/api/orders/${stored.id}/`, { token });
  vi.restoreAllMocks();
  expect([status, body.code]).toEqual([500, 'internal_error']);
  const lines = logged.filter((line) => line.includes('InvalidItem'));
  expect(lines).toEqual([expect.stringContaining('"code":"order: patient.lastName, comments"')]);
  expect(logged.join('')).not.toContain('Plantado');
});
