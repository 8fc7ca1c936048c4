import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableConfig } from '../../../shared/runtime/config.ts';
import { idsOf } from '../../support/orders/list-rules.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { openTestServer, type TestServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/';
type Caller = { readonly key: string; readonly token: string };

let server: TestServer;
/** Holds the callers of a client with a short history, by their names in the tests. */
const people = new Map<string, Caller & { readonly id: number }>();
beforeAll(async () => {
  server = await openTestServer();
  const { client, key } = await server.addClient('Cursores');
  const roles = { rosa: 'patient', hugo: 'patient', eva: 'doctor', ines: 'insurance_employee' } as const;
  for (const [name, role] of Object.entries({ ...roles, otto: 'insurance_employee' } as const)) {
    const { id } = await server.addUser(client, role, `${name}@example.mx`);
    people.set(name, { id, key, token: await server.login(`${name}@example.mx`, key) });
  }
  await storeOrders(tableConfig().TABLE_NAME, history(client.id));
});
afterAll(() => server.close());

const person = (name: string) => people.get(name) ?? { id: 0, key: '', token: '' };

/** Makes orders 1 to 12: three of each instant, every second of Rosa, every third by Eva, every fourth without dates. */
function history(clientId: number) {
  return Array.from({ length: 12 }, (_, index) =>
    syntheticOrder({
      id: index + 1,
      clientId,
      patient: index % 2 === 0 ? { id: person('rosa').id, firstName: 'Rosa' } : { id: person('hugo').id },
      ...(index % 3 === 0 && { doctor: person('eva').id }),
      createdAt: `2026-03-0${1 + Math.floor(index / 3)}T16:00:00.000Z`,
      orderStatus: index % 4 === 1 ? 'cancelled' : 'approved',
      expectedDeliveryDate: index % 4 === 3 ? null : `2026-03-${20 - index}T23:00:00.000Z`,
      maxDeliveryDate: null,
    }),
  );
}

const list = (query: string, { key, token }: Caller = person('ines')) =>
  server.request('GET', `${PATH}?${query}`, { key, token });
const follow = (url: string, { key, token }: Caller = person('ines')) =>
  server.request('GET', url.slice(server.url.length), { key, token });
const cursorIn = (url: string) => new URL(url).searchParams.get('cursor') ?? '';

/** Reads a list to its end by cursor, with `between` called after each page. */
async function readAll(query: string, caller?: Caller, between = async () => {}) {
  const pages = [await list(`${query}&cursor=`, caller)];
  for (let next = pages[0]?.body.next; next; next = pages.at(-1)?.body.next) {
    await between();
    pages.push(await follow(next, caller));
  }
  expect(new Set(pages.map(({ status, body }) => `${status} ${body.previous}`))).toEqual(new Set(['200 null']));
  return { pages: pages.length, ids: pages.flatMap(idsOf), counts: pages.map(({ body }) => body.count) };
}

describe('a list that is read by cursor', () => {
  // The cursors of other queries, readers and pages are in `order-list.property`.
  it.each([
    ['', 12, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ['ordering=expected_delivery_date', 1, [11, 10, 9, 7, 6, 5, 3, 2, 1, 4, 8, 12]],
    ['search=rosa&order_status__in=approved', 5, [11, 9, 7, 5, 3, 1]],
    ['folio=RX-00000007', 5, [7]],
    ['folio=RX-00000013', 5, []],
    ['order_status__in=quoted', 5, []],
  ])('has each order once: %j in pages of %i', async (query, limit, expected) => {
    const { ids, counts, pages } = await readAll(`${query}&limit=${limit}`);
    const expectedPages = Math.max(1, Math.ceil(expected.length / limit));
    expect({ ids, pages }).toEqual({ ids: expected, pages: expectedPages });
    expect(counts).toEqual(Array(expectedPages).fill(expected.length));
  });

  it('links to what follows with all other parameters, whose limit may change', async () => {
    const { body } = await list('cursor=&order_status__in=approved&limit=2&utm=a');
    expect(body.next).toMatch(/\/api\/orders\/\?order_status__in=approved&limit=2&utm=a&cursor=[\w.-]+$/);
    expect(idsOf(await follow(body.next.replace('limit=2', 'limit=4')))).toEqual([9, 8, 7, 5]);
  });
});

describe('a cursor', () => {
  const UNKNOWN = { status: 400, body: { cursor: ['El cursor no es de esta lista; empiece con uno vacío.'] } };
  const ASKED = 'limit=2&order_status__in=approved&patient=';
  const asked = () => `${ASKED}${person('rosa').id}`;
  const begun = async () => cursorIn((await list(`${asked()}&cursor=`)).body.next);

  it('is refused when it says no place of this list', async () => {
    const [listName, createdAt, id] = JSON.parse(Buffer.from(await begun(), 'base64url').toString());
    const refused = [
      [listName, createdAt],
      [listName, 'x'.repeat(2_000), id],
      [listName, `${createdAt}#`, id],
      [listName, null, id],
      [listName, createdAt, String(id)],
      [listName, createdAt, 1.5],
      [listName, createdAt, -1],
      [listName, createdAt, { N: '1' }],
      { listName, createdAt, id },
    ];
    for (const content of refused) {
      const cursor = Buffer.from(JSON.stringify(content)).toString('base64url');
      const { status, body } = await list(`${asked()}&cursor=${cursor}`);
      expect({ content, status, body }).toEqual({ content, ...UNKNOWN });
    }
    const own = Buffer.from(JSON.stringify([listName, '9999-12-31T23:59:59.999Z', id])).toString('base64url');
    expect((await list(`${asked()}&cursor=${own}`)).status).toBe(200);
  });

  it('is refused with another filter, search or ordering, and in place of a page', async () => {
    const cursor = await begun();
    expect((await list(`${asked()}&cursor=${cursor}`)).status).toBe(200);
    const others = [
      `${ASKED}${person('hugo').id}`,
      'limit=2&order_status__in=approved',
      `${asked()}&payment_status__in=unpaid`,
      `${asked()}&email=rosa@example.mx`,
      `${asked()}&created_at_after=2026-01-01`,
      `${asked()}&search=rosa`,
      `${asked()}&ordering=created_at`,
    ];
    for (const query of others) {
      const { status, body } = await list(`${query}&cursor=${cursor}`);
      expect({ query, status, body }).toEqual({ query, ...UNKNOWN });
    }
    expect(await list(`${asked()}&page=2&cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { cursor: ['Envíe cursor o page, no los dos.'] },
    });
  });

  it('is refused from another user and another client', async () => {
    const cursor = await begun();
    const demo = await server.login('aseguradora@demo.example');
    const callers = [person('otto'), person('rosa'), person('eva')];
    for (const caller of callers) expect(await list(`${asked()}&cursor=${cursor}`, caller)).toMatchObject(UNKNOWN);
    expect(await server.request('GET', `${PATH}?${asked()}&cursor=${cursor}`, { token: demo })).toMatchObject(UNKNOWN);
  });
});

describe('a queue of 30 orders', () => {
  /** Places the orders of a new client, and returns their ids and how to place and cancel one. */
  async function openQueue(name: string) {
    const { client, key } = await server.addClient(name);
    await server.addUser(client, 'insurance_employee', `${name}@example.mx`);
    const caller = { key, token: await server.login(`${name}@example.mx`, key) };
    const place = async (): Promise<number> => {
      const body = orderBody(`cola-${name}@example.mx`);
      const answer = await server.request('POST', `${PATH}resources/`, { ...caller, body });
      expect(answer.status).toBe(201);
      return answer.body.id;
    };
    const cancel = async (id: number) => {
      const body = { order_status: 'cancelled' };
      expect((await server.request('PATCH', `${PATH}${id}/`, { ...caller, body })).status).toBe(200);
    };
    const ids: number[] = [];
    for (let batch = 0; batch < 3; batch++) ids.push(...(await Promise.all(Array.from({ length: 10 }, place))));
    return { caller, ids, place, cancel };
  }

  it.each([
    ['nuevas', 'order_status__in=approved'],
    ['viejas', 'order_status__in=approved&ordering=created_at'],
    ['fechas', 'exclude_order_status__in=cancelled&search=paz&ordering=expected_delivery_date'],
  ])('is read to its end while a third is cancelled and others are placed: %s', async (name, query) => {
    const { caller, ids, place, cancel } = await openQueue(name);
    const leaving = ids.filter((_, index) => index % 3 === 0);
    let waiting = ids.length;
    const counts = [waiting];
    const work = async () => {
      // One order that was shown, or will be, leaves at a time from each end.
      for (const id of [leaving.shift(), leaving.pop(), leaving.shift()]) {
        if (id === undefined) continue;
        await cancel(id);
        waiting -= 1;
      }
      await place();
      waiting += 1;
      counts.push(waiting);
    };
    const read = await readAll(`${query}&limit=4`, caller, work);
    expect(leaving).toEqual([]);
    expect(read.counts).toEqual(counts);
    expect(new Set(read.ids).size).toBe(read.ids.length);
    const stayed = ids.filter((_, index) => index % 3 !== 0);
    expect(stayed.filter((id) => !read.ids.includes(id))).toEqual([]);
  });
});
