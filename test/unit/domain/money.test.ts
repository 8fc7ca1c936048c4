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

const MOST = 9_007_199_254_740_991;

describe('amounts', () => {
  it.each([
    ['0', 0],
    ['7.5', 750],
    ['1.15', 115], // 1.15 * 100 is 114.99999999999999
    ['007.05', 705],
    ['90071992547409.91', MOST],
  ])('%s are %i cents', (text, cents) => {
    expect(parseCents(text)).toBe(cents);
  });

  it.each(['', ' 1', '1\n', '-1', '+1', '.5', '5.', '1.234', '1.000', '1,50', '1e3', '١٢', '90071992547409.92'])(
    'are not %j',
    (text) => {
      expect(parseCents(text)).toBeUndefined();
    },
  );

  it.each([
    ['0.125', 125_000],
    ['0.000001', 1],
    ['150', 150_000_000],
    ['1.000000', 1_000_000],
    ['0.0000001', undefined],
    ['-0.1', undefined],
    ['10%', undefined],
    ['', undefined],
    ['9007199254.740992', undefined],
  ])('%j are %d micros', (text, micros) => {
    expect(parseMicros(text)).toBe(micros);
  });

  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [50, '0.50'],
    [100, '1.00'],
    [MOST, '90071992547409.91'],
  ])('of %i cents are written %s', (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('of %d cents cannot be', (cents) => {
    expect(() => formatCents(cents)).toThrow(new RangeError(`not a non-negative whole number: ${cents}`));
  });

  it('have a sum, as long as it is exact', () => {
    expect([sumCents([17_100, 24_999, 33_999]), sumCents([])]).toEqual([76_098, 0]);
    expect(() => sumCents([MOST, 1])).toThrow(RangeError);
  });
});

describe('divideHalfUp', () => {
  it.each([
    [0n, 3n, 0n],
    [1n, 3n, 0n],
    [1n, 2n, 1n],
    [2n, 3n, 1n],
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
    ['what floating point could not', MOST, [1, 1], [4_503_599_627_370_496, 4_503_599_627_370_495]],
    ['nothing to nothing', 0, [], []],
    ['nothing to weights of zero', 0, [0, 0], [0, 0]],
  ])('gives %s', (_, amount, weights, shares) => {
    expect(allocate(amount, weights)).toEqual(shares);
  });

  it.each([
    [1, [0, 0]],
    [1, []],
    [-1, [1]],
    [0.5, [1]],
    [1, [2, -1]],
    [1, [0.5]],
  ])('refuses to allocate %d to %j', (amount, weights) => {
    expect(() => allocate(amount, weights)).toThrow(RangeError);
  });
});

it('roundToTotal leaves a whole share as it is and rounds the others to the total', () => {
  // exact shares 2, 0.7, 0.8
  expect(roundToTotal(4, [20n, 7n, 8n], 10n)).toEqual([2, 1, 1]);
  expect(roundToTotal(3, [20n, 7n, 8n], 10n)).toEqual([2, 0, 1]);
  expect(() => roundToTotal(1, [20n], 10n)).toThrow(RangeError);
});
