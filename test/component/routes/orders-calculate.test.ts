import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setClock } from '../../../shared/runtime/clock.ts';
import { quoteCatalog } from '../../support/catalogs/quote-catalog.ts';
import { publishRecords } from '../../support/engines/catalog-bucket.ts';
import { listErrorPaths } from '../../support/http/http.ts';
import { useServer } from '../../support/servers/test-server.ts';

// A quote of a catalog whose figures can be worked out by hand. `unit/domain` has the rules of money, rates and dates.

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
const lines = (...pairs: [product: number, quantity: number][]) => ({
  details: pairs.map(([product, quantity]) => ({ product, quantity })),
});
const one = (product: number, quantity = 1) => lines([product, quantity]);
const THREE = { ...lines([1, 2], [2, 1], [3, 3]), zipcode: '12345', coupon: 'DIEZ' };

describe('a quote', () => {
  it('is exact to the cent: two products without IVA, four with it, a coupon, and a discount on shipping', async () => {
    const { status, headers, body } = await post(THREE);
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
    expect((await server.request('POST', PATH, { body: THREE, token: 'forged' })).body).toEqual(body);
    const cookie = { Cookie: '__Host-access=forged', Origin: 'https://elsewhere.example' };
    expect((await post(THREE, cookie)).body).toEqual(body);
  });

  it('keeps its lines as sent, with the same product twice and a line of zeros', async () => {
    // 10 % of 749.97 is 74.997; IVA is 16 % of 674.97.
    const body = await quote({ ...lines([2, 1], [1, 0], [2, 2]), coupon: 'DIEZ' });
    expect(body).toMatchObject({ subtotal: '749.97', discount: '75.00', iva: '108.00', total: '782.97' });
    expect(body.details).toMatchObject([
      { product: 2, quantity: 1, total: '260.99' },
      { product: 1, quantity: 0, subtotal: '0.00', discount: '0.00', iva: '0.00', total: '0.00' },
      { product: 2, quantity: 2, total: '521.98' },
    ]);
  });

  it.each<[string, object, object]>([
    [
      'without a destination has no shipping and no dates',
      one(1),
      {
        ...{ shipping_price: '0.00', shipping_discount: '0.00', total: '85.50', coupon: null, errors: {} },
        ...{ shipping_method_options: [], selected_shipping_method: null },
        ...{ expected_delivery_date: null, max_delivery_date: null },
      },
    ],
    [
      'with free shipping pays none',
      { ...one(1), zipcode: '12345', coupon: 'DIEZGRATIS', shipping_method: 4 },
      { shipping_price: '150.00', shipping_discount: '150.00', discount: '8.55', total: '76.95', errors: {} },
    ],
    [
      'of a product that requires a prescription says nothing of it',
      { ...lines([1, 1], [10, 1], [11, 1]), store: 1 },
      { errors: { details: 'Agotados por el momento, por número de línea: 3: Producto 11 (id 11).' } },
    ],
    ['may have all that an order may', { ...lines([12, 4], [12, 0]) }, { subtotal: '342.00' }],
    [
      'finds a coupon without regard to case and blanks',
      { ...one(1), coupon: '  oCtAvO\t' },
      { coupon: { code: 'Octavo', value: '0.125' }, discount: '10.69', errors: {} },
    ],
    [
      'to a store is free, by the method for pickup alone',
      { ...one(1), store: 1 },
      {
        shipping_method_options: [{ id: 6, method: 'local', price: '0.00' }],
        ...{ selected_shipping_method: 6, shipping_price: '0.00', total: '85.50', errors: {} },
        ...{ expected_delivery_date: '2026-11-23T23:00:00.000Z', max_delivery_date: '2026-11-24T23:00:00.000Z' },
      },
    ],
    [
      'to a place without days has no dates',
      { ...one(1), zipcode: '40000' },
      { selected_shipping_method: 5, expected_delivery_date: null, max_delivery_date: null },
    ],
  ])('%s', async (_, body, expected) => {
    expect(await quote(body)).toMatchObject(expected);
  });

  it.each([
    ['an unknown coupon', { zipcode: '12345', coupon: '💊%_*´' }, 'coupon', 'no es válido', '135.50', 1],
    ['a coupon below its minimum', { coupon: 'MINIMO' }, 'coupon', '500.00', '85.50', null],
    ['a method of elsewhere', { zipcode: '12345', shipping_method: 2 }, 'shipping_method', '2', '135.50', 1],
    ['a method for a store', { store: 1, shipping_method: 1 }, 'shipping_method', '1', '85.50', 6],
    ['a method without a zip code', { shipping_method: 1 }, 'shipping_method', 'código postal', '85.50', null],
    ['a zip code without delivery', { zipcode: '99999', shipping_method: 1 }, 'zipcode', '99999', '85.50', null],
  ])('leaves out %s, and says so', async (_, more, field, text, total, selected) => {
    const body = await quote({ ...one(1), ...more });
    expect(body.errors).toEqual({ [field]: expect.stringContaining(text) });
    expect([body.coupon, body.total, body.selected_shipping_method]).toEqual([null, total, selected]);
  });
});

describe('a quote is refused', () => {
  it.each<[string, object, readonly string[]]>([
    // 4 was published inactive, 6 is of fraction III; 0 and -1 are integers without a product.
    [
      'for unknown and inactive products, in each line',
      lines([1, 1], [999, 0], [4, 1], [6, 1], [-1, 1], [Number.MAX_SAFE_INTEGER, 1]),
      [1, 2, 3, 4, 5].map((line) => `details.${line}.product`),
    ],
    [
      'for more of a product than an order may have, in each line above 0',
      lines([12, 4], [12, 0], [12, 1]),
      ['details.0.quantity', 'details.2.quantity'],
    ],
    ['to both a zip code and a store', { ...one(1), zipcode: '12345', store: 1 }, ['non_field_errors']],
    [
      'for every error of the catalog together',
      { ...one(999), zipcode: '12345', store: 99, coupon: 'NOEXISTE' },
      ['details.0.product', 'non_field_errors', 'store'],
    ],
    [
      'for every error of its shape, before those of the catalog',
      { details: [{ product: 999 }, 7, { product: 'x', quantity: 1.5 }], zipcode: 'abc', coupon: 5, store: 99 },
      [
        ...['details.0.quantity', 'details.1.non_field_errors', 'details.2.product', 'details.2.quantity'],
        ...['zipcode', 'coupon'],
      ],
    ],
  ])('%s', async (_, body, paths) => {
    const { status, body: errors } = await post(body);
    expect([status, listErrorPaths(errors).toSorted()]).toEqual([400, [...paths].toSorted()]);
  });
});
