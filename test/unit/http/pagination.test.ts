import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { pageUrl, toPage } from '../../../shared/http/pagination.ts';

const event = (path: string, parameters: Record<string, string[]> | null, headers: Record<string, string> = {}) =>
  ({
    headers,
    multiValueQueryStringParameters: parameters,
    requestContext: { domainName: 'api.example', path },
  }) as unknown as APIGatewayProxyEvent;

describe('the address of a page', () => {
  it('keeps domain, stage, slash and every parameter but the page', () => {
    const asked = event('/v2/api/products', { search: ['ácido fólico'], page: ['2'], limit: ['5'] });
    expect(pageUrl(asked, 3)).toBe('https://api.example/v2/api/products/?search=%C3%A1cido+f%C3%B3lico&limit=5&page=3');
  });

  it('needs no parameters, and uses http if the gateway does', () => {
    expect(pageUrl(event('/v2/api/products/', null, { 'x-forwarded-proto': 'http' }), 2)).toBe(
      'http://api.example/v2/api/products/?page=2',
    );
  });
});

describe('a page', () => {
  const request = (page: number, limit = 2) => ({ query: { page, limit }, pageUrl: (n: number) => `#${n}` });

  it('has the URLs of its neighbours', () => {
    expect(toPage(request(1), { count: 5, results: ['a', 'b'] }).body).toEqual({
      count: 5,
      next: '#2',
      previous: null,
      results: ['a', 'b'],
    });
    expect(toPage(request(2), { count: 5, results: ['c', 'd'] }).body).toMatchObject({
      next: '#3',
      previous: '#1',
    });
    expect(toPage(request(3), { count: 5, results: ['e'] }).body).toMatchObject({ next: null, previous: '#2' });
  });

  it('past the end does not exist', () => {
    expect(() => toPage(request(4), { count: 5, results: [] })).toThrow('not_found');
    expect(() => toPage(request(2), { count: 2, results: [] })).toThrow('not_found');
    expect(() => toPage(request(2), { count: 0, results: [] })).toThrow('not_found');
  });

  it('of an empty list is the first one', () => {
    expect(toPage(request(1), { count: 0, results: [] }).body).toEqual({
      count: 0,
      next: null,
      previous: null,
      results: [],
    });
  });
});
