/** The fractions of art. 226 of the Ley General de Salud, which say how a medicine may be sold to the public. */
export const SANITARY_FRACTIONS = ['I', 'II', 'III', 'IV', 'V', 'VI'] as const;
export type SanitaryFraction = (typeof SANITARY_FRACTIONS)[number];

// Art. 226, I to III: narcotics and psychotropics, whose prescription the pharmacy retains or enters in its control books.
const CONTROLLED: readonly SanitaryFraction[] = ['I', 'II', 'III'];

/** The number that a fraction stands for: 1 for I up to 6 for VI. */
export function toGroupNumber(fraction: SanitaryFraction): number {
  return SANITARY_FRACTIONS.indexOf(fraction) + 1;
}

/** The fraction of a number that `toGroupNumber` returns, else null. */
export function toSanitaryFraction(groupNumber: number): SanitaryFraction | null {
  return SANITARY_FRACTIONS[groupNumber - 1] ?? null;
}

/** True for narcotics and psychotropics, which are never sold online. */
export function isControlled(fraction: SanitaryFraction | null): boolean {
  return fraction !== null && CONTROLLED.includes(fraction);
}

/** Art. 226: fractions I to IV are sold on a prescription, V and VI without one. */
export function needsPrescription(fraction: SanitaryFraction): boolean {
  return fraction !== 'V' && fraction !== 'VI';
}
