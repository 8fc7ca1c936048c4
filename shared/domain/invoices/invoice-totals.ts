import { type Cents, divideHalfUp, MICROS_PER_UNIT, type Micros, wholeNumber } from '../money.ts';
import type { InvoiceConcept } from './invoice.ts';

/** A concept in figures, in millionths of a peso, which is all the decimals that a CFDI has. */
export type ConceptFigures = {
  /** Quantity × unit price, before its discount. */
  readonly amountMicros: bigint;
  readonly discountMicros: bigint;
  /** What IVA is due on. */
  readonly baseMicros: bigint;
  readonly ivaMicros: bigint;
};

/** The IVA of all concepts of one rate, as the summary of a CFDI has it. */
export type IvaGroup = { readonly rateMicros: Micros; readonly baseCents: Cents; readonly ivaCents: Cents };

export type InvoiceTotals = {
  /** Before the discount. */
  readonly subtotalCents: Cents;
  readonly discountCents: Cents;
  /** By rate, lowest first. */
  readonly ivaGroups: readonly IvaGroup[];
  readonly ivaCents: Cents;
  readonly totalCents: Cents;
};

const MICROS_PER_CENT = 10_000n;

/** The figures of one concept; IVA to six decimals, half up. */
export function conceptFigures(concept: InvoiceConcept): ConceptFigures {
  const amountMicros = BigInt(concept.unitPriceMicros) * BigInt(concept.quantity);
  const discountMicros = BigInt(concept.discountCents) * MICROS_PER_CENT;
  const baseMicros = amountMicros - discountMicros;
  const ivaMicros = divideHalfUp(baseMicros * BigInt(concept.ivaRateMicros), BigInt(MICROS_PER_UNIT));
  return { amountMicros, discountMicros, baseMicros, ivaMicros };
}

/**
 * The sums of an invoice, each rounded half up to the cent once, at the end (SAT, matrix of errors of CFDI 4.0: CFDI40108
 * subtotal, 40110 discount, 40215 and 40221 the groups of a rate, 40205 IVA, 40119 total).
 * RangeError on a discount above its amount, and beyond the safe integers.
 */
export function invoiceTotals(concepts: readonly InvoiceConcept[]): InvoiceTotals {
  const figures = concepts.map((concept) => ({ ...conceptFigures(concept), rateMicros: concept.ivaRateMicros }));
  const subtotalCents = sumInCents(figures.map(({ amountMicros }) => amountMicros));
  const discountCents = sumInCents(figures.map(({ discountMicros }) => discountMicros));
  const ivaGroups = groupByRate(figures);
  const ivaCents = ivaGroups.reduce((sum, group) => sum + group.ivaCents, 0);
  const totalCents = wholeNumber(subtotalCents - discountCents + ivaCents);
  return { subtotalCents, discountCents, ivaGroups, ivaCents, totalCents };
}

function groupByRate(figures: readonly (ConceptFigures & { rateMicros: Micros })[]): IvaGroup[] {
  const rates = [...new Set(figures.map(({ rateMicros }) => rateMicros))].sort((a, b) => a - b);
  return rates.map((rateMicros) => {
    const group = figures.filter((one) => one.rateMicros === rateMicros);
    const baseCents = sumInCents(group.map(({ baseMicros }) => baseMicros));
    return { rateMicros, baseCents, ivaCents: sumInCents(group.map(({ ivaMicros }) => ivaMicros)) };
  });
}

const sumInCents = (amounts: readonly bigint[]): Cents =>
  wholeNumber(
    Number(
      divideHalfUp(
        amounts.reduce((sum, amount) => sum + amount, 0n),
        MICROS_PER_CENT,
      ),
    ),
  );
