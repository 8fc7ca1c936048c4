import { divideHalfUp, MICROS_PER_UNIT, type Micros } from '../../money.ts';
import type { GlobalSale } from '../content/cfdi.ts';

/** The tax of one rate in a sale. */
export type SaleTax = GlobalSale['taxes'][number];

/** Returns the tax of a base: a provider that is given base and rate computes the same IVA. */
export const taxOf = (rateMicros: Micros, baseMicros: bigint): SaleTax => ({
  rateMicros,
  baseMicros,
  ivaMicros: divideHalfUp(baseMicros * BigInt(rateMicros), BigInt(MICROS_PER_UNIT)),
});

export const sumBases = (taxes: readonly SaleTax[]): bigint =>
  taxes.reduce((sum, { baseMicros }) => sum + baseMicros, 0n);
