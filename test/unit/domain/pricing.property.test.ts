import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BasketAmounts, type BasketInput, priceBasket } from '../../../shared/domain/pricing.ts';
import { tries } from '../../support/proofs/proof.ts';

const MICROS = 1_000_000;

const line = fc.record({
  unitPriceCents: fc.oneof(fc.integer({ min: 0, max: 500_000 }), fc.integer({ min: 0, max: 60 })),
  quantity: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 32_767 }) },
  ),
  hasIva: fc.boolean(),
});

const coupon = fc.record({
  code: fc.constant('X'),
  valueMicros: fc.oneof(
    fc.integer({ min: 0, max: 100 }).map((percent) => percent * 10_000),
    fc.integer({ min: 0, max: MICROS }),
    fc.integer({ min: 101, max: 300_000 }).map((cents) => cents * 10_000),
  ),
  has_free_shipping: fc.boolean(),
  minimumSubtotalCents: fc.constant(null),
  valid_from: fc.constant(null),
  valid_until: fc.constant(null),
});

const basket = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 12 }),
  coupon: fc.option(coupon),
  shipping: fc.record({
    priceCents: fc.integer({ min: 0, max: 30_000 }),
    discountCents: fc.integer({ min: 0, max: 40_000 }),
  }),
  ivaRateMicros: fc.constantFrom(160_000, 160_000, 80_000, 0),
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

// A value rounded half up is from half a cent below the exact value (excluded) to half a cent above it (included).
function isHalfUp(cents: number, exactMicroCents: number): boolean {
  const error = cents * MICROS - exactMicroCents;
  return error > -MICROS / 2 && error <= MICROS / 2;
}

function brokenRules({ lines, coupon, shipping, ivaRateMicros }: BasketInput, amounts: BasketAmounts): string[] {
  const all = lines.map((line, index) => {
    const of = amounts.lines[index] ?? { subtotalCents: -1, discountCents: -1, ivaCents: -1, totalCents: -1 };
    return { ...line, ...of, netCents: of.subtotalCents - of.discountCents };
  });
  const taxedNetCents = sum(all.filter((line) => line.hasIva).map((line) => line.netCents));
  const holds: Record<string, boolean> = {
    'one amount for each line': amounts.lines.length === lines.length,
    'every amount is a whole number of cents': all.every((line) => Number.isSafeInteger(line.totalCents)),
    'line subtotal is price times quantity': all.every((l) => l.subtotalCents === l.unitPriceCents * l.quantity),
    'line subtotals sum up': sum(all.map((line) => line.subtotalCents)) === amounts.subtotalCents,
    'line discounts sum up': sum(all.map((line) => line.discountCents)) === amounts.discountCents,
    'line discount is within its line': all.every((l) => l.discountCents >= 0 && l.discountCents <= l.subtotalCents),
    'line IVA sums up': sum(all.map((line) => line.ivaCents)) === amounts.ivaCents,
    'line IVA is less than a cent off': all.every(
      (l) => !l.hasIva || Math.abs(l.ivaCents * MICROS - l.netCents * ivaRateMicros) < MICROS,
    ),
    'no IVA without has_iva': all.every((line) => line.hasIva || line.ivaCents === 0),
    'basket IVA is rounded half up once': isHalfUp(amounts.ivaCents, taxedNetCents * ivaRateMicros),
    'line total is net and IVA': all.every((line) => line.totalCents === line.netCents + line.ivaCents),
    'line totals and shipping are the total':
      sum(all.map((line) => line.totalCents)) + amounts.shippingPriceCents - amounts.shippingDiscountCents ===
      amounts.totalCents,
    'total is not negative': amounts.totalCents >= 0,
    'shipping price is as given': amounts.shippingPriceCents === shipping.priceCents,
    'shipping discount is within the price':
      amounts.shippingDiscountCents >= 0 && amounts.shippingDiscountCents <= shipping.priceCents,
    'free shipping is free': !coupon?.has_free_shipping || amounts.shippingDiscountCents === shipping.priceCents,
    'no coupon, no discount': coupon !== null || amounts.discountCents === 0,
    'a share is rounded half up':
      coupon === null ||
      coupon.valueMicros > MICROS ||
      isHalfUp(amounts.discountCents, coupon.valueMicros * amounts.subtotalCents),
    'an amount is taken off whole, or the subtotal is':
      coupon === null ||
      coupon.valueMicros <= MICROS ||
      amounts.discountCents * 10_000 === coupon.valueMicros ||
      (amounts.discountCents === amounts.subtotalCents && coupon.valueMicros >= amounts.subtotalCents * 10_000),
  };
  return Object.keys(holds).filter((rule) => !holds[rule]);
}

// Lines are compared as a multiset, because equal lines may swap a spare cent.
function withoutOrder({ lines, ...amounts }: BasketAmounts) {
  const texts = lines.map((l) => [l.subtotalCents, l.discountCents, l.ivaCents, l.totalCents].join(' '));
  return { ...amounts, lines: texts.sort() };
}

describe('priceBasket, for random baskets', () => {
  it('holds every rule of the amounts', () => {
    fc.assert(
      fc.property(basket, (input) => {
        expect(brokenRules(input, priceBasket(input))).toEqual([]);
      }),
      { numRuns: tries(2_000, 10_000) },
    );
  });

  it('lets the order of the lines change nothing but which of two equal lines gets a spare cent', () => {
    const shuffled = basket.chain((input) => {
      const positions = [...input.lines.keys()];
      const order = fc.shuffledSubarray(positions, { minLength: positions.length });
      return order.map((order) => ({ input, order }));
    });
    fc.assert(
      fc.property(shuffled, ({ input, order }) => {
        const lines = order.flatMap((position) => input.lines[position] ?? []);
        expect(withoutOrder(priceBasket({ ...input, lines }))).toEqual(withoutOrder(priceBasket(input)));
      }),
      { numRuns: tries(2_000, 10_000) },
    );
  });
});
