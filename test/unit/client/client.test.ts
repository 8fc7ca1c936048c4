import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { makeTypes } from '../../../infra/client/build.ts';
import type { product, productListItem } from '../../../shared/api/catalog/products.ts';
import type { orderListItem, ordersContract } from '../../../shared/api/orders/order-list.ts';
import type { createOrderContract, order, updateOrderContract } from '../../../shared/api/orders/orders.ts';
import type { quotation, quoteContract } from '../../../shared/api/orders/quotes.ts';
import type * as client from '../../../shared/client/client.ts';
import { createClient, verifyWebhook, WebhookError } from '../../../shared/client/client.ts';
import { openScriptedApi, type Scripted } from '../../support/engines/scripted-api.ts';

const page = (ids: readonly number[], next: string | null = null): Scripted => ({
  status: 200,
  body: { count: 5, next, previous: null, results: ids.map((id) => ({ id })) },
});
const NEW_PASSWORD = { token: 't', password: 'una clave larga' };
const elsewhere = (cursor: string) => `https://elsewhere.example/v2/api/products/?cursor=${cursor}`;

async function open(...script: readonly Scripted[]) {
  const api = await openScriptedApi(...script);
  const client = createClient({ baseUrl: `${api.url}/`, apiKey: 'key', language: 'en' });
  return { client, lines: () => api.heard.map(({ line }) => line), heard: api.heard };
}

it('a page is requested with its filters, lists with commas, and without undefined ones', async () => {
  const { client, lines, heard } = await open(page([3, 4]));
  const ordering: ('-price' | 'base__name')[] = ['-price', 'base__name'];
  const filters = { search: 'ácido & más', has_shortage: false, id__in: [3, 4], ordering, is_active: undefined };
  const answer = await client.products.list(filters);
  expect(answer).toEqual({ count: 5, next: null, previous: null, results: [{ id: 3 }, { id: 4 }] });
  const query = 'search=%C3%A1cido+%26+m%C3%A1s&has_shortage=false&id__in=3%2C4&ordering=-price%2Cbase__name';
  expect(lines()).toEqual([`GET /v2/api/products/?${query}`]);
  expect(heard[0]?.headers['accept-language']).toBe('en');
});

it.each<[string, (own: client.Botica) => Promise<unknown>, string?]>([
  ['GET /v2/api/me/', ({ me }) => me()],
  ['PATCH /v2/api/me/', ({ updateProfile }) => updateProfile({ phone: '5512345678' }), '{"phone":"5512345678"}'],
  ['GET /v2/api/me/export/?cursor=x', ({ exportProfile }) => exportProfile({ cursor: 'x' })],
  ['POST /v2/api/password/', ({ requestPassword }) => requestPassword('a@b.mx'), '{"email":"a@b.mx"}'],
  ['PUT /v2/api/password/', ({ resetPassword }) => resetPassword(NEW_PASSWORD), JSON.stringify(NEW_PASSWORD)],
  ['GET /v2/api/products/7/', ({ products }) => products.get(7)],
  ['GET /v2/api/products/7/substitutes/?limit=2', ({ products }) => products.substitutes(7, { limit: 2 })],
  ['GET /v2/api/products/7/availability/', ({ products }) => products.availability(7)],
  ['GET /v2/api/categories/?limit=2', ({ categories }) => categories.list({ limit: 2 })],
  ['GET /v2/api/pharmaceutical-companies/?limit=2', ({ companies }) => companies.list({ limit: 2 })],
  ['GET /v2/api/diseases/?limit=2', ({ diseases }) => diseases.list({ limit: 2 })],
  ['GET /v2/api/stores/?limit=2', ({ stores }) => stores.list({ limit: 2 })],
  ['GET /v2/api/payment-methods/?limit=2', ({ paymentMethods }) => paymentMethods.list({ limit: 2 })],
  ['GET /v2/api/orders/7/?include=comments', ({ orders }) => orders.get(7, { include: ['comments'] })],
  ['GET /v2/api/orders/7/?include=payments', ({ orders }) => orders.payments(7)],
  ['GET /v2/api/orders/7/events/?limit=2', ({ orders }) => orders.events(7, { limit: 2 })],
  ['POST /v2/api/orders/7/payment/', ({ orders }) => orders.pay(7, { payment_method: 3 }), '{"payment_method":3}'],
  ['PUT /v2/api/orders/7/request-invoice/', ({ orders }) => orders.requestInvoice(7, 9), '{"invoicing":9}'],
])('%s is what a call sends', async (line, call, body = '') => {
  const { client, heard } = await open({ status: 200, body: {} });
  await call(client);
  expect(heard.map((sent) => [sent.line, sent.body])).toEqual([[line, body]]);
});

describe('a walk over a list', () => {
  it('yields every item, from cursor to cursor, at the address of the client', async () => {
    const { client, lines } = await open(page([1, 2], elsewhere('a%2Bb')), page([3, 4], elsewhere('c')), page([5]));
    const ids = (await Array.fromAsync(client.products.each({ limit: 2 }))).map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3, 4, 5]);
    expect(lines()).toEqual([
      'GET /v2/api/products/?limit=2&cursor=',
      'GET /v2/api/products/?limit=2&cursor=a%2Bb',
      'GET /v2/api/products/?limit=2&cursor=c',
    ]);
  });

  it('fetches no page before it is needed', async () => {
    const { client, lines } = await open(page([1, 2], elsewhere('a')));
    for await (const { id } of client.categories.each()) if (id === 2) break;
    expect(lines()).toEqual(['GET /v2/api/categories/?cursor=']);
  });

  it('goes on behind the cursor that it is given', async () => {
    const { client, lines } = await open(page([5]));
    await Array.fromAsync(client.diseases.each({ cursor: 'c' }));
    expect(lines()).toEqual(['GET /v2/api/diseases/?cursor=c']);
  });
});

describe('a walk over events', () => {
  const events = (ids: readonly string[], cursor: string): Scripted => ({
    status: 200,
    body: { next: elsewhere(cursor), results: ids.map((id) => ({ id })) },
  });

  it('yields what is new with the cursor behind it, and asks again until it is stopped', async () => {
    const { client, lines } = await open(
      events(['evt_1_1_0', 'evt_2_1_0'], 'a'),
      events([], 'b'),
      events([], 'b'),
      events(['evt_1_2_0'], 'c'),
    );
    const stop = new AbortController();
    const seen: unknown[] = [];
    const walk = async () => {
      const batches = client.events.follow({ type: ['order.paid'] }, { signal: stop.signal, pollMs: 1 });
      for await (const { events, cursor } of batches) {
        seen.push([events.map(({ id }) => id), cursor]);
        if (cursor === 'c') stop.abort(new Error('enough'));
      }
    };
    await expect(walk()).rejects.toThrow('enough');
    expect(seen).toEqual([
      [['evt_1_1_0', 'evt_2_1_0'], 'a'],
      [['evt_1_2_0'], 'c'],
    ]);
    expect(lines()).toEqual(
      ['', 'a', 'b', 'b'].map((cursor) => `GET /v2/api/events/?cursor=${cursor}&type=order.paid&limit=100`),
    );
  });

  it('goes on where it is told to, one question at a time', async () => {
    const { client, lines } = await open(events([], 'd'));
    expect(await client.events.list({ cursor: 'c' })).toEqual({ events: [], cursor: 'd' });
    expect(lines()).toEqual(['GET /v2/api/events/?cursor=c']);
  });
});

describe('the types of the client', () => {
  it('are up to date with the OpenAPI document', () => {
    const written = readFileSync(join(import.meta.dirname, '../../../shared/client/types.ts'), 'utf8');
    expect(written, 'run `npm run client`').toBe(makeTypes());
  });

  // Types inferred from a contract must equal those made from the OpenAPI document; tsc checks it.
  it('equal the types inferred from the contracts', () => {
    expectTypeOf<client.QuoteRequest>().toEqualTypeOf<z.input<typeof quoteContract.body>>();
    expectTypeOf<client.Quotation>().toEqualTypeOf<z.output<typeof quotation>>();
    expectTypeOf<client.CreateOrderRequest>().toEqualTypeOf<z.input<typeof createOrderContract.body>>();
    expectTypeOf<client.Order>().toEqualTypeOf<z.output<typeof order>>();
    expectTypeOf<client.ListOrder>().toEqualTypeOf<z.output<typeof orderListItem>>();
    expectTypeOf<client.Product>().toEqualTypeOf<z.output<typeof product>>();
    expectTypeOf<client.ListProduct>().toEqualTypeOf<z.output<typeof productListItem>>();
  });

  it('name the parameters of the route, and accept exactly one change of an order', () => {
    expectTypeOf<client.UpdateOrderRequest>().toExtend<z.input<typeof updateOrderContract.body>>();
    expectTypeOf<object>().not.toExtend<client.UpdateOrderRequest>();
    type Query = client.Operations['GET /api/orders/']['query'];
    expectTypeOf<keyof Query>().toEqualTypeOf<keyof z.input<typeof ordersContract.query>>();
  });
});

it('the codes of errors are a type, which leaves room for later ones', () => {
  expectTypeOf<'order_not_changeable'>().toExtend<client.ErrorCode>();
  expectTypeOf<'total_changed'>().toExtend<client.ErrorCode>();
  expectTypeOf<'no_such_code'>().not.toExtend<client.ErrorCode>();
  expectTypeOf<'no_such_code'>().toExtend<client.BoticaError['code']>();
});

// These secrets are made up; the public library signs with them.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_plJ3nmyCDGBKInavdOK15jsl3fQ8ZcBv';
const BODY = '{"id":"evt_12_3_0","type":"order.moved","time":"2026-11-23T18:00:00.000Z"}';
const EVENT = { id: 'evt_12_3_0', type: 'order.moved', time: '2026-11-23T18:00:00.000Z' };

const sign = (secrets: readonly string[], sentAt = new Date()) => ({
  'webhook-id': 'evt_12_3_0',
  'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('evt_12_3_0', sentAt, BODY)).join(' '),
});
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

const GOOD = sign([SECRET]);

describe('verifyWebhook', () => {
  it('returns the event that the public library has signed, with headers in any case and form', async () => {
    const headers = sign([SECRET]);
    expect(await verifyWebhook({ headers, body: BODY }, { secret: SECRET })).toEqual(EVENT);
    expect(await verifyWebhook({ headers: new Headers(headers), body: BODY }, { secret: SECRET })).toEqual(EVENT);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifyWebhook({ headers: shouted, body: BODY }, { secret: SECRET })).toEqual(EVENT);
  });

  it('takes either secret while one replaces the other, on both sides', async () => {
    expect(await verifyWebhook({ headers: sign([OTHER, SECRET]), body: BODY }, { secret: SECRET })).toEqual(EVENT);
    expect(await verifyWebhook({ headers: sign([SECRET]), body: BODY }, { secret: [OTHER, SECRET] })).toEqual(EVENT);
  });

  it.each([
    ['another secret', { headers: sign([OTHER]), body: BODY }],
    ['another body', { headers: GOOD, body: BODY.replace('moved', 'paid') }],
    ['another id', { headers: { ...GOOD, 'webhook-id': 'evt_12_4_0' }, body: BODY }],
    ['no header at all', { headers: {}, body: BODY }],
    ['a time that is none', { headers: { ...GOOD, 'webhook-timestamp': 'now' }, body: BODY }],
    ['a time of six minutes ago', { headers: sign([SECRET], minutesAgo(6)), body: BODY }],
    ['a time in six minutes', { headers: sign([SECRET], minutesAgo(-6)), body: BODY }],
  ])('refuses %s', async (_, request) => {
    await expect(verifyWebhook(request, { secret: SECRET })).rejects.toThrow(WebhookError);
  });

  it('says that a secret is none', async () => {
    const message = { headers: sign([SECRET]), body: BODY };
    await expect(verifyWebhook(message, { secret: 'my secret' })).rejects.toThrow('begins with whsec_');
  });
});
