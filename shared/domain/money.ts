/** An amount of money in whole cents of a peso: `81984` is 819.84 MXN. */
export type Cents = number;

/** A value times 1,000,000 as a whole number, for rates and coupon values: `160000` is 0.16. */
export type Micros = number;

export const MICROS_PER_UNIT = 1_000_000;
export const MICROS_PER_CENT = 10_000;

const CENT_DECIMALS = 2;
const MICRO_DECIMALS = 6;
const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** Parses `"249.99"`, `"7"` or `"007.5"` by digits, as `1.15 * 100` is not 115; undefined for anything else or too large. */
export const parseCents = (text: string): Cents | undefined => parseScaled(text, CENT_DECIMALS);

/** Parses at most six decimals (`"0.125"` is 125000), otherwise like `parseCents`. */
export const parseMicros = (text: string): Micros | undefined => parseScaled(text, MICRO_DECIMALS);

function parseScaled(text: string, decimals: number): number | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return undefined;
  const scaled = Number(whole + fraction.padEnd(decimals, '0'));
  return Number.isSafeInteger(scaled) ? scaled : undefined;
}

/** Returns exactly two decimals, `"819.84"`. Throws RangeError unless a non-negative whole number. */
export function formatCents(cents: Cents): string {
  const digits = String(wholeNumber(cents)).padStart(CENT_DECIMALS + 1, '0');
  return `${digits.slice(0, -CENT_DECIMALS)}.${digits.slice(-CENT_DECIMALS)}`;
}

/** Formats a difference: `"-12.50"`. Throws RangeError unless a whole number. */
export const formatDifference = (cents: Cents): string => (cents < 0 ? `-${formatCents(-cents)}` : formatCents(cents));

/** Throws RangeError if the sum is not exact. */
export const sumCents = (amounts: readonly Cents[]): Cents =>
  wholeNumber(amounts.reduce((sum, amount) => sum + amount, 0));

/** Throws RangeError unless the value is a non-negative safe integer, so that no amount is silently inexact. */
export function wholeNumber(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a non-negative whole number: ${value}`);
  return value;
}

/** Throws RangeError for a negative number or a denominator of 0. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n || denominator <= 0n) throw new RangeError('only non-negative numbers are divided');
  return (2n * numerator + denominator) / (2n * denominator);
}

/**
 * Splits an amount in proportion to whole, non-negative weights by largest remainder: each share is the floor or ceiling of
 * its exact share, spare cents go to the largest remainders, ties to the earlier index. The shares sum to the amount, and none
 * exceeds its weight if the amount is at most the sum of weights. Throws RangeError for negative or fractional input, and for
 * an amount without weights.
 */
export function allocate(amountCents: Cents, weights: readonly number[]): Cents[] {
  const amount = BigInt(wholeNumber(amountCents));
  const exactWeights = weights.map((weight) => BigInt(wholeNumber(weight)));
  const totalWeight = exactWeights.reduce((sum, weight) => sum + weight, 0n);
  if (totalWeight === 0n && amount > 0n) throw new RangeError('nothing to carry the amount');
  if (totalWeight === 0n) return weights.map(() => 0);
  const numerators = exactWeights.map((weight) => amount * weight);
  return roundToTotal(amountCents, numerators, totalWeight);
}

/**
 * Rounds exact shares (numerator / denominator) to cents that sum to `totalCents`, by largest remainder, ties to the earlier
 * index. The total must be the rounded sum of the exact shares: each result is then the floor or ceiling of its share.
 */
export function roundToTotal(totalCents: Cents, numerators: readonly bigint[], denominator: bigint): Cents[] {
  const floors = numerators.map((numerator) => Number(numerator / denominator));
  const spareCents = wholeNumber(totalCents - sumCents(floors));
  const byRemainder = numerators
    .map((numerator, index) => ({ index, remainder: numerator % denominator }))
    .sort((a, b) => Number(b.remainder - a.remainder));
  const luckyIndexes = new Set(byRemainder.slice(0, spareCents).map(({ index }) => index));
  return floors.map((floor, index) => (luckyIndexes.has(index) ? floor + 1 : floor));
}
