import { expect, it } from 'vitest';
import type { HttpAnswer } from '../http/http.ts';
import type { TestServer } from '../servers/test-server.ts';

export type ListRules = {
  readonly server: () => TestServer;
  readonly path: `/api/${string}/`;
  /** The first ids in the default order. */
  readonly latest: readonly number[];
  /** The fields that the list can be ordered by. */
  readonly fields: readonly string[];
};

export const idsOf = ({ body }: HttpAnswer): number[] => body.results.map(({ id }: { id: number }) => id);

/** Declares the tests that every list of the catalog must pass. */
export function followsTheRulesOfLists({ server, path, latest, fields }: ListRules): void {
  const ask = (query: string, headers: Record<string, string> = {}) =>
    server().request('GET', path + query, { headers });
  const follow = (url: string) => server().request('GET', url.slice(server().url.length));
  /** Reads a list page by page. */
  async function readPages(first: HttpAnswer, direction: 'next' | 'previous'): Promise<HttpAnswer[]> {
    const pages = [first];
    for (let url = first.body[direction]; url; url = pages.at(-1)?.body[direction]) pages.push(await follow(url));
    return pages;
  }

  it('can be paged forward and back, with every id once and the exact count on every page', async () => {
    const forward = await readPages(await ask('?limit=7'), 'next');
    const ids = forward.flatMap(idsOf);
    expect(ids.slice(0, latest.length)).toEqual(latest);
    expect(forward.map(({ body }) => body.count)).toEqual(forward.map(() => new Set(ids).size));
    expect(forward.length).toBe(Math.ceil(ids.length / 7));
    const back = await readPages(forward.at(-1) as HttpAnswer, 'previous');
    expect(back.map(idsOf)).toEqual(forward.map(idsOf).reverse());
    expect(idsOf(await ask(''))).toEqual(ids.slice(0, 20));
    for (const limit of ['100', '101', '9'.repeat(40)])
      expect(idsOf(await ask(`?limit=${limit}`))).toEqual(ids.slice(0, 100));
  });

  it('can be read to its end by cursor in every order, with equal values and any limit on the way', async () => {
    for (const ordering of fields.flatMap((field) => [field, `-${field}`, `${field},-updated_at`])) {
      const expected = idsOf(await ask(`?ordering=${ordering}&limit=100`));
      const begun = await ask(`?cursor=&ordering=${ordering}&limit=3`);
      const rest = await follow(begun.body.next.replace('limit=3', 'limit=97'));
      expect([ordering, ...idsOf(begun), ...idsOf(rest)]).toEqual([ordering, ...expected]);
      expect([begun.body.previous, rest.body.previous]).toEqual([null, null]);
    }
  });

  it('links the next and previous page with the requested address, a slash and every parameter', async () => {
    const address = `${server().url}${path}`;
    const { body } = await server().request('GET', `${path.slice(0, -1)}?utm=a%20b&page=1&limit=2&page=2`);
    expect(body.previous).toBe(`${address}?utm=a+b&limit=2&page=1`);
    expect(body.next).toBe(`${address}?utm=a+b&limit=2&page=3`);
  });

  // `http/pagination` has the cursors that are altered.
  it('refuses a cursor of another query, list or key', async () => {
    const cursorOf = async (query: string) => new URL((await ask(query)).body.next).searchParams.get('cursor') ?? '';
    const { key } = await server().addClient('other');
    const cursor = await cursorOf('?cursor=&limit=1');
    const elsewhere = path === '/api/products/' ? '/api/diseases/' : '/api/products/';
    const answers = [
      await ask(`?cursor=${cursor}&search=a`),
      await ask(`?cursor=${cursor}&ordering=updated_at`),
      await server().request('GET', `${path}?cursor=${cursor}`, { key }),
      await server().request('GET', `${elsewhere}?cursor=${cursor}`),
    ];
    expect(answers.map(({ status, body }) => [status, Object.keys(body)])).toEqual(Array(4).fill([400, ['cursor']]));
  });

  it('ends after its last page, and is one empty page when nothing matches', async () => {
    const { count } = (await ask('')).body;
    const last = Math.ceil(count / 100);
    expect((await ask(`?limit=100&page=${last}`)).status).toBe(200);
    for (const page of [last + 1, '9'.repeat(40)])
      expect((await ask(`?limit=100&page=${page}`)).body.code).toBe('not_found');
    for (const query of ['?search=zzzzz', '?cursor=&search=zzzzz'])
      expect((await ask(query)).body).toEqual({ count: 0, next: null, previous: null, results: [] });
    expect((await ask('?search=zzzzz&page=2')).status).toBe(404);
  });

  it('ignores unknown parameters, takes any sign in a search, and reports all invalid parameters together', async () => {
    const { body } = await ask('?limit=3&color=rojo&__proto__=1&constructor=1&Limit=9&PAGE=abc&id=1');
    expect(body.results).toEqual((await ask('?limit=3')).body.results);
    for (const search of ['%25', '_', "'", '%22', '*', '%5C', '%F0%9F%92%8A', '(', '.*'])
      expect([search, (await ask(`?search=${search}zz`)).body.count]).toEqual([search, 0]);
    for (const search of ['%00', '%FF', '%E1cido', '%ED%A0%80'])
      expect([search, Object.keys((await ask(`?search=${search}`)).body)]).toEqual([search, ['search']]);
    const refused = await ask('?page=x&limit=0&ordering=no');
    expect([refused.status, Object.keys(refused.body)]).toEqual([400, ['page', 'limit', 'ordering']]);
  });

  it('may be cached for 30 s, answers 304 when the ETag matches, and neither when it is refused', async () => {
    const held = await ask('?limit=3');
    const etag = String(held.headers.etag);
    const again = await ask('?limit=3', { 'If-None-Match': etag });
    expect([again.status, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect([held, again].map(({ headers }) => headers['cache-control'])).toEqual(Array(2).fill('private, max-age=30'));
    expect((await ask('?limit=3&page=2')).headers.etag).not.toBe(etag);
    const { headers } = await ask('?page=0', { 'If-None-Match': '*' });
    expect([headers['cache-control'], headers.etag]).toEqual(['no-store', undefined]);
  });
}
