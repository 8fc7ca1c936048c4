import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addGatewayKey, createClient } from '../../../shared/access/clients.ts';
import { ids, table } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { smallCatalog } from '../../support/catalogs/small-catalog.ts';
import {
  DEMO_CATALOG,
  publishRecords,
  publishToTestServer,
  serveLatestCatalog,
} from '../../support/engines/catalog-bucket.ts';
import { followsTheRulesOfLists, idsOf } from '../../support/orders/list-rules.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

// The lists of categories, companies, diseases, stores and payment methods: one record field by field, the rules of lists, and
// what each finds.

const server = useServer({ settings: { CATALOG_BUCKET: 'lists' } });
beforeAll(() => publishToTestServer(DEMO_CATALOG));
afterEach(() => setClock());

const ask = (path: string, query: string) => server.request('GET', `/api/${path}/${query}`);
const findAll = async (path: string, query: string): Promise<number[]> => {
  const answer = await ask(path, `?limit=100&${encodeURI(query)}`);
  expect([answer.status, answer.body.count]).toEqual([200, answer.body.results.length]);
  return idsOf(answer);
};

const days = (created_at: string, updated_at: string) => ({
  created_at: `2026-${created_at}.000Z`,
  updated_at: `2026-${updated_at}.000Z`,
});

describe.each([
  {
    path: 'categories',
    record: { id: 9, name: 'Diabetes', parent: 30, ...days('01-11T14:56:00', '03-24T14:28:00') },
    latest: [30, 25, 20, 15, 10, 5, 34, 29, 24],
    found: {
      'search=ANTIBIÓTICOS': [4],
      'available=true&search=vitaminas': [24, 31],
      'available=true&search=anti&ordering=-name': [8, 6, 7, 2, 4],
    },
    // 17 has only inactive products, and 34 is empty; 30 to 33 have products in the categories below them.
    unavailable: [17, 34],
  },
  {
    path: 'pharmaceutical-companies',
    record: { id: 1, name: 'Genéricos Solmar', ...days('01-05T14:00:00', '03-02T14:00:00') },
    latest: [4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 1],
    found: {
      'ordering=name': [7, 3, 1, 5, 10, 9, 2, 6, 11, 4, 8],
      'search=Médico': [9],
      'available=true&search=laboratorios&ordering=name': [2, 6],
    },
    // Company 11 has no products.
    unavailable: [11],
  },
  {
    path: 'diseases',
    record: { id: 14, name: 'Dolor crónico', is_chronic: true, ...days('03-11T14:31:00', '06-01T14:23:00') },
    latest: [54, 14, 67, 27, 80],
    // The text is found within other words too: parasitosis intestinal, cólico intestinal.
    found: { 'search=INFECCIÓN piel': [20], 'search=TIÑA&ordering=name': [54, 30, 34], 'search=bacteriana vías': [] },
    unavailable: [],
  },
])('the list of $path', ({ path, record, latest, found, unavailable }) => {
  followsTheRulesOfLists({ server: () => server, path: `/api/${path}/`, latest, fields: ['updated_at', 'name'] });

  it('shows a record as the interface says, and nothing more', async () => {
    expect((await ask(path, `?search=${encodeURIComponent(record.name)}`)).body.results).toEqual([record]);
  });

  it('is ordered and searched by name, and filtered, at once', async () => {
    for (const [query, ids] of Object.entries(found)) expect([query, await findAll(path, query)]).toEqual([query, ids]);
  });

  it('leaves out what has nothing to be bought now, if that is asked for', async () => {
    const all = await findAll(path, 'available=false');
    const ids = await findAll(path, 'available=true');
    expect(ids).toEqual(all.filter((id) => !unavailable.includes(id as never)));
  });
});

describe('the list of payment methods', () => {
  const PATH = '/api/payment-methods/';
  const tokens = useDemoTokens(server);
  const list = (query: string, token = tokens.employee) => server.request('GET', PATH + query, { token });

  it('has those of the client, as the interface shows them, last changed first', async () => {
    const { headers, body } = await list('?limit=4');
    expect(body).toMatchObject({ count: 5, next: `${server.url}${PATH}?limit=4&page=2`, previous: null });
    // Without `include` the list does not show how each is collected.
    expect(body.results.slice(0, 3)).toEqual([
      { id: 2, name: 'Crédito', fee: '0.00', fixed_fee: '0.00', ...days('01-10T16:00:00', '04-02T16:00:00') },
      { id: 1, name: 'Tarjeta', fee: '0.029', fixed_fee: '2.50', ...days('01-09T16:00:00', '04-01T16:00:00') },
      { id: 3, name: 'Tarjeta en línea', fee: '0.036', fixed_fee: '3.00', ...days('01-11T16:00:00', '03-31T16:00:00') },
    ]);
    expect([headers['cache-control'], headers.etag]).toEqual(['no-store', undefined]);
    expect(idsOf(await list('?ordering=updated_at'))).toEqual([5, 4, 3, 1, 2]);
    expect(idsOf(await list('?search=CREDITO'))).toEqual([2]);
  });

  it('says with include=collection how each is collected, on every page of a cursor, which belongs to the user', async () => {
    const first = await list('?include=collection&ordering=name&limit=3&cursor=');
    const rest = first.body.next.slice(`${server.url}${PATH}`.length);
    const second = await list(rest);
    const results = [first, second].flatMap(({ body }) => body.results);
    expect(results.map(({ id, collection }) => `${id} ${collection}`)).toEqual([
      ...['2 null', '4 oxxo', '5 spei', '1 null', '3 card'],
    ]);
    expect(second.body.next).toBeNull();
    expect(Object.keys((await list(rest, tokens.doctor)).body)).toEqual(['cursor']);
  });

  it.each([
    ['employee', [2, 1, 3, 4, 5]],
    ['patient', [1, 3, 4, 5]],
    ['doctor', [1, 3, 4, 5]],
  ] as const)('has for a %s exactly the methods that an order of theirs accepts', async (role, expected) => {
    const token = tokens[role];
    expect(idsOf(await list('', token))).toEqual(expected);
    const accepted: number[] = [];
    for (const payment_method of [6, 2, 1, 3, 4, 5, 0]) {
      const body = orderBody('paciente@demo.example', { payment_method });
      const answer = await server.request('POST', '/api/orders/resources/', { token, body });
      expect([201, 400]).toContain(answer.status);
      if (answer.status === 201) accepted.push(payment_method);
    }
    expect(accepted).toEqual(expected);
  });

  it.each([
    ['with credit for everyone', 'patient', [2, 1], 'everyone', [2, 1]],
    ['with nothing but credit', 'doctor', [2], 'employees', []],
    ['with a method that is not published', 'insurance_employee', [99, 1], 'employees', [1]],
  ] as const)('has for users of a client %s what it allows', async (_, role, methods, credit, expected) => {
    const { id, value: key } = server.keys.create({ name: `of ${role}`, enabled: true });
    const terms = { name: 'Nueva', origin: 'other', paymentMethods: [...methods], carrierName: null, credit };
    const client = await createClient(table(), ids(), terms, new Date());
    await addGatewayKey(table(), client.id, id);
    await server.addUser(client, role, 'nueva@example.mx');
    const token = await server.login('nueva@example.mx', key);
    const answer = await server.request('GET', PATH, { token, key });
    expect([answer.body.count, idsOf(answer)]).toEqual([expected.length, expected]);
  });
});

describe('a new version', () => {
  /** Each store with the day of its last change. */
  const STORES = ['04 Centro', '11 Árbol', '01 Norte', '11 Valle', '20 árbol', '02 ', '03 Puerto Centro', '30 Zócalo'];
  const ADDRESS = {
    ...{ street: 'Juárez', exterior_number: '1', interior_number: '', neighborhood: 'Centro', city: 'Puebla' },
    ...{ state: 'Puebla', country: 'México', zipcode: '72000', phone: '+522221234567', additional_info: '' },
    ...{ latitude: '19.043609', longitude: null },
  };
  const CENTRO = {
    ...{ id: 1, name: 'Centro', company_name: 'Botica', business_hours: '', ...ADDRESS },
    ...days('01-06T15:00:00', '05-04T16:30:00'),
  };
  beforeAll(async () => {
    const records = smallCatalog();
    records.stores = STORES.map((written, index) => ({
      ...records.stores[0],
      ...{ id: index + 1, name: written.slice(3), is_sat_branch: index === 0 },
      ...days('01-06T15:00:00', `05-${written.slice(0, 2)}T16:30:00`),
    }));
    await publishRecords(records);
    await serveLatestCatalog();
  });

  it('lists stores by day, name and search, without what operators keep of them', async () => {
    expect((await ask('stores', '?search=centro&ordering=name')).body.results).toEqual([
      CENTRO,
      expect.objectContaining({ id: 7, name: 'Puerto Centro' }),
    ]);
    expect(await findAll('stores', '')).toEqual([8, 5, 4, 2, 1, 7, 6, 3]);
    expect(await findAll('stores', 'ordering=name')).toEqual([6, 2, 5, 1, 3, 7, 4, 8]);
    // Neither the street nor the city is searched.
    expect([await findAll('stores', 'search=ARBOL'), await findAll('stores', 'search=puebla')]).toEqual([[5, 2], []]);
  });

  it('shows a store as an order that is picked up there does', async () => {
    const collected = { details: [{ product: 101, quantity: 1 }], shipping: undefined, store: 1 };
    expect((await server.placeOrder('a@b.mx', collected)).store).toEqual(CENTRO);
  });

  // Category 1 changed on 1 March, 2 and 3 both on 2 March.
  it.each([
    ['', [3, 2, 1]],
    ['ordering=updated_at', [1, 2, 3]],
    ['ordering=updated_at,-name', [1, 2, 3]],
    ['ordering=-updated_at,name', [3, 2, 1]],
  ])('orders equal times by id, in the direction of the first field of %j', async (query, ids) => {
    expect(await findAll('categories', query)).toEqual(ids);
  });
});
