import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/pharmaceutical-companies/';
const LATEST_FIRST = [4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 1];
const BY_NAME = [7, 3, 1, 5, 10, 9, 2, 6, 11, 4, 8];

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

const ask = (query: string, headers: Record<string, string> = {}) => server.request('GET', PATH + query, { headers });
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
    ['name', BY_NAME],
    ['-name', BY_NAME.toReversed()],
    ['updated_at', LATEST_FIRST.toReversed()],
    ['-updated_at', LATEST_FIRST],
  ])('is ordered by %s', async (ordering, ids) => {
    expect(await allIds(`ordering=${ordering}`)).toEqual(ids);
  });

  it.each([
    ['laboratorios', [2, 6, 11]],
    ['LABORATORIOS ce', [6]],
    ['medico', [9]],
    ['Médico', [9]],
  ])('is searched by name: %j', async (words, ids) => {
    const found = await allIds(`search=${encodeURIComponent(words)}`);
    expect(found.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('with available=true leaves out companies without available products', async () => {
    // Company 11 has no products.
    const available = LATEST_FIRST.filter((id) => id !== 11);
    for (const flag of ['true', 'TRUE', '1']) expect(await allIds(`available=${flag}`)).toEqual(available);
    for (const flag of ['false', 'False', '0']) expect(await allIds(`available=${flag}`)).toEqual(LATEST_FIRST);
    expect(await allIds('available=true&search=laboratorios&ordering=name')).toEqual([2, 6]);
  });

  it.each(['sí', '', '2'])('refuses available=%s in both languages', async (flag) => {
    const query = `?available=${encodeURIComponent(flag)}`;
    const answers = [await ask(query), await ask(query, { 'Accept-Language': 'en' })];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, { available: ['Debe ser true o false.'] }],
      [400, { available: ['It must be true or false.'] }],
    ]);
  });
});
