import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { contract } from '../../../shared/api/contract.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { readHandling } from '../../../shared/http/headers.ts';
import { route } from '../../../shared/http/route.ts';
import { captureOutput } from '../../support/operators/output.ts';

const noteContract = contract({
  authentication: 'key',
  caching: 'never',
  body: z.object({ title: z.string().max(5), lines: z.array(z.object({ quantity: z.int().max(9) })) }),
  answers: { 201: z.strictObject({}) },
});
const listContract = contract({
  authentication: 'key',
  caching: 'catalog',
  query: z.object({ limit: z.string().optional() }),
  answers: { 200: z.strictObject({}) },
});
const caller = async () => ({});
const create = route(noteContract, caller, async () => ({ body: {} }));
const list = route(listContract, caller, async () => ({ body: {} }));

type Sent = Partial<APIGatewayProxyEvent> & { readonly sent?: Record<string, string> };

function event({ sent, ...more }: Sent): APIGatewayProxyEvent {
  return {
    headers: { 'Content-Type': 'application/json', ...sent },
    multiValueHeaders: Object.fromEntries(Object.entries(sent ?? {}).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    body: '{"title":"abc","lines":[]}',
    requestContext: { requestId: 'request-1', identity: { apiKeyId: 'key-1' } },
    ...more,
  } as unknown as APIGatewayProxyEvent;
}

const CONTEXT = { getRemainingTimeInMillis: () => 10_000 } as Context;
const STRICT = { Prefer: 'handling=strict', 'Accept-Language': 'en' };

async function call(handler: typeof create, sent: Sent) {
  const { statusCode, headers = {}, body } = await handler(event(sent), CONTEXT);
  return { status: statusCode, headers, body: body === '' ? null : JSON.parse(body) };
}

const query = (...pairs: readonly [string, string][]): Sent => ({
  queryStringParameters: Object.fromEntries(pairs),
  multiValueQueryStringParameters: Object.fromEntries(
    pairs.map(([name]) => [name, pairs.filter((pair) => pair[0] === name).map(([, value]) => value)]),
  ),
});

let logged: string[];
beforeEach(() => {
  logged = captureOutput();
  vi.stubEnv('CORS_ORIGINS', 'https://shop.example');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('the preference for handling', () => {
  const read = (...prefer: string[]) =>
    readHandling({ headers: { prefer: prefer.at(-1) }, multiValueHeaders: { prefer } } as never);

  it.each([
    ['handling=strict', 'strict'],
    ['Handling=STRICT', 'strict'],
    [' handling = "strict" ', 'strict'],
    ['handling=strict; wait=3; "x"', 'strict'],
    ['return=minimal;a="b,c",handling=strict,wait=10', 'strict'],
    ['foo="handling=lenient, \\" ,handling=lenient", handling=strict', 'strict'],
    ['handling=strict, handling=lenient', 'strict'],
    [',, ,handling=strict,', 'strict'],
    ['HANDLING="Lenient"', 'lenient'],
    ['handling=lenient, handling=strict', 'lenient'],
    ['', undefined],
    ['handling=', undefined],
    ['handling=stricter', undefined],
    ['handling=strict lenient', undefined],
    ['xhandling=strict', undefined],
    ['wait=3; handling=strict', undefined],
    ['foo=",handling=strict,"', undefined],
    ['handling="strict', undefined],
  ])('in %j is %s', (written, handling) => {
    expect(read(written)).toBe(handling);
  });

  it('is read from several header fields', () => {
    expect(read('respond-async', 'handling=strict')).toBe('strict');
    expect(read('handling=strict', 'respond-async')).toBe('strict');
    expect(readHandling({ headers: { prefer: 'handling=strict' } } as never)).toBe('strict');
  });

  it('is not looked for behind 1,000 characters', () => {
    expect(read(`${'x,'.repeat(492)}handling=strict`)).toBe('strict');
    expect(read(`${'x,'.repeat(500)}handling=strict`)).toBeUndefined();
  });

  it('is none without the header', () => {
    expect(readHandling({ headers: {}, multiValueHeaders: {} } as never)).toBeUndefined();
    expect(readHandling({ headers: {}, multiValueHeaders: null } as never)).toBeUndefined();
  });

  it.each(['"\\', '"', ',', 'handling=', ' ', 'handling="'])('is found missing in a header of %j alone', (written) => {
    expect(read(written.repeat(5_000))).toBeUndefined();
  });
});

describe('strict handling', () => {
  it('refuses unknown fields at any depth, together with the other faults', async () => {
    const body = '{"title":"toolong","tilte":"abc","lines":[{"quantity":1},{"quantity":10,"price":{"a":1}}]}';
    expect(await call(create, { sent: STRICT, body })).toMatchObject({
      status: 400,
      body: {
        title: ['It must have at most 5 characters.'],
        tilte: ['This field is not accepted here.'],
        lines: [{}, { quantity: ['It must be 9 or less.'], price: ['This field is not accepted here.'] }],
      },
    });
  });

  it('refuses unknown parameters and those that are sent twice', async () => {
    const answer = await call(list, { sent: STRICT, ...query(['limit', '1'], ['x', '1'], ['limit', '2'], ['x', '2']) });
    expect([answer.status, answer.body]).toEqual([
      400,
      { limit: ['This parameter can be sent only once.'], x: ['This parameter is not accepted here.'] },
    ]);
  });

  it('refuses parameters of a route that has none, and together with the body', async () => {
    const answer = await call(create, { sent: STRICT, body: '{"lines":[]}', ...query(['page', '1']) });
    const errors = { title: ['This field is required.'], page: ['This parameter is not accepted here.'] };
    expect(answer.body).toEqual(errors);
  });

  it('reports 100 errors at most, those of known fields first', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]));
    const { body } = await call(create, { sent: STRICT, body: JSON.stringify({ ...unknown, title: 1, lines: [] }) });
    expect(Object.keys(body)).toHaveLength(100);
    expect(body.title).toEqual(['It must be a string.']);
    expect(body).toHaveProperty('x98');
    expect(body).not.toHaveProperty('x99');
  });

  it('shows 100 characters of a name, and logs none of it', async () => {
    const body = JSON.stringify({ title: 'a', lines: [], [`canaria${'x'.repeat(200_000)}`]: 1 });
    const answer = await call(create, { sent: STRICT, body });
    expect(answer.body).toEqual({ [`canaria${'x'.repeat(93)}…`]: ['This field is not accepted here.'] });
    await call(list, { sent: STRICT, ...query(['canaria@example.mx', '1']) });
    expect(logged).toHaveLength(2);
    expect(logged.join()).not.toContain('canaria');
    expect(logged.map((line) => JSON.parse(line).codes)).toEqual([['unknown_field'], ['unknown_parameter']]);
  });

  it('refuses names that every object has', async () => {
    const body = '{"title":"a","lines":[],"toString":1,"constructor":{"a":1},"prototype":{}}';
    const refused = ['This field is not accepted here.'];
    const errors = { toString: refused, constructor: refused, prototype: refused };
    expect((await call(create, { sent: STRICT, body })).body).toEqual(errors);
    const parameters = JSON.parse('{"__proto__":"1"}');
    const answer = await call(list, { sent: STRICT, queryStringParameters: parameters });
    expect(JSON.stringify(answer.body)).toBe('{"__proto__":["This parameter is not accepted here."]}');
  });

  it('takes what the contract has', async () => {
    const body = '{"title":"abc","lines":[{"quantity":1}]}';
    expect((await call(create, { sent: STRICT, body })).status).toBe(201);
    expect((await call(list, { sent: STRICT, ...query(['limit', '1']) })).status).toBe(200);
  });
});

describe('a preference', () => {
  it('is acknowledged in every answer', async () => {
    const failing = route(listContract, caller, async () => {
      throw new Refusal('unavailable');
    });
    const { headers } = await call(list, { sent: STRICT });
    const answers = [
      await call(create, { sent: STRICT }),
      await call(create, { sent: STRICT, body: '{' }),
      await call(create, { sent: STRICT, body: '{}' }),
      await call(list, { sent: STRICT }),
      await call(list, { sent: { ...STRICT, 'If-None-Match': String(headers.ETag) } }),
      await call(failing, { sent: STRICT }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 400, 200, 304, 503]);
    for (const answer of answers) {
      expect(answer.headers).toMatchObject({ 'Preference-Applied': 'handling=strict', Vary: 'Prefer' });
    }
  });

  it('can be read by a page of another origin', async () => {
    const { headers } = await call(list, { sent: { ...STRICT, Origin: 'https://shop.example' } });
    expect(headers).toMatchObject({
      Vary: 'Origin, Prefer',
      'Access-Control-Expose-Headers':
        'X-Request-Id, Retry-After, ETag, Idempotent-Replayed, Content-Language, Preference-Applied',
    });
  });

  const body = '{"title":"abc","lines":[],"x":1}';
  it('for lenient handling is acknowledged, and changes nothing else', async () => {
    const answer = await call(create, { sent: { Prefer: 'handling=lenient' }, body });
    expect(answer).toMatchObject({ status: 201, headers: { 'Preference-Applied': 'handling=lenient' } });
  });

  it.each([{}, { Prefer: 'respond-async' }])('that is not sent leaves the answer as it is: %j', async (sent) => {
    const answers = [
      await call(create, { sent, body, ...query(['x', '1']) }),
      await call(list, { sent, ...query(['x', '1'], ['limit', '1'], ['limit', '2']) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
    for (const { headers } of answers) {
      expect(headers).not.toHaveProperty('Preference-Applied');
      expect(headers).not.toHaveProperty('Vary');
    }
  });
});
