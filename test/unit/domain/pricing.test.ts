import { describe, expect, it } from 'vitest';
import {
  type BasketInput,
  type BasketLine,
  type CouponTerms,
  couponProblem,
  type IvaRates,
  ivaRateAt,
  parseZipcodeRange,
  priceBasket,
  sumSubtotal,
} from '../../../shared/domain/pricing.ts';

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
    const basket = price([taxed(3_333, 1), taxed(3_333, 1), taxed(3_333, 1)], {
      coupon: coupon({ valueMicros: 10_000_000 }),
    });
    expect(basket.lines).toMatchObject([
      { subtotalCents: 3_333, discountCents: 334, ivaCents: 480, totalCents: 3_479 },
      { subtotalCents: 3_333, discountCents: 333, ivaCents: 480, totalCents: 3_480 },
      { subtotalCents: 3_333, discountCents: 333, ivaCents: 480, totalCents: 3_480 },
    ]);
    expect(basket).toMatchObject({ subtotalCents: 9_999, discountCents: 1_000, ivaCents: 1_440, totalCents: 10_439 });
  });

  it('rounds IVA once for the basket and not once for each line', () => {
    const basket = price([taxed(103, 1), taxed(103, 1), taxed(103, 1)]);
    expect(basket.ivaCents).toBe(49); // 0.16 × 3.09 = 0.4944, while 0.1648 three times is 0.16 three times
    expect(basket.lines.map((line) => line.ivaCents)).toEqual([17, 16, 16]);
  });

  it('gives the spare cent of IVA to the line with the largest remainder', () => {
    // exact 0.1104, 0.1648 and 0.1680 sum to 0.4432
    const basket = price([taxed(69, 1), taxed(103, 1), taxed(105, 1)]);
    expect(basket.ivaCents).toBe(44);
    expect(basket.lines.map((line) => line.ivaCents)).toEqual([11, 16, 17]);
  });

  it('charges no IVA on a line without it, nor at a rate of zero', () => {
    expect(price([untaxed(10_000, 1)])).toMatchObject({ ivaCents: 0, totalCents: 10_000 });
    expect(price([taxed(10_000, 1, 0)])).toMatchObject({ ivaCents: 0, totalCents: 10_000 });
    expect(price([taxed(10_000, 1, 80_000)])).toMatchObject({ ivaCents: 800, totalCents: 10_800 });
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

  it('tells the rate of a shipment that costs something', () => {
    const shipping = { priceCents: 9_900, discountCents: 9_899 };
    expect(price([taxed(100, 1)], { shipping }).shippingIvaRateMicros).toBe(IVA_16);
    const free = { priceCents: 9_900, discountCents: 9_900 };
    expect(price([taxed(100, 1)], { shipping: free }).shippingIvaRateMicros).toBeNull();
    expect(price([taxed(100, 1)]).shippingIvaRateMicros).toBeNull();
  });

  it('rounds half a cent of IVA up', () => {
    // 0.125 × 0.04 is 0.005
    expect(price([taxed(4, 1, 125_000)]).ivaCents).toBe(1);
    expect(price([taxed(4, 1, 124_999)]).ivaCents).toBe(0);
  });

  it('rounds a share of the subtotal half up', () => {
    expect(price([untaxed(5, 1)], { coupon: TEN_PERCENT }).discountCents).toBe(1); // 0.5 cents
    expect(price([untaxed(4, 1)], { coupon: TEN_PERCENT }).discountCents).toBe(0); // 0.4 cents
    expect(price([untaxed(10_001, 1)], { coupon: coupon({ valueMicros: 125_000 }) }).discountCents).toBe(1_250);
  });

  it('treats a value of exactly 1 as all of the subtotal, and just above 1 as an amount', () => {
    const all = price([taxed(25_000, 2)], { coupon: coupon({ valueMicros: 1_000_000 }) });
    expect(all).toMatchObject({ discountCents: 50_000, ivaCents: 0, totalCents: 0 });
    const amount = price([taxed(25_000, 2)], { coupon: coupon({ valueMicros: 1_010_000 }) });
    expect(amount).toMatchObject({ discountCents: 101, ivaCents: 7_984, totalCents: 57_883 });
  });

  it('discounts at most the subtotal', () => {
    const basket = price([taxed(5_000, 1), untaxed(4_000, 1)], { coupon: coupon({ valueMicros: 150_000_000 }) });
    expect(basket).toMatchObject({ subtotalCents: 9_000, discountCents: 9_000, ivaCents: 0, totalCents: 0 });
    expect(basket.lines.map((line) => line.discountCents)).toEqual([5_000, 4_000]);
  });

  it('discounts nothing for a value of zero', () => {
    expect(price([taxed(5_000, 1)], { coupon: coupon({ valueMicros: 0 }) }).discountCents).toBe(0);
  });

  it('leaves shipping alone, however large the coupon', () => {
    const basket = price([untaxed(1_000, 1)], {
      coupon: coupon({ valueMicros: 500_000_000 }),
      shipping: { priceCents: 9_900, discountCents: 0 },
    });
    expect(basket).toMatchObject({ discountCents: 1_000, shippingDiscountCents: 0, totalCents: 9_900 });
  });

  it('makes free shipping a discount of the whole shipping price', () => {
    const shipping = { priceCents: 9_900, discountCents: 4_900 };
    const free = price([untaxed(1_000, 1)], { coupon: coupon({ has_free_shipping: true }), shipping });
    expect(free).toMatchObject({ shippingPriceCents: 9_900, shippingDiscountCents: 9_900, totalCents: 900 });
    const charged = price([untaxed(1_000, 1)], { coupon: TEN_PERCENT, shipping });
    expect(charged).toMatchObject({ shippingPriceCents: 9_900, shippingDiscountCents: 4_900, totalCents: 5_900 });
  });

  it('caps the shipping discount at the shipping price', () => {
    const basket = price([untaxed(1_000, 1)], { shipping: { priceCents: 9_900, discountCents: 12_000 } });
    expect(basket).toMatchObject({ shippingDiscountCents: 9_900, totalCents: 1_000 });
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

  it('keeps IVA and total the same whichever of two equal lines comes first', () => {
    // 1 % of 0.94 is one cent; on the taxed line it lowers IVA from 0.0752 to 0.0736, that is from 0.08 to 0.07
    const onePercent = { coupon: coupon({ valueMicros: 10_000 }) };
    const order = { subtotalCents: 94, discountCents: 1, ivaCents: 7, totalCents: 100 };
    expect(price([taxed(47, 1), untaxed(47, 1)], onePercent)).toMatchObject(order);
    const reversed = price([untaxed(47, 1), taxed(47, 1)], onePercent);
    expect(reversed).toMatchObject(order);
    expect(reversed.lines).toMatchObject([
      { subtotalCents: 47, discountCents: 0, ivaCents: 0, totalCents: 47 },
      { subtotalCents: 47, discountCents: 1, ivaCents: 7, totalCents: 53 },
    ]);
  });

  it('gives a tie between unequal lines to the dearer one, whichever comes first', () => {
    // half of 0.04 over 0.01 and 0.03: exact shares 0.005 and 0.015
    const half = { coupon: coupon({ valueMicros: 500_000 }) };
    const discounts = (lines: BasketLine[]) => price(lines, half).lines.map((line) => line.discountCents);
    expect(discounts([untaxed(1, 1), untaxed(3, 1)])).toEqual([0, 2]);
    expect(discounts([untaxed(3, 1), untaxed(1, 1)])).toEqual([2, 0]);
  });

  it('is exact for the largest quantities', () => {
    const basket = price([taxed(9_999_999, 32_767)], { coupon: TEN_PERCENT });
    // 99999.99 × 32767 = 3276699672.33; a tenth 327669967.233; IVA 0.16 × 2949029705.10 = 471844752.816
    expect(basket).toMatchObject({
      subtotalCents: 327_669_967_233,
      discountCents: 32_766_996_723,
      ivaCents: 47_184_475_282,
      totalCents: 342_087_445_792,
    });
  });

  it('refuses amounts that are no longer exact, negative or fractional', () => {
    expect(() => price([untaxed(9_007_199_254_740_991, 2)])).toThrow(RangeError);
    expect(() => price([untaxed(-100, 1)])).toThrow(RangeError);
    expect(() => price([untaxed(100, -1)])).toThrow(RangeError);
    expect(() => price([untaxed(0.5, 2)])).toThrow(RangeError);
  });
});

describe('sumSubtotal', () => {
  it('adds price times quantity, before discount and IVA', () => {
    expect(sumSubtotal([untaxed(8_550, 2), taxed(24_999, 1), taxed(11_333, 3)])).toBe(76_098);
    expect(sumSubtotal([])).toBe(0);
  });
});

describe('couponProblem', () => {
  const november = coupon({
    valid_from: '2026-11-01T06:00:00.000Z',
    valid_until: '2026-12-01T05:59:59.999Z',
    minimumSubtotalCents: 20_000,
  });
  const at = (now: string, subtotalCents = 20_000) => ({ now: new Date(now), subtotalCents });

  it.each(['2026-11-01T06:00:00.000Z', '2026-11-15T12:00:00.000Z', '2026-12-01T05:59:59.999Z'])(
    'finds none at %s, both ends of the validity included',
    (now) => {
      expect(couponProblem(november, at(now))).toBeNull();
    },
  );

  it('finds a coupon invalid one millisecond before it begins', () => {
    expect(couponProblem(november, at('2026-11-01T05:59:59.999Z'))).toBe('coupon_invalid');
  });

  it('finds a coupon invalid one millisecond after it ends', () => {
    expect(couponProblem(november, at('2026-12-01T06:00:00.000Z'))).toBe('coupon_invalid');
  });

  it('finds a subtotal one cent below the minimum, and none at the minimum', () => {
    expect(couponProblem(november, at('2026-11-15T12:00:00.000Z', 19_999))).toBe('coupon_below_minimum');
    expect(couponProblem(november, at('2026-11-15T12:00:00.000Z', 20_000))).toBeNull();
  });

  it('names the validity before the minimum', () => {
    expect(couponProblem(november, at('2026-12-25T12:00:00.000Z', 1))).toBe('coupon_invalid');
  });

  it('finds none for a coupon without bounds', () => {
    expect(couponProblem(TEN_PERCENT, at('1999-01-01T00:00:00.000Z', 0))).toBeNull();
    expect(couponProblem(TEN_PERCENT, at('2099-01-01T00:00:00.000Z', 0))).toBeNull();
  });

  it('understands an end given with an offset', () => {
    const local = coupon({ valid_until: '2026-11-30T23:59:59.999-06:00' });
    expect(couponProblem(local, at('2026-12-01T05:59:59.999Z'))).toBeNull();
    expect(couponProblem(local, at('2026-12-01T06:00:00.000Z'))).toBe('coupon_invalid');
  });

  it('never applies a coupon whose ends cannot be read', () => {
    const now = at('2026-11-15T12:00:00.000Z');
    expect(couponProblem(coupon({ valid_from: 'soon' }), now)).toBe('coupon_invalid');
    expect(couponProblem(coupon({ valid_until: 'later' }), now)).toBe('coupon_invalid');
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

  it('is the general one everywhere without zip codes of the border', () => {
    expect(ivaRateAt('22000', { ...RATES, borderZipcodes: [] })).toBe(160_000);
  });
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
