import { expect, it } from 'vitest';
import type { HttpAnswer } from '../http/http.ts';
import type { TestServer } from '../servers/test-server.ts';

export type ListRules = {
  readonly server: () => TestServer;
  readonly path: `/api/${string}/`;
  /** All ids in the default order. */
  readonly ids: readonly number[];
  /** The fields that the list can be ordered by, as its error message names them. */
  readonly fields: string;
};

export const idsOf = ({ body }: HttpAnswer): number[] => body.results.map(({ id }: { id: number }) => id);

const ENGLISH = { 'Accept-Language': 'en' };
const PAGE_SIZE = 7;

/** Declares the tests that every list of the catalog must pass. */
export function followsTheRulesOfLists({ server, path, ids, fields }: ListRules): void {
  const ask = (query: string, headers: Record<string, string> = {}) =>
    server().request('GET', path + query, { headers });
  const follow = (url: string) => server().request('GET', url.slice(server().url.length));

  it('can be paged forward and back, with every id once and the exact count on every page', async () => {
    const forward = [await ask(`?limit=${PAGE_SIZE}`)];
    for (let at = forward[0]; at?.body.next; at = forward.at(-1)) forward.push(await follow(at.body.next));
    expect(forward.flatMap(idsOf)).toEqual(ids);
    expect(new Set(forward.map(({ body }) => body.count))).toEqual(new Set([ids.length]));
    expect(forward.length).toBe(Math.ceil(ids.length / PAGE_SIZE));

    const back = forward.slice(-1);
    for (let at = back[0]; at?.body.previous; at = back.at(-1)) back.push(await follow(at.body.previous));
    expect(back.map(idsOf)).toEqual(forward.map(idsOf).reverse());
  });

  it('links the next and previous page with the requested address, a slash and every parameter', async () => {
    const address = `${server().url}${path}`;
    const { body } = await server().request('GET', `${path.slice(0, -1)}?utm=a%20b&page=1&limit=2&page=2`);
    expect(body.previous).toBe(`${address}?utm=a+b&limit=2&page=1`);
    expect(body.next).toBe(`${address}?utm=a+b&limit=2&page=3`);
    const first = (await ask('?limit=2')).body;
    expect([first.previous, first.next]).toEqual([null, `${address}?limit=2&page=2`]);
  });

  it('can be read to its end by cursor, with any limit on the way', async () => {
    const pages = [await ask(`?cursor=&limit=${PAGE_SIZE}`)];
    const limits = [1, 100, PAGE_SIZE];
    for (let next = pages[0]?.body.next; next; next = pages.at(-1)?.body.next) {
      expect(next).toMatch(/\?limit=\d+&cursor=[\w.-]+$/);
      pages.push(await follow(next.replace(/limit=\d+/, `limit=${limits[pages.length % 3]}`)));
    }
    expect(pages.flatMap(idsOf)).toEqual(ids);
    expect(new Set(pages.map(({ body }) => `${body.count} ${body.previous}`))).toEqual(new Set([`${ids.length} null`]));
  });

  it('can be read by cursor in every order, with equal values', async () => {
    for (const ordering of fields.split(', ').flatMap((field) => [field, `-${field}`, `${field},-updated_at`])) {
      const [first] = [await ask(`?ordering=${ordering}&limit=100`)];
      const begun = await ask(`?cursor=&ordering=${ordering}&limit=3`);
      const rest = await follow(begun.body.next.replace('limit=3', 'limit=97'));
      expect([ordering, ...idsOf(begun), ...idsOf(rest)]).toEqual([ordering, ...idsOf(first as HttpAnswer)]);
    }
  });

  // `http/pagination` has the cursors that are altered, `http/bad-input` those that are none.
  it('refuses a cursor of another query, list or key', async () => {
    const cursorOf = async (query: string) => new URL((await ask(query)).body.next).searchParams.get('cursor') ?? '';
    const { key } = await server().addClient('other');
    const cursor = await cursorOf('?cursor=&limit=1');
    const elsewhere = ['/api/products/', '/api/stores/'].find((other) => other !== path);
    const answers = [
      await ask(`?cursor=${cursor}&search=a`),
      await ask(`?cursor=${cursor}&ordering=updated_at`),
      await ask(`?cursor=${await cursorOf('?cursor=&limit=1&search=a')}`),
      await server().request('GET', `${path}?cursor=${cursor}`, { key }),
      await server().request('GET', `${elsewhere}?cursor=${cursor}`),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      Array(5).fill([400, { cursor: ['El cursor no es de esta lista; empiece con uno vacío.'] }]),
    );
  });

  it('has 20 results on a page by default and 100 at most', async () => {
    expect(idsOf(await ask(''))).toEqual(ids.slice(0, 20));
    for (const limit of ['100', '101', '1000', '999999999999999', '9'.repeat(40)]) {
      const answer = await ask(`?limit=${limit}`);
      expect([limit, idsOf(answer)]).toEqual([limit, ids.slice(0, 100)]);
    }
  });

  it('answers 404 for a page after the last', async () => {
    const last = Math.ceil(ids.length / 100);
    expect((await ask(`?limit=100&page=${last}`)).status).toBe(200);
    for (const page of [last + 1, 99_999, 999_999_999_999_999, '9'.repeat(40)]) {
      const query = `?limit=100&page=${page}`;
      const answers = [await ask(query), await ask(query, ENGLISH)];
      expect({ page, answers: answers.map(({ status, body }) => [status, body]) }).toEqual({
        page,
        answers: [
          [404, { detail: 'No encontrado.', code: 'not_found' }],
          [404, { detail: 'Not found.', code: 'not_found' }],
        ],
      });
    }
  });

  it('has an empty first page and no second page when nothing matches', async () => {
    for (const query of ['?search=zzzzz', '?cursor=&search=zzzzz']) {
      const { status, body } = await ask(query);
      expect([status, body]).toEqual([200, { count: 0, next: null, previous: null, results: [] }]);
    }
    expect((await ask('?search=zzzzz&page=2')).status).toBe(404);
  });

  it('ignores unknown parameters', async () => {
    const { status, body } = await ask('?limit=3&color=rojo&__proto__=1&constructor=1&Limit=9&PAGE=abc&id=1');
    expect([status, body.results]).toEqual([200, (await ask('?limit=3')).body.results]);
  });

  const integer = ['Debe ser un número entero.', 'It must be an integer.'] as const;
  const atLeastOne = ['Debe ser mayor o igual a 1.', 'It must be 1 or more.'] as const;
  const field = [`Solo se puede ordenar por: ${fields}.`, `Ordering is only possible by: ${fields}.`] as const;
  it.each([
    ['page', ['', 'abc', '1.0', '1e1', ' 1', '٢', 'null'], integer],
    ['page', ['0', '-1'], atLeastOne],
    ['limit', ['', 'diez', '0x10', 'Infinity'], integer],
    ['limit', ['0', '-20'], atLeastOne],
    ['ordering', ['', 'id', '--updated_at', 'updated_at,', 'updated_at,no', 'UPDATED_AT', 'constructor'], field],
    ['search', ['x'.repeat(201)], ['Debe tener a lo más 200 caracteres.', 'It must have at most 200 characters.']],
  ] as const)('refuses %s=%j in both languages', async (name, values, [spanish, english]) => {
    for (const value of values) {
      const query = `?${name}=${encodeURIComponent(value)}`;
      const answers = [await ask(query), await ask(query, ENGLISH)];
      expect([value, ...answers.map(({ status, body }) => [status, body])]).toEqual([
        value,
        [400, { [name]: [spanish] }],
        [400, { [name]: [english] }],
      ]);
    }
  });

  it('reports all invalid parameters together', async () => {
    const { status, body } = await ask('?page=x&limit=0&ordering=no');
    expect(status).toBe(400);
    expect(body).toEqual({
      page: ['Debe ser un número entero.'],
      limit: ['Debe ser mayor o igual a 1.'],
      ordering: [`Solo se puede ordenar por: ${fields}.`],
    });
  });

  it('searches for at most 200 characters of any kind', async () => {
    expect((await ask(`?search=${'x'.repeat(200)}`)).status).toBe(200);
    for (const search of ['%25', '_', "'", '%22', '*', '%5C', '%F0%9F%92%8A', '(', '.*']) {
      expect([search, (await ask(`?search=${search}zz`)).body.count]).toEqual([search, 0]);
    }
    for (const search of ['%00', '%1B', '%FF', '%E1cido', '%ED%A0%80']) {
      const { status, body } = await ask(`?search=${search}`);
      expect([search, status, body]).toEqual([search, 400, { search: ['El valor no es válido.'] }]);
    }
    expect((await ask('?search=%20%20')).body.count).toBe(ids.length);
  });

  it('may be cached for 30 s, and answers 304 when the ETag matches', async () => {
    const held = await ask('?limit=3');
    const etag = String(held.headers.etag);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect(held.headers['cache-control']).toBe('private, max-age=30');
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, body } = await ask('?limit=3', { 'If-None-Match': condition });
      expect({ condition, status, body }).toEqual({ condition, status: 304, body: '' });
      expect(headers).toMatchObject({
        etag,
        'cache-control': 'private, max-age=30',
        'content-language': 'es',
        'x-request-id': expect.any(String),
      });
    }
    expect((await ask('?limit=3', { 'If-None-Match': '"other"' })).status).toBe(200);
    expect((await ask('?limit=3&page=2')).headers.etag).not.toBe(etag);
  });

  it('may not be cached, and has no ETag, when it is refused', async () => {
    for (const query of ['?page=0', '?page=999', '?search=zzzzz&page=2']) {
      const { headers } = await ask(query, { 'If-None-Match': '*' });
      expect([query, headers['cache-control'], headers.etag]).toEqual([query, 'no-store', undefined]);
    }
  });
}
