import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../../shared/api/routes.ts';
import { callHeaders } from '../../support/http/call.ts';
import { sendHttp } from '../../support/http/http.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let token: string;
let order: number;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  const body = orderBody('paciente@demo.example');
  order = (await server.request('POST', '/api/orders/resources/', { token, body })).body.id;
});

const target = (path: string): string => `/v2${path.replace('{id}', path.includes('orders') ? `${order}` : '1')}`;
const ask = (method: 'GET' | 'HEAD', path: string, headers = {}) =>
  sendHttp(server.url, target(path), { method, headers: callHeaders({ token, headers }) });

// They differ from one request to the next.
const OWN = ['x-request-id', 'date', 'server-timing'];
const same = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)));

describe.each(routes.filter(({ method }) => method === 'GET'))('HEAD $path', ({ path }) => {
  it('answers as GET, without the body', async () => {
    const [get, head] = await Promise.all([ask('GET', path), ask('HEAD', path)]);
    expect(get.status).toBe(200);
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(same(head.headers)).toEqual(same(get.headers));
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  });

  it('is refused as GET is', async () => {
    const refused = await sendHttp(server.url, target(path), { method: 'HEAD', headers: {} });
    expect(refused).toMatchObject({ status: 403, body: '', headers: { 'x-request-id': expect.any(String) } });
  });
});

it('HEAD takes the cookie, which is safe, and If-None-Match', async () => {
  const headers = { Cookie: `__Host-access=${token}`, Origin: 'https://elsewhere.example' };
  const seen = await sendHttp(server.url, target('/api/orders/{id}/'), {
    method: 'HEAD',
    headers: callHeaders({ headers }),
  });
  expect(seen.status).toBe(200);
  const { headers: product } = await ask('HEAD', '/api/products/{id}/');
  expect((await ask('HEAD', '/api/products/{id}/', { 'If-None-Match': product.etag })).status).toBe(304);
});
