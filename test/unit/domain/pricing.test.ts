import { describe, expect, it, vi } from 'vitest';
import {
  type BasketAmounts,
  type BasketInput,
  type BasketLine,
  type CouponTerms,
  couponProblem,
  type IvaRates,
  ivaRateAt,
  parseZipcodeRange,
  priceBasket,
} from '../../../shared/domain/pricing.ts';
import { businessConfig } from '../../../shared/runtime/config.ts';

const IVA_16 = 160_000;
const TEN_PERCENT: CouponTerms = {
  code: 'SALUD10',
  valueMicros: 100_000,
  has_free_shipping: false,
  minimumSubtotalCents: null,
  valid_from: null,
  valid_until: null,
};

function taxed(unitPriceCents: number, quantity: number, ivaRateMicros = IVA_16): BasketLine {
  return { unitPriceCents, quantity, ivaRateMicros };
}

function untaxed(unitPriceCents: number, quantity: number): BasketLine {
  return { unitPriceCents, quantity, ivaRateMicros: 0 };
}

type Priced = { coupon?: CouponTerms; shipping?: Omit<BasketInput['shipping'], 'ivaRateMicros'> };

function price(lines: BasketLine[], { coupon, shipping }: Priced = {}) {
  const fee = { priceCents: 0, discountCents: 0, ...shipping, ivaRateMicros: IVA_16 };
  return priceBasket({ lines, coupon: coupon ?? null, shipping: fee });
}

function coupon(more: Partial<CouponTerms>): CouponTerms {
  return { ...TEN_PERCENT, ...more };
}

describe('priceBasket', () => {
  it('prices the worked example, with a tenth off and a shipping discount', () => {
    const basket = price([untaxed(8_550, 2), taxed(24_999, 1), taxed(11_333, 3)], {
      coupon: TEN_PERCENT,
      shipping: { priceCents: 9_900, discountCents: 4_900 },
    });
    expect(basket).toEqual({
      subtotalCents: 76_098,
      discountCents: 7_610,
      ivaCents: 8_496,
      shippingPriceCents: 9_900,
      shippingDiscountCents: 4_900,
      shippingIvaRateMicros: IVA_16,
      totalCents: 81_984,
      lines: [
        { subtotalCents: 17_100, discountCents: 1_710, ivaCents: 0, ivaRateMicros: 0, totalCents: 15_390 },
        { subtotalCents: 24_999, discountCents: 2_500, ivaCents: 3_600, ivaRateMicros: IVA_16, totalCents: 26_099 },
        { subtotalCents: 33_999, discountCents: 3_400, ivaCents: 4_896, ivaRateMicros: IVA_16, totalCents: 35_495 },
      ],
    });
  });

  it('spreads 10.00 off over three lines of 33.33', () => {
    const basket = price(Array(3).fill(taxed(3_333, 1)), { coupon: coupon({ valueMicros: 10_000_000 }) });
    expect(basket.lines.map(({ discountCents, ivaCents }) => [discountCents, ivaCents])).toEqual([
      [334, 480],
      [333, 480],
      [333, 480],
    ]);
    expect(basket).toMatchObject({ subtotalCents: 9_999, discountCents: 1_000, ivaCents: 1_440, totalCents: 10_439 });
  });

  it.each([
    // 0.16 × 3.09 = 0.4944, while 0.1648 three times is 0.16 three times
    ['once for the basket and not once for each line', [103, 103, 103], 49, [17, 16, 16]],
    // exact 0.1104, 0.1648 and 0.1680 sum to 0.4432
    ['with the spare cent for the largest remainder', [69, 103, 105], 44, [11, 16, 17]],
  ])('rounds IVA %s', (_, prices, ivaCents, ofLines) => {
    const basket = price(prices.map((cents) => taxed(cents, 1)));
    expect([basket.ivaCents, basket.lines.map((line) => line.ivaCents)]).toEqual([ivaCents, ofLines]);
  });

  it('rounds the IVA of each rate once, as the summary of an invoice does', () => {
    // 16 % of 1.03 and 8 % of 1.03 are 0.1648 and 0.0824, which are 0.16 and 0.08; together they would be 0.2472, which is 0.25.
    const basket = price([taxed(103, 1), taxed(103, 1, 80_000), untaxed(103, 1)]);
    expect(basket).toMatchObject({ ivaCents: 24, totalCents: 333 });
    expect(basket.lines.map((line) => [line.ivaRateMicros, line.ivaCents])).toEqual([
      [160_000, 16],
      [80_000, 8],
      [0, 0],
    ]);
  });

  const shipment = (priceCents: number, discountCents: number) => ({ shipping: { priceCents, discountCents } });
  const worth = (valueMicros: number, more: Partial<CouponTerms> = {}) => ({
    coupon: coupon({ valueMicros, ...more }),
  });
  it.each<[string, BasketLine[], Priced, Partial<BasketAmounts>]>([
    ['IVA at the rate of the line', [taxed(10_000, 1, 80_000)], {}, { ivaCents: 800, totalCents: 10_800 }],
    // 0.125 × 0.04 is 0.005
    ['half a cent of IVA as one', [taxed(4, 1, 125_000)], {}, { ivaCents: 1 }],
    ['less than half a cent of IVA as none', [taxed(4, 1, 124_999)], {}, { ivaCents: 0 }],
    ['an eighth off', [untaxed(10_001, 1)], worth(125_000), { discountCents: 1_250 }],
    ['a value of 1', [taxed(25_000, 2)], worth(1_000_000), { discountCents: 50_000, ivaCents: 0, totalCents: 0 }],
    ['a value above 1 as an amount', [taxed(25_000, 2)], worth(1_010_000), { discountCents: 101, totalCents: 57_883 }],
    [
      'a fee that no coupon lowers',
      [untaxed(1_000, 1)],
      { ...worth(500_000_000), ...shipment(9_900, 0) },
      { discountCents: 1_000, shippingDiscountCents: 0, totalCents: 9_900 },
    ],
    [
      'free shipping as a discount of the whole fee',
      [untaxed(1_000, 1)],
      { ...worth(100_000, { has_free_shipping: true }), ...shipment(9_900, 4_900) },
      { shippingPriceCents: 9_900, shippingDiscountCents: 9_900, totalCents: 900 },
    ],
    ['a fee of a cent at its rate', [taxed(100, 1)], shipment(9_900, 9_899), { shippingIvaRateMicros: IVA_16 }],
    ['a fee of nothing without a rate', [taxed(100, 1)], shipment(9_900, 9_900), { shippingIvaRateMicros: null }],
  ])('prices %s', (_, lines, terms, amounts) => {
    expect(price(lines, terms)).toMatchObject(amounts);
  });

  it('prices a quantity of zero as a line of zeros', () => {
    const zeros = { subtotalCents: 0, discountCents: 0, ivaCents: 0, ivaRateMicros: IVA_16, totalCents: 0 };
    const basket = price([taxed(5_000, 0), untaxed(1_000, 1)], { coupon: TEN_PERCENT });
    expect(basket.lines[0]).toEqual(zeros);
    expect(basket.totalCents).toBe(900);
    expect(price([taxed(5_000, 0)], { coupon: coupon({ valueMicros: 90_000_000 }) })).toMatchObject({
      discountCents: 0,
      totalCents: 0,
      lines: [zeros],
    });
  });

  it('gives a tie between unequal lines to the dearer one, whichever comes first', () => {
    // half of 0.04 over 0.01 and 0.03: exact shares 0.005 and 0.015
    const half = { coupon: coupon({ valueMicros: 500_000 }) };
    const discounts = (lines: BasketLine[]) => price(lines, half).lines.map((line) => line.discountCents);
    expect(discounts([untaxed(1, 1), untaxed(3, 1)])).toEqual([0, 2]);
    expect(discounts([untaxed(3, 1), untaxed(1, 1)])).toEqual([2, 0]);
  });

  it('refuses amounts that are no longer exact, negative or fractional', () => {
    expect(() => price([untaxed(9_007_199_254_740_991, 2)])).toThrow(RangeError);
    expect(() => price([untaxed(-100, 1)])).toThrow(RangeError);
    expect(() => price([untaxed(100, -1)])).toThrow(RangeError);
    expect(() => price([untaxed(0.5, 2)])).toThrow(RangeError);
  });
});

describe('couponProblem', () => {
  const november = coupon({
    valid_from: '2026-11-01T06:00:00.000Z',
    valid_until: '2026-12-01T05:59:59.999Z',
    minimumSubtotalCents: 20_000,
  });
  const withOffset = coupon({ valid_until: '2026-11-30T23:59:59.999-06:00' });
  it.each([
    ['at its beginning', november, '2026-11-01T06:00:00.000Z', 20_000, null],
    ['at its end', november, '2026-12-01T05:59:59.999Z', 20_000, null],
    ['before its beginning', november, '2026-11-01T05:59:59.999Z', 20_000, 'coupon_invalid'],
    ['after its end', november, '2026-12-01T06:00:00.000Z', 20_000, 'coupon_invalid'],
    ['a cent below its minimum', november, '2026-11-15T12:00:00.000Z', 19_999, 'coupon_below_minimum'],
    ['after its end and below its minimum', november, '2026-12-25T12:00:00.000Z', 1, 'coupon_invalid'],
    ['without bounds', TEN_PERCENT, '1999-01-01T00:00:00.000Z', 0, null],
    ['at its end with an offset', withOffset, '2026-12-01T05:59:59.999Z', 0, null],
    ['after its end with an offset', withOffset, '2026-12-01T06:00:00.000Z', 0, 'coupon_invalid'],
    ['whose beginning is no time', coupon({ valid_from: 'soon' }), '2026-11-15T12:00:00.000Z', 0, 'coupon_invalid'],
    ['whose end is no time', coupon({ valid_until: 'later' }), '2026-11-15T12:00:00.000Z', 0, 'coupon_invalid'],
  ])('of a coupon %s', (_, terms, now, subtotalCents, problem) => {
    expect(couponProblem(terms, { now: new Date(now), subtotalCents })).toBe(problem);
  });
});

describe('the rates of IVA in the environment', () => {
  it("are SAT's, and 16 % everywhere unless something else is set", () => {
    expect(businessConfig()).toMatchObject({ IVA_RATE: 160_000, SHIPPING_IVA_RATE: 160_000, BORDER_ZIPCODES: [] });
    const settings = { IVA_RATE: '0.08', SHIPPING_IVA_RATE: '0', BORDER_ZIPCODES: '21000-22999,83400' };
    for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
    const borders = [
      { from: '21000', to: '22999' },
      { from: '83400', to: '83400' },
    ];
    const read = { IVA_RATE: 80_000, SHIPPING_IVA_RATE: 0, BORDER_ZIPCODES: borders };
    expect(businessConfig()).toMatchObject(read);
  });

  it.each([
    ['IVA_RATE', '0.15'],
    ['IVA_RATE', '0'],
    ['SHIPPING_IVA_RATE', '0.160'],
    ['BORDER_ZIPCODES', '21000-22999,834'],
  ])('are refused as %s %s', (name, value) => {
    vi.stubEnv(name, value);
    expect(() => businessConfig()).toThrow(`${name} is not valid: `);
  });
});

const RATES: IvaRates = {
  generalMicros: 160_000,
  shippingMicros: 160_000,
  borderZipcodes: [
    { from: '21000', to: '22999' },
    { from: '83400', to: '83400' },
    { from: '00500', to: '00510' },
  ],
};

describe('the rate of IVA', () => {
  it.each(['21000', '22000', '22999', '83400', '00500', '00510'])('is that of the border in zip code %s', (zipcode) => {
    expect(ivaRateAt(zipcode, RATES)).toBe(80_000);
  });

  it.each(['20999', '23000', '83399', '83401', '00499', '00511', '2200', '220000', '', 'x', null])(
    'is the general one in zip code %j',
    (zipcode) => {
      expect(ivaRateAt(zipcode, RATES)).toBe(160_000);
    },
  );
});

describe('parseZipcodeRange', () => {
  it('parses a zip code and a range of them', () => {
    expect(parseZipcodeRange('08340')).toEqual({ from: '08340', to: '08340' });
    expect(parseZipcodeRange('21000-22999')).toEqual({ from: '21000', to: '22999' });
  });

  it.each(['', '2200', '22000-', '-22000', '22000-2', '22000-21999', '22000-22001-22002', ' 22000', '22000 - 22999'])(
    'refuses %j',
    (written) => {
      expect(parseZipcodeRange(written)).toBeUndefined();
    },
  );
});
