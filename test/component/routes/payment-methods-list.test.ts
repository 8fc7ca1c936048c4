import { beforeAll, describe, expect, it } from 'vitest';
import { addGatewayKey, createClient } from '../../../shared/access/clients.ts';
import { ids, table } from '../../../shared/deps.ts';
import type { Role } from '../../../shared/people/rules/roles.ts';
import { idsOf } from '../../support/orders/list-rules.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { type DemoTokens, useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/payment-methods/';
const server = useServer();
let tokens: DemoTokens;
beforeAll(async () => {
  tokens = await server.loginDemoUsers();
});

const list = (query: string, token = tokens.employee) => server.request('GET', PATH + query, { token });

/** Adds a client with one user, and returns the credentials of both. */
async function newcomer(role: Role, paymentMethods: number[], credit: 'employees' | 'everyone') {
  const { id, value: key } = server.keys.create({ name: `of ${role}`, enabled: true });
  const terms = { name: 'Nueva', origin: 'other', paymentMethods, carrierName: null, credit };
  const client = await createClient(table(), ids(), terms, new Date());
  await addGatewayKey(table(), client.id, id);
  const email = 'nueva@example.mx';
  const user = await server.addUser(client, role, email);
  return { key, user, email, token: await server.login(email, key) };
}

const CARD = {
  id: 1,
  name: 'Tarjeta',
  fee: '0.029',
  fixed_fee: '2.50',
  created_at: '2026-01-09T16:00:00.000Z',
  updated_at: '2026-04-01T16:00:00.000Z',
};
const CREDIT = {
  id: 2,
  name: 'Crédito',
  fee: '0.00',
  fixed_fee: '0.00',
  created_at: '2026-01-10T16:00:00.000Z',
  updated_at: '2026-04-02T16:00:00.000Z',
};
// Without `include` the list does not show the field `collection`.
const ONLINE_CARD = {
  id: 3,
  name: 'Tarjeta en línea',
  fee: '0.036',
  fixed_fee: '3.00',
  created_at: '2026-01-11T16:00:00.000Z',
  updated_at: '2026-03-31T16:00:00.000Z',
};

describe('the list of payment methods', () => {
  it('has those of the client, as the interface shows them, last changed first', async () => {
    const { status, headers, body } = await list('');
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 5, next: null, previous: null });
    expect(body.results.slice(0, 3)).toEqual([CREDIT, CARD, ONLINE_CARD]);
    expect([headers['cache-control'], headers.etag]).toEqual(['no-store', undefined]);
  });

  it('says with include=collection how each is collected, on every page of a cursor', async () => {
    const collections: unknown[] = [];
    for (let next = `${PATH}?include=collection&ordering=name&limit=2&cursor=`; next; ) {
      const { status, body } = await server.request('GET', next, { token: tokens.employee });
      expect(status).toBe(200);
      collections.push(...body.results.map(({ id, collection }: Record<string, unknown>) => [id, collection]));
      next = body.next?.slice(server.url.length);
    }
    expect(collections).toEqual([
      [2, null],
      [4, 'oxxo'],
      [5, 'spei'],
      [1, null],
      [3, 'card'],
    ]);
    const refused = await list('?include=collection,fee');
    expect([refused.status, refused.body]).toEqual([400, { include: [expect.stringContaining('collection')] }]);
  });

  it('is ordered, searched and paged as other lists', async () => {
    expect(idsOf(await list('?ordering=updated_at'))).toEqual([5, 4, 3, 1, 2]);
    expect(idsOf(await list('?search=CREDITO'))).toEqual([2]);
    const { body } = await list('?limit=4&page=2');
    expect(body).toEqual({
      count: 5,
      next: null,
      previous: `${server.url}${PATH}?limit=4&page=1`,
      results: [expect.objectContaining({ id: 5 })],
    });
  });

  it('is read by cursor, which belongs to the user', async () => {
    const first = await list('?cursor=&limit=4');
    const rest = first.body.next.slice(`${server.url}${PATH}`.length);
    expect([idsOf(first), idsOf(await list(rest))]).toEqual([[2, 1, 3, 4], [5]]);
    expect(Object.keys((await list(rest, tokens.doctor)).body)).toEqual(['cursor']);
  });

  it.each([
    ['employee', 'aseguradora@demo.example', [2, 1, 3, 4, 5]],
    ['patient', 'paciente@demo.example', [1, 3, 4, 5]],
    ['doctor', 'doctora@demo.example', [1, 3, 4, 5]],
  ] as const)('has for a %s exactly the methods that an order of theirs accepts', async (role, email, expected) => {
    const token = tokens[role];
    expect(idsOf(await list('', token))).toEqual(expected);
    const accepted: number[] = [];
    for (const payment_method of [6, 2, 1, 3, 4, 5, 0]) {
      const body = orderBody(role === 'patient' ? email : 'pago@example.mx', { payment_method });
      const answer = await server.request('POST', '/api/orders/resources/', { token, body });
      expect([201, 400]).toContain(answer.status);
      if (answer.status === 201) accepted.push(payment_method);
    }
    expect(accepted).toEqual(expected);
  });

  it.each([
    ['with credit for everyone', 'patient', [2, 1], 'everyone', [2, 1]],
    ['with credit for employees', 'patient', [2, 1], 'employees', [1]],
    ['with nothing but credit', 'doctor', [2], 'employees', []],
    ['with a method that is not published', 'insurance_employee', [99, 1], 'employees', [1]],
  ] as const)('has for users of a client %s what it allows', async (_, role, methods, credit, expected) => {
    const { token, key } = await newcomer(role, [...methods], credit);
    const { body } = await server.request('GET', PATH, { token, key });
    expect([body.count, ...body.results.map(({ id }: { id: number }) => id)]).toEqual([expected.length, ...expected]);
  });
});
