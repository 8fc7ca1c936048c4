import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { serveLatestCatalog } from '../../support/catalogs/republish.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { DEMO_CATALOG, publishRecords, publishToTestServer } from '../../support/engines/catalog-bucket.ts';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/categories/';
// biome-ignore format: one long list of ids
const LATEST_FIRST = [
  30, 25, 20, 15, 10, 5, 34, 29, 24, 19, 14, 9, 4, 33, 28, 23, 18, 13, 8, 3, 32, 27, 22, 17, 12, 7, 2, 31, 26, 21, 16,
  11, 6, 1,
];
// 17 has only inactive products, and 34 is empty; 30 to 33 have products in the categories below them.
const UNAVAILABLE = [17, 34];

const server = useServer({ settings: { CATALOG_BUCKET: 'categories-list' } });
beforeAll(async () => {
  await publishToTestServer(DEMO_CATALOG);
});
afterEach(() => setClock());

const ask = (query: string, headers: Record<string, string> = {}) => server.request('GET', PATH + query, { headers });
const allIds = async (query: string) => {
  const answer = await ask(`?limit=100&${query}`);
  expect([answer.status, answer.body.count]).toEqual([200, answer.body.results.length]);
  return idsOf(answer);
};

describe('the list of categories', () => {
  followsTheRulesOfLists({ server: () => server, path: PATH, ids: LATEST_FIRST, fields: 'updated_at, name' });

  it('shows a category and its parent as the interface says, and nothing more', async () => {
    expect((await ask('?search=diabetes')).body.results).toEqual([
      {
        id: 9,
        name: 'Diabetes',
        created_at: '2026-01-11T14:56:00.000Z',
        updated_at: '2026-03-24T14:28:00.000Z',
        parent: 30,
      },
    ]);
    expect((await ask('?search=medicamentos')).body.results[0]).toMatchObject({ id: 30, parent: null });
  });

  it('is ordered and searched by name, and filtered, at once', async () => {
    expect(await allIds(encodeURI('search=ANTIBIÓTICOS'))).toEqual([4]);
    expect(await allIds('available=true&search=vitaminas')).toEqual([24, 31]);
    expect(await allIds('available=true&search=anti&ordering=-name')).toEqual([8, 6, 7, 2, 4]);
  });

  it.each(['true', '1'])('with available=%s leaves out what has nothing to be bought now', async (flag) => {
    expect(await allIds(`available=${flag}`)).toEqual(LATEST_FIRST.filter((id) => !UNAVAILABLE.includes(id)));
  });

  it('with available=false contains all', async () => {
    expect(await allIds('available=false')).toEqual(LATEST_FIRST);
  });
});

describe('categories of a new version', () => {
  it('that changed at the same time are ordered by id, in the direction asked for', async () => {
    const demo = await ask('');
    await publishRecords(smallCatalog());
    await serveLatestCatalog();
    // Category 1 changed on 1 March, 2 and 3 both on 2 March.
    expect(await allIds('')).toEqual([3, 2, 1]);
    expect(await allIds('ordering=updated_at')).toEqual([1, 2, 3]);
    expect(await allIds('ordering=updated_at,-name')).toEqual([1, 2, 3]);
    expect(await allIds('ordering=-updated_at,name')).toEqual([3, 2, 1]);
    const renewed = await ask('', { 'If-None-Match': String(demo.headers.etag) });
    expect(renewed.status).toBe(200);
    expect(renewed.headers.etag).not.toBe(demo.headers.etag);
  });
});
