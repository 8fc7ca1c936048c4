import type { Cents } from '../../domain/money.ts';

const DIGITS = 6;

/** Writes millionths with a number of decimals: `43.105100` with six. */
export function writeDecimal(micros: bigint, decimals: number): string {
  const digits = String(micros).padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS).slice(0, decimals)}`;
}

/** Writes millionths with as many decimals as they need, two to six: `85.50`, `43.1051`. */
export const writeExactly = (micros: bigint): string => writeDecimal(micros, DIGITS).replace(/0{1,4}$/, '');

export const centsToMicros = (cents: Cents): bigint => BigInt(cents) * 10_000n;

/** Writes cents with two decimals: `85.50`. */
export const writeCents = (cents: Cents): string => writeExactly(centsToMicros(cents));
