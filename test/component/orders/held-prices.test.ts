import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addGatewayKey } from '../../../shared/access/clients.ts';
import { ids, invoicing, table } from '../../../shared/deps.ts';
import { createUser, userByEmail } from '../../../shared/people/users.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { couponCounterKey } from '../../../shared/store/keys.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { republish } from '../../support/catalogs/republish.ts';
import { removeCatalogFolders } from '../../support/catalogs/small-catalog.ts';
import { elementsOf } from '../../support/invoices/xml-elements.ts';
import { ADDRESS, INVOICING, orderBody, PDF } from '../../support/orders/samples.ts';
import { countStoredOrders } from '../../support/orders/stored-counts.ts';
import { listStoredDocuments } from '../../support/orders/stored-documents.ts';
import { type DemoTokens, openServer, type TestServer } from '../../support/servers/test-server.ts';

const QUOTES = '/api/orders/calculate/';
const ORDERS = '/api/orders/resources/';
// This is noon on a Saturday in Mexico City.
const SATURDAY = Date.parse('2026-11-21T18:00:00.000Z');

let server: TestServer;
let tokens: DemoTokens;
beforeAll(async () => {
  server = await openServer({ settings: { CATALOG_BUCKET: 'held-prices' } });
  await publish(catalog());
  tokens = await server.loginDemoUsers();
});
afterAll(() => server.close());
afterAll(removeCatalogFolders);
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
const english = { 'Accept-Language': 'en' };

const quote = (body: object) => server.request('POST', QUOTES, { body });
const place = (email: string, order: object, token = tokens.employee, headers = {}) =>
  server.request('POST', ORDERS, { token, headers, body: orderBody(email, { details: THREE, ...TO_12345, ...order }) });
/** Quotes the three products to 12345 with a coupon and returns the token of the hold. */
async function hold(more: object = {}, call: object = {}): Promise<string> {
  const body = { details: THREE, zipcode: '12345', coupon: 'DIEZ', hold: true, ...more };
  const answer = await server.request('POST', QUOTES, { body, ...call });
  expect([answer.status, answer.body.errors]).toEqual([201, {}]);
  return answer.body.hold.token;
}
const findUser = (email: string) => userByEmail(table(), server.client.id, email);

describe('the total that an order expects', () => {
  const ENTIRE = { details: [{ product: 10, quantity: 5 }], shipping: undefined, store: 1, coupon: undefined };
  it.each([
    // Worked out by hand.
    ['819.84', '819.84', {}],
    [819.84, '819.84', {}],
    ['200', '200.00', ENTIRE],
    [200, '200.00', ENTIRE],
    ['200.0', '200.00', ENTIRE],
    [null, '200.00', ENTIRE],
  ])('is met as %j by an order of %s', async (expected_total, total, more) => {
    const { status, body } = await place('esperado@example.mx', { coupon: 'DIEZ', expected_total, ...more });
    expect([status, body.total]).toEqual([201, total]);
  });

  it.each(['819.83', 819.85, 0, '99999999999999.99'.slice(2)])('is refused as %j, with the quote', async (expected) => {
    const now = await quote({ details: THREE, zipcode: '12345', coupon: 'DIEZ' });
    const order = { coupon: 'DIEZ', expected_total: expected };
    const { status, body } = await place('otro-total@example.mx', order, tokens.employee, english);
    expect({ status, body }).toEqual({
      status: 409,
      body: {
        detail: 'The total of the order is not the expected one; the quote says what it is now.',
        code: 'total_changed',
        quote: now.body,
      },
    });
    expect(body.quote.total).toBe('819.84');
  });

  it('is refused with a quote that says nothing of a prescription, which products say', async () => {
    const order = { details: [{ product: 10, quantity: 1 }], shipping: undefined, store: 1, expected_total: 1 };
    expect((await place('receta@example.mx', order)).body.quote.errors).toEqual({});
  });

  it('leaves nothing behind when it is refused', async () => {
    const before = [await countStoredOrders(), await listStoredDocuments()];
    const order = {
      coupon: 'ULTIMO',
      prescriptions: [{ document: PDF, issue_date: '2026-11-01' }],
      expected_total: '819.83',
    };
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
    ['unknown', 'NOEXISTE', 'There is no coupon with this code.'],
    ['blank', ' ', 'There is no coupon with this code.'],
    ['not yet valid', 'FUTURO', 'The coupon is not valid yet.'],
    ['over', 'VIEJO', 'The coupon is no longer valid.'],
    ['below its minimum', 'MINIMO', 'The subtotal is below the minimum of the coupon: 500.00.'],
    ['spent', 'ULTIMO', 'The coupon has been used as often as it can be.'],
  ])('has no coupon that is %s left out', async (_, coupon, message) => {
    // Product 3, three times, is 339.99.
    const details = [{ product: 3, quantity: 3 }];
    const { status, body } = await place(
      'sin@example.mx',
      { details, coupon, expected_total: '1' },
      tokens.employee,
      english,
    );
    expect({ status, body }).toEqual({ status: 400, body: { order: { coupon: [message] } } });
    expect((await place('sin@example.mx', { details, coupon })).body.coupon).toBeNull();
  });

  it('has no coupon left out that this patient has used', async () => {
    const order = { coupon: 'UNAVEZ', expected_total: '819.84' };
    expect((await place('unavez@example.mx', order)).status).toBe(201);
    const prescriptions = [{ document: PDF, issue_date: '2026-11-01' }];
    const before = await listStoredDocuments();
    const { status, body } = await place('unavez@example.mx', { ...order, prescriptions });
    expect({ status, body }).toEqual({
      status: 400,
      body: { order: { coupon: ['El cupón ya se usó todas las veces que se puede.'] } },
    });
    expect(await listStoredDocuments()).toEqual(before);
  });

  it('comes after every other fault of the request', async () => {
    const faults = { details: [{ product: 99, quantity: 1 }], coupon: 'MINIMO', expected_total: 1, payment_method: 9 };
    expect((await place('faltas@example.mx', faults)).body).toEqual({
      order: {
        details: [{ product: ['El producto 99 no existe.'] }],
        payment_method: ['El método de pago 9 no está entre los de este cliente.'],
      },
    });
    expect((await place('faltas@example.mx', { ...faults, coupon: 'VIEJO' })).body.order.coupon).toEqual([
      'El cupón ya no es válido.',
    ]);
  });

  it('is an amount', async () => {
    for (const expected_total of ['-1', -0.01, '1.234', 1.005, ' 1', '1e2', '1,00', '1'.repeat(15), 1e15, true]) {
      const { status, body } = await place('forma@example.mx', { expected_total }, tokens.employee, english);
      expect([status, Object.keys(body.order)]).toEqual([400, ['expected_total']]);
    }
    const { body } = await place('forma@example.mx', { expected_total: '1.234' }, tokens.employee, english);
    expect(body.order.expected_total).toEqual(['It must be an amount of 0 or more with at most two decimals.']);
  });

  it('tells nobody who has an e-mail or a phone, and no doctor where a patient lives', async () => {
    const { id: clientId } = server.client;
    const person = { firstName: 'Eva', lastName: 'Sol', secondLastName: null, passwordHash: null };
    const held = { ...person, clientId, role: 'patient', email: 'eva@example.mx', phone: '+525512349999' } as const;
    await createUser(table(), ids(), held, new Date());
    const taken = orderBody('otra-eva@example.mx', { details: THREE, ...TO_12345, expected_total: 1 });
    const withPhone = { ...taken, user: { ...taken.user, phone: '+525512349999' } };
    const { status, body } = await server.request('POST', ORDERS, { token: tokens.doctor, body: withPhone });
    expect([status, body.code]).toEqual([409, 'total_changed']);

    await place('domicilio@example.mx', {});
    const order = { shipping: undefined, expected_total: 1 };
    for (const email of ['domicilio@example.mx', 'desconocida@example.mx']) {
      const { status, body } = await place(email, order, tokens.doctor);
      expect({ status, body }).toEqual({
        status: 400,
        body: { order: { shipping: ['Indique una dirección de entrega o una tienda.'] } },
      });
    }
    expect((await place('domicilio@example.mx', order)).body.quote.total).toBe('905.38');
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
  });

  it('is held although it waits for a prescription', async () => {
    const { body } = await quote({ details: [{ product: 10, quantity: 1 }], store: 1, hold: true });
    expect([body.errors, body.hold.valid_until]).toEqual([{}, '2026-11-21T18:15:00.000Z']);
  });

  it.each([
    ['without a destination', {}, { hold: 'To hold the price, give the zip code or the store.' }],
    [
      'of nothing',
      { zipcode: '12345', details: [{ product: 1, quantity: 0 }] },
      { hold: 'At least one product needs a quantity above 0.' },
    ],
    ['to where nothing is sent', { zipcode: '99999' }, { zipcode: 'There is no delivery to zip code 99999.' }],
    [
      'by a method that is not offered',
      { zipcode: '12345', shipping_method: 5 },
      { shipping_method: 'Shipping method 5 is not available for this destination.' },
    ],
    ['with an invalid coupon', { zipcode: '12345', coupon: 'VIEJO' }, { coupon: 'The coupon is not valid.' }],
    [
      'of what is out of stock',
      { zipcode: '12345', details: [{ product: 5, quantity: 1 }] },
      { details: 'Out of stock at the moment, by line number: 1: Producto 5, Pieza (id 5).' },
    ],
  ])('is not held %s, and says why', async (_, more, errors) => {
    const body = { details: THREE, hold: true, ...more };
    const answer = await server.request('POST', QUOTES, { body, headers: english });
    expect([answer.status, answer.body.hold, answer.body.errors]).toEqual([201, null, errors]);
  });

  it('has a token within its bound for 50 lines of the largest numbers', async () => {
    const largest = { id: 999_999_999_999_999, price: '9999999.99' };
    const records = catalog();
    const product = { ...records.products[8], ...largest, ean_key: '7501000000999' };
    const id = 999_999_999_999_998;
    const coupon = { id, code: '€'.repeat(16), description: '€'.repeat(150), value: '9999999.999999' };
    const limits = { max_redemptions: 999_999_999, max_redemptions_per_patient: 999_999_999 };
    await publish({
      ...records,
      products: [...records.products, product],
      coupons: [...records.coupons, { ...coupon, ...limits, has_free_shipping: true }],
    });
    const details = Array.from({ length: 50 }, () => ({ product: largest.id, quantity: 32_767 }));
    const token = await hold({ details, coupon: coupon.code });
    expect(token.length).toBeGreaterThan(3_000);
    expect(token.length).toBeLessThan(4_500);
    const { status, body } = await place('grande@example.mx', { details, hold: token });
    // 50 × 32,767 × 9,999,999.99, less the coupon, with 16 %; shipping is free.
    expect([status, body.total]).toEqual([201, '19004848380995.14']);
    await publish(catalog());
  });
});

describe('an order at a held price', () => {
  it('has the figures and dates of the quote, whatever was published meanwhile', async () => {
    const token = await hold();
    await publish(dearerCatalog(), 14);
    const { status, body } = await place('apartado@example.mx', { coupon: 'diez', hold: token });
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
    const read = await server.request('GET', `/api/orders/${body.id}/`, { token: tokens.employee });
    expect(read.body).toEqual(body);
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
    const elsewhere = await place('casa@example.mx', { shipping: undefined, hold: await hold({ zipcode: '20100' }) });
    expect([elsewhere.status, elsewhere.body]).toEqual([
      400,
      { order: { hold: ['El precio se apartó para otro destino.'] } },
    ]);
    for (const [email, token] of [
      ['casa@example.mx', tokens.doctor],
      ['nueva@example.mx', tokens.doctor],
      ['nueva@example.mx', tokens.employee],
    ] as const) {
      const { status, body } = await place(email, { shipping: undefined, hold: await hold() }, token);
      expect([status, Object.keys(body.order)]).toEqual([400, ['shipping']]);
    }
  });

  it.each([
    ['another quantity', { details: [{ product: 1, quantity: 3 }, ...THREE.slice(1)] }, 'lines'],
    ['another product', { details: [{ product: 7, quantity: 2 }, ...THREE.slice(1)] }, 'lines'],
    ['a line less', { details: THREE.slice(1) }, 'lines'],
    ['a line more', { details: [...THREE, { product: 1, quantity: 0 }] }, 'lines'],
    ['lines in another order', { details: THREE.toReversed() }, 'lines'],
    ['another zip code', { shipping: { ...ADDRESS, zipcode: '12346' } }, 'destination'],
    ['a store', { shipping: undefined, store: 1 }, 'destination'],
    ['another shipping method', { shipping_method: 4 }, 'method'],
    ['another coupon', { coupon: 'GRATIS' }, 'coupon'],
    ['an unknown coupon', { coupon: 'NOEXISTE' }, 'coupon'],
  ])('is refused with %s', async (_, order, what) => {
    const MESSAGES: Record<string, string> = {
      lines: 'The price was held for other products or quantities, or for another order of the lines.',
      destination: 'The price was held for another destination.',
      method: 'The price was held for another shipping method.',
      coupon: 'The price was held with another coupon or without one.',
    };
    const { status, body } = await place('otra@example.mx', { hold: await hold(), ...order }, tokens.employee, english);
    expect({ status, body }).toEqual({ status: 400, body: { order: { hold: [MESSAGES[what]] } } });
    expect(await findUser('otra@example.mx')).toBeUndefined();
  });

  it('is refused with a coupon that was not held, and with all that differs at once', async () => {
    const without = await hold({ coupon: null });
    expect((await place('sin-cupon@example.mx', { coupon: 'DIEZ', hold: without })).body).toEqual({
      order: { hold: ['El precio se apartó con otro cupón o sin cupón.'] },
    });
    const all = { details: THREE.slice(1), shipping: undefined, store: 1, shipping_method: 4, coupon: 'GRATIS' };
    expect((await place('todo@example.mx', { ...all, hold: await hold() })).body).toEqual({
      order: {
        hold: [
          'El precio se apartó para otros productos o cantidades, o para otro orden de las líneas.',
          'El precio se apartó para otro destino.',
          'El precio se apartó para otro método de envío.',
          'El precio se apartó con otro cupón o sin cupón.',
        ],
      },
    });
  });

  it('is refused with a token that is none', async () => {
    const invalid = 'El precio apartado no es el que se dio; envíelo como se recibió o cotice de nuevo.';
    const token = await hold();
    const other = await hold({ details: [{ product: 1, quantity: 1 }] });
    const [, content] = token.split('.');
    const mixed = other.replace(/\.[\w-]+\./, `.${content}.`);
    for (const one of ['', 'x', `${token}x`, token.slice(1), mixed, 'a.b.c', 'x'.repeat(5_000)]) {
      expect((await place('nada@example.mx', { hold: one })).body).toEqual({ order: { hold: [invalid] } });
    }
  });

  it('is refused once the hold has ended, to the millisecond', async () => {
    const token = await hold();
    setClock(new Date(SATURDAY + 15 * MINUTE_MS));
    expect((await place('a-tiempo@example.mx', { hold: token })).status).toBe(201);
    setClock(new Date(SATURDAY + 15 * MINUTE_MS + 1));
    expect((await place('tarde@example.mx', { hold: token })).body).toEqual({
      order: { hold: ['El precio estuvo apartado hasta 2026-11-21T18:15:00.000Z; cotice de nuevo.'] },
    });
  });

  it('is that of its client alone, with any of its keys', async () => {
    const other = await server.addClient('Otra tienda');
    const foreign = await hold({}, { key: other.key });
    const message = { order: { hold: ['El precio se apartó para otro cliente.'] } };
    expect((await place('ajena@example.mx', { hold: foreign })).body).toEqual(message);
    await server.addUser(other.client, 'insurance_employee', 'otra@tienda.example');
    const token = await server.login('otra@tienda.example', other.key);
    const body = orderBody('ajena@example.mx', { details: THREE, ...TO_12345, hold: await hold() });
    const theirs = await server.request('POST', ORDERS, { key: other.key, token, body });
    expect([theirs.status, theirs.body]).toEqual([400, message]);

    const { id, value } = server.keys.create({ name: 'página', enabled: true });
    const ofNobody = await hold({}, { key: value });
    expect((await place('llave@example.mx', { hold: ofNobody })).body).toEqual(message);
    await addGatewayKey(table(), server.client.id, id);
    expect((await place('llave@example.mx', { hold: ofNobody })).body.total).toBe('819.84');
  });

  it('is refused where its product is when that is withdrawn or out of stock', async () => {
    const token = await hold();
    const records = catalog();
    const left = records.products.filter(({ id }) => id !== 1);
    await publish({ ...records, products: left.map((one) => ({ ...one, has_shortage: one.id === 2 })) });
    const { body } = await place('agotado@example.mx', { hold: token });
    expect(body).toEqual({
      order: {
        details: [
          { product: ['El producto 1 no existe.'] },
          { product: ['Producto 2, Pieza (id 2) está agotado por el momento.'] },
          {},
        ],
      },
    });
    await publish(catalog());
  });

  it('is refused when its store or its shipping method is withdrawn', async () => {
    const sent = await hold();
    const picked = await hold({ zipcode: undefined, store: 1 });
    const records = catalog();
    const isLeft = (one: Record<string, unknown>) => one.id !== 1 && one.shipping_method !== 1;
    await publish({
      ...records,
      stores: [],
      shipping_methods: records.shipping_methods.filter(isLeft),
      shipping_rates: records.shipping_rates.filter(isLeft),
    });
    const gone = ['Ya no se ofrece la tienda o el método de envío del precio apartado; cotice de nuevo.'];
    expect((await place('retirado@example.mx', { hold: sent })).body).toEqual({ order: { hold: gone } });
    const order = { shipping: undefined, hold: picked };
    expect((await place('retirado@example.mx', order)).body).toEqual({ order: { hold: gone } });
    await publish(catalog());
  });

  it('redeems its coupon as any order, and is refused when there is none left', async () => {
    const token = await hold({ coupon: 'UNAVEZ' });
    await publish(dearerCatalog());
    const first = await place('limite@example.mx', { hold: token });
    expect([first.status, first.body.coupon.code, first.body.total]).toEqual([201, 'UNAVEZ', '819.84']);
    const second = await place('limite@example.mx', { hold: token });
    expect([second.status, second.body]).toEqual([
      400,
      { order: { coupon: ['El cupón ya se usó todas las veces que se puede.'] } },
    ]);
    expect((await place('limite-2@example.mx', { hold: token })).status).toBe(201);
    await publish(catalog());
  });

  it('is placed once under its key, and answered after the hold has ended', async () => {
    const key = { 'Idempotency-Key': 'precio-apartado' };
    const order = { hold: await hold() };
    const { body } = await place('una-vez@example.mx', order, tokens.employee, key);
    setClock(new Date(SATURDAY + 60 * MINUTE_MS));
    const token = await server.login('aseguradora@demo.example');
    const again = await place('una-vez@example.mx', order, token, key);
    expect([again.status, again.headers['idempotent-replayed'], again.body.id]).toEqual([201, 'true', body.id]);
    const other = await place('una-vez@example.mx', {}, token, key);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
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
    });
    expect(refused.body.quote.expected_delivery_date).toBe('2026-11-25T23:00:00.000Z');
    expect((await place('ambos@example.mx', { hold: token, expected_total: '819.84' })).status).toBe(201);
    await publish(catalog());
  });

  it('is invoiced as it was sold', async () => {
    const token = await hold();
    await publish(dearerCatalog());
    const invoiced = {
      ...orderBody('factura@example.mx', { details: THREE, ...TO_12345, hold: token }),
      invoicing: INVOICING,
    };
    const { body } = await server.request('POST', ORDERS, { token: tokens.employee, body: invoiced });
    const { xml: bytes } = await (await invoicing()).files(body.cfdi, AbortSignal.timeout(5_000));
    const xml = Buffer.from(bytes).toString();
    const [{ attributes } = { attributes: {} }] = elementsOf(xml);
    expect(attributes).toMatchObject({ Total: '819.84' });
    // The lines at 0 and at 16 %, whatever the products have today.
    expect(xml).toContain(
      '<cfdi:Traslado Base="153.90" Impuesto="002" TipoFactor="Tasa" TasaOCuota="0.000000" Importe="0.00"/>',
    );
    await publish(catalog());
  });
});
