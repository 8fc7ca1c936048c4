import { describe, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';

const page = (ids: readonly number[], next: string | null = null): Scripted => ({
  status: 200,
  body: { count: 5, next, previous: null, results: ids.map((id) => ({ id })) },
});
const ELSEWHERE = 'https://elsewhere.example/v2/api/products/?page=2';

async function open(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  const client = createClient({ baseUrl: `${api.url}/`, apiKey: 'key', language: 'en' });
  return { client, lines: () => api.heard.map(({ line }) => line), heard: api.heard };
}

describe('a page', () => {
  it('is requested with its filters, lists with commas, and without undefined ones', async () => {
    const { client, lines, heard } = await open(page([3, 4]));
    const answer = await client.products.list({
      search: 'ácido & más',
      has_shortage: false,
      id__in: [3, 4],
      ordering: ['-price', 'base__name'],
      is_active: undefined,
    });
    expect(answer).toEqual({ count: 5, next: null, previous: null, results: [{ id: 3 }, { id: 4 }] });
    const query = 'search=%C3%A1cido+%26+m%C3%A1s&has_shortage=false&id__in=3%2C4&ordering=-price%2Cbase__name';
    expect(lines()).toEqual([`GET /v2/api/products/?${query}`]);
    expect(heard[0]?.headers['accept-language']).toBe('en');
  });
});

describe('a walk over a list', () => {
  it('yields every item, page by page, from the address of the client', async () => {
    const { client, lines } = await open(page([1, 2], ELSEWHERE), page([3, 4], ELSEWHERE), page([5]));
    const ids = (await Array.fromAsync(client.products.each({ limit: 2 }))).map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(lines()).toEqual([1, 2, 3].map((number) => `GET /v2/api/products/?limit=2&page=${number}`));
  });

  it('fetches no page before it is needed', async () => {
    const { client, lines } = await open(page([1, 2], ELSEWHERE));
    for await (const { id } of client.categories.each()) if (id === 2) break;
    expect(lines()).toEqual(['GET /v2/api/categories/?page=1']);
  });

  it('begins at the page that it is given', async () => {
    const { client, lines } = await open(page([5]));
    await Array.fromAsync(client.diseases.each({ page: 3 }));
    expect(lines()).toEqual(['GET /v2/api/diseases/?page=3']);
  });

  const missing: Scripted = { status: 404, body: { detail: 'No.', code: 'not_found' } };

  it('ends when the list has become shorter meanwhile', async () => {
    const { client } = await open(page([1, 2], ELSEWHERE), missing);
    expect(await Array.fromAsync(client.orders.each())).toHaveLength(2);
  });

  it('fails like any call when the first page does', async () => {
    const { client } = await open(missing);
    await expect(Array.fromAsync(client.companies.each())).rejects.toMatchObject({ code: 'not_found' });
  });
});
