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

const NOW = new Date('2026-11-21T18:00:00.000Z');
const TERMS = { company: 'Paquetería del Valle', min_delivery_days: 2, max_delivery_days: 5 };
const STANDARD: ShippingMethodTerms = { ...TERMS, id: 1, method: 'standard' };
const EXPRESS: ShippingMethodTerms = { ...STANDARD, id: 2, method: 'express' };
const DEFAULT: ShippingMethodTerms = { ...STANDARD, id: 3, method: 'default', min_delivery_days: null };
const METHODS = new Map([STANDARD, EXPRESS, DEFAULT].map((method) => [method.id, method]));

function rate(more: Partial<ShippingRate>): ShippingRate {
  return {
    shipping_method: 1,
    zip_from: '00000',
    zip_to: '99999',
    priceCents: 9_900,
    costCents: null,
    discountCents: null,
    discount_from: null,
    discount_until: null,
    ...more,
  };
}

const options = (zipcode: string, rates: ShippingRate[], now = NOW): ShippingOption[] =>
  shippingOptions({ zipcode, rates, methods: METHODS, now });
const prices = (zipcode: string, rates: ShippingRate[]): number[] =>
  options(zipcode, rates).map((option) => option.priceCents);

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
    const rates = [rate({ costCents: 7_050, discountCents: 4_900 })];
    const amounts = { priceCents: 9_900, discountCents: 4_900, costCents: 7_050 };
    expect(options('06700', rates)).toEqual([{ ...TERMS, id: 1, method: 'standard', ...amounts }]);
  });

  it('includes both ends of a range', () => {
    const rates = [rate({ zip_from: '06000', zip_to: '06999' })];
    expect(prices('06000', rates)).toEqual([9_900]);
    expect(prices('06999', rates)).toEqual([9_900]);
    expect(prices('05999', rates)).toEqual([]);
    expect(prices('07000', rates)).toEqual([]);
  });

  it('keeps the leading zeros of 00500', () => {
    expect(prices('00500', [rate({ zip_from: '00400', zip_to: '00600' })])).toEqual([9_900]);
    expect(prices('00500', [rate({ zip_from: '40000', zip_to: '60000' })])).toEqual([]);
  });

  it('lets the narrowest range of a method win, wherever it stands', () => {
    const country = rate({ priceCents: 15_000 });
    const state = rate({ zip_from: '06000', zip_to: '16999', priceCents: 9_900 });
    const district = rate({ zip_from: '06700', zip_to: '06700', priceCents: 4_500 });
    expect(prices('06700', [country, state, district])).toEqual([4_500]);
    expect(prices('06700', [district, country, state])).toEqual([4_500]);
    expect(prices('06701', [district, country, state])).toEqual([9_900]);
    expect(prices('64000', [district, country, state])).toEqual([15_000]);
  });

  const early = rate({ zip_from: '06000', zip_to: '06099', priceCents: 100 });
  const late = rate({ zip_from: '06050', zip_to: '06149', priceCents: 200 });
  const wide = { ...late, zip_to: '06999' };
  it.each([
    ['the narrowest range, although another starts later', [early, wide], [100]],
    ['the narrowest range that is given last', [wide, early], [100]],
    ['the later start of equally narrow ranges', [early, late], [200]],
    ['the later start that is given first', [late, early], [200]],
    ['the one given first of equal ranges', [late, { ...late, priceCents: 300 }], [200]],
  ])('lets win %s', (_, rates, expected) => {
    expect(prices('06060', rates)).toEqual(expected);
  });

  it('sorts by price and then by id', () => {
    const rates = [
      rate({ shipping_method: 3, priceCents: 9_900 }),
      rate({ shipping_method: 2, priceCents: 5_000 }),
      rate({ shipping_method: 1, priceCents: 9_900 }),
    ];
    expect(options('06700', rates).map((option) => option.id)).toEqual([2, 1, 3]);
  });

  it('leaves out a rate whose method is not published', () => {
    expect(options('06700', [rate({ shipping_method: 77 })])).toEqual([]);
  });

  it('has no options for what is no zip code', () => {
    expect(options('0670a', [rate({})])).toEqual([]);
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
    expect(options('06700', rates, new Date(now))[0]?.discountCents).toBe(discountCents);
  });

  it('caps the discount at the price', () => {
    expect(options('06700', [rate({ discountCents: 12_000 })])[0]?.discountCents).toBe(9_900);
  });
});

describe('defaultShippingOption', () => {
  const option = (more: Partial<ShippingOption>): ShippingOption => ({
    ...STANDARD,
    priceCents: 9_900,
    discountCents: 0,
    costCents: null,
    ...more,
  });

  const isDefault = { method: 'default' } as const;
  const discounted = option({ id: 8, discountCents: 5_000 });
  const cheaper = option({ id: 7, priceCents: 5_000 });
  it.each([
    [
      'the cheapest one with the default method',
      [cheaper, option({ id: 2, ...isDefault, priceCents: 12_000 }), option({ id: 3, ...isDefault })],
      3,
    ],
    ['the cheapest when none is default', [option({ id: 1 }), cheaper], 7],
    ['the cheapest less its discount', [cheaper, discounted], 8],
    ['the cheapest, although another has a discount', [cheaper, { ...discounted, discountCents: 4_899 }], 7],
    [
      'the default that is cheapest less its discount',
      [
        { ...cheaper, ...isDefault },
        { ...discounted, ...isDefault },
      ],
      8,
    ],
    ['the first id of equals', [option({ id: 9 }), option({ id: 4 })], 4],
    ['the first id of equal defaults', [option({ id: 9, ...isDefault }), option({ id: 4, ...isDefault }), cheaper], 4],
  ])('chooses %s', (_, offered, id) => {
    expect(defaultShippingOption(Object.freeze(offered))?.id).toBe(id);
  });

  it('chooses none of no options', () => {
    expect(defaultShippingOption([])).toBeNull();
  });
});

describe('pickupOption', () => {
  it('is free and keeps the terms of the method', () => {
    expect(pickupOption(DEFAULT)).toEqual({ ...DEFAULT, priceCents: 0, discountCents: 0, costCents: null });
  });
});
