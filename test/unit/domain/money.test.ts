import { describe, expect, it } from 'vitest';
import {
  allocate,
  divideHalfUp,
  formatCents,
  parseCents,
  parseMicros,
  roundToTotal,
  sumCents,
} from '../../../shared/domain/money.ts';

describe('parseCents', () => {
  it.each([
    ['0', 0],
    ['7', 700],
    ['7.5', 750],
    ['249.99', 24_999],
    ['1.15', 115], // 1.15 * 100 is 114.99999999999999
    ['8.20', 820],
    ['0.07', 7],
    ['007.05', 705],
    ['90071992547409.91', 9_007_199_254_740_991],
  ])('reads %s as %i cents', (text, cents) => {
    expect(parseCents(text)).toBe(cents);
  });

  const BEYOND_SAFE_INTEGERS = '90071992547409.92';
  it.each([
    '',
    ' 1',
    '1\n',
    '-1',
    '+1',
    '.5',
    '5.',
    '1.234',
    '1.000',
    '1,50',
    '1e3',
    '0x10',
    '١٢',
    BEYOND_SAFE_INTEGERS,
  ])('refuses %j', (text) => {
    expect(parseCents(text)).toBeUndefined();
  });
});

describe('parseMicros', () => {
  it.each([
    ['0.1', 100_000],
    ['0.125', 125_000],
    ['0.000001', 1],
    ['150', 150_000_000],
    ['1.000000', 1_000_000],
  ])('reads %s as %i micros', (text, micros) => {
    expect(parseMicros(text)).toBe(micros);
  });

  it.each(['0.0000001', '-0.1', '10%', '', '9007199254.740992'])('refuses %j', (text) => {
    expect(parseMicros(text)).toBeUndefined();
  });
});

describe('formatCents', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [50, '0.50'],
    [100, '1.00'],
    [81_984, '819.84'],
    [9_007_199_254_740_991, '90071992547409.91'],
  ])('writes %i cents as %s', (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %d, which is no amount', (cents) => {
    expect(() => formatCents(cents)).toThrow(new RangeError(`not a non-negative whole number: ${cents}`));
  });
});

describe('divideHalfUp', () => {
  it.each([
    [0n, 3n, 0n],
    [1n, 3n, 0n],
    [1n, 2n, 1n],
    [2n, 3n, 1n],
    [3n, 2n, 2n],
    [5n, 2n, 3n],
    [49n, 100n, 0n],
    [50n, 100n, 1n],
    [149n, 100n, 1n],
  ])('rounds %i / %i to %i', (numerator, denominator, quotient) => {
    expect(divideHalfUp(numerator, denominator)).toBe(quotient);
  });

  it.each([
    [-1n, 2n],
    [1n, -2n],
    [1n, 0n],
  ])('refuses %i / %i', (numerator, denominator) => {
    const refusal = new RangeError('only non-negative numbers are divided');
    expect(() => divideHalfUp(numerator, denominator)).toThrow(refusal);
  });
});

describe('allocate', () => {
  it.each([
    // exact shares 1.628, 2.605, 2.767
    ['spare cents to the largest remainders', 7, [10, 16, 17], [2, 2, 3]],
    ['a tie to the earlier index', 100, [1, 1, 1], [34, 33, 33]],
    // exact shares 0.5 and 1.5
    ['a tie of unequal weights to the earlier one', 2, [1, 3], [1, 1]],
    ['a tie to the larger weight if that is earlier', 2, [3, 1], [2, 0]],
    ['a weight of zero nothing', 10, [0, 3, 0, 3], [0, 5, 0, 5]],
    ['every weight itself when the amount is their sum', 46, [10, 0, 36], [10, 0, 36]],
    ['what floating point could not', 9_007_199_254_740_991, [1, 1], [4_503_599_627_370_496, 4_503_599_627_370_495]],
  ])('gives %s', (_, amount, weights, shares) => {
    expect(allocate(amount, weights)).toEqual(shares);
  });

  it('allocates nothing to nothing, and refuses to allocate something to nothing', () => {
    expect(allocate(0, [])).toEqual([]);
    expect(allocate(0, [0, 0])).toEqual([0, 0]);
    expect(() => allocate(1, [0, 0])).toThrow(new RangeError('nothing to carry the amount'));
    expect(() => allocate(1, [])).toThrow(new RangeError('nothing to carry the amount'));
  });

  it.each([
    [-1, [1]],
    [0.5, [1]],
    [1, [2, -1]],
    [1, [0.5]],
  ])('refuses to allocate %d to %j', (amount, weights) => {
    expect(() => allocate(amount, weights)).toThrow(RangeError);
  });
});

describe('roundToTotal', () => {
  it('leaves a whole share as it is and rounds the others to the total', () => {
    // exact shares 2, 0.7, 0.8
    expect(roundToTotal(4, [20n, 7n, 8n], 10n)).toEqual([2, 1, 1]);
    expect(roundToTotal(3, [20n, 7n, 8n], 10n)).toEqual([2, 0, 1]);
  });

  it('refuses a total below the floors', () => {
    expect(() => roundToTotal(1, [20n], 10n)).toThrow(RangeError);
  });
});

describe('sumCents', () => {
  it('adds amounts', () => {
    expect(sumCents([17_100, 24_999, 33_999])).toBe(76_098);
    expect(sumCents([])).toBe(0);
  });

  it('refuses a sum that is no longer exact', () => {
    expect(() => sumCents([9_007_199_254_740_991, 1])).toThrow(RangeError);
  });
});
