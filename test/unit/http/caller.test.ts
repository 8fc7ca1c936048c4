import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { Refusal } from '../../../shared/domain/refusal.ts';
import { readCredentials } from '../../../shared/http/credentials.ts';
import { isMessageCode, MESSAGES, type Message } from '../../../shared/messages/messages.ts';
import { preferredLanguage, say } from '../../../shared/messages/say.ts';

/* What a request says of its caller: the token and its origin, and the language of what is answered. */

const TRUSTED = ['https://shop.example'];

const event = (httpMethod: string, headers: Record<string, string>) =>
  ({
    httpMethod,
    headers: { host: 'api.example', ...headers },
    requestContext: { identity: { apiKeyId: 'key-1' } },
  }) as unknown as APIGatewayProxyEvent;
const cookie = 'a=b; __Host-access=from-cookie; c=d';

describe('the token of a request', () => {
  it('comes from the header rather than the cookie, even if it is bad', () => {
    const sent = readCredentials(event('POST', { authorization: 'Bearer abc' }), TRUSTED);
    expect(sent).toEqual({ gatewayKeyId: 'key-1', token: 'abc' });
    const tokenOf = (authorization: string) => readCredentials(event('GET', { authorization, cookie }), TRUSTED).token;
    expect(['bearer  abc', 'Basic abc'].map(tokenOf)).toEqual(['abc', '']);
  });

  it('comes from the cookie when there is no header', () => {
    expect(readCredentials(event('GET', { cookie }), TRUSTED).token).toBe('from-cookie');
    expect(readCredentials(event('GET', { cookie: 'access=x; x__Host-access=y' }), TRUSTED).token).toBeUndefined();
  });
});

describe('a header in several lines, of which the gateway has only the last under `headers`', () => {
  const lines = (multiValueHeaders: Record<string, string[]>) => {
    const last = Object.entries(multiValueHeaders).map(([name, values]) => [name, values.at(-1)]);
    return { ...event('POST', Object.fromEntries(last)), multiValueHeaders };
  };
  const [origin] = TRUSTED as [string];

  it('gives the token of all cookies', () => {
    const sent = lines({ cookie: ['a=b; __Host-access=from-cookie', 'c=d'], origin: [origin] });
    expect(readCredentials(sent, TRUSTED).token).toBe('from-cookie');
  });

  it('gives no token of two, and no origin', () => {
    expect(readCredentials(lines({ authorization: ['Bearer a', 'Bearer a'] }), TRUSTED).token).toBe('');
    expect(() => readCredentials(lines({ cookie: [cookie], origin: [origin, origin] }), TRUSTED)).toThrow('cross_site');
  });
});

describe('an unsafe method with the cookie', () => {
  it.each([
    { origin: 'https://api.example' },
    { origin: 'https://shop.example' },
    { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-origin' },
  ])('passes with %j', (headers) => {
    expect(readCredentials(event('POST', { cookie, ...headers }), TRUSTED).token).toBe('from-cookie');
  });

  it.each([
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://api.example' },
    { origin: 'https://api.example.evil.example' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  ])('is cross_site with %j', (headers) => {
    expect(() => readCredentials(event('POST', { cookie, ...headers }), TRUSTED)).toThrow('cross_site');
  });

  it('is ignored beside a header', () => {
    const headers = { cookie, authorization: 'Bearer abc', origin: 'https://evil.example' };
    expect(readCredentials(event('POST', headers), TRUSTED).token).toBe('abc');
  });
});

describe('the language of an answer', () => {
  it.each([
    [undefined, 'es'],
    ['EN-us', 'en'],
    ['es-MX,es;q=0.9,en;q=0.8', 'es'],
    ['en;q=0.4, es;q=0.5', 'es'],
    ['*', 'es'],
    ['en;q=0', 'es'],
    ['en;q=banana', 'en'],
    ['en-GB;q=0.8, es-MX;q=0.8', 'en'],
    ['en ; q=0.5, es ;q=0.4', 'en'],
    ['en;q=0.5, *', 'es'],
    ['es;q=0, *', 'en'],
    ['en, *;q=0.5', 'en'],
    ['en;q=0.3, es;q=0.2, en;q=0.1', 'en'],
    ['en;q=0, es;q=0', 'es'],
    ['english, es;q=0.1', 'es'],
  ])('of Accept-Language %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});

describe('what operators are told', () => {
  it('is filled with the values of the language', () => {
    const left = { es: 'diez', en: 'ten' };
    expect(refusedToOperator('refund_too_large', { order: 7, left }).reason).toEqual({
      es: 'De la orden 7 quedan diez pesos por devolver.',
      en: 'Order 7 has ten left to refund.',
    });
  });

  it('never reaches a caller of the API', () => {
    const refusal = refusedToOperator('order_unknown', { order: 7 });
    expect([refusal.code, say(refusal, 'en')]).toEqual(['not_found', 'Not found.']);
  });
});

describe('messages', () => {
  it('are filled with their values, in both languages', () => {
    const message = { code: 'product_unknown', values: { product: 99 } } as const;
    expect(say(message, 'es')).toBe('El producto 99 no existe.');
    expect(say(message, 'en')).toBe('Product 99 does not exist.');
    const pattern = { code: 'product_unknown', values: { product: '$& {product}' } } as const;
    expect(say(pattern, 'en')).toBe('Product $& {product} does not exist.');
    expect([isMessageCode('not_a_phone'), isMessageCode('toString')]).toEqual([true, false]);
  });

  it('have the same values in both languages', () => {
    const names = (text: string) => text.match(/\{\w+\}/g)?.sort() ?? [];
    for (const { es, en } of Object.values(MESSAGES)) expect(names(en)).toEqual(names(es));
  });

  it('do not compile without their texts or values', () => {
    // @ts-expect-error the code has no row
    const unknown: Message = { code: 'without_a_row' };
    // @ts-expect-error the text needs a product
    const incomplete: Message = { code: 'product_unknown' };
    // @ts-expect-error the code has no row
    const refusal = new Refusal('without_a_row');
    expect([unknown.code, incomplete.values, refusal.errors]).toEqual(['without_a_row', undefined, []]);
  });
});
