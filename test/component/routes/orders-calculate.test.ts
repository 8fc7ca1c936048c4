import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { useServer } from '../../support/servers/test-server.ts';

const PATH = '/api/orders/calculate/';
// This is noon on a Saturday in Mexico City.
const SATURDAY = '2026-11-21T18:00:00.000Z';

const server = useServer({ settings: { CATALOG_BUCKET: 'orders-calculate' } });
beforeAll(async () => {
  const catalog = quoteCatalog();
  const limited = { ...catalog.products[0], id: 12, ean_key: '7501000000128', max_quantity: 4 };
  await publishRecords({ ...catalog, products: [...catalog.products, limited] });
});
beforeEach(() => setClock(new Date(SATURDAY)));
afterEach(() => setClock());

const post = (body: object, headers: Record<string, string> = {}) => server.request('POST', PATH, { body, headers });
const quote = async (body: object) => {
  const answer = await post(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
};
const inBothLanguages = async (body: object) => {
  const answers = [await post(body), await post(body, { 'Accept-Language': 'en' })];
  return answers.map((answer) => ({ status: answer.status, body: answer.body }));
};
const refusals = (spanish: object, english: object) => [
  { status: 400, body: spanish },
  { status: 400, body: english },
];
const one = (product: number, quantity = 1) => ({ details: [{ product, quantity }] });
const THREE = {
  details: [
    { product: 1, quantity: 2 },
    { product: 2, quantity: 1 },
    { product: 3, quantity: 3 },
  ],
};

describe('a quote', () => {
  it('is exact to the cent: two products without IVA, four with it, a coupon, and a discount on shipping', async () => {
    const { status, headers, body } = await post({ ...THREE, zipcode: '12345', coupon: 'DIEZ' });
    expect([status, headers['cache-control'], headers['content-language']]).toEqual([201, 'no-store', 'es']);
    expect(body).toEqual({
      subtotal: '760.98',
      discount: '76.10',
      iva: '84.96',
      shipping_price: '99.00',
      shipping_discount: '49.00',
      total: '819.84',
      coupon: { code: 'DIEZ', value: '0.10' },
      shipping_method_options: [
        { id: 3, company: 'Tres', method: 'standard', min_delivery_days: 1, max_delivery_days: 2, price: '50.00' },
        { id: 1, company: 'Uno', method: 'default', min_delivery_days: 2, max_delivery_days: 4, price: '99.00' },
        { id: 4, company: 'Cuatro', method: 'express', min_delivery_days: 0, max_delivery_days: 1, price: '150.00' },
      ],
      selected_shipping_method: 1,
      errors: {},
      expected_delivery_date: '2026-11-25T23:00:00.000Z',
      max_delivery_date: '2026-11-30T23:00:00.000Z',
      details: [
        { product: 1, quantity: 2, subtotal: '171.00', discount: '17.10', iva: '0.00', total: '153.90' },
        { product: 2, quantity: 1, subtotal: '249.99', discount: '25.00', iva: '36.00', total: '260.99' },
        { product: 3, quantity: 3, subtotal: '339.99', discount: '34.00', iva: '48.96', total: '354.95' },
      ],
    });
  });

  it('is the same from the handler alone, with any token or none', async () => {
    const body = { ...THREE, zipcode: '12345', coupon: 'DIEZ' };
    const over = await quote(body);
    expect((await server.invoke('POST', PATH, { body })).body).toEqual(over);
    expect((await server.request('POST', PATH, { body, token: 'forged' })).body).toEqual(over);
    expect((await post(body, { Cookie: '__Host-access=forged', Origin: 'https://elsewhere.example' })).body).toEqual(
      over,
    );
    expect((await server.request('POST', PATH.slice(0, -1), { body })).body).toEqual(over);
  });

  it('without a destination has no shipping and no dates', async () => {
    expect(await quote(one(1))).toEqual({
      subtotal: '85.50',
      discount: '0.00',
      iva: '0.00',
      shipping_price: '0.00',
      shipping_discount: '0.00',
      total: '85.50',
      coupon: null,
      shipping_method_options: [],
      selected_shipping_method: null,
      errors: {},
      expected_delivery_date: null,
      max_delivery_date: null,
      details: [{ product: 1, quantity: 1, subtotal: '85.50', discount: '0.00', iva: '0.00', total: '85.50' }],
    });
  });
});

// `domain/pricing` has the rules of money.
describe('the money of a quote', () => {
  it('discounts shipping by a coupon only with free shipping, and then fully', async () => {
    const shipped = { ...one(1), zipcode: '12345' };
    expect(await quote({ ...shipped, coupon: 'TODO' })).toMatchObject({ shipping_discount: '49.00', total: '50.00' });
    expect(await quote({ ...shipped, coupon: 'DIEZGRATIS', shipping_method: 4 })).toMatchObject({
      shipping_price: '150.00',
      shipping_discount: '150.00',
      discount: '8.55',
      total: '76.95',
    });
  });

  it('stays exact for the largest possible basket', async () => {
    const details = Array(50).fill({ product: 9, quantity: 32_767 });
    expect(await quote({ details })).toMatchObject({
      subtotal: '16383499983616.50',
      iva: '2621359997378.64',
      total: '19004859980995.14',
    });
  });
});

describe('the lines of a quote', () => {
  it('are kept as sent, with the same product twice and a line of zeros', async () => {
    const details = [
      { product: 2, quantity: 1 },
      { product: 1, quantity: 0 },
      { product: 2, quantity: 2 },
    ];
    const body = await quote({ details, coupon: 'DIEZ' });
    // 10 % of 749.97 is 74.997; IVA is 16 % of 674.97.
    expect(body).toMatchObject({ subtotal: '749.97', discount: '75.00', iva: '108.00', total: '782.97' });
    expect(body.details).toEqual([
      { product: 2, quantity: 1, subtotal: '249.99', discount: '25.00', iva: '36.00', total: '260.99' },
      { product: 1, quantity: 0, subtotal: '0.00', discount: '0.00', iva: '0.00', total: '0.00' },
      { product: 2, quantity: 2, subtotal: '499.98', discount: '50.00', iva: '72.00', total: '521.98' },
    ]);
  });

  it('with an unknown or inactive product are refused, with an entry for each line', async () => {
    // 4 was published inactive, 6 is of fraction III; 0 and -1 are integers without a product.
    const details = [1, 999, 4, 1, 6, 0, -1, Number.MAX_SAFE_INTEGER].map((product) => ({ product, quantity: 1 }));
    const { status, body } = await post({ details });
    expect([status, body.details]).toEqual([
      400,
      [
        {},
        { product: ['El producto 999 no existe.'] },
        { product: ['Producto 4, Pieza (id 4) no está a la venta.'] },
        {},
        { product: ['Producto 6, Pieza (id 6) no está a la venta.'] },
        { product: ['El producto 0 no existe.'] },
        { product: ['El producto -1 no existe.'] },
        { product: ['El producto 9007199254740991 no existe.'] },
      ],
    ]);
  });

  it('with an unknown product are refused with a quantity of zero too', async () => {
    expect((await post(one(999, 0))).body).toEqual({ details: [{ product: ['El producto 999 no existe.'] }] });
  });

  it('with more of a product than an order may have are refused, each line above 0', async () => {
    const details = [4, 0, 1].map((quantity) => ({ product: 12, quantity }));
    const spanish = { quantity: ['De Producto 1, Pieza (id 12) se venden a lo más 4 por orden.'] };
    const english = { quantity: ['At most 4 of Producto 1, Pieza (id 12) are sold in one order.'] };
    expect(await inBothLanguages({ details })).toEqual(
      refusals({ details: [spanish, {}, spanish] }, { details: [english, {}, english] }),
    );
    expect(await quote({ details: details.slice(0, 2) })).toMatchObject({ subtotal: '342.00' });
  });

  it('with a product in shortage are quoted, and each is named', async () => {
    const details = [5, 1, 5].map((product) => ({ product, quantity: 1 }));
    const [spanish, english] = await inBothLanguages({ details });
    expect([spanish?.status, spanish?.body.subtotal]).toEqual([201, '105.50']);
    expect([spanish, english].map((answer) => answer?.body.errors)).toEqual([
      {
        details:
          'Agotados por el momento, por número de línea: 1: Producto 5, Pieza (id 5); 3: Producto 5, Pieza (id 5).',
      },
      {
        details:
          'Out of stock at the moment, by line number: 1: Producto 5, Pieza (id 5); 3: Producto 5, Pieza (id 5).',
      },
    ]);
  });

  it('with a product that requires a prescription are quoted without a word of it, which products say', async () => {
    expect(await quote({ ...one(10), store: 1 })).toMatchObject({ errors: {} });
    // Product 11 is in shortage besides.
    const { errors } = await quote({ details: [1, 10, 11].map((product) => ({ product, quantity: 1 })) });
    expect(errors).toEqual({ details: 'Agotados por el momento, por número de línea: 3: Producto 11 (id 11).' });
  });
});

describe('the coupon of a quote', () => {
  const COUPON = { code: 'Octavo', value: '0.125' };
  const INVALID = ['El cupón no es válido.', 'The coupon is not valid.'] as const;
  it.each(['Octavo', '  oCtAvO\t'])('%j is found, as published', async (coupon) => {
    const body = await quote({ ...one(1), coupon });
    expect([body.coupon, body.discount, body.errors]).toEqual([COUPON, '10.69', {}]);
  });

  it.each([
    ['empty', '', ...INVALID],
    ['unknown', 'NOEXISTE', ...INVALID],
    ['unknown, and no text of any language', '💊%_*´', ...INVALID],
    ['not yet valid', 'FUTURO', ...INVALID],
    ['no longer valid', 'viejo', ...INVALID],
    [
      'below its minimum',
      'MINIMO',
      'El subtotal no alcanza el mínimo del cupón: 500.00.',
      'The subtotal is below the minimum of the coupon: 500.00.',
    ],
  ])('%s is left out, and a message says why', async (_, coupon, spanish, english) => {
    const answers = await inBothLanguages({ ...one(1, 2), zipcode: '12345', coupon });
    expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
      [201, { coupon: spanish }],
      [201, { coupon: english }],
    ]);
    expect(answers[0]?.body).toMatchObject({
      coupon: null,
      discount: '0.00',
      total: '221.00',
      selected_shipping_method: 1,
      expected_delivery_date: '2026-11-25T23:00:00.000Z',
    });
  });

  it('applies from its minimum on, which is compared with the subtotal and not with the total', async () => {
    // 2 × 249.99 is 499.98, and 579.98 with IVA; 6 × 85.50 is 513.00.
    expect((await quote({ ...one(2, 2), coupon: 'MINIMO' })).discount).toBe('0.00');
    expect((await quote({ ...one(1, 6), coupon: 'MINIMO' })).discount).toBe('51.30');
  });
});

describe('the shipping of a quote', () => {
  const shipped = (zipcode: string, more: object = {}) => quote({ ...one(1), zipcode, ...more });
  const offer = (body: { shipping_method_options: { id: number; price: string }[] }) =>
    body.shipping_method_options.map(({ id, price }) => `${id} ${price}`);

  it.each([
    ['a zip code with zeros in front', '00500', ['1 33.00'], 1],
    ['one where another is cheaper than the default', '10000', ['3 50.00', '1 99.00', '4 150.00'], 1],
    ['a range of a single zip code within others', '20550', ['2 70.00', '1 99.00'], 2],
    ['no default and equal prices', '31000', ['3 80.00', '4 80.00'], 3],
    ['a method free of charge and without days', '40000', ['5 0.00'], 5],
  ])('to %s', async (_, zipcode, options, selected) => {
    const body = await shipped(zipcode);
    expect([offer(body), body.selected_shipping_method, body.errors]).toEqual([options, selected, {}]);
  });

  it('by a method as requested', async () => {
    const body = await shipped('12345', { shipping_method: 4 });
    expect(body).toMatchObject({ shipping_price: '150.00', shipping_discount: '0.00', total: '235.50' });
    expect([body.selected_shipping_method, body.errors]).toEqual([4, {}]);
    expect(offer(body)).toEqual(['3 50.00', '1 99.00', '4 150.00']);
  });

  it.each([2, 99])('by the method %i, which it does not have, is by the default and says so', async (method) => {
    const answers = await inBothLanguages({ ...one(1), zipcode: '12345', shipping_method: method });
    expect(answers.map(({ body }) => [body.selected_shipping_method, body.shipping_price, body.errors])).toEqual([
      [1, '99.00', { shipping_method: `El método de envío ${method} no está disponible para este destino.` }],
      [1, '99.00', { shipping_method: `Shipping method ${method} is not available for this destination.` }],
    ]);
  });

  it('by a method without a zip code has no shipping, and a message says so', async () => {
    const answers = await inBothLanguages({ ...one(1), shipping_method: 1 });
    expect(answers.map(({ status, body }) => [status, body.selected_shipping_method, body.errors])).toEqual([
      [201, null, { shipping_method: 'Indique el código postal al que se envía con el método 1.' }],
      [201, null, { shipping_method: 'Give the zip code to which shipping method 1 delivers.' }],
    ]);
  });

  it('to a zip code without delivery has no options, and a message says so', async () => {
    for (const more of [{}, { shipping_method: 1 }]) {
      const answers = await inBothLanguages({ ...one(1), zipcode: '99999', ...more });
      expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
        [201, { zipcode: 'No hay envíos al código postal 99999.' }],
        [201, { zipcode: 'There is no delivery to zip code 99999.' }],
      ]);
      expect(answers[0]?.body).toMatchObject({
        shipping_method_options: [],
        selected_shipping_method: null,
        shipping_price: '0.00',
        shipping_discount: '0.00',
        expected_delivery_date: null,
        max_delivery_date: null,
        total: '85.50',
      });
    }
  });

  it('to a store is free, by the method for pickup alone', async () => {
    const body = await quote({ ...one(1), store: 1 });
    expect(body).toMatchObject({
      shipping_method_options: [
        { id: 6, company: 'Tienda', method: 'local', min_delivery_days: 0, max_delivery_days: 1, price: '0.00' },
      ],
      selected_shipping_method: 6,
      shipping_price: '0.00',
      shipping_discount: '0.00',
      total: '85.50',
      errors: {},
      expected_delivery_date: '2026-11-23T23:00:00.000Z',
      max_delivery_date: '2026-11-24T23:00:00.000Z',
    });
    expect(await quote({ ...one(1), store: 1, shipping_method: 6 })).toEqual(body);
    expect(await quote({ ...one(1), store: 1, shipping_method: 1 })).toMatchObject({
      selected_shipping_method: 6,
      errors: { shipping_method: 'El método de envío 1 no está disponible para este destino.' },
    });
  });

  it('to both a zip code and a store is refused', async () => {
    expect(await inBothLanguages({ ...one(1), zipcode: '12345', store: 1 })).toEqual(
      refusals(
        { non_field_errors: ['Indique un destino de entrega o una tienda, no ambos.'] },
        { non_field_errors: ['Give either a delivery destination or a store, not both.'] },
      ),
    );
  });

  it('to an unknown store is refused', async () => {
    expect(await inBothLanguages({ ...one(1), store: 2 })).toEqual(
      refusals({ store: ['La tienda 2 no existe.'] }, { store: ['Store 2 does not exist.'] }),
    );
  });
});

// `domain/working-day` has the rules of dates.
describe('the dates of a quote', () => {
  // Mexico City is six hours behind UTC. 16 November is a holiday; the method 1 takes 2 to 4 working days, 4 none or one.
  it.each([
    ['on a Friday afternoon before a holiday', '2026-11-13T21:00:00.000Z', 1, ['2026-11-19', '2026-11-23']],
    ['of the same day', '2026-11-20T19:59:59.999Z', 4, ['2026-11-20', '2026-11-23']],
  ])('%s', async (_, instant, shipping_method, dates) => {
    setClock(new Date(instant));
    const body = await quote({ ...one(1), zipcode: '12345', shipping_method });
    expect([body.expected_delivery_date, body.max_delivery_date]).toEqual(dates.map((date) => `${date}T23:00:00.000Z`));
  });

  it('are null for a method without days', async () => {
    expect(await quote({ ...one(1), zipcode: '40000' })).toMatchObject({
      selected_shipping_method: 5,
      expected_delivery_date: null,
      max_delivery_date: null,
    });
  });
});

describe('a bad quote request', () => {
  it('gets every error of its shape, before any error of the catalog', async () => {
    const body = {
      details: [{ product: 999 }, 7, { product: 'x', quantity: 1.5 }],
      zipcode: 'abc',
      coupon: 5,
      store: 99,
    };
    const answer = await post(body);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        details: [
          { quantity: ['Este campo es obligatorio.'] },
          { non_field_errors: ['Debe ser un objeto.'] },
          { product: ['Debe ser un número.'], quantity: ['Debe ser un número entero.'] },
        ],
        zipcode: ['El código postal debe tener 5 dígitos.'],
        coupon: ['Debe ser un texto.'],
      },
    ]);
  });

  it('gets every error of the catalog together', async () => {
    const { status, body } = await post({ ...one(999), zipcode: '12345', store: 99, coupon: 'NOEXISTE' });
    expect(status).toBe(400);
    expect(body).toEqual({
      details: [{ product: ['El producto 999 no existe.'] }],
      store: ['La tienda 99 no existe.'],
      non_field_errors: ['Indique un destino de entrega o una tienda, no ambos.'],
    });
  });
});
