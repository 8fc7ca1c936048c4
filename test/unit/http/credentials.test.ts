import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { readCredentials } from '../../../shared/http/credentials.ts';

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
