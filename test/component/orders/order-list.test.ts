import { beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../../support/orders/list-rules.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/';
const server = useServer();
let key: string;
let clientId: number;
/** Holds the users of a client with a short history, by their names in the tests. */
const people = new Map<string, { readonly id: number; readonly token: string }>();

beforeAll(async () => {
  const { client, key: ownKey } = await server.addClient('Historia');
  key = ownKey;
  clientId = client.id;
  const roles = { jose: 'patient', maria: 'patient', ana: 'patient', eva: 'doctor', leo: 'doctor' } as const;
  const employees = { employee: 'insurance_employee', other: 'insurance_employee' } as const;
  for (const [name, role] of Object.entries({ ...roles, ...employees })) {
    const { id } = await server.addUser(client, role, `${name}@example.mx`);
    people.set(name, { id, token: await server.login(`${name}@example.mx`, key) });
  }
  await storeOrders(history());
});

const personId = (name: string): number => people.get(name)?.id ?? 0;

/** Makes six orders: 3 and 4 have one instant, 2 and 6 no dates. The shop's days begin at 06:00 UTC. */
function history() {
  const jose = { id: personId('jose'), firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
  const maria = { id: personId('maria'), firstName: 'María José', lastName: 'López', secondLastName: null };
  const ana = { id: personId('ana'), firstName: 'Ana', lastName: 'de la O', secondLastName: null };
  const dates = (expected: string | null, max: string | null) => ({
    expectedDeliveryDate: expected,
    maxDeliveryDate: max,
  });
  const orders = [
    { patient: jose, day: '01', ...dates('2026-03-06T23:00:00.000Z', '2026-03-10T23:00:00.000Z') },
    { patient: maria, day: '02', orderStatus: 'pending_approval', ...dates(null, null) },
    {
      patient: jose,
      doctor: personId('eva'),
      day: '03',
      orderStatus: 'shipped',
      paymentStatus: 'paid',
      ...dates('2026-03-07T05:59:59.999Z', '2026-03-11T06:00:00.000Z'),
    },
    {
      patient: maria,
      day: '03',
      orderStatus: 'delivered',
      paymentStatus: 'credit',
      ...dates('2026-03-07T06:00:00.000Z', '2026-03-20T23:00:00.000Z'),
    },
    {
      patient: ana,
      doctor: personId('eva'),
      day: '05',
      orderStatus: 'cancelled',
      paymentStatus: 'rejected',
      ...dates('2026-03-06T23:00:00.000Z', '2026-03-11T05:59:59.999Z'),
    },
    { patient: ana, day: '06', paymentStatus: 'paid', ...dates(null, null) },
  ] as const;
  return orders.map(({ day, ...order }, index) =>
    syntheticOrder({ ...order, id: index + 1, clientId, createdAt: `2026-03-${day}T16:00:00.000Z` }),
  );
}

const list = (query = '', as = 'employee') =>
  server.request('GET', `${PATH}?${query}`, { key, token: people.get(as)?.token ?? '' });

async function listedIds(query: string): Promise<number[]> {
  const answer = await list(query);
  const { status, body } = answer;
  expect({ status, count: body.count }).toEqual({ status: 200, count: body.results?.length });
  return idsOf(answer);
}

const follow = (url: string, by = { key, token: people.get('employee')?.token ?? '' }) =>
  server.request('GET', url.slice(server.url.length), by);
const cursorIn = (url: string) => new URL(url).searchParams.get('cursor') ?? '';

/** Reads a list to its end by cursor, with `between` called after each page. */
async function readAll(query: string, by?: { key: string; token: string }, between = async () => {}) {
  const pages = [await follow(`${server.url}${PATH}?${query}&cursor=`, by)];
  for (let next = pages[0]?.body.next; next; next = pages.at(-1)?.body.next) {
    await between();
    pages.push(await follow(next, by));
  }
  expect(new Set(pages.map(({ status, body }) => `${status} ${body.previous}`))).toEqual(new Set(['200 null']));
  return { pages: pages.length, ids: pages.flatMap(idsOf), counts: pages.map(({ body }) => body.count) };
}

// The order of a list, its pages and most of its filters are in `order-list.property`.
describe('a filter', () => {
  it.each([
    ['order_status__in=shipped,%20approved,approved&ordering=created_at', [1, 3, 6]],
    ['order_status__in=approved&exclude_order_status__in=approved', []],
    ['patient=99999999', []],
    ['patient=-1', []],
    // The orders 3 and 4 are due in the last millisecond of the 6th, and in the first of the 7th.
    ['expected_delivery_date_before=2026-03-06', [5, 3, 1]],
    ['expected_delivery_date_after=2026-03-07', [4]],
    ['max_delivery_date_before=2026-03-10', [5, 1]],
    ['max_delivery_date_after=2026-03-11', [4, 3]],
    ['expected_delivery_date_before=0001-01-01', []],
    ['expected_delivery_date_after=0001-01-01', [5, 4, 3, 1]],
    ['expected_delivery_date_before=9999-12-31', [5, 4, 3, 1]],
    ['expected_delivery_date_after=9999-12-31', []],
    ['nobody_knows_this=1', [6, 5, 4, 3, 2, 1]],
  ])('%s leaves %j', async (query, expected) => {
    expect(await listedIds(query)).toEqual(expected);
  });
});

describe('a search', () => {
  it.each([
    ['NÚÑEZ', [3, 1]],
    // This is the same letter as two code points.
    ['Nun\u0303ez', [3, 1]],
    ['  López   MARÍA  ', [4, 2]],
    ['%', []],
    ['   ', [6, 5, 4, 3, 2, 1]],
    ['a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9', []],
    [Array.from({ length: 100 }, () => 'o').join(' '), [6, 5, 4, 3, 2, 1]],
  ])('for %j finds %j', async (search, expected) => {
    expect(await listedIds(`search=${encodeURIComponent(search)}`)).toEqual(expected);
  });
});

describe('pages', () => {
  it('link to their neighbours with all other parameters', async () => {
    const asked = 'limit=2&order_status__in=approved%2Cshipped%2Cdelivered&ordering=created_at';
    const { body: first } = await list(`page=1&${asked}`);
    expect(first).toMatchObject({ count: 4, next: `${server.url}${PATH}?${asked}&page=2`, previous: null });
    const { body: last } = await list(`page=2&${asked}`);
    expect(last).toMatchObject({ count: 4, next: null, previous: `${server.url}${PATH}?${asked}&page=1` });
  });

  it('of an empty list are one page', async () => {
    const empty = { count: 0, next: null, previous: null, results: [] };
    expect((await list('order_status__in=quoted')).body).toEqual(empty);
    expect((await list('order_status__in=quoted&page=2')).status).toBe(404);
    expect((await list('search=nadie&page=2')).status).toBe(404);
    expect((await list('page=9007199254740991')).status).toBe(404);
  });
});

describe('a list', () => {
  const place = '/api/orders/resources/';

  it('contains each order after its answer, with a matching count, when many are placed at once', async () => {
    const token = await server.login('aseguradora@demo.example');
    const read = () => server.request('GET', `${PATH}?limit=100`, { token });
    const before = (await read()).body.count;
    const placeAndRead = async (index: number) => {
      const { body: order } = await server.request('POST', place, {
        token,
        body: orderBody(`vez-${index}@example.mx`),
      });
      const page = await read();
      expect(idsOf(page)).toContain(order.id);
      expect(new Set(idsOf(page)).size).toBe(page.body.count);
    };
    await Promise.all(Array.from({ length: 24 }, (_, index) => placeAndRead(index)));
    expect((await read()).body.count).toBe(before + 24);
  });
});

describe('a list that is read by cursor', () => {
  // The cursors of other queries, readers and pages are in `order-list.property`.
  it.each([
    ['', 4, [6, 5, 4, 3, 2, 1]],
    ['ordering=expected_delivery_date', 1, [1, 5, 3, 4, 2, 6]],
    ['search=jose&order_status__in=approved,shipped', 5, [3, 1]],
    ['folio=RX-00000003', 5, [3]],
    ['folio=RX-00000013', 5, []],
    ['order_status__in=quoted', 5, []],
  ])('has each order once: %j in pages of %i', async (query, limit, expected) => {
    const { ids, counts, pages } = await readAll(`${query}&limit=${limit}`);
    const expectedPages = Math.max(1, Math.ceil(expected.length / limit));
    expect({ ids, pages }).toEqual({ ids: expected, pages: expectedPages });
    expect(counts).toEqual(Array(expectedPages).fill(expected.length));
  });

  it('links to what follows with all other parameters, whose limit may change', async () => {
    const { body } = await list('cursor=&payment_status__in=unpaid&limit=1&utm=a');
    expect(body.next).toMatch(/\/api\/orders\/\?payment_status__in=unpaid&limit=1&utm=a&cursor=[\w.-]+$/);
    expect(idsOf(await follow(body.next.replace('limit=1', 'limit=4')))).toEqual([1]);
  });
});

describe('a cursor', () => {
  const UNKNOWN = { status: 400, body: { cursor: ['El cursor no es de esta lista; empiece con uno vacío.'] } };
  const ASKED = 'limit=1&order_status__in=approved,shipped&patient=';
  const asked = () => `${ASKED}${personId('jose')}`;
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
      `${ASKED}${personId('maria')}`,
      'limit=1&order_status__in=approved,shipped',
      `${asked()}&payment_status__in=unpaid`,
      `${asked()}&email=jose@example.mx`,
      `${asked()}&created_at_after=2026-01-01`,
      `${asked()}&search=jose`,
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
    for (const as of ['other', 'jose', 'eva']) {
      expect(await list(`${asked()}&cursor=${cursor}`, as)).toMatchObject(UNKNOWN);
    }
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
