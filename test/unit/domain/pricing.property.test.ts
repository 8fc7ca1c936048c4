import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BasketAmounts, type BasketInput, priceBasket } from '../../../shared/domain/pricing.ts';
import { randomBasket } from '../../support/orders/random-baskets.ts';
import { tries } from '../../support/proofs/proof.ts';

const MICROS = 1_000_000;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

// A value rounded half up is from half a cent below the exact value (excluded) to half a cent above it (included).
function isHalfUp(cents: number, exactMicroCents: number): boolean {
  const error = cents * MICROS - exactMicroCents;
  return error > -MICROS / 2 && error <= MICROS / 2;
}

function brokenRules({ lines, coupon, shipping }: BasketInput, amounts: BasketAmounts): string[] {
  const all = lines.map((line, index) => {
    const of = amounts.lines[index] ?? { subtotalCents: -1, discountCents: -1, ivaCents: -1, totalCents: -1 };
    return { ...of, ...line, netCents: of.subtotalCents - of.discountCents };
  });
  const sumAt = (rate: number, amount: 'netCents' | 'ivaCents') =>
    sum(all.filter(({ ivaRateMicros }) => ivaRateMicros === rate).map((line) => line[amount]));
  const feeCents = amounts.shippingPriceCents - amounts.shippingDiscountCents;
  const holds: Record<string, boolean> = {
    'one amount for each line': amounts.lines.length === lines.length,
    'every amount is a whole number of cents': all.every((line) => Number.isSafeInteger(line.totalCents)),
    'line subtotal is price times quantity': all.every((l) => l.subtotalCents === l.unitPriceCents * l.quantity),
    'line subtotals sum up': sum(all.map((line) => line.subtotalCents)) === amounts.subtotalCents,
    'line discounts sum up': sum(all.map((line) => line.discountCents)) === amounts.discountCents,
    'line discount is within its line': all.every((l) => l.discountCents >= 0 && l.discountCents <= l.subtotalCents),
    'line IVA sums up': sum(all.map((line) => line.ivaCents)) === amounts.ivaCents,
    'line IVA is less than a cent off': all.every(
      (l) => Math.abs(l.ivaCents * MICROS - l.netCents * l.ivaRateMicros) < MICROS,
    ),
    'no IVA at the rate of zero': all.every((line) => line.ivaRateMicros > 0 || line.ivaCents === 0),
    'a line tells its rate': lines.every((line, index) => amounts.lines[index]?.ivaRateMicros === line.ivaRateMicros),
    'IVA is rounded half up once for each rate': [80_000, 160_000].every((rate) =>
      isHalfUp(sumAt(rate, 'ivaCents'), sumAt(rate, 'netCents') * rate),
    ),
    'line total is net and IVA': all.every((line) => line.totalCents === line.netCents + line.ivaCents),
    'line totals and shipping are the total':
      sum(all.map((line) => line.totalCents)) + amounts.shippingPriceCents - amounts.shippingDiscountCents ===
      amounts.totalCents,
    'total is not negative': amounts.totalCents >= 0,
    'shipping price is as given': amounts.shippingPriceCents === shipping.priceCents,
    'shipping discount is within the price':
      amounts.shippingDiscountCents >= 0 && amounts.shippingDiscountCents <= shipping.priceCents,
    'a fee tells its rate': amounts.shippingIvaRateMicros === (feeCents > 0 ? shipping.ivaRateMicros : null),
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

it('priceBasket holds every rule of the amounts, for random baskets', () => {
  const property = fc.property(randomBasket, (input) => {
    expect(brokenRules(input, priceBasket(input))).toEqual([]);
  });
  fc.assert(property, { numRuns: tries(2_000, 40_000) });
});
