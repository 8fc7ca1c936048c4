import { type Cents, MICROS_PER_UNIT, type Micros } from '../../domain/money.ts';

const DIGITS = 6;

/** Millionths as a CFDI writes them, with that many decimals: `43.105100` with six. */
export function decimal(micros: bigint, decimals: number): string {
  const digits = String(micros).padStart(DIGITS + 1, '0');
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS).slice(0, decimals)}`;
}

/** Millionths with the two to six decimals that they need: `85.50`, `43.1051`. */
export const exactly = (micros: bigint): string => decimal(micros, DIGITS).replace(/0{1,4}$/, '');

export const inMicros = (cents: Cents): bigint => BigInt(cents) * 10_000n;

// The first formatter of Intl costs a process some 30 ms.
const THOUSANDS = /\B(?=(\d{3})+\.)/g;

/** For reading: `1,234.50`. */
export const money = (micros: bigint): string => exactly(micros).replace(THOUSANDS, ',');

/** `16 %`. */
export const percent = (rateMicros: Micros): string => `${(rateMicros * 100) / MICROS_PER_UNIT} %`;
