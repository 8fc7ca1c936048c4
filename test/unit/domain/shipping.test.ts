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
const STANDARD: ShippingMethodTerms = {
  id: 1,
  company: 'Paquetería del Valle',
  method: 'standard',
  min_delivery_days: 2,
  max_delivery_days: 5,
};
const EXPRESS: ShippingMethodTerms = {
  ...STANDARD,
  id: 2,
  method: 'express',
  min_delivery_days: 1,
  max_delivery_days: 1,
};
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

function options(zipcode: string, rates: ShippingRate[], now = NOW): ShippingOption[] {
  return shippingOptions({ zipcode, rates, methods: METHODS, now });
}

function prices(zipcode: string, rates: ShippingRate[], now = NOW): number[] {
  return options(zipcode, rates, now).map((option) => option.priceCents);
}

describe('isZipcode', () => {
  it.each(['00500', '06700', '99999'])('accepts %s', (text) => {
    expect(isZipcode(text)).toBe(true);
  });

  it.each(['', '6700', '067000', '0670a', ' 06700', '06700\n', '０６７００', '-6700'])('refuses %j', (text) => {
    expect(isZipcode(text)).toBe(false);
  });
});

describe('shippingOptions', () => {
  it('gives the terms of the method with the amounts of its rate', () => {
    const rates = [rate({ costCents: 7_050, discountCents: 4_900 })];
    expect(options('06700', rates)).toEqual([
      {
        id: 1,
        company: 'Paquetería del Valle',
        method: 'standard',
        min_delivery_days: 2,
        max_delivery_days: 5,
        priceCents: 9_900,
        discountCents: 4_900,
        costCents: 7_050,
      },
    ]);
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

  it('lets the narrowest range win over one that starts later', () => {
    const narrow = rate({ zip_from: '06000', zip_to: '06099', priceCents: 100 });
    const wide = rate({ zip_from: '06050', zip_to: '06999', priceCents: 200 });
    expect(prices('06060', [narrow, wide])).toEqual([100]);
    expect(prices('06060', [wide, narrow])).toEqual([100]);
  });

  it('lets the later start win among equally narrow ranges, and then the one given first', () => {
    const early = rate({ zip_from: '06000', zip_to: '06099', priceCents: 100 });
    const late = rate({ zip_from: '06050', zip_to: '06149', priceCents: 200 });
    expect(prices('06060', [early, late])).toEqual([200]);
    expect(prices('06060', [late, early])).toEqual([200]);
    expect(prices('06060', [late, { ...late, priceCents: 300 }])).toEqual([200]);
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

  it.each(['670', '5', '0670a', ''])('has no options for %j, which is no zip code', (zipcode) => {
    expect(options(zipcode, [rate({})])).toEqual([]);
  });

  it('applies a discount from its first to its last millisecond', () => {
    const rates = [
      rate({
        discountCents: 4_900,
        discount_from: '2026-11-20T06:00:00.000Z',
        discount_until: '2026-11-24T05:59:59.999Z',
      }),
    ];
    const discountAt = (now: string) => options('06700', rates, new Date(now))[0]?.discountCents;
    expect(discountAt('2026-11-20T05:59:59.999Z')).toBe(0);
    expect(discountAt('2026-11-20T06:00:00.000Z')).toBe(4_900);
    expect(discountAt('2026-11-24T05:59:59.999Z')).toBe(4_900);
    expect(discountAt('2026-11-24T06:00:00.000Z')).toBe(0);
  });

  it('applies a discount with one open end, and never one without readable ends', () => {
    const discountCents = (more: Partial<ShippingRate>) =>
      options('06700', [rate({ discountCents: 4_900, ...more })])[0]?.discountCents;
    expect(discountCents({ discount_from: '2026-11-20T06:00:00.000Z' })).toBe(4_900);
    expect(discountCents({ discount_until: '2026-11-24T05:59:59.999Z' })).toBe(4_900);
    expect(discountCents({ discount_until: '2026-11-20T05:59:59.999Z' })).toBe(0);
    expect(discountCents({ discount_from: 'soon' })).toBe(0);
    expect(discountCents({ discount_until: 'later' })).toBe(0);
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

  it('chooses the cheapest option whose method is default, even if another is cheaper', () => {
    const options = [
      option({ id: 1, priceCents: 5_000 }),
      option({ id: 2, method: 'default', priceCents: 12_000 }),
      option({ id: 3, method: 'default', priceCents: 9_900 }),
    ];
    expect(defaultShippingOption(options)?.id).toBe(3);
  });

  it('compares the prices less their discounts', () => {
    const discounted = option({ id: 8, priceCents: 9_900, discountCents: 5_000 });
    const cheaper = option({ id: 7, priceCents: 5_000 });
    expect(defaultShippingOption([cheaper, discounted])?.id).toBe(8);
    expect(defaultShippingOption([cheaper, { ...discounted, discountCents: 4_899 }])?.id).toBe(7);
    const defaults = [cheaper, discounted].map((one) => ({ ...one, method: 'default' as const }));
    expect(defaultShippingOption(defaults)?.id).toBe(8);
  });

  it('chooses the cheapest option when none is default', () => {
    const options = [option({ id: 1 }), option({ id: 2, method: 'express', priceCents: 5_000 })];
    expect(defaultShippingOption(options)?.id).toBe(2);
  });

  it('breaks ties by id', () => {
    expect(defaultShippingOption([option({ id: 9 }), option({ id: 4 })])?.id).toBe(4);
    const defaults = [option({ id: 9, method: 'default' }), option({ id: 4, method: 'default' }), option({ id: 1 })];
    expect(defaultShippingOption(defaults)?.id).toBe(4);
  });

  it('chooses none of no options, and leaves its input as it is', () => {
    expect(defaultShippingOption([])).toBeNull();
    const options = Object.freeze([option({ id: 9 }), option({ id: 4 })]);
    expect(defaultShippingOption(options)?.id).toBe(4);
  });
});

describe('pickupOption', () => {
  it('is free and keeps the terms of the method', () => {
    expect(pickupOption(DEFAULT)).toEqual({
      id: 3,
      company: 'Paquetería del Valle',
      method: 'default',
      min_delivery_days: null,
      max_delivery_days: 5,
      priceCents: 0,
      discountCents: 0,
      costCents: null,
    });
  });
});
