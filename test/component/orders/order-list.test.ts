import { beforeAll, describe, expect, it } from 'vitest';
import { ids as orderIds } from '../../../shared/deps.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { operate } from '../../support/operators/operator.ts';
import { forceStored } from '../../support/orders/forced-order.ts';
import { idsOf } from '../../support/orders/list-rules.ts';
import { folioOf, orderBody } from '../../support/orders/samples.ts';
import { storeOrders } from '../../support/orders/stored-orders.ts';
import { syntheticOrder } from '../../support/orders/synthetic-orders.ts';
import { useServer } from '../../support/servers/test-server.ts';

/* The list of orders over HTTP. `order-list.property` proves the order of a list, its pages and most of its filters. */

const PATH = '/api/orders/';
const server = useServer();

/** A client with users of these names, each of whom has an e-mail and a token. */
class Shop {
  id = 0;
  key = '';
  readonly people = new Map<string, { readonly id: number; readonly token: string }>();

  async open(name: string, users: Record<string, 'patient' | 'doctor' | 'insurance_employee'>): Promise<void> {
    const { client, key } = await server.addClient(name);
    Object.assign(this, { id: client.id, key });
    for (const [user, role] of Object.entries(users)) {
      const { id } = await server.addUser(client, role, `${user}@example.mx`);
      this.people.set(user, { id, token: await this.login(user) });
    }
  }

  login = (name: string) => server.login(`${name}@example.mx`, this.key);
  personId = (name: string): number => this.people.get(name)?.id ?? 0;
  call = (as: string) => ({ key: this.key, token: this.people.get(as)?.token ?? '' });
  list = (query: string, as: string) => server.request('GET', `${PATH}?${query}`, this.call(as));
  follow = (url: string, as: string) => server.request('GET', url.slice(server.url.length), this.call(as));
}

describe('a client with six orders', () => {
  const shop = new Shop();
  beforeAll(async () => {
    const users = { jose: 'patient', maria: 'patient', eva: 'doctor' } as const;
    const employees = { employee: 'insurance_employee', other: 'insurance_employee' } as const;
    await shop.open('Historia', { ...users, ...employees });
    await storeOrders(history());
  });

  /** Makes six orders: 3 and 4 have one instant, 2 and 6 no dates. The shop's days begin at 06:00 UTC. */
  function history() {
    const jose = { id: shop.personId('jose'), firstName: 'José', lastName: 'Núñez', secondLastName: 'Peña' };
    const maria = { id: shop.personId('maria'), firstName: 'María José', lastName: 'López' };
    const ana = { id: 999_999, firstName: 'Ana', lastName: 'de la O' };
    const dates = (expected: string | null, max: string | null) => {
      const instant = (text: string | null) => (text === null ? null : `2026-03-${text}Z`);
      return { expectedDeliveryDate: instant(expected), maxDeliveryDate: instant(max) };
    };
    const orders = [
      { patient: jose, day: '01', ...dates('06T23:00:00.000', '10T23:00:00.000') },
      { patient: maria, day: '02', orderStatus: 'pending_approval', ...dates(null, null) },
      { patient: jose, day: '03', orderStatus: 'shipped', ...dates('07T05:59:59.999', '11T06:00:00.000') },
      { patient: maria, day: '03', orderStatus: 'delivered', ...dates('07T06:00:00.000', '20T23:00:00.000') },
      { patient: ana, day: '05', orderStatus: 'cancelled', ...dates('06T23:00:00.000', '11T05:59:59.999') },
      { patient: ana, day: '06', ...dates(null, null) },
    ] as const;
    return orders.map(({ day, ...order }, index) =>
      syntheticOrder({ ...order, id: index + 1, clientId: shop.id, createdAt: `2026-03-${day}T16:00:00.000Z` }),
    );
  }
  const list = (query: string, as = 'employee') => shop.list(query, as);

  it.each([
    ['order_status__in=shipped,%20approved,approved&ordering=created_at', [1, 3, 6]],
    // The orders 3 and 4 are due in the last millisecond of the 6th, and in the first of the 7th.
    ['expected_delivery_date_before=2026-03-06', [5, 3, 1]],
    ['expected_delivery_date_after=2026-03-07', [4]],
    ['max_delivery_date_before=2026-03-10', [5, 1]],
    ['max_delivery_date_after=2026-03-11', [4, 3]],
    ['nobody_knows_this=1', [6, 5, 4, 3, 2, 1]],
    // The first is the same letter as two code points.
    ['search=Nun%CC%83ez', [3, 1]],
  ])('lists for %s %j', async (query, expected) => {
    const answer = await list(query);
    expect([answer.status, answer.body.count, idsOf(answer)]).toEqual([200, expected.length, expected]);
  });

  it('has pages that link to their neighbours with all other parameters, and none behind the last', async () => {
    const asked = 'limit=2&order_status__in=approved%2Cshipped%2Cdelivered&ordering=created_at';
    const { body: first } = await list(`page=1&${asked}`);
    expect(first).toMatchObject({ count: 4, next: `${server.url}${PATH}?${asked}&page=2`, previous: null });
    const { body: last } = await list(`page=2&${asked}`);
    expect(last).toMatchObject({ count: 4, next: null, previous: `${server.url}${PATH}?${asked}&page=1` });
    const empty = { count: 0, next: null, previous: null, results: [] };
    expect((await list('order_status__in=quoted')).body).toEqual(empty);
    for (const query of ['order_status__in=quoted&page=2', 'search=nadie&page=2', 'page=9007199254740991']) {
      expect((await list(query)).status).toBe(404);
    }
  });

  it('links by cursor to what follows with all other parameters, whose limit may change', async () => {
    const { body } = await list('cursor=&order_status__in=approved&limit=1&utm=a');
    expect([body.count, body.previous]).toEqual([2, null]);
    expect(body.next).toMatch(/\/api\/orders\/\?order_status__in=approved&limit=1&utm=a&cursor=[\w.-]+$/);
    expect(idsOf(await shop.follow(body.next.replace('limit=1', 'limit=4'), 'employee'))).toEqual([1]);
  });

  describe('refuses a cursor', () => {
    const UNKNOWN = { status: 400, body: { cursor: [expect.any(String)] } };
    const ASKED = 'limit=1&order_status__in=approved,shipped&patient=';
    const asked = () => `${ASKED}${shop.personId('jose')}`;
    const begin = async () => new URL((await list(`${asked()}&cursor=`)).body.next).searchParams.get('cursor') ?? '';

    it('that says no place of this list', async () => {
      const [listName, createdAt, id] = JSON.parse(Buffer.from(await begin(), 'base64url').toString());
      const encode = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
      for (const content of [
        [listName, createdAt],
        [listName, `${createdAt}#`, id],
        [listName, createdAt, -1],
      ]) {
        const { status, body } = await list(`${asked()}&cursor=${encode(content)}`);
        expect({ content, status, body }).toEqual({ content, ...UNKNOWN });
      }
      const own = encode([listName, '9999-12-31T23:59:59.999Z', id]);
      expect((await list(`${asked()}&cursor=${own}`)).status).toBe(200);
    });

    it('of another query or reader, and in place of a page', async () => {
      const cursor = await begin();
      expect((await list(`${asked()}&cursor=${cursor}`)).status).toBe(200);
      for (const query of [
        `${ASKED}${shop.personId('maria')}`,
        `${asked()}&email=jose@example.mx`,
        `${asked()}&page=2`,
      ]) {
        const { status, body } = await list(`${query}&cursor=${cursor}`);
        expect({ query, status, body }).toEqual({ query, ...UNKNOWN });
      }
      for (const as of ['other', 'jose']) {
        expect(await list(`${asked()}&cursor=${cursor}`, as)).toMatchObject(UNKNOWN);
      }
    });
  });
});

describe('a client whose orders were placed on several days', () => {
  const shop = new Shop();
  /** Holds the ids of the orders, by their names. */
  const ids = new Map<string, number>();
  // Days of the shop begin at 06:00 UTC.
  const [MONDAY, TUESDAY, WEDNESDAY] = ['24T05:59:59.999Z', '24T06:00:00.000Z', '25T18:00:00.000Z'];
  const THURSDAY = '26T18:00:00.000Z';

  beforeAll(async () => {
    const users = {
      rosa: 'patient',
      hugo: 'patient',
      eva: 'doctor',
      leo: 'doctor',
      ines: 'insurance_employee',
    } as const;
    await shop.open('Filtros', users);
    // The first ids are those of the six orders.
    await orderIds().take('order', 10);
    await place('phoned', MONDAY, { email: 'Rosa@Example.mx', phone: '+52 1 (55) 1234-5678' }, 'ines');
    await place('told', TUESDAY, { email: 'rosa@example.mx', phone: '+525512345678' }, 'eva');
    await place('untold', WEDNESDAY, { email: 'rosa@example.mx' }, 'eva');
    await place('hugos', WEDNESDAY, { email: 'hugo@example.mx', phone: '+15551234567' }, 'ines');
    await forceStored(ids.get('hugos') ?? 0, { orderStatus: 'cancelled' });
    await place('erased', THURSDAY, { email: 'borrada@example.mx', phone: '+525587654321' }, 'ines');
    await place('picked up', THURSDAY, { email: 'luis@example.mx' }, 'ines', { shipping: undefined, store: 2 });
    setClock();
  });

  async function place(name: string, at: string, user: object, by: string, order: Record<string, unknown> = {}) {
    setClock(new Date(`2026-11-${at}`));
    const sent = orderBody('x', order);
    const call = { key: shop.key, token: await shop.login(by), body: { ...sent, user: { ...sent.user, ...user } } };
    const answer = await server.request('POST', `${PATH}resources/`, call);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    ids.set(name, answer.body.id);
  }

  type Query = Readonly<Record<string, string>>;
  const list = (query: Query, by = 'ines') => shop.list(String(new URLSearchParams(query)), by);
  const folio = (name: string) => folioOf(ids.get(name) ?? 0);
  async function named(query: Query, by?: string): Promise<(string | undefined)[]> {
    const { status, body } = await list(query, by);
    expect({ status, count: body.count }).toEqual({ status: 200, count: body.results?.length });
    return body.results.map(({ id }: { id: number }) => [...ids].find(([, known]) => known === id)?.[0]);
  }

  it.each<[Query, string[]]>([
    [{ created_at_before: '2026-11-23' }, ['phoned']],
    [{ created_at_after: '2026-11-24', created_at_before: '2026-11-25' }, ['hugos', 'untold', 'told']],
    [{ email: ' ROSA@example.MX ', ordering: 'created_at' }, ['phoned', 'told', 'untold']],
    // A doctor is no patient.
    [{ email: 'eva@example.mx' }, []],
    [{ phone: ' +5215512345678 ' }, ['untold', 'told', 'phoned']],
    [{ phone: '+525512345679' }, []],
    [{ phone: '+525512345678', email: 'rosa@example.mx', created_at_before: '2026-11-23' }, ['phoned']],
    [{ store: '2' }, ['picked up']],
    [{ folio: 'RX-999999999999999' }, []],
  ])('lists for %j %j', async (query, expected) => {
    expect(await named(query)).toEqual(expected);
  });

  it('finds by folio, in either case, its order alone, if it passes every other filter, on one page', async () => {
    const told = folio('told');
    const passed = {
      ...{ order_status__in: 'approved', payment_status__in: 'unpaid', search: 'ana', email: 'rosa@example.mx' },
      ...{ created_at_after: '2026-11-24', expected_delivery_date_before: '2026-11-27', ordering: 'created_at' },
    };
    expect(await named({ folio: told.toLowerCase(), ...passed })).toEqual(['told']);
    expect((await list({ folio: told, page: '2' })).status).toBe(404);
    for (const filter of [{ order_status__in: 'quoted' }, { search: 'nadie' }, { created_at_before: '2026-11-23' }]) {
      expect([filter, await named({ folio: told, ...filter })]).toEqual([filter, []]);
    }
  });

  // `proofs/attacks/doctors` has what a doctor finds by a phone.
  it.each([
    ['rosa', { folio: 'told' }, ['told']],
    ['leo', { folio: 'told' }, []],
    ['eva', { email: 'rosa@example.mx' }, ['untold', 'told']],
    ['leo', { email: 'rosa@example.mx' }, []],
    ['rosa', { phone: '+525512345678', folio: 'untold' }, ['untold']],
  ])('%s finds with %j no order that is not theirs', async (by, { folio: of, ...query }: Query, expected) => {
    expect(await named({ ...query, ...(of && { folio: folio(of) }) }, by)).toEqual(expected);
  });

  it('finds by the claim with the insurer, with other filters too', async () => {
    await forceStored(ids.get('told') ?? 0, { insuranceRefundStatus: 'sent_to_insurer' });
    expect(await named({ insurance_refund_status: 'sent_to_insurer' })).toEqual(['told']);
    expect(await named({ insurance_refund_status: 'not_started', store: '2' })).toEqual(['picked up']);
    expect(await named({ insurance_refund_status: 'sent_to_insurer', search: 'paz' }, 'eva')).toEqual(['told']);
  });

  it('goes on behind an order that has left the list meanwhile', async () => {
    const first = await list({ order_status__in: 'approved', ordering: 'created_at', limit: '2', cursor: '' });
    expect(idsOf(first)).toEqual([ids.get('phoned'), ids.get('told')]);
    await forceStored(ids.get('told') ?? 0, { orderStatus: 'quoted' });
    expect(idsOf(await shop.follow(first.body.next, 'ines'))[0]).toBe(ids.get('untold'));
  });

  it('finds nobody who was erased', async () => {
    expect(await named({ email: 'borrada@example.mx' })).toEqual(['erased']);
    await forceStored(ids.get('erased') ?? 0, { orderStatus: 'delivered', paymentStatus: 'paid' });
    const who = ['--client', String(shop.id), '--email', 'borrada@example.mx'];
    expect((await operate('pipe', 'patients', 'erase', ...who, '--yes', '--json')).code).toBe(0);
    expect(await named({ email: 'borrada@example.mx' })).toEqual([]);
    expect(await named({ phone: '+525587654321' })).toEqual([]);
    expect(await named({ folio: folio('erased') })).toEqual(['erased']);
  });
});
