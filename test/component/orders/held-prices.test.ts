import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addGatewayKey } from '../../../shared/access/clients.ts';
import { ids, invoicing, table } from '../../../shared/deps.ts';
import { createUser, userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { couponCounterKey } from '../../../shared/store/keys.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { republish } from '../../support/engines/catalog-bucket.ts';
import { elementsOf } from '../../support/invoices/xml-elements.ts';
import { ADDRESS, INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { countStoredOrders, listStoredDocuments } from '../../support/orders/stored-orders.ts';
import { useDemoTokens, useServer } from '../../support/servers/test-server.ts';

const QUOTES = '/api/orders/calculate/';
const ORDERS = '/api/orders/resources/';
// This is noon on a Saturday in Mexico City.
const SATURDAY = Date.parse('2026-11-21T18:00:00.000Z');

const server = useServer({ settings: { CATALOG_BUCKET: 'held-prices' } });
const tokens = useDemoTokens(server);
beforeAll(() => publish(catalog()));
beforeEach(() => setClock(new Date(SATURDAY)));
afterEach(() => setClock());

/** The catalog of quotes, with coupons that have limits. */
function catalog() {
  const records = quoteCatalog();
  const limited = [
    { id: 91, code: 'UNAVEZ', value: '0.10', max_redemptions_per_patient: 1 },
    { id: 92, code: 'ULTIMO', value: '0.10', max_redemptions: 1 },
  ];
  return { ...records, coupons: [...records.coupons, ...limited] };
}

/**
 * Another catalog of everything that a quote depends on: prices, IVA, rates, coupons, holidays. Product 1 is renamed, so
 * that an order shows what is today's.
 */
function dearerCatalog() {
  const records = catalog();
  return {
    ...records,
    bases: records.bases.map((one) => (one.id === 1 ? { ...one, name: 'Producto renombrado' } : one)),
    products: records.products.map((one) => ({ ...one, price: '900.00', has_iva: !one.has_iva })),
    shipping_rates: [{ id: 1, shipping_method: 1, zip_from: '10000', zip_to: '19999', price: '500.00' }],
    coupons: [],
    holidays: ['2026-11-23', '2026-11-24', '2026-11-25', '2026-11-26'].map((date) => ({ date, name: 'Puente' })),
  };
}

const MINUTE_MS = 60_000;
/** Publishes a catalog, and goes on some minutes after the Saturday noon. */
const publish = (records: ReturnType<typeof catalog>, minutes = 0) =>
  republish(records, new Date(SATURDAY + minutes * MINUTE_MS));

const THREE = [
  { product: 1, quantity: 2 },
  { product: 2, quantity: 1 },
  { product: 3, quantity: 3 },
];
const TO_12345 = { shipping: { ...ADDRESS, zipcode: '12345' } };

/** Answers are in English. */
const ask = (
  path: string,
  body: object,
  call: { token?: string; key?: string; headers?: Record<string, string> } = {},
) => server.request('POST', path, { ...call, headers: { 'Accept-Language': 'en', ...call.headers }, body });
const quote = (body: object) => ask(QUOTES, body);
const place = (email: string, order: object, token = tokens.employee, headers = {}) =>
  ask(ORDERS, orderBody(email, { details: THREE, ...TO_12345, ...order }), { token, headers });
/** Quotes the three products to 12345 with a coupon and returns the token of the hold. */
async function hold(more: object = {}, call: { key?: string } = {}): Promise<string> {
  const answer = await ask(QUOTES, { details: THREE, zipcode: '12345', coupon: 'DIEZ', hold: true, ...more }, call);
  expect([answer.status, answer.body.errors]).toEqual([201, {}]);
  return answer.body.hold.token;
}
const findUser = (email: string) => userByEmail(table(), server.client.id, email);
const refusedHold = (...words: string[]) => ({
  status: 400,
  body: { order: { hold: words.map((word) => expect.stringContaining(word)) } },
});
const PRESCRIBED = { prescriptions: [{ document: PDF, issue_date: '2026-11-01' }] };
const SPENT = { order: { coupon: ['The coupon has been used as often as it can be.'] } };

describe('the total that an order expects', () => {
  it('is met as a text or a number, and else refused with the quote', async () => {
    const expecting = (expected_total: unknown, more: object = {}) =>
      place('esperado@example.mx', { coupon: 'DIEZ', expected_total, ...more });
    const entire = { details: [{ product: 10, quantity: 5 }], shipping: undefined, store: 1, coupon: undefined };
    // Worked out by hand.
    expect((await expecting('819.84')).body.total).toBe('819.84');
    for (const total of [200, '200.0', null]) expect((await expecting(total, entire)).body.total).toBe('200.00');
    const { body: now } = await quote({ details: THREE, zipcode: '12345', coupon: 'DIEZ' });
    expect(now.total).toBe('819.84');
    for (const total of ['819.83', 819.85, 0]) {
      expect(await expecting(total)).toMatchObject({ status: 409, body: { code: 'total_changed', quote: now } });
    }
  });

  it('leaves nothing behind when it is refused', async () => {
    const before = [await countStoredOrders(), await listStoredDocuments()];
    const order = { coupon: 'ULTIMO', ...PRESCRIBED, expected_total: '819.83' };
    const key = { 'Idempotency-Key': 'total-esperado' };
    const refused = await place('nadie@example.mx', order, tokens.employee, key);
    expect([refused.status, refused.body.code]).toEqual([409, 'total_changed']);
    expect([await countStoredOrders(), await listStoredDocuments()]).toEqual(before);
    expect(await findUser('nadie@example.mx')).toBeUndefined();
    expect(await table().get(couponCounterKey(server.client.id, 92))).toBeUndefined();
    // The key is free for the order with the right total, which takes the one redemption.
    const placed = await place('nadie@example.mx', { ...order, expected_total: '819.84' }, tokens.employee, key);
    expect([placed.status, placed.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it.each([
    [' ', 'no coupon'],
    ['MINIMO', '500.00'],
    ['ULTIMO', 'has been used'],
  ])('has no coupon left out: %j', async (coupon, message) => {
    // Product 3, three times, is 339.99.
    const details = [{ product: 3, quantity: 3 }];
    const { status, body } = await place('sin@example.mx', { details, coupon, expected_total: '1' });
    expect({ status, body }).toEqual({ status: 400, body: { order: { coupon: [expect.stringContaining(message)] } } });
    expect((await place('sin@example.mx', { details, coupon })).body.coupon).toBeNull();
  });

  it('tells nobody who has a phone, and no doctor where a patient lives', async () => {
    const name = { firstName: 'Eva', lastName: 'Sol', secondLastName: null };
    const held = {
      ...name,
      role: 'patient',
      email: 'eva@example.mx',
      phone: '+525512349999',
      passwordHash: null,
    } as const;
    await createUser(table(), ids(), { ...held, clientId: server.client.id }, new Date());
    const { user, order } = orderBody('otra-eva@example.mx', { details: THREE, ...TO_12345, expected_total: 1 });
    const taken = { user: { ...user, phone: held.phone }, order };
    expect((await ask(ORDERS, taken, { token: tokens.doctor })).body.code).toBe('total_changed');
    await place('domicilio@example.mx', {});
    const toDefault = { shipping: undefined, expected_total: 1 };
    for (const email of ['domicilio@example.mx', 'desconocida@example.mx']) {
      const { status, body } = await place(email, toDefault, tokens.doctor);
      expect([status, Object.keys(body.order)]).toEqual([400, ['shipping']]);
    }
    expect((await place('domicilio@example.mx', toDefault)).body.quote.total).toBe('905.38');
  });
});

describe('a quote that is to be held', () => {
  it('answers as one that is not, and a token for 15 minutes', async () => {
    const asked = { details: THREE, zipcode: '12345', coupon: 'DIEZ' };
    const plain = await quote(asked);
    const { status, body } = await quote({ ...asked, hold: true });
    const { hold: held, ...rest } = body;
    expect([status, rest]).toEqual([201, plain.body]);
    expect(held).toEqual({ token: expect.stringMatching(/^[\w.-]+$/), valid_until: '2026-11-21T18:15:00.000Z' });
    for (const none of [false, null]) expect((await quote({ ...asked, hold: none })).body).toEqual(plain.body);
    const prescribed = await quote({ details: [{ product: 10, quantity: 1 }], store: 1, hold: true });
    expect(prescribed.body).toMatchObject({ errors: {}, hold: { valid_until: '2026-11-21T18:15:00.000Z' } });
  });

  const TO_ZIP = { zipcode: '12345' };
  it.each([
    ['without a destination', {}, 'hold'],
    ['of nothing', { ...TO_ZIP, details: [{ product: 1, quantity: 0 }] }, 'hold'],
    ['with an invalid coupon', { ...TO_ZIP, coupon: 'VIEJO' }, 'coupon'],
    ['of what is out of stock', { ...TO_ZIP, details: [{ product: 5, quantity: 1 }] }, 'details'],
  ])('is not held %s, and says why', async (_, more, field) => {
    const { status, body } = await quote({ details: THREE, hold: true, ...more });
    expect([status, body.hold, Object.keys(body.errors)]).toEqual([201, null, [field]]);
  });
});

describe('an order at a held price', () => {
  it('has the figures, dates and rates of the quote, whatever was published meanwhile, and is invoiced so', async () => {
    const token = await hold();
    await publish(dearerCatalog(), 14);
    const sent = orderBody('apartado@example.mx', { details: THREE, ...TO_12345, coupon: 'diez', hold: token });
    const { status, body } = await ask(ORDERS, { ...sent, invoicing: INVOICING }, { token: tokens.employee });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      subtotal: '760.98',
      discount: '76.10',
      iva: '84.96',
      shipping_price: '99.00',
      shipping_discount: '49.00',
      shipping_cost: '80.00',
      total: '819.84',
      coupon: { code: 'DIEZ', value: '0.10' },
      shipping_method: { id: 1, company: 'Uno' },
      expected_delivery_date: '2026-11-25T23:00:00.000Z',
      max_delivery_date: '2026-11-30T23:00:00.000Z',
      details: [
        { price: '85.50', quantity: 2, subtotal: '171.00', discount: '17.10', iva: '0.00', total: '153.90' },
        { price: '249.99', quantity: 1, subtotal: '249.99', discount: '25.00', iva: '36.00', total: '260.99' },
        { price: '113.33', quantity: 3, subtotal: '339.99', discount: '34.00', iva: '48.96', total: '354.95' },
      ],
    });
    expect(body.details[0].product).toMatchObject({ id: 1, name: 'Producto renombrado', price: '900.00' });
    const { xml: bytes } = await (await invoicing()).files(body.cfdi, AbortSignal.timeout(5_000));
    const xml = Buffer.from(bytes).toString();
    const [{ attributes } = { attributes: {} }] = elementsOf(xml);
    expect(attributes).toMatchObject({ Total: '819.84' });
    // The line at 0, whatever the product has today.
    expect(xml).toMatch(/Base="153.90" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.000000"/);
    // Without the hold it is today's: 6 × 900.00, 16 % on the two of product 1, and shipping.
    expect((await place('apartado@example.mx', {})).body.total).toBe('6188.00');
    await publish(catalog());
  });

  it('takes from the hold what it leaves out: destination, method and coupon', async () => {
    const express = await hold({ shipping_method: 4 });
    const sent = await place('resto@example.mx', { hold: express });
    expect(sent.body).toMatchObject({ shipping_method: { id: 4 }, coupon: { code: 'DIEZ' }, shipping_price: '150.00' });
    const pickup = await hold({ zipcode: undefined, store: 1 });
    const picked = await place('resto@example.mx', { shipping: undefined, hold: pickup });
    expect(picked.body).toMatchObject({ store: { id: 1 }, shipping: null, shipping_price: '0.00', total: '769.84' });
    const named = { shipping: undefined, store: 1, shipping_method: 6, coupon: 'DIEZ', hold: pickup };
    expect((await place('resto@example.mx', named)).body.total).toBe('769.84');
  });

  it('goes to the default address if that is what was quoted', async () => {
    await place('casa@example.mx', {});
    const there = await place('casa@example.mx', { shipping: undefined, hold: await hold() });
    expect([there.status, there.body.shipping.zipcode]).toEqual([201, '12345']);
    const elsewhere = { shipping: undefined, hold: await hold({ zipcode: '20100' }) };
    expect(await place('casa@example.mx', elsewhere)).toMatchObject(refusedHold('another destination'));
    const ofDoctor = await place('casa@example.mx', { shipping: undefined, hold: await hold() }, tokens.doctor);
    expect([ofDoctor.status, Object.keys(ofDoctor.body.order)]).toEqual([400, ['shipping']]);
  });

  const ALL = { details: THREE.slice(1), shipping: undefined, store: 1, shipping_method: 4, coupon: 'GRATIS' };
  it.each([
    ['another quantity', { details: [{ product: 1, quantity: 3 }, ...THREE.slice(1)] }, ['products']],
    ['lines in another order', { details: THREE.toReversed() }, ['products']],
    ['another zip code', { shipping: { ...ADDRESS, zipcode: '12346' } }, ['another destination']],
    ['an unknown coupon', { coupon: 'NOEXISTE' }, ['another coupon']],
    ['all of these', ALL, ['products', 'another destination', 'another shipping method', 'another coupon']],
  ])('is refused with %s', async (_, order, what) => {
    const answer = await place('otra@example.mx', { hold: await hold(), ...order });
    expect(answer).toMatchObject(refusedHold(...what));
    expect(await findUser('otra@example.mx')).toBeUndefined();
  });

  it('is refused with a coupon that was not held, and with a token that is none', async () => {
    const without = await hold({ coupon: null });
    expect(await place('nada@example.mx', { coupon: 'DIEZ', hold: without })).toMatchObject(refusedHold('coupon'));
    const token = await hold();
    const mixed = without.replace(/\.[\w-]+\./, `.${token.split('.')[1]}.`);
    for (const one of ['', 'x', `${token}x`, token.slice(1), mixed, 'a.b.c', 'x'.repeat(5_000)]) {
      expect(await place('nada@example.mx', { hold: one })).toMatchObject(refusedHold('as received'));
    }
  });

  it('is refused once the hold has ended, to the millisecond, but answered again under its key', async () => {
    const order = { hold: await hold() };
    const key = { 'Idempotency-Key': 'precio-apartado' };
    setClock(new Date(SATURDAY + 15 * MINUTE_MS));
    const { status, body } = await place('a-tiempo@example.mx', order, tokens.employee, key);
    expect(status).toBe(201);
    setClock(new Date(SATURDAY + 15 * MINUTE_MS + 1));
    expect(await place('tarde@example.mx', order)).toMatchObject(refusedHold('2026-11-21T18:15:00.000Z'));
    setClock(new Date(SATURDAY + 60 * MINUTE_MS));
    const token = await server.login('aseguradora@demo.example');
    const again = await place('a-tiempo@example.mx', order, token, key);
    expect([again.status, again.headers['idempotent-replayed'], again.body.id]).toEqual([201, 'true', body.id]);
    expect(await place('a-tiempo@example.mx', {}, token, key)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
  });

  it('is that of its client alone, with any of its keys', async () => {
    const other = await server.addClient('Otra tienda');
    const foreign = await hold({}, { key: other.key });
    expect(await place('ajena@example.mx', { hold: foreign })).toMatchObject(refusedHold('another client'));
    await server.addUser(other.client, 'insurance_employee', 'otra@tienda.example');
    const token = await server.login('otra@tienda.example', other.key);
    const body = orderBody('ajena@example.mx', { details: THREE, ...TO_12345, hold: await hold() });
    expect(await ask(ORDERS, body, { key: other.key, token })).toMatchObject(refusedHold('another client'));

    const { id, value } = server.keys.create({ name: 'página', enabled: true });
    const ofNobody = await hold({}, { key: value });
    expect(await place('llave@example.mx', { hold: ofNobody })).toMatchObject(refusedHold('another client'));
    await addGatewayKey(table(), server.client.id, id);
    expect((await place('llave@example.mx', { hold: ofNobody })).body.total).toBe('819.84');
  });

  it('is refused when what it needs is withdrawn or out of stock', async () => {
    const [sent, picked] = [await hold(), await hold({ zipcode: undefined, store: 1 })];
    const records = catalog();
    const others = records.products.filter(({ id }) => id !== 1);
    await publish({ ...records, products: others.map((one) => ({ ...one, has_shortage: one.id === 2 })) });
    const { body } = await place('agotado@example.mx', { hold: sent });
    expect(body).toEqual({
      order: { details: [{ product: [expect.any(String)] }, { product: [expect.any(String)] }, {}] },
    });
    const isLeft = (one: Record<string, unknown>) => one.id !== 1 && one.shipping_method !== 1;
    const [shipping_methods, shipping_rates] = [records.shipping_methods, records.shipping_rates];
    await publish({
      ...records,
      stores: [],
      shipping_methods: shipping_methods.filter(isLeft),
      shipping_rates: shipping_rates.filter(isLeft),
    });
    for (const order of [{ hold: sent }, { shipping: undefined, hold: picked }]) {
      expect(await place('retirado@example.mx', order)).toMatchObject(refusedHold('no longer offered'));
    }
    await publish(catalog());
  });

  it('redeems its coupon as any order, and is refused when there is none left', async () => {
    const token = await hold({ coupon: 'UNAVEZ' });
    await publish(dearerCatalog());
    const first = await place('limite@example.mx', { hold: token });
    expect([first.status, first.body.coupon.code, first.body.total]).toEqual([201, 'UNAVEZ', '819.84']);
    const before = await listStoredDocuments();
    const held = await place('limite@example.mx', { hold: token, ...PRESCRIBED });
    expect(held).toMatchObject({ status: 400, body: SPENT });
    expect((await place('limite-2@example.mx', { hold: token })).status).toBe(201);
    await publish(catalog());
    const expecting = { coupon: 'UNAVEZ', expected_total: '819.84', ...PRESCRIBED };
    expect(await place('limite@example.mx', expecting)).toMatchObject({ status: 400, body: SPENT });
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('can be that of an expected total, which is the held one', async () => {
    const token = await hold();
    await publish(dearerCatalog());
    const refused = await place('ambos@example.mx', { hold: token, expected_total: '6188.00' });
    expect([refused.status, refused.body.code]).toEqual([409, 'total_changed']);
    expect(refused.body.quote).toMatchObject({
      total: '819.84',
      coupon: { code: 'DIEZ' },
      selected_shipping_method: 1,
      expected_delivery_date: '2026-11-25T23:00:00.000Z',
    });
    expect((await place('ambos@example.mx', { hold: token, expected_total: '819.84' })).status).toBe(201);
    await publish(catalog());
  });
});
