import { describe, expect, it } from 'vitest';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/diseases/';
// biome-ignore format: one long list of ids
const LATEST_FIRST = [
  54, 14, 67, 27, 80, 40, 93, 53, 13, 66, 26, 79, 39, 92, 52, 12, 65, 25, 78, 38, 91, 51, 11, 64,
  24, 77, 37, 90, 50, 10, 63, 23, 76, 36, 89, 49, 9, 62, 22, 75, 35, 88, 48, 8, 61, 21, 74, 34,
  87, 47, 7, 60, 20, 73, 33, 86, 46, 6, 59, 19, 72, 32, 85, 45, 5, 58, 18, 71, 31, 84, 44, 4,
  57, 17, 70, 30, 83, 43, 3, 56, 16, 69, 29, 82, 42, 2, 55, 15, 68, 28, 81, 41, 1,
];
const server = useServer();

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
    ['search=INFECCIÓN piel', [20]],
    // The text is found within other words too: parasitosis intestinal, cólico intestinal.
    ['search=TIÑA&ordering=name', [54, 30, 34]],
    ['search=bacteriana vías', []],
  ])('is searched and ordered by name: %s', async (query, ids) => {
    expect(await allIds(encodeURI(query))).toEqual(ids);
  });

  it('has no filter', async () => {
    expect(await allIds('available=true&is_chronic=nonsense')).toEqual(LATEST_FIRST);
  });
});
