import { beforeAll, describe, expect, it } from 'vitest';
import { orderBody } from '../../support/orders/samples.ts';
import { type TestServer, useServer } from '../../support/servers/test-server.ts';

const server = useServer();
let token: string;
let orderId: number;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  const body = orderBody('luz.mora@example.mx');
  orderId = (await server.request('POST', '/api/orders/resources/', { token, body })).body.id;
});

type Timing = { readonly ms: number; readonly description: string | undefined };

/** Parses the header `Server-Timing` of an answer into its entries by name. */
function parseTimings({ headers }: Awaited<ReturnType<TestServer['request']>>): Record<string, Timing> {
  const entries = String(headers['server-timing']).split(/, (?=[a-z]+;)/);
  const timings = entries.map((entry) => /^([a-z]+);dur=([\d.]+)(?:;desc="([^"]+)")?$/.exec(entry));
  return Object.fromEntries(timings.map((found) => [found?.[1], { ms: Number(found?.[2]), description: found?.[3] }]));
}

describe('Server-Timing', () => {
  it('lists the parts of a request in their order, and DynamoDB only where it is used', async () => {
    const timings = parseTimings(await server.request('GET', '/api/products/?limit=1'));
    expect(Object.keys(timings)).toEqual(['auth', 'validation', 'handler', 'total']);
  });

  it('shows the round trips for one order, those of its reader included, and their units', async () => {
    const timings = parseTimings(await server.request('GET', `/api/orders/${orderId}/`, { token }));
    expect(Object.keys(timings)).toEqual(['auth', 'validation', 'dynamodb', 'handler', 'total']);
    expect(timings.dynamodb?.description).toMatch(/^round trips 2, read units [1-9]\d?(\.5)?, write units 0$/);
  });

  it('keeps requests at the same time apart', async () => {
    const reading = () => server.request('GET', `/api/orders/${orderId}/`, { token });
    const answers = await Promise.all(Array.from({ length: 8 }, reading));
    for (const answer of answers) expect(parseTimings(answer).dynamodb?.description).toMatch(/^round trips 2,/);
  });

  it('is on refusals too, of the handlers and of the gateway', async () => {
    expect(Object.keys(parseTimings(await server.request('GET', '/api/orders/')))).toEqual(['auth', 'total']);
    expect(Object.keys(parseTimings(await server.request('GET', '/api/orders/', { key: null })))).toEqual(['total']);
  });

  it('is not on answers of the handlers alone', async () => {
    expect((await server.invoke('GET', '/api/products/?limit=1')).headers).not.toHaveProperty('server-timing');
  });
});
