import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { diseasesContract } from '../../../shared/api/catalog/named.ts';
import type { Position } from '../../../shared/api/lists.ts';
import { answerPage, listName, pagingErrors, urlWith } from '../../../shared/http/pagination.ts';

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
    { query: { limit: 100, cursor: 'YQ.W10.x', facets: ['base__category'], include: ['lines'] } },
    { read: { identity: { apiKeyId: 'k2' } } },
  ])('is that of the page with %j', (change) => {
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
  /** Asks for two results of `list 1` behind a cursor, and returns the page and the position that it began behind. */
  const ask = async (cursor: string, found: { count: number; last?: Position; facets?: object }) => {
    const asked: unknown[] = [];
    const request = { query: { page: 1, limit: 2, cursor }, listName: () => 'list 1' };
    const urls = { pageUrl: (page: number) => `page ${page}`, cursorUrl: (next: string) => next };
    const { body } = await answerPage({ ...request, ...urls }, (query) => {
      asked.push(query.after);
      return { results: ['a', 'b'], ...found };
    });
    return { body, asked };
  };
  const encode = (content: string) => Buffer.from(content).toString('base64url');

  it('begins at the beginning, and goes on behind the last result, with what else the list answers', async () => {
    const page = { previous: null, results: ['a', 'b'], count: 5, facets: { base__category: [] } };
    const first = await ask('', { ...page, last: ['Aspirina', null, 7] });
    expect(first).toEqual({ body: { ...page, next: encode('["list 1","Aspirina",null,7]') }, asked: [[]] });
    const last = await ask(first.body.next ?? '', page);
    expect(last).toEqual({ body: { ...page, next: null }, asked: [['Aspirina', null, 7]] });
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

it('the URL of another page keeps each parameter of the request, also one that was sent twice', () => {
  const event = {
    requestContext: { domainName: 'api.demo.example', path: '/v2/api/diseases' },
    multiValueQueryStringParameters: { search: ['ana', 'sofía'], page: ['2'], limit: ['5'] },
  } as unknown as APIGatewayProxyEvent;
  expect(urlWith(event, 'page', '3')).toBe(
    'https://api.demo.example/v2/api/diseases/?search=ana&search=sof%C3%ADa&limit=5&page=3',
  );
});
