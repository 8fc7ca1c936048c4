import { describe, expect, it } from 'vitest';
import {
  listOpenParts,
  type SalePart,
  splitParts,
  spreadAmount,
  sumByRate,
  takeQuantity,
} from '../../../shared/domain/sale-parts.ts';

// 2 × 85.50 without IVA, 249.99 and 3 × 113.33 with 16 %, less 10 %; shipping of 99.00 with 49.00 off: 819.84.
const SALE = {
  lines: [
    { id: 71, quantity: 2, totalCents: 15_390, ivaRateMicros: 0 },
    { id: 72, quantity: 1, totalCents: 26_099, ivaRateMicros: 160_000 },
    { id: 73, quantity: 3, totalCents: 35_495, ivaRateMicros: 160_000 },
  ],
  shippingPriceCents: 9_900,
  shippingDiscountCents: 4_900,
  shippingIvaRateMicros: 160_000,
};
const part = (line: number | null, quantity: number, cents: number): SalePart => ({ line, quantity, cents });

describe('what is left of a sale', () => {
  it('is all of it at first, and then less the quantities and money that went back', () => {
    const [first, second, third, shipment] = [
      part(71, 2, 15_390),
      part(72, 1, 26_099),
      part(73, 3, 35_495),
      part(null, 0, 5_000),
    ];
    expect(listOpenParts(SALE, [])).toEqual([first, second, third, shipment]);
    const taken = [part(73, 1, 11_832), part(73, 0, 100), part(null, 0, 5_000)];
    expect(listOpenParts(SALE, taken)).toEqual([first, second, part(73, 2, 23_563), part(null, 0, 0)]);
  });

  it.each([
    ['a quantity', [part(72, 2, 100)]],
    ['money', [part(72, 1, 26_000), part(72, 0, 100)]],
    ['the shipment', [part(null, 0, 5_001)]],
  ])('is never less than nothing: %s', (_, taken) => {
    expect(() => listOpenParts(SALE, taken)).toThrow(RangeError);
  });
});

describe('a quantity of a line', () => {
  it('takes its share in whole cents, and the last piece the rest', () => {
    // 354.95 / 3 is 118.31…: 118.32, then half of 236.63, then what is left.
    expect(takeQuantity(part(73, 3, 35_495), 1)).toEqual(part(73, 1, 11_832));
    expect(takeQuantity(part(73, 3, 35_495), 2)).toEqual(part(73, 2, 23_663));
    expect(takeQuantity(part(73, 3, 35_495), 3)).toEqual(part(73, 3, 35_495));
    expect(() => takeQuantity(part(73, 2, 23_663), 3)).toThrow(RangeError);
  });
});

describe('an amount', () => {
  it('is spread over what is left by largest remainder', () => {
    // Shares of 18.77…, 31.83…, 43.29… and 6.09….
    expect(spreadAmount(listOpenParts(SALE, []), 10_000)).toEqual([
      part(71, 0, 1_877),
      part(72, 0, 3_183),
      part(73, 0, 4_330),
      part(null, 0, 610),
    ]);
  });

  it('leaves out what is wholly gone, and is not more than is left', () => {
    const open = listOpenParts(SALE, [part(72, 1, 26_099), part(73, 3, 35_495), part(null, 0, 5_000)]);
    expect(spreadAmount(open, 15_390)).toEqual([part(71, 0, 15_390)]);
    expect(() => spreadAmount(open, 15_391)).toThrow(RangeError);
  });
});

it('the rates of parts are those of their lines and of the shipment, and of no other line', () => {
  expect(sumByRate(SALE, [part(73, 1, 11_832), part(71, 1, 7_695), part(null, 0, 5_000)])).toEqual([
    { rateMicros: 0, cents: 7_695 },
    { rateMicros: 160_000, cents: 16_832 },
  ]);
  expect(() => sumByRate(SALE, [part(9, 1, 1)])).toThrow(RangeError);
});

it('parts that others have too are told from what is beyond them, line by line', () => {
  const parts = [part(73, 2, 20_000), part(73, 1, 10_000), part(71, 0, 50)];
  expect(splitParts(parts, [part(73, 1, 15_000), part(73, 1, 7_000), part(72, 1, 26_099)])).toEqual({
    within: [part(73, 2, 20_000), part(73, 0, 2_000)],
    beyond: [part(73, 1, 8_000), part(71, 0, 50)],
  });
});
