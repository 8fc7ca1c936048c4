import { describe, expect, it } from 'vitest';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/pharmaceutical-companies/';
const LATEST_FIRST = [4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 1];

const server = useServer();

const ask = (query: string) => server.request('GET', PATH + query);
const allIds = async (query: string) => {
  const answer = await ask(`?limit=100&${query}`);
  expect([answer.status, answer.body.count]).toEqual([200, answer.body.results.length]);
  return idsOf(answer);
};

describe('the list of pharmaceutical companies', () => {
  followsTheRulesOfLists({ server: () => server, path: PATH, ids: LATEST_FIRST, fields: 'updated_at, name' });

  it('shows a company as the interface says, and nothing more', async () => {
    expect((await ask('?search=solmar')).body.results).toEqual([
      {
        id: 1,
        name: 'Genéricos Solmar',
        created_at: '2026-01-05T14:00:00.000Z',
        updated_at: '2026-03-02T14:00:00.000Z',
      },
    ]);
  });

  it.each([
    ['ordering=name', [7, 3, 1, 5, 10, 9, 2, 6, 11, 4, 8]],
    ['search=Médico', [9]],
  ])('is ordered and searched by name: %s', async (query, ids) => {
    expect(await allIds(encodeURI(query))).toEqual(ids);
  });

  it('with available=true leaves out companies without available products', async () => {
    // Company 11 has no products.
    const available = LATEST_FIRST.filter((id) => id !== 11);
    expect(await allIds('available=true')).toEqual(available);
    expect(await allIds('available=false')).toEqual(LATEST_FIRST);
    expect(await allIds('available=true&search=laboratorios&ordering=name')).toEqual([2, 6]);
  });
});
