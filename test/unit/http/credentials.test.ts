import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { accessCookie, readCredentials } from '../../../shared/http/credentials.ts';

const TRUSTED = ['https://shop.example'];

const event = (httpMethod: string, headers: Record<string, string>) =>
  ({
    httpMethod,
    headers: { host: 'api.example', ...headers },
    requestContext: { identity: { apiKeyId: 'key-1' } },
  }) as unknown as APIGatewayProxyEvent;
const cookie = 'a=b; __Host-access=from-cookie; c=d';

describe('the token of a request', () => {
  it('comes from the header', () => {
    expect(readCredentials(event('POST', { authorization: 'Bearer abc' }), TRUSTED)).toEqual({
      gatewayKeyId: 'key-1',
      token: 'abc',
    });
    expect(readCredentials(event('POST', { authorization: 'bearer  abc' }), TRUSTED).token).toBe('abc');
  });

  it('comes from the header rather than the cookie, even if it is bad', () => {
    expect(readCredentials(event('GET', { authorization: 'Basic abc', cookie }), TRUSTED).token).toBe('');
    expect(readCredentials(event('GET', { authorization: 'Bearer abc', cookie }), TRUSTED).token).toBe('abc');
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

  it.each([[['__Host-access=from-cookie', 'other=1']], [['a=b; __Host-access=from-cookie', 'c=d', 'e=f']]])(
    'gives the token of the cookies %j',
    (cookie) => {
      const sent = lines({ cookie, origin: ['https://shop.example'] });
      expect(readCredentials(sent, TRUSTED).token).toBe('from-cookie');
    },
  );

  it('gives no token of two, and no origin', () => {
    expect(readCredentials(lines({ authorization: ['Bearer a', 'Bearer a'] }), TRUSTED).token).toBe('');
    const [origin] = TRUSTED as [string];
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
    expect(() => readCredentials(event('PATCH', { cookie, ...headers }), TRUSTED)).toThrow('cross_site');
  });

  it('is ignored beside a header', () => {
    const headers = { cookie, authorization: 'Bearer abc', origin: 'https://evil.example' };
    expect(readCredentials(event('POST', headers), TRUSTED).token).toBe('abc');
  });
});

it('sets the cookie for this host with the lifetime of the token', () => {
  expect(accessCookie('abc', 900)).toBe('__Host-access=abc; Path=/; Max-Age=900; HttpOnly; Secure; SameSite=Strict');
});
