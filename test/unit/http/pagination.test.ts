import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { diseasesContract } from '../../../shared/api/catalog/named.ts';
import type { Position } from '../../../shared/api/lists.ts';
import { answerPage, listName, pagingErrors, toPage, urlWith } from '../../../shared/http/pagination.ts';

const event = (path: string, parameters: Record<string, string[]> | null, headers: Record<string, string> = {}) =>
  ({
    headers,
    multiValueQueryStringParameters: parameters,
    requestContext: { domainName: 'api.example', path },
  }) as unknown as APIGatewayProxyEvent;

describe('the address of another page', () => {
  it.each<[string, 'page' | 'cursor', string, string]>([
    [
      'domain, stage, slash and every parameter but the page',
      'page',
      '3',
      'search=%C3%A1cido+f%C3%B3lico&limit=5&page=3',
    ],
    ['every parameter but the cursor', 'cursor', 'YQ.W10.x', 'search=%C3%A1cido+f%C3%B3lico&limit=5&cursor=YQ.W10.x'],
  ])('keeps %s', (_, name, value, query) => {
    const asked = event('/v2/api/products', { search: ['ácido fólico'], [name]: ['2'], limit: ['5'] });
    expect(urlWith(asked, name, value)).toBe(`https://api.example/v2/api/products/?${query}`);
  });

  it('needs no parameters, and uses http if the gateway does', () => {
    const asked = event('/v2/api/products/', null, { 'x-forwarded-proto': 'http' });
    expect(urlWith(asked, 'page', '2')).toBe('http://api.example/v2/api/products/?page=2');
  });
});

describe('a cursor beside the number of a page', () => {
  const given = (queryStringParameters: Record<string, string> | null) =>
    pagingErrors(diseasesContract, { queryStringParameters } as unknown as APIGatewayProxyEvent);

  it.each([[null], [{}], [{ page: '1' }], [{ cursor: '' }], [{ cursor: 'x', limit: '5' }]])('accepts %j', (query) => {
    expect(given(query)).toEqual([]);
  });

  it.each([
    { cursor: '', page: '1' },
    { cursor: 'x', page: '' },
  ])('refuses %j', (query) => {
    expect(given(query)).toEqual([{ path: ['cursor'], code: 'cursor_with_page' }]);
  });
});

describe('the name of a list', () => {
  const READ = { httpMethod: 'GET', resourcePath: '/api/orders', identity: { apiKeyId: 'k1' } };
  const QUERY = {
    page: 1,
    limit: 20,
    cursor: '',
    search: 'ana',
    ordering: [{ field: 'created_at', descending: true }],
  };
  const named = ({ read = {}, caller = {}, path = {}, query = {} }) =>
    listName(
      { requestContext: { ...READ, ...read } } as unknown as APIGatewayProxyEvent,
      { client: { id: 1 }, user: { id: 7 }, ...caller },
      { path, query: { ...QUERY, ...query } },
    );

  it.each([
    ['of another number of results', { query: { limit: 100 } }],
    ['of another cursor', { query: { cursor: 'YQ.W10.x' } }],
    ['with facets', { query: { facets: ['base__category'] } }],
    ['with parts of its orders', { query: { include: ['lines'] } }],
    ['by another key of the client', { read: { identity: { apiKeyId: 'k2' } } }],
  ])('is that of the page %s', (_, change) => {
    expect(named(change)).toBe(named({}));
  });

  it.each([
    ['route', { read: { resourcePath: '/api/events' } }],
    ['record', { path: { id: 9 } }],
    ['client', { caller: { client: { id: 2 } } }],
    ['user', { caller: { user: { id: 8 } } }],
    ['search', { query: { search: 'eva' } }],
    ['filter', { query: { patient: 7 } }],
    ['ordering', { query: { ordering: [{ field: 'created_at', descending: false }] } }],
  ])('is another for another %s', (_, change) => {
    expect(named(change)).not.toBe(named({}));
  });

  it('is of the key where the client is not looked up', () => {
    const caller = { client: undefined, user: undefined };
    expect(named({ caller })).not.toBe(named({ caller, read: { identity: { apiKeyId: 'k2' } } }));
  });
});

describe('a page behind a cursor', () => {
  const ask = (
    cursor: string | undefined,
    found: { count: number; last?: Position; facets?: object },
    list = 'list 1',
  ) => {
    const asked: unknown[] = [];
    const answer = answerPage(
      {
        query: { page: 1, limit: 2, cursor },
        pageUrl: (page) => `page ${page}`,
        cursorUrl: (next) => next,
        listName: () => list,
      },
      (query) => {
        asked.push(query.after);
        return { results: ['a', 'b'], ...found };
      },
    );
    return answer.then(({ body }) => ({ body, asked }));
  };

  it('begins at the beginning, and goes on behind the last result', async () => {
    const page = { previous: null, results: ['a', 'b'] };
    const first = await ask('', { count: 5, last: ['Aspirina', null, 7] });
    expect(first).toEqual({ body: { ...page, count: 5, next: expect.any(String) }, asked: [[]] });
    const second = await ask(first.body.next ?? '', { count: 4 });
    expect(second).toEqual({ body: { ...page, count: 4, next: null }, asked: [['Aspirina', null, 7]] });
  });

  it('shows what the list answers besides its page', async () => {
    const facets = { base__category: [] };
    expect(await ask('', { count: 2, facets })).toMatchObject({ body: { count: 2, facets } });
    expect(await ask(undefined, { count: 2, facets })).toMatchObject({ body: { count: 2, facets } });
  });

  it('has the number of the next page without a cursor, and ends on its last page', async () => {
    expect(await ask(undefined, { count: 5 })).toMatchObject({ body: { next: 'page 2' }, asked: [undefined] });
    expect(await ask('', { count: 2 })).toMatchObject({ body: { next: null } });
  });

  const encode = (content: string) => Buffer.from(content).toString('base64url');

  it('reads the name of the list and the position from base64url', async () => {
    expect(encode('["list 1","Aspirina",7]')).toBe('WyJsaXN0IDEiLCJBc3BpcmluYSIsN10');
    expect((await ask('WyJsaXN0IDEiLCJBc3BpcmluYSIsN10', { count: 5 })).asked).toEqual([['Aspirina', 7]]);
    const { body } = await ask('', { count: 5, last: ['Aspirina', 7] });
    expect(body.next).toBe('WyJsaXN0IDEiLCJBc3BpcmluYSIsN10');
  });

  it.each([
    ['of another list', encode('["list 2","Aspirina",7]')],
    ['without a list', 'W10'],
    ['that is no array', encode('{"0":"list 1"}')],
    ['that is cut off', encode('["list 1","Aspirina"')],
    ['with a position of objects', encode('["list 1",{"S":"Aspirina"},7]')],
    ['with a position of flags', encode('["list 1",true,7]')],
    ['that is no base64url', `${encode('["list 1","Aspirina",7]')}.`],
    // The last character carries two bits that decoders ignore.
    ['that no encoder writes', encode('["list 1","Aspirina",7]').replace(/0$/, '1')],
  ])('refuses a cursor %s', async (_, cursor) => {
    await expect(ask(cursor, { count: 5 })).rejects.toMatchObject({
      code: 'invalid_input',
      errors: [{ path: ['cursor'], code: 'cursor_unknown' }],
    });
  });
});

describe('a page', () => {
  const request = (page: number, limit = 2) => ({ query: { page, limit }, pageUrl: (n: number) => `#${n}` });

  it.each([
    [1, { count: 5, results: ['a', 'b'] }, '#2', null],
    [2, { count: 5, results: ['c', 'd'] }, '#3', '#1'],
    [3, { count: 5, results: ['e'] }, null, '#2'],
    [1, { count: 0, results: [] }, null, null],
  ])('%i of %j has the next URL %s and the previous one %s', (page, found, next, previous) => {
    expect(toPage(request(page), found).body).toEqual({ ...found, next, previous });
  });

  it.each([
    [4, 5],
    [2, 2],
    [2, 0],
  ])('%i of %i results does not exist, as it is past the end', (page, count) => {
    expect(() => toPage(request(page), { count, results: [] })).toThrow('not_found');
  });
});
