import { type Cents, divideHalfUp, MICROS_PER_CENT, MICROS_PER_UNIT, type Micros, wholeNumber } from '../money.ts';
import type { InvoiceConcept } from './cfdi.ts';

/** The amounts of a concept in millionths of a peso: a CFDI has at most six decimals. */
export type ConceptAmounts = {
  /** Quantity × unit price, before the discount. */
  readonly amountMicros: bigint;
  readonly discountMicros: bigint;
  /** The base of IVA. */
  readonly baseMicros: bigint;
  readonly ivaMicros: bigint;
};

/** The IVA of all concepts of one rate, as in the summary of a CFDI. */
type IvaGroup = { readonly rateMicros: Micros; readonly baseCents: Cents; readonly ivaCents: Cents };

export type InvoiceTotals = {
  /** The sum before the discount. */
  readonly subtotalCents: Cents;
  readonly discountCents: Cents;
  /** Sorted by rate, lowest first. */
  readonly ivaGroups: readonly IvaGroup[];
  readonly ivaCents: Cents;
  readonly totalCents: Cents;
};

/** Returns the amounts of one concept; IVA is rounded half up to six decimals. */
export function computeConcept(concept: InvoiceConcept): ConceptAmounts {
  const amountMicros = BigInt(concept.unitPriceMicros) * BigInt(concept.quantity);
  const discountMicros = BigInt(concept.discountCents) * BigInt(MICROS_PER_CENT);
  const baseMicros = amountMicros - discountMicros;
  const ivaMicros = divideHalfUp(baseMicros * BigInt(concept.ivaRateMicros), BigInt(MICROS_PER_UNIT));
  return { amountMicros, discountMicros, baseMicros, ivaMicros };
}

/**
 * Returns the sums of an invoice, each rounded half up to the cent once, at the end (SAT's error matrix of CFDI 4.0:
 * CFDI40108 subtotal, 40110 discount, 40215 and 40221 groups by rate, 40205 IVA, 40119 total).
 * Throws RangeError for a discount above its amount, and beyond the safe integers.
 */
export function computeTotals(concepts: readonly InvoiceConcept[]): InvoiceTotals {
  const amounts = concepts.map((concept) => ({ ...computeConcept(concept), rateMicros: concept.ivaRateMicros }));
  const subtotalCents = sumToCents(amounts.map(({ amountMicros }) => amountMicros));
  const discountCents = sumToCents(amounts.map(({ discountMicros }) => discountMicros));
  const ivaGroups = groupByRate(amounts);
  const ivaCents = ivaGroups.reduce((sum, group) => sum + group.ivaCents, 0);
  const totalCents = wholeNumber(subtotalCents - discountCents + ivaCents);
  return { subtotalCents, discountCents, ivaGroups, ivaCents, totalCents };
}

function groupByRate(amounts: readonly (ConceptAmounts & { rateMicros: Micros })[]): IvaGroup[] {
  const rates = [...new Set(amounts.map(({ rateMicros }) => rateMicros))].sort((a, b) => a - b);
  return rates.map((rateMicros) => {
    const group = amounts.filter((one) => one.rateMicros === rateMicros);
    const baseCents = sumToCents(group.map(({ baseMicros }) => baseMicros));
    return { rateMicros, baseCents, ivaCents: sumToCents(group.map(({ ivaMicros }) => ivaMicros)) };
  });
}

const sumToCents = (amounts: readonly bigint[]): Cents =>
  wholeNumber(
    Number(
      divideHalfUp(
        amounts.reduce((sum, amount) => sum + amount, 0n),
        BigInt(MICROS_PER_CENT),
      ),
    ),
  );
