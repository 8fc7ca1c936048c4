const DIGITS = 6;

/** Parses a decimal of at most six places into millionths; -1 for anything else, which no rule accepts. */
export function micros(written: string | undefined): bigint {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(written ?? '') ?? [];
  return whole === undefined ? -1n : BigInt(whole + fraction.padEnd(DIGITS, '0'));
}

export const decimalsOf = (written = ''): number => written.split('.')[1]?.length ?? 0;

export const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/** Rounds millionths half up to the cent. */
export const toTheCent = (amount: bigint): bigint => ((amount + 5_000n) / 10_000n) * 10_000n;

const pow10 = (exponent: number): bigint => 10n ** BigInt(exponent);

/**
 * True if a product lies within SAT's limits: each factor may be half a unit of its last decimal off, the lower limit is
 * cut and the upper one rounded up to the decimals of the product (guide of Anexo 20, appendix 7; CFDI40167, CFDI40180). A
 * factor that is exact, such as a rate, has no limits.
 */
export function isWithinLimits(product: string, factor: string, other: { written: string; isExact: boolean }): boolean {
  const [a, halfA] = doubled(factor);
  const [b, halfB] = other.isExact ? [doubled(other.written)[0], 0n] : doubled(other.written);
  const unit = 4n * pow10(2 * DIGITS - decimalsOf(product));
  const written = micros(product) / pow10(DIGITS - decimalsOf(product));
  const lowest = ((a - halfA) * (b - halfB)) / unit;
  const highest = ((a + halfA) * (b + halfB) - 1n + unit - 1n) / unit;
  return lowest <= written && written <= (highest < lowest ? lowest : highest);
}

/** Twice the millionths of a decimal, and twice the half of its last place. */
const doubled = (written: string): [bigint, bigint] => [2n * micros(written), pow10(DIGITS - decimalsOf(written))];
