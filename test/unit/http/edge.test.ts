import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { contract } from '../../../shared/api/contract.ts';
import { createOrderContract } from '../../../shared/api/orders/orders.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { route } from '../../../shared/http/route.ts';
import { callLimit } from '../../../shared/runtime/clock.ts';
import { noteRequest } from '../../../shared/runtime/log.ts';
import { captureOutput } from '../../support/operators/output.ts';

const noteContract = contract({
  authentication: 'key',
  path: z.object({ id: z.string().regex(/^\d+$/).transform(Number) }),
  body: z.object({
    title: z.string().min(1).max(5),
    lines: z.array(z.object({ quantity: z.int().min(0).max(9) })).max(3),
  }),
  answers: { 201: z.strictObject({ title: z.string() }) },
});
const listContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: z.object({ limit: z.string().regex(/^\d+$/, 'not_an_integer').optional() }),
  answers: { 200: z.strictObject({ ok: z.boolean() }) },
});

const caller = async () => ({ name: 'somebody' });
const create = route(noteContract, caller, async ({ body }) => ({ body: { title: body.title } }));
const list = route(listContract, caller, async () => ({ body: { ok: true } }));
const failing = (error: unknown) =>
  route(listContract, caller, async () => {
    throw error;
  });

type Overrides = { headers?: Record<string, string>; apiKeyId?: string | null } & Partial<APIGatewayProxyEvent>;

function event({ headers, apiKeyId = 'key-1', ...more }: Overrides = {}): APIGatewayProxyEvent {
  return {
    resource: '/api/notes/{id}',
    path: '/api/notes/7/',
    httpMethod: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { id: '7' },
    stageVariables: null,
    body: '{"title":"abc","lines":[]}',
    isBase64Encoded: false,
    requestContext: {
      requestId: 'request-1',
      resourcePath: '/api/notes/{id}',
      httpMethod: 'POST',
      path: '/v2/api/notes/7/',
      domainName: 'api.example',
      identity: { apiKeyId, sourceIp: '192.0.2.1' },
    },
    ...more,
  } as unknown as APIGatewayProxyEvent;
}

/** Returns the context of a function that has this much of its 10 s left. */
const contextWith = (ms: number) => ({ functionVersion: '12', getRemainingTimeInMillis: () => ms }) as Context;

async function call(handler: typeof create, overrides?: Overrides, context = contextWith(10_000)) {
  const { statusCode, headers, body } = await handler(event(overrides), context);
  return { status: statusCode, headers: headers ?? {}, body: body === '' ? null : JSON.parse(body) };
}

let logged: string[];
beforeEach(() => {
  logged = captureOutput();
  vi.stubEnv('CORS_ORIGINS', 'https://shop.example');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('an answer', () => {
  it('has the status of the contract, JSON, the id of the request, the language and the hardening headers', async () => {
    const { status, headers, body } = await call(create);
    expect([status, body]).toEqual([201, { title: 'abc' }]);
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    for (const { headers } of [await call(create), await call(create, { body: '{' })])
      expect(headers).toMatchObject({
        ...{ 'X-Request-Id': 'request-1', 'Content-Language': 'es', 'X-Content-Type-Options': 'nosniff' },
        ...{ 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' },
        'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
        'Content-Security-Policy': expect.stringContaining("default-src 'none'"),
      });
  });

  it('allows a configured origin, exposes our headers to it, and allows no other one', async () => {
    const { headers } = await call(create, { headers: { Origin: 'https://shop.example' } });
    expect(headers).toMatchObject({
      'Access-Control-Allow-Origin': 'https://shop.example',
      'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After, ETag, Idempotent-Replayed, Content-Language',
    });
    const other = await call(create, { headers: { Origin: 'https://evil.example' } });
    expect(other.headers).not.toHaveProperty('Access-Control-Allow-Origin');
  });

  it('of the catalog has an ETag, and is 304 for a caller that has it', async () => {
    const { headers } = await call(list, { body: null });
    expect(headers['Cache-Control']).toBe('private, max-age=30');
    const etag = String(headers.ETag);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await call(list, { body: null, headers: { 'If-None-Match': held } });
      expect(again).toMatchObject({ status: 304, body: null, headers: { ETag: etag } });
    }
    expect((await call(list, { body: null, headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });
});

describe('the body', () => {
  const nested = (levels: number) => `{"title":"abc","lines":[],"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  it.each([
    ['is missing', null],
    ['has half of a character in an escape', '{"title":"\\ud83d"}'],
    ['has half of a character in a name', '{"title":"a","x":[{"\\udc8a":1}]}'],
    ['has the sign for what was no UTF-8', '{"title":"\\ufffd"}'],
    ['has a __proto__ key in an element', '{"title":"abc","lines":[{"quantity":1,"__proto__":null}]}'],
    ['has a __proto__ key in escapes', '{"title":"abc","lines":[],"x":[{"\\u005f_proto__":1}]}'],
    ['has more than 1,000 levels', nested(1_000)],
  ])('that %s is 400 malformed_json', async (_, body) => {
    expect(await call(create, { body })).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
    expect(({} as Record<string, unknown>).title).toBeUndefined();
  });

  it.each([
    ['text/plain', 415, 'not_json'],
    ['', 415, 'not_json'],
    ['application/json; charset=ISO-8859-1', 415, 'not_json'],
    ['application/json; charset=utf-8; charset=latin1', 415, 'not_json'],
    ['application/json ; Charset="UTF-8"', 201, undefined],
    ['Application/JSON', 201, undefined],
    ['application/merge-patch+json', 201, undefined],
  ])('of type %j is answered %i', async (type, status, code) => {
    const answer = await call(create, { headers: { 'Content-Type': type } });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  /** A body of this many bytes, one character of which has two. */
  const sized = (bytes: number) => {
    const frame = '{"title":"abc","lines":[],"x":"é"}';
    return frame.replace('é', `é${'x'.repeat(bytes - Buffer.byteLength(frame))}`);
  };
  const withDocuments = route({ ...noteContract, carriesDocuments: true }, caller, async ({ body }) => ({
    body: { title: body.title },
  }));
  const TOO_LARGE = { status: 413, body: { code: 'body_too_large' } };

  it.each([
    ['can have up to 256 KB, in bytes and not in characters', create, 262_144, (body: string) => ({ body })],
    ['with documents can have up to 5.5 MB', withDocuments, 5_767_168, (body: string) => ({ body })],
    [
      'in base64 has as many bytes as it has decoded',
      create,
      262_144,
      (body: string) => ({ body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
    ],
  ])('%s', async (_, handler, most, send) => {
    expect((await call(handler, send(sized(most)))).status).toBe(201);
    expect(await call(handler, send(sized(most + 1)))).toMatchObject(TOO_LARGE);
  });

  it.each(['c3', '6ef1', 'eda0bd'])(
    'whose bytes %s are no UTF-8 is 400 malformed_json, in base64 and as a text',
    async (hex) => {
      const bytes = Buffer.from(`{"title":"${Buffer.from(hex, 'hex').toString('latin1')}","lines":[]}`, 'latin1');
      // API Gateway writes U+FFFD for each of the bytes.
      for (const sent of [{ body: bytes.toString('base64'), isBase64Encoded: true }, { body: bytes.toString() }])
        expect((await call(create, sent)).body.code).toBe('malformed_json');
    },
  );

  it('can contain constructor keys, which are ignored, and 1,000 levels', async () => {
    expect((await call(create, { body: nested(999) })).status).toBe(201);
    const body = '{"title":"abc","lines":[{"quantity":1,"constructor":{"prototype":{"title":"x"}}}],"prototype":1}';
    expect(await call(create, { body })).toMatchObject({ status: 201, body: { title: 'abc' } });
    expect(({} as Record<string, unknown>).title).toBeUndefined();
  });

  // It is searched for its end, and has quotes, one of them behind a backslash of its own text.
  const LONG = `${'x'.repeat(200)}\\"${'{,'.repeat(30_000)}${'\\\\'.repeat(101)}`;
  const padded = (unknown: string) => `{"title":"abc","lines":[],"x":${unknown}}`;

  // The body itself, its title, its lines and `x` are four of the values.
  it.each([
    ['numbers', `[${'1,'.repeat(19_995)}1]`, `[${'1,'.repeat(19_996)}1]`],
    // An empty object counts twice.
    ['objects', `[${'{},'.repeat(9_997)}{}]`, `[${'{},'.repeat(9_998)}{}]`],
    ['numbers between long texts', `["${LONG}",${'1,'.repeat(19_994)}1]`, `["${LONG}",${'1,'.repeat(19_995)}1]`],
    ['texts full of signs', `["${'{[,:'.repeat(30_000)}"]`, `[${'"{[,:",'.repeat(20_000)}1]`],
  ])('with documents can have up to 20,000 values, as here %s', async (_, most, tooMany) => {
    expect((await call(withDocuments, { body: padded(most) })).status).toBe(201);
    expect(await call(withDocuments, { body: padded(tooMany) })).toMatchObject(TOO_LARGE);
  });

  const MALFORMED = { status: 400, body: { code: 'malformed_json' } };
  it.each([
    ['objects', `[${'{},'.repeat(1_900_000)}`, TOO_LARGE],
    ['arrays', '['.repeat(5_700_000), MALFORMED],
    ['an open text', `["${'\\"'.repeat(2_800_000)}`, MALFORMED],
  ])('with documents can be full of %s, which are not parsed', async (_, body, refused) => {
    expect(await call(withDocuments, { body })).toMatchObject(refused);
  });

  it('without documents can have any number of values', async () => {
    expect((await call(create, { body: padded(`[${'1,'.repeat(100_000)}1]`) })).status).toBe(201);
  });
});

describe('a header in several lines, of which the gateway has only the last under `headers`', () => {
  const sent = (name: string, ...lines: string[]) => ({
    headers: { [name]: lines.at(-1) ?? '' },
    multiValueHeaders: { [name]: lines },
  });

  it('is one list', async () => {
    const etag = String((await call(list, { body: null })).headers.ETag);
    expect(await call(list, { body: null, ...sent('If-None-Match', etag, '"other"') })).toMatchObject({ status: 304 });
    const { headers } = await call(list, { body: null, ...sent('Accept-Language', 'en', 'es;q=0.5') });
    expect(headers['Content-Language']).toBe('en');
  });

  it('that is no list is malformed', async () => {
    const type = sent('Content-Type', 'application/json', 'application/json');
    expect(await call(create, type)).toMatchObject({ status: 415, body: { code: 'not_json' } });
    const { headers } = createOrderContract;
    const keyed = route(contract({ ...listContract, headers }), caller, async () => ({ body: { ok: true } }));
    const answer = await call(keyed, { body: null, ...sent('Idempotency-Key', 'order-1-key', 'order-1-key') });
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['Idempotency-Key']]);
  });
});

describe('validation', () => {
  it('mirrors the request, with {} for a good element and every error at once', async () => {
    const body = '{"title":"toolong","lines":[{"quantity":1},{"quantity":"2"},{}]}';
    const answer = await call(create, { body, headers: { 'Accept-Language': 'en' } });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: {
        title: ['It must have at most 5 characters.'],
        lines: [{}, { quantity: ['It must be a number.'] }, { quantity: ['This field is required.'] }],
      },
    });
  });

  it('reports the first 100 errors', async () => {
    const numbers = contract({ ...noteContract, body: z.object({ title: z.array(z.int()) }) });
    const handler = route(numbers, caller, async () => ({ body: { title: '' } }));
    const { status, body } = await call(handler, { body: JSON.stringify({ title: Array(150).fill('x') }) });
    const bad = body.title.filter((element: object) => Object.keys(element).length > 0);
    expect([status, bad.length]).toEqual([400, 100]);
  });
});

describe('errors', () => {
  it('are 403 without a valid key of the gateway, and of a dependency 503 with Retry-After', async () => {
    expect(await call(create, { apiKeyId: null })).toMatchObject({ status: 403, body: { code: 'client_unknown' } });
    const answer = await call(failing(new Refusal('unavailable', { retryAfterSeconds: 2 })), { body: null });
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' }, headers: { 'Retry-After': '2' } });
  });

  it('are 503 when 3 s are left for the function, and its calls end', async () => {
    const ended = vi.fn();
    const endless = route(listContract, caller, async () => {
      callLimit().abortSignal?.addEventListener('abort', ended);
      return new Promise(() => undefined);
    });
    const answer = await call(endless, { body: null }, contextWith(3_000));
    expect([answer.status, answer.body.code, answer.headers['Retry-After']]).toEqual([503, 'unavailable', '5']);
    expect(ended).toHaveBeenCalledOnce();
  });

  it('do not occur while there is more time, and requests share no signal', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const slow = route(listContract, caller, async () => {
      signals.push(callLimit().abortSignal);
      await new Promise((resolve) => setImmediate(resolve));
      return { body: { ok: true } };
    });
    const answers = [call(slow, { body: null }, contextWith(10_000)), call(slow, { body: null }, contextWith(60_000))];
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(signals).size).toBe(2);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
    expect(callLimit()).toEqual({});
  });

  it('that are no refusals are 500 and reveal nothing', async () => {
    const { status, body, headers } = await call(failing(new TypeError('secret detail')), { body: null });
    expect([status, body]).toEqual([500, { detail: expect.not.stringContaining('secret'), code: 'internal_error' }]);
    expect(headers).not.toHaveProperty('ETag');
  });
});

const ownOrder = contract({ ...noteContract, authentication: 'user', answers: { 200: z.strictObject({}) } });

describe('the log', () => {
  it('has the notes of its own request, the order of the path and the distinct codes of validation errors', async () => {
    const noted = (userId: number) =>
      route(ownOrder, caller, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        noteRequest({ clientId: 3, userId, role: 'doctor' });
        return { body: {} };
      });
    const bad = { body: JSON.stringify({ title: '', lines: [{ quantity: 10 }, { quantity: 11 }] }) };
    await Promise.all([call(noted(8)), call(noted(9)), call(noted(10), bad), call(create)]);
    const lines = logged.map((line) => JSON.parse(line));
    const fields = lines.map(({ clientId, userId, role, orderId, codes }) => [clientId, userId, role, orderId, codes]);
    expect(fields.sort()).toEqual([
      [undefined, undefined, undefined, undefined, undefined],
      [undefined, undefined, undefined, 7, ['blank', 'too_big']],
      [3, 8, 'doctor', 7, undefined],
      [3, 9, 'doctor', 7, undefined],
    ]);
  });

  it('has one line of ids and durations for a request', async () => {
    await call(create);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0] ?? '')).toMatchObject({
      ...{ level: 'INFO', message: 'request', requestId: 'request-1', route: 'POST /api/notes/{id}', status: 201 },
      ...{ gatewayKeyId: 'key-1', version: '12', durationMs: expect.any(Number) },
    });
  });

  it.each([
    ['unavailable', ['ERROR', 'INFO'], new Refusal('unavailable')],
    ['internal_error', ['ERROR', 'INFO'], new TypeError('x')],
    // An operator rebuilds.
    ['rebuilding', ['INFO'], new Refusal('rebuilding', { retryAfterSeconds: 60 })],
  ])('of %s has lines of the levels %j', async (code, levels, error) => {
    await call(failing(error), { body: null });
    const lines = logged.map((line) => JSON.parse(line));
    expect(lines.map(({ level }) => level)).toEqual(levels);
    expect(lines.at(-1)).toMatchObject({ message: 'request', code });
  });
});
