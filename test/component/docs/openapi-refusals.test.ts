import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getExamples, WAITING } from '../../../infra/api/examples/examples.ts';
import { createGateway, type GatewayOptions } from '../../../infra/local/gateway/gateway.ts';
import type { Handler } from '../../../infra/local/gateway/invocation.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { anyKey } from '../../../shared/http/request.ts';
import { route } from '../../../shared/http/route.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { type Call, callHeaders } from '../../support/http/call.ts';
import { checkedAnswer } from '../../support/http/checked-answer.ts';
import { type HttpAnswer, sendHttp } from '../../support/http/http.ts';
import { PDF } from '../../support/orders/samples.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

// test/support checks each answer against the description: its status, headers, body and the example of its code.

let server: TestServer;
let token: string;
let doctorsToken: string;
let strangersKey: string;
const gateways: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await openTestServer();
  token = await server.login('aseguradora@demo.example');
  doctorsToken = await server.login('doctora@demo.example');
  const stranger = server.keys.create({ name: 'stranger', enabled: true });
  server.keys.change(stranger.id, { inUsagePlan: true });
  strangersKey = stranger.value;
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await server.close();
});

type Asked = {
  readonly route: Route;
  readonly path: string;
  readonly call: Call;
  /** Sends the first example of the route with a change. */
  ask(change?: Call & { readonly path?: string }): Promise<HttpAnswer>;
};

function asked(route: Route): Asked {
  const example = getExamples(route)[0];
  const path = route.path.replace('{id}', '999999999');
  const call = { token, ...(example?.body && { body: example.body }) };
  return {
    route,
    path,
    call,
    ask: (change) => server.request(route.method, change?.path ?? path, { ...call, ...change }),
  };
}

/** Sends the same call through a gateway whose handlers are all replaced by this one. */
async function sentTo({ route, path, call }: Asked, handler: Handler, options: Partial<GatewayOptions> = {}) {
  const disk = () => ({ directory: '/data', freeBytes: 500_000_000, shortage: null });
  const own = { keys: server.keys, usagePlanId: 'local', stage: 'v2', port: 0, report: () => {}, disk };
  const gateway = createGateway({ routes, loadHandler: async () => handler, ...own, ...options });
  gateways.push(gateway);
  const url = await gateway.listen();
  const request = { method: route.method, headers: callHeaders(call), body: call.body };
  return async () => checkedAnswer(route.method, path, await sendHttp(url, `/v2${path}`, request));
}

const throwing = (error: Error): Handler =>
  route({ authentication: 'key', caching: 'never', answers: {} }, anyKey, async () => {
    throw error;
  });
const json = (megabytes: number) => JSON.stringify('a'.repeat(megabytes * 1024 * 1024));

// Each entry provokes a refusal that does not depend on the state of an order.
const PROVOKED: Readonly<Record<string, (request: Asked) => Promise<HttpAnswer>>> = {
  gateway_api_key_invalid: ({ ask }) => ask({ key: null }),
  client_unknown: ({ ask }) => ask({ key: strangersKey }),
  not_authenticated: ({ route, path, call }) => server.request(route.method, path, { body: call.body }),
  token_invalid: ({ ask }) => ask({ token: 'a.b.c' }),
  async token_expired({ ask }) {
    setClock(new Date(Date.now() + 3_600_000));
    const answer = await ask();
    setClock();
    return answer;
  },
  cross_site({ route, path, call }) {
    const headers = { Cookie: `__Host-access=${token}`, Origin: 'https://elsewhere.example' };
    return server.request(route.method, path, { headers, body: call.body });
  },
  malformed_json: ({ ask }) => ask({ body: '{' }),
  not_json: ({ ask }) => ask({ headers: { 'Content-Type': 'text/plain' } }),
  body_too_large: ({ ask }) => ask({ body: json(5.6) }),
  // A doctor may ask every route but the feed of events, which does not exist for her.
  not_found: ({ path, ask }) => ask({ token: doctorsToken, path: `${path}?page=99999` }),
  async idempotency_key_reused({ route, call, ask }) {
    const headers = { 'Idempotency-Key': `key-of-${route.contract.operationId}` };
    const path = route.path.replace('{id}', String(await placeWaiting()));
    expect((await ask({ path, headers })).status).toBe(201);
    return ask({ path, headers, body: { ...Object(call.body), ...OTHERS } });
  },
  wrong_credentials: ({ ask }) => ask({ body: { email: 'nadie@demo.example', password: 'not the password' } }),
  async too_many_attempts({ route, ask }) {
    const login = { body: { email: 'otra@demo.example', password: 'not the password' } };
    // Of an invoice to the id of tax data that nobody has.
    const path = async () => route.path.replace('{id}', String(await placeWaiting()));
    const change = route.method === 'PUT' ? { path: await path(), body: { invoicing: 999_999_999 } } : login;
    const tries = await Promise.all(Array.from({ length: 11 }, () => ask(change)));
    return tries.find(({ status }) => status === 429) ?? ask(change);
  },
  async unavailable(request) {
    return (await sentTo(request, throwing(new Refusal('unavailable', { retryAfterSeconds: 2 }))))();
  },
  async internal_error(request) {
    return (await sentTo(request, throwing(new Error('a defect'))))();
  },
  async gateway_unavailable(request) {
    return (await sentTo(request, () => Promise.reject(new Error('a crash'))))();
  },
  async gateway_timeout(request) {
    return (await sentTo(request, () => new Promise(() => {}), { timeoutMs: 20 }))();
  },
  async gateway_throttled(request) {
    const send = await sentTo(request, NEVER_MIND, {
      rateLimit: { requestsPerSecond: 0.001, burst: 1, requestsPerMonth: 9 },
    });
    await send();
    return send();
  },
  async gateway_quota_exceeded(request) {
    const send = await sentTo(request, NEVER_MIND, {
      rateLimit: { requestsPerSecond: 9, burst: 9, requestsPerMonth: 1 },
    });
    await send();
    return send();
  },
};
const NEVER_MIND = throwing(new Error('a defect'));
const OTHERS = {
  user: { email: 'otra.persona@example.mx', first_name: 'Otra', last_name: 'Persona' },
  prescriptions: [{ document: PDF, issue_date: '2026-01-02' }],
  invoicing: undefined,
};
/** Places an order that waits for approval. */
const placeWaiting = async (): Promise<number> =>
  (await server.request('POST', '/api/orders/resources/', { token, body: WAITING.body })).body.id;

const description = JSON.parse(readFileSync(join(import.meta.dirname, '../../../infra/api/openapi.json'), 'utf8'));
type Shown = { readonly content?: { 'application/json': { examples?: Record<string, { $ref?: string }> } } };
const refusalsShown = ({ method, path }: Route): { status: number; name: string }[] =>
  Object.entries<Shown>(description.paths[path][method.toLowerCase()].responses).flatMap(([status, { content }]) =>
    Object.entries(content?.['application/json'].examples ?? {})
      .filter(([, { $ref }]) => $ref !== undefined)
      .map(([name]) => ({ status: Number(status), name })),
  );

const shown = routes.flatMap((route) =>
  refusalsShown(route)
    .filter(({ name }) => name in PROVOKED)
    .map((refusal) => ({
      ...refusal,
      route,
      title: `${route.method} ${route.path} is refused as described: ${refusal.name}`,
    })),
);
/** The first and the last route of each refusal: all others have it from the same place. */
const ends = shown.filter(
  (one) =>
    one === shown.find(({ name }) => name === one.name) || one === shown.findLast(({ name }) => name === one.name),
);

it('shows each of these refusals somewhere', () => {
  expect(new Set(ends.map(({ name }) => name))).toEqual(new Set(Object.keys(PROVOKED)));
});

it.each(ends)('$title', async ({ route: row, status, name }) => {
  const answer = await PROVOKED[name]?.(asked(row));
  expect([answer?.status, answer?.body]).toEqual([
    status,
    expect.objectContaining({ code: name.replace('gateway_', '') }),
  ]);
});
