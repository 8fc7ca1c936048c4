import { describe, expect, it } from 'vitest';
import {
  defaultShippingOption,
  isZipcode,
  pickupOption,
  type ShippingMethodTerms,
  type ShippingOption,
  type ShippingRate,
  shippingOptions,
} from '../../../shared/domain/shipping.ts';

const NOW = '2026-11-21T18:00:00.000Z';
const TERMS = { company: 'Paquetería del Valle', min_delivery_days: 2, max_delivery_days: 5 };
const STANDARD: ShippingMethodTerms = { ...TERMS, id: 1, method: 'standard' };
const EXPRESS: ShippingMethodTerms = { ...STANDARD, id: 2, method: 'express' };
const DEFAULT: ShippingMethodTerms = { ...STANDARD, id: 3, method: 'default', min_delivery_days: null };
const methods = new Map([STANDARD, EXPRESS, DEFAULT].map((method) => [method.id, method]));

const rate = (more: Partial<ShippingRate> = {}): ShippingRate => ({
  ...{ shipping_method: 1, zip_from: '00000', zip_to: '99999', priceCents: 9_900, costCents: null },
  ...{ discountCents: null, discount_from: null, discount_until: null },
  ...more,
});
const within = (zip_from: string, zip_to: string, priceCents = 9_900) => rate({ zip_from, zip_to, priceCents });
const options = (zipcode: string, rates: ShippingRate[], now = NOW): ShippingOption[] =>
  shippingOptions({ zipcode, rates, methods, now: new Date(now) });

it.each([
  ['00500', true],
  ['99999', true],
  ['6700', false],
  ['067000', false],
  ['0670a', false],
  ['06700\n', false],
  ['０６７００', false],
])('%j is a zip code: %s', (text, expected) => {
  expect(isZipcode(text)).toBe(expected);
});

describe('shippingOptions', () => {
  it('gives the terms of the method with the amounts of its rate', () => {
    const amounts = { priceCents: 9_900, discountCents: 4_900, costCents: 7_050 };
    expect(options('06700', [rate({ costCents: 7_050, discountCents: 4_900 })])).toEqual([{ ...STANDARD, ...amounts }]);
  });

  const country = rate({ priceCents: 15_000 });
  const state = within('06000', '16999');
  const district = within('06700', '06700', 4_500);
  const early = within('06000', '06099', 100);
  const late = within('06050', '06149', 200);
  it.each([
    ['in both ends of a range', '06000', [within('06000', '06999')], [9_900]],
    ['in both ends of a range', '06999', [within('06000', '06999')], [9_900]],
    ['below a range', '05999', [within('06000', '06999')], []],
    ['above a range', '07000', [within('06000', '06999')], []],
    ['with zeros in front', '00500', [within('00400', '00600'), within('40000', '60000', 1)], [9_900]],
    ['of no form', '0670a', [rate()], []],
    ['in the narrowest range', '06700', [country, state, district], [4_500]],
    ['in the narrowest range, wherever it stands', '06700', [district, country, state], [4_500]],
    ['in the next range', '06701', [district, country, state], [9_900]],
    ['in the widest alone', '64000', [district, country, state], [15_000]],
    ['in a narrow range and one that starts later', '06060', [early, { ...late, zip_to: '06999' }], [100]],
    ['in equally narrow ranges, of which the later start wins', '06060', [early, late], [200]],
    ['in equally narrow ranges, in another order', '06060', [late, early], [200]],
    ['in equal ranges, of which the first wins', '06060', [late, { ...late, priceCents: 300 }], [200]],
    ['of a method that is not published', '06700', [rate({ shipping_method: 77 })], []],
  ])('has the prices of a zip code %s', (_, zipcode, rates, prices) => {
    expect(options(zipcode, rates).map(({ priceCents }) => priceCents)).toEqual(prices);
  });

  it('sorts by price and then by id', () => {
    const rates = [rate({ shipping_method: 3 }), rate({ shipping_method: 2, priceCents: 5_000 }), rate()];
    expect(options('06700', rates).map(({ id }) => id)).toEqual([2, 1, 3]);
  });

  const [from, until] = ['2026-11-20T06:00:00.000Z', '2026-11-24T05:59:59.999Z'];
  it.each<[string, string | null, string | null, string, number]>([
    ['before its first millisecond', from, until, '2026-11-20T05:59:59.999Z', 0],
    ['at its first millisecond', from, until, from, 4_900],
    ['at its last millisecond', from, until, until, 4_900],
    ['after its last millisecond', from, until, '2026-11-24T06:00:00.000Z', 0],
    ['without an end', from, null, '2026-11-24T06:00:00.000Z', 4_900],
    ['without a beginning', null, until, '2026-11-20T05:59:59.999Z', 4_900],
    ['without a beginning, after its end', null, until, '2026-11-24T06:00:00.000Z', 0],
    ['from no readable time', 'soon', null, from, 0],
    ['until no readable time', null, 'later', from, 0],
  ])('has the discount of a rate %s', (_, discount_from, discount_until, now, discountCents) => {
    const rates = [rate({ discountCents: 4_900, discount_from, discount_until })];
    expect(options('06700', rates, now)[0]?.discountCents).toBe(discountCents);
  });

  it('caps the discount at the price', () => {
    expect(options('06700', [rate({ discountCents: 12_000 })])[0]?.discountCents).toBe(9_900);
  });
});

describe('defaultShippingOption', () => {
  const option = (id: number, priceCents = 9_900, discountCents = 0): ShippingOption => ({
    ...{ ...STANDARD, id, priceCents, discountCents, costCents: null },
  });
  const preferred = (...parameters: Parameters<typeof option>): ShippingOption => ({
    ...option(...parameters),
    method: 'default',
  });

  it.each([
    ['the cheapest one with the default method', [option(7, 5_000), preferred(2, 12_000), preferred(3)], 3],
    ['the cheapest when none is default', [option(1), option(7, 5_000)], 7],
    ['the cheapest less its discount', [option(7, 5_000), option(8, 9_900, 5_000)], 8],
    ['the cheapest, although another has a discount', [option(7, 5_000), option(8, 9_900, 4_899)], 7],
    ['the cheapest default less its discount', [preferred(7, 5_000), preferred(8, 9_900, 5_000)], 8],
    ['the first id of equals', [option(9), option(4)], 4],
    ['the first id of equal defaults', [preferred(9), preferred(4), option(7, 5_000)], 4],
  ])('chooses %s', (_, offered, id) => {
    expect(defaultShippingOption(Object.freeze(offered))?.id).toBe(id);
  });

  it('chooses none of no options', () => {
    expect(defaultShippingOption([])).toBeNull();
  });
});

it('pickup is free and keeps the terms of the method', () => {
  expect(pickupOption(DEFAULT)).toEqual({ ...DEFAULT, priceCents: 0, discountCents: 0, costCents: null });
});
