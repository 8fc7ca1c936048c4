import { describe, expect, it } from 'vitest';
import { createClient } from '../../../shared/client/client.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';

const page = (ids: readonly number[], next: string | null = null): Scripted => ({
  status: 200,
  body: { count: 5, next, previous: null, results: ids.map((id) => ({ id })) },
});
const elsewhere = (cursor: string) => `https://elsewhere.example/v2/api/products/?cursor=${cursor}`;

async function open(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  const client = createClient({ baseUrl: `${api.url}/`, apiKey: 'key', language: 'en' });
  return { client, lines: () => api.heard.map(({ line }) => line), heard: api.heard };
}

it('a page is requested with its filters, lists with commas, and without undefined ones', async () => {
  const { client, lines, heard } = await open(page([3, 4]));
  const ordering: ('-price' | 'base__name')[] = ['-price', 'base__name'];
  const filters = { search: 'ácido & más', has_shortage: false, id__in: [3, 4], ordering, is_active: undefined };
  const answer = await client.products.list(filters);
  expect(answer).toEqual({ count: 5, next: null, previous: null, results: [{ id: 3 }, { id: 4 }] });
  const query = 'search=%C3%A1cido+%26+m%C3%A1s&has_shortage=false&id__in=3%2C4&ordering=-price%2Cbase__name';
  expect(lines()).toEqual([`GET /v2/api/products/?${query}`]);
  expect(heard[0]?.headers['accept-language']).toBe('en');
});

describe('a walk over a list', () => {
  it('yields every item, from cursor to cursor, at the address of the client', async () => {
    const { client, lines } = await open(page([1, 2], elsewhere('a%2Bb')), page([3, 4], elsewhere('c')), page([5]));
    const ids = (await Array.fromAsync(client.products.each({ limit: 2 }))).map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(lines()).toEqual([
      'GET /v2/api/products/?limit=2&cursor=',
      'GET /v2/api/products/?limit=2&cursor=a%2Bb',
      'GET /v2/api/products/?limit=2&cursor=c',
    ]);
  });

  it('fetches no page before it is needed', async () => {
    const { client, lines } = await open(page([1, 2], elsewhere('a')));
    for await (const { id } of client.categories.each()) if (id === 2) break;
    expect(lines()).toEqual(['GET /v2/api/categories/?cursor=']);
  });

  it('goes on behind the cursor that it is given', async () => {
    const { client, lines } = await open(page([5]));
    await Array.fromAsync(client.diseases.each({ cursor: 'c' }));
    expect(lines()).toEqual(['GET /v2/api/diseases/?cursor=c']);
  });
});

describe('a walk over events', () => {
  const events = (ids: readonly string[], cursor: string): Scripted => ({
    status: 200,
    body: { next: elsewhere(cursor), results: ids.map((id) => ({ id })) },
  });

  it('yields what is new with the cursor behind it, and asks again until it is stopped', async () => {
    const { client, lines } = await open(
      events(['evt_1_1_0', 'evt_2_1_0'], 'a'),
      events([], 'b'),
      events([], 'b'),
      events(['evt_1_2_0'], 'c'),
    );
    const stop = new AbortController();
    const seen: unknown[] = [];
    const walk = async () => {
      const batches = client.events.follow({ type: ['order.paid'] }, { signal: stop.signal, pollMs: 1 });
      for await (const { events, cursor } of batches) {
        seen.push([events.map(({ id }) => id), cursor]);
        if (cursor === 'c') stop.abort(new Error('enough'));
      }
    };
    await expect(walk()).rejects.toThrow('enough');
    expect(seen).toEqual([
      [['evt_1_1_0', 'evt_2_1_0'], 'a'],
      [['evt_1_2_0'], 'c'],
    ]);
    expect(lines()).toEqual(
      ['', 'a', 'b', 'b'].map((cursor) => `GET /v2/api/events/?cursor=${cursor}&type=order.paid&limit=100`),
    );
  });

  it('goes on where it is told to, one question at a time', async () => {
    const { client, lines } = await open(events([], 'd'));
    expect(await client.events.list({ cursor: 'c' })).toEqual({ events: [], cursor: 'd' });
    expect(lines()).toEqual(['GET /v2/api/events/?cursor=c']);
  });
});
