import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { openServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/stores/';
const NAMES_AND_DAYS = [
  ['Centro', '04'],
  ['Árbol', '11'],
  ['Norte', '01'],
  ['Valle', '11'],
  ['árbol', '20'],
  ['', '02'],
  ['Puerto Centro', '03'],
  ['Zócalo', '30'],
] as const;
const LATEST_FIRST = [8, 5, 4, 2, 1, 7, 6, 3];

let server: TestServer;
beforeAll(async () => {
  server = await openServer({ settings: { CATALOG_BUCKET: 'stores-list' } });
  const records = smallCatalog();
  const stores = NAMES_AND_DAYS.map(([name, day], index) => ({
    ...records.stores[0],
    id: index + 1,
    name,
    is_sat_branch: index === 0,
    created_at: '2026-01-06T15:00:00.000Z',
    updated_at: `2026-05-${day}T16:30:00.000Z`,
  }));
  await publishRecords({ ...records, stores });
});
afterAll(() => server.close());

const ask = (query: string) => server.request('GET', PATH + query);

describe('the list of stores', () => {
  followsTheRulesOfLists({ server: () => server, path: PATH, ids: LATEST_FIRST, fields: 'updated_at, name' });

  const CENTRO = {
    id: 1,
    street: 'Juárez',
    exterior_number: '1',
    neighborhood: 'Centro',
    city: 'Puebla',
    state: 'Puebla',
    country: 'México',
    zipcode: '72000',
    phone: '+522221234567',
    name: 'Centro',
    interior_number: '',
    additional_info: '',
    latitude: '19.043609',
    longitude: null,
    created_at: '2026-01-06T15:00:00.000Z',
    updated_at: '2026-05-04T16:30:00.000Z',
    company_name: 'Botica',
    business_hours: '',
  };

  it('shows a store as the interface says, and nothing that operators keep of it', async () => {
    expect((await ask('?search=centro&ordering=name')).body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [CENTRO, expect.objectContaining({ id: 7, name: 'Puerto Centro' })],
    });
  });

  it('shows a store as an order that is picked up there does', async () => {
    const token = await server.login('aseguradora@demo.example');
    const picked = { details: [{ product: 101, quantity: 1 }], shipping: undefined, store: 1 };
    const order = await server.request('POST', '/api/orders/resources/', { token, body: orderBody('a@b.mx', picked) });
    expect([order.status, order.body.store]).toEqual([201, CENTRO]);
  });

  it.each([
    ['ordering=name', [6, 2, 5, 1, 3, 7, 4, 8]],
    ['search=ARBOL', [5, 2]],
    // Neither the street nor the city is searched.
    ['search=puebla', []],
  ])('is ordered and searched by name: %s', async (query, ids) => {
    expect(idsOf(await ask(`?${query}`))).toEqual(ids);
  });
});
