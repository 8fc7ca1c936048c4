import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/diseases/';
// biome-ignore format: one long list of ids
const LATEST_FIRST = [
  54, 14, 67, 27, 80, 40, 93, 53, 13, 66, 26, 79, 39, 92, 52, 12, 65, 25, 78, 38, 91, 51, 11, 64,
  24, 77, 37, 90, 50, 10, 63, 23, 76, 36, 89, 49, 9, 62, 22, 75, 35, 88, 48, 8, 61, 21, 74, 34,
  87, 47, 7, 60, 20, 73, 33, 86, 46, 6, 59, 19, 72, 32, 85, 45, 5, 58, 18, 71, 31, 84, 44, 4,
  57, 17, 70, 30, 83, 43, 3, 56, 16, 69, 29, 82, 42, 2, 55, 15, 68, 28, 81, 41, 1,
];
// biome-ignore format: one long list of ids
const BY_NAME = [
  52, 24, 68, 88, 27, 89, 43, 75, 74, 5, 66, 64, 18, 32, 11, 3, 54, 62, 92, 80, 70, 35, 58, 41,
  39, 53, 76, 4, 9, 14, 2, 6, 84, 10, 44, 90, 12, 82, 67, 31, 8, 57, 15, 47, 85, 1, 50, 23,
  28, 86, 7, 36, 45, 77, 42, 46, 78, 73, 26, 93, 20, 19, 25, 22, 69, 38, 40, 56, 55, 21, 83, 91,
  87, 13, 79, 16, 30, 72, 33, 71, 49, 61, 59, 17, 34, 63, 65, 81, 48, 51, 60, 29, 37,
];

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const ask = (query: string) => server.request('GET', PATH + query);
const allIds = async (query: string) => {
  const answer = await ask(`?limit=100&${query}`);
  expect([answer.status, answer.body.count]).toEqual([200, answer.body.results.length]);
  return idsOf(answer);
};

describe('the list of diseases', () => {
  followsTheRulesOfLists({ server: () => server, path: PATH, ids: LATEST_FIRST, fields: 'updated_at, name' });

  it('shows a disease as the interface says, and nothing more', async () => {
    expect((await ask('?search=cr%C3%B3nico%20dolor')).body.results).toEqual([
      {
        id: 14,
        name: 'Dolor crónico',
        is_chronic: true,
        created_at: '2026-03-11T14:31:00.000Z',
        updated_at: '2026-06-01T14:23:00.000Z',
      },
    ]);
    expect((await ask('?search=fiebre')).body.results[0]).toMatchObject({ id: 1, is_chronic: false });
  });

  it.each([
    ['name', BY_NAME],
    ['-name', BY_NAME.toReversed()],
    ['updated_at', LATEST_FIRST.toReversed()],
    ['-updated_at', LATEST_FIRST],
  ])('is ordered by %s', async (ordering, ids) => {
    expect(await allIds(`ordering=${ordering}`)).toEqual(ids);
  });

  it.each([
    ['infeccion', [19, 20, 22, 25]],
    ['INFECCIÓN piel', [20]],
    ['dolor', [2, 6, 9, 10, 14, 84]],
    // The text is found within other words too: parasitosis intestinal, cólico intestinal.
    ['TIÑA', [30, 34, 54]],
    ['ulcera', [51]],
    ['bacteriana vías', []],
  ])('is searched by name: %j', async (words, ids) => {
    const found = await allIds(`search=${encodeURIComponent(words)}`);
    expect(found.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('has no filter', async () => {
    expect(await allIds('available=true&is_chronic=nonsense')).toEqual(LATEST_FIRST);
  });
});
