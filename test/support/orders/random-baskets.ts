import fc from 'fast-check';
import type { BasketInput } from '../../../shared/domain/pricing.ts';

/** SAT's rates of IVA (c_TasaOCuota). */
const rate = fc.constantFrom(0, 80_000, 160_000);

const line = fc.record({
  unitPriceCents: fc.oneof(fc.nat(500_000), fc.nat(60)),
  quantity: fc.oneof({ weight: 9, arbitrary: fc.nat(12) }, { weight: 1, arbitrary: fc.nat(32_767) }),
  ivaRateMicros: rate,
});

const coupon = fc.record({
  code: fc.constant('X'),
  valueMicros: fc.oneof(
    fc.nat(100).map((percent) => percent * 10_000),
    fc.nat(1_000_000),
    fc.integer({ min: 101, max: 300_000 }).map((cents) => cents * 10_000),
  ),
  has_free_shipping: fc.boolean(),
  minimumSubtotalCents: fc.constant(null),
  valid_from: fc.constant(null),
  valid_until: fc.constant(null),
});

/** Baskets with lines of all rates, with and without a coupon, and with a shipment at a rate of its own. */
export const randomBasket: fc.Arbitrary<BasketInput> = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 12 }),
  coupon: fc.option(coupon, { freq: 2 }),
  shipping: fc.record({ priceCents: fc.nat(30_000), discountCents: fc.nat(40_000), ivaRateMicros: rate }),
});
