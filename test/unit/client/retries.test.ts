import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Botica, createClient } from '../../../shared/client/client.ts';
import { openScriptedApi, type Scripted, type ScriptedApi } from '../../support/engines/scripted-api.ts';
import { holdLimits } from '../../support/faults/held-limits.ts';

const quote = { status: 201, body: { total: '57.00' } };
const order = { status: 201, body: { id: 7 } };
const changed = { status: 200, body: { id: 7 } };
const refused = (status: number, code: string, headers = {}) => ({ status, body: { detail: 'No.', code }, headers });
const throttled = refused(429, 'throttled', { 'Retry-After': '0' });
const unavailable = refused(503, 'unavailable', { 'Retry-After': '0' });
const basket = { details: [{ product: 1, quantity: 2 }] };
const patient = { email: 'ana@example.mx', first_name: 'Ana', last_name: 'Paz' };
const added = { prescriptions: [{ document: 'JVBERi0=', issue_date: '2026-11-01' }] };
const orderBody = { user: patient, order: { ...basket, payment_method: 1 } };

async function open(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  return { api, client: createTestClient(api) };
}
const createTestClient = ({ url }: ScriptedApi, options = {}) =>
  createClient({ baseUrl: url, apiKey: 'key', ...options });

describe('a call that changes nothing', () => {
  it.each<[string, Scripted]>([
    ['is throttled', throttled],
    ['meets an unavailable dependency', unavailable],
    ['fails at a proxy on the way', { status: 502, body: '<html>' }],
    ['loses its connection', 'hangs up'],
  ])('is sent again when it %s', async (_, trouble) => {
    const { api, client } = await open(trouble, quote);
    expect(await client.quote(basket)).toEqual({ total: '57.00' });
    const sent = ['POST /v2/api/orders/calculate/', '{"details":[{"product":1,"quantity":2}]}'];
    expect(api.heard.map(({ line, body }) => [line, body])).toEqual([sent, sent]);
  });

  it.each([400, 403, 404, 409, 500])('is not sent again after %d', async (status) => {
    const { api, client } = await open(refused(status, 'some_code'));
    await expect(client.quote(basket)).rejects.toMatchObject({ status, code: 'some_code' });
    expect(api.heard).toHaveLength(1);
  });

  it('is not sent again when the answer is not JSON', async () => {
    const { api, client } = await open({ status: 200, body: '<html>Log in to the network' });
    const error = { name: 'BoticaError', status: 200, code: 'not_json' };
    await expect(client.quote(basket)).rejects.toMatchObject(error);
    expect(api.heard).toHaveLength(1);
  });

  it('asks for gzip alone, since API Gateway takes only the first coding and fetch puts Brotli first', async () => {
    const { api, client } = await open(quote);
    await client.quote(basket);
    expect(api.heard[0]?.headers['accept-encoding']).toBe('gzip');
  });

  it.each([
    ['900', 900],
    ['Fri, 01 Jan 2100 00:00:00 GMT', expect.toSatisfy((seconds) => seconds > 1_000_000_000)],
  ])('waits no longer than the caller allows, which is less than %s', async (retryAfter, retryAfterSeconds) => {
    const { api, client } = await open(refused(429, 'too_many_attempts', { 'Retry-After': retryAfter }));
    const expected = { status: 429, code: 'too_many_attempts', retryAfterSeconds };
    await expect(client.quote(basket)).rejects.toMatchObject(expected);
    expect(api.heard).toHaveLength(1);
  });

  it('ends after the attempts that the caller allows', async () => {
    const { api } = await open(unavailable);
    const calls = createTestClient(api, { maxAttempts: 3 }).quote(basket);
    await expect(calls).rejects.toMatchObject({ code: 'unavailable' });
    expect(api.heard).toHaveLength(3);
  });

  it('is sent again when an attempt times out', async () => {
    const limits = holdLimits();
    onTestFinished(limits.release);
    const { api } = await open(() => limits.end(300), quote);
    expect(await createTestClient(api, { timeoutMs: 300 }).quote(basket)).toEqual({ total: '57.00' });
  });

  it('rejects with the network error when nothing answers, and at once with that of an invalid address', async () => {
    const { api } = await open('hangs up');
    await expect(createTestClient(api, { maxAttempts: 2 }).quote(basket)).rejects.toThrow('fetch failed');
    expect(api.heard).toHaveLength(2);
    const nowhere = createClient({ baseUrl: 'api.example.mx/v2', apiKey: 'key' });
    await expect(nowhere.quote(basket)).rejects.toThrow('Invalid URL');
  });

  it('does not send its key to the target of a redirect', async () => {
    const { api: elsewhere } = await open(quote);
    const { api } = await open({ status: 307, headers: { Location: `${elsewhere.url}/api/orders/calculate/` } });
    await expect(createTestClient(api, { maxAttempts: 1 }).quote(basket)).rejects.toThrow();
    expect(elsewhere.heard).toEqual([]);
  });
});

describe('the waits of a call', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    return () => vi.useRealTimers();
  });
  const refusal = (code: string, retryAfter: string) => () =>
    Response.json({ code }, { status: 503, headers: { 'Retry-After': retryAfter } });
  const priced = () => Response.json({ total: '57.00' });

  /** Returns the outcome of a call and the times of its attempts, of which the last answer serves all further ones. */
  async function quoteBy(answers: readonly (() => Response)[], options: { maxWaitMs?: number } = {}) {
    const times: number[] = [];
    const send = async () => {
      times.push(performance.now());
      return (answers[times.length - 1] ?? answers.at(-1) ?? priced)();
    };
    const client = createClient({ baseUrl: 'https://api.example', apiKey: 'key', fetch: send, ...options });
    const ended = Promise.allSettled([client.quote(basket)]);
    await vi.runAllTimersAsync();
    const [outcome] = await ended;
    return { outcome, waits: times.slice(1).map((time, index) => time - (times[index] ?? 0)) };
  }
  const quoted = { status: 'fulfilled', value: { total: '57.00' } };

  it('are as long as the service asks, and up to half as long again', async () => {
    const { outcome, waits } = await quoteBy([refusal('throttled', '1'), priced]);
    expect(outcome).toEqual(quoted);
    expect(waits).toEqual([expect.toSatisfy((ms) => ms >= 1_000 && ms <= 1_500)]);
  });

  it('do not count the time of the attempts', async () => {
    const slow = () => {
      vi.advanceTimersByTime(300);
      return refusal('timeout', '0')();
    };
    expect(await quoteBy([slow, priced], { maxWaitMs: 250 })).toMatchObject({ outcome: quoted });
  });

  it('are together as long as the caller allows', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    const { outcome, waits } = await quoteBy([refusal('unavailable', '0')], { maxWaitMs: 650 });
    random.mockRestore();
    expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    // The third would be of 400 to 800 ms, but for what is left.
    expect(waits).toEqual([100, 200, 350]);
  });
});

describe('an order', () => {
  it('is placed again under the same key until it has an answer, and then under another', async () => {
    const { api, client } = await open(throttled, unavailable, 'hangs up', order);
    expect(await client.orders.create(orderBody)).toEqual({ id: 7 });
    await client.orders.create(orderBody);
    const keys = api.heard.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect([keys.length, new Set(keys.slice(0, 4)).size, new Set(keys).size]).toEqual([5, 1, 2]);
  });

  it.each<[string, (client: Botica, options: { idempotencyKey: string }) => Promise<unknown>]>([
    ['it is placed', (client, options) => client.orders.create(orderBody, options)],
    ['prescriptions are added', (client, options) => client.orders.addPrescriptions(7, added, options)],
  ])('carries the key of the caller when %s', async (_, call) => {
    const { api, client } = await open(order);
    await call(client, { idempotencyKey: 'basket-2026-0001' });
    expect(api.heard[0]?.headers['idempotency-key']).toBe('basket-2026-0001');
  });

  it('gets its prescriptions again under the same key when the outcome is unknown', async () => {
    const { api, client } = await open(unavailable, 'hangs up', order);
    expect(await client.orders.addPrescriptions(7, added)).toEqual({ id: 7 });
    const body = '{"prescriptions":[{"document":"JVBERi0=","issue_date":"2026-11-01"}]}';
    const sent = { line: 'POST /v2/api/orders/7/prescriptions/', body };
    expect(api.heard).toMatchObject([sent, sent, sent]);
    expect(new Set(api.heard.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

describe('a change', () => {
  it('is sent again when it was throttled', async () => {
    const { api, client } = await open(throttled, changed);
    expect(await client.orders.update(7, { order_status: 'cancelled' })).toEqual({ id: 7 });
    expect(api.heard.map(({ line }) => line)).toEqual(['PATCH /v2/api/orders/7/', 'PATCH /v2/api/orders/7/']);
  });

  it.each<Scripted>([unavailable, 'hangs up'])('is not sent again when its outcome is unknown: %j', async (trouble) => {
    const { api, client } = await open(trouble, changed);
    await expect(client.orders.update(7, { order_status: 'cancelled' })).rejects.toThrow();
    expect(api.heard).toHaveLength(1);
  });
});

it.each<[string, Scripted]>([
  ['a call under way', 'says nothing'],
  ['the wait for the next attempt', refused(429, 'throttled', { 'Retry-After': '9' })],
])('a signal ends %s', async (_, answer) => {
  const { api, client } = await open(answer);
  const leaving = new AbortController();
  const call = client.quote(basket, { signal: leaving.signal });
  await expect.poll(() => api.heard).toHaveLength(1);
  leaving.abort(new Error('left'));
  await expect(call).rejects.toThrow('left');
  expect(api.heard).toHaveLength(1);
});

describe('a refusal', () => {
  const fields = { details: [{}, { product: ['El producto 9 no existe.'] }], non_field_errors: ['Sobra la tienda.'] };

  it.each<[string, Scripted, object]>([
    [
      'has its code, its message and the id of the request',
      { status: 409, body: { detail: 'No.', code: 'order_not_changeable' }, headers: { 'X-Request-Id': 'abc-123' } },
      { status: 409, code: 'order_not_changeable', detail: 'No.', fields: undefined, requestId: 'abc-123' },
    ],
    [
      'of invalid input has its fields, each message with its path',
      { status: 400, body: fields },
      {
        ...{ code: 'invalid_input', fields },
        detail: 'details.1.product: El producto 9 no existe.; non_field_errors: Sobra la tienda.',
      },
    ],
    ['in another shape has its text', { status: 413, body: 'too large' }, { code: 'http_413', detail: 'too large' }],
    [
      'in the shape of API Gateway has its message',
      { status: 413, body: { message: 'Request Too Long' } },
      { code: 'http_413', detail: 'Request Too Long' },
    ],
  ])('%s', async (_, answer, expected) => {
    const { client } = await open(answer);
    await expect(client.quote(basket)).rejects.toMatchObject({ name: 'BoticaError', ...expected });
  });
});

it('the requests that are left are those that the last answer tells, which a gateway may do', async () => {
  const told = { 'X-RateLimit-Limit': '50', 'X-RateLimit-Remaining': '7', 'X-RateLimit-Reset': '12' };
  const answers = [{ 'RateLimit-Remaining': 'many' }, told, { 'RateLimit-Remaining': '6' }, {}];
  const { client } = await open(...answers.map((headers) => ({ ...quote, headers })));
  const expected = [
    undefined,
    { limit: 50, remaining: 7, resetSeconds: 12 },
    { limit: undefined, remaining: 6, resetSeconds: undefined },
    { limit: undefined, remaining: 6, resetSeconds: undefined },
  ];
  for (const rateLimit of expected) {
    await client.quote(basket);
    expect(client.rateLimit).toEqual(rateLimit);
  }
});
