import { beforeAll, describe, expect, it } from 'vitest';
import { table } from '../../../shared/deps.ts';
import { getOrderOfAnyClient } from '../../../shared/order/orders.ts';
import { orderBody } from '../../support/orders/samples.ts';
import { useServer } from '../../support/servers/test-server.ts';

// A text of a body or a query is the same however it is written, on its way through gateway, handler and table.

const server = useServer();
let token: string;
beforeAll(async () => {
  token = await server.login('aseguradora@demo.example');
  await place(orderBody('textos@example.mx'));
});

const place = (body: object) => server.request('POST', '/api/orders/resources/', { token, body });

/** Returns an order whose patient has this first name. */
function orderOf(first_name: string) {
  const body = orderBody('formas@example.mx');
  return { ...body, user: { ...body.user, first_name } };
}

describe('a text of a body', () => {
  it('may have line ends and tabs where it has lines', async () => {
    const lines = 'dos\r\nlíneas\tmás';
    const body = orderBody('lineas@example.mx', { comments: lines });
    const { status, body: created } = await place(body);
    expect([status, (await getOrderOfAnyClient(table(), created.id))?.comments]).toEqual([201, lines]);
    const refused = await place(orderOf(lines));
    expect([refused.status, Object.keys(refused.body.user)]).toEqual([400, ['first_name']]);
  });

  it('is the same however its accents are written', async () => {
    const created = await place(orderOf('A\u0301ngel Nu\u0303n\u0303ez'));
    expect(created.body.patient.user.first_name).toBe('Ángel Nũñez');
    const search = encodeURIComponent('Ángel');
    const { body: found } = await server.request('GET', `/api/orders/?search=${search}`, { token });
    expect(found.results.map(({ id }: { id: number }) => id)).toEqual([created.body.id]);
  });

  it('finds a coupon however it is typed', async () => {
    const quote = { details: [{ product: 1, quantity: 10 }], zipcode: '06700' };
    for (const coupon of ['BIENVENIDA10', ' bienvenida10', 'ＢＩＥＮvenida¹⁰']) {
      const { body } = await server.request('POST', '/api/orders/calculate/', { body: { ...quote, coupon } });
      expect([coupon, body.coupon?.code]).toEqual([coupon, 'BIENVENIDA10']);
    }
  });
});

describe('the encoding of a body', () => {
  const quote = JSON.stringify({ details: [{ product: 1, quantity: 1 }], zipcode: '06700' });
  const ask = (type: string, body: string | Buffer = quote) =>
    server.request('POST', '/api/orders/calculate/', { body, headers: { 'Content-Type': type } });

  it.each(['application/json;charset=utf-8', 'application/json; Charset="UTF-8"', 'application/json ; charset=utf8'])(
    'is UTF-8: %s',
    async (type) => {
      expect((await ask(type)).status).toBe(201);
    },
  );

  it.each([
    'application/json; charset=ISO-8859-1',
    'application/json;charset="windows-1252"',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
  ])('is no other one: %s', async (type) => {
    const { status, body } = await ask(type, Buffer.from('ff', 'hex'));
    expect([status, body.code]).toEqual([415, 'not_json']);
  });
});

describe('a text of a query', () => {
  it.each(['/api/products/', '/api/orders/', '/api/stores/'])('finds nothing by signs alone in %s', async (path) => {
    const count = async (search: string) =>
      (await server.request('GET', `${path}?search=${search}`, { token })).body.count;
    const all = await count('');
    expect(all).toBeGreaterThan(0);
    expect(await Promise.all(['%20', '%E2%80%8B', '%09'].map(count))).toEqual([all, all, all]);
    expect(await Promise.all(['%C2%B4', '***', '%27', '%CC%81'].map(count))).toEqual([0, 0, 0, 0]);
  });

  it('joins the parts of a list, and takes the last of another parameter', async () => {
    const ids = async (query: string) => {
      const { body } = await server.request('GET', `/api/products/?${query}&ordering=price`, { token });
      return body.results.map(({ id }: { id: number }) => id).sort();
    };
    expect(await ids('id__in=1&id__in=2')).toEqual([1, 2]);
    expect(await ids('id__in=1,3&id__in=&id__in=2')).toEqual([1, 2, 3]);
    expect(await ids('id__in=')).toEqual([]);
    expect(await ids('id__in=1&limit=0&limit=5')).toEqual([1]);
    const listed = async (path: string) => {
      const { status, body } = await server.request('GET', path, { token });
      return { status, ...body };
    };
    const faceted = await listed('/api/products/?facets=base__category&facets=base__pharmaceutical_company&limit=1');
    expect(Object.keys(faceted.facets)).toEqual(['base__category', 'base__pharmaceutical_company']);
    const ordered = await listed(
      '/api/orders/?ordering=expected_delivery_date&ordering=-created_at&include=lines&include=comments',
    );
    expect(ordered).toEqual(
      await listed('/api/orders/?ordering=expected_delivery_date,-created_at&include=lines,comments'),
    );
    expect(ordered.results[0]).toMatchObject({ lines: expect.any(Array), comments: expect.any(String) });
    expect(await listed(faceted.next.replace(/^.*(?=\/api)/, ''))).toMatchObject({ facets: faceted.facets });
    const orders = async (query: string) =>
      (await server.request('GET', `/api/orders/?${query}`, { token })).body.count;
    const approved = await orders('order_status__in=approved');
    expect(await orders('order_status__in=cancelled&order_status__in=approved')).toBe(approved);
    expect([await orders('order_status__in='), await orders('payment_status__in=')]).toEqual([0, 0]);
  });
});
