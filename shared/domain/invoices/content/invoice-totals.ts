import { type Cents, divideHalfUp, MICROS_PER_CENT, MICROS_PER_UNIT, type Micros, wholeNumber } from '../../money.ts';
import type { FiscalDocument, GlobalSale, InvoiceConcept, IvaOfRate } from './cfdi.ts';

/** The amounts of a concept in millionths of a peso: a CFDI has at most six decimals. */
export type ConceptAmounts = {
  /** Quantity × unit price, before the discount. */
  readonly amountMicros: bigint;
  readonly discountMicros: bigint;
  /** The base of IVA. */
  readonly baseMicros: bigint;
  readonly ivaMicros: bigint;
};

export type InvoiceTotals = {
  /** The sum before the discount. */
  readonly subtotalCents: Cents;
  readonly discountCents: Cents;
  /** Sorted by rate, lowest first. */
  readonly ivaGroups: readonly IvaOfRate[];
  readonly ivaCents: Cents;
  readonly totalCents: Cents;
};

/** Returns the sum that a document is for: its total, or what a payment complement (whose total is 0) says was paid. */
export const getDocumentTotal = (document: FiscalDocument): Cents =>
  document.kind === 'payment' ? document.amountCents : document.totalCents;

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
 * CFDI40108 subtotal, 40111 discount, 40215 and 40221 groups by rate, 40205 IVA, 40119 total).
 * Throws RangeError for a discount above its amount, and beyond the safe integers.
 */
export function computeTotals(concepts: readonly InvoiceConcept[]): InvoiceTotals {
  return sumLines(
    concepts.map((concept) => {
      const amounts = computeConcept(concept);
      return { ...amounts, taxes: [{ ...amounts, rateMicros: concept.ivaRateMicros }] };
    }),
  );
}

/** Returns the sums of the sales of a global invoice by the same rules (guide of the global CFDI, pages 8, 9 and 20 to 22). */
export const computeSalesTotals = (sales: readonly GlobalSale[]): InvoiceTotals =>
  sumLines(sales.map((sale) => ({ ...sale, discountMicros: 0n })));

type Tax = { readonly rateMicros: Micros; readonly baseMicros: bigint; readonly ivaMicros: bigint };
type Line = { readonly amountMicros: bigint; readonly discountMicros: bigint; readonly taxes: readonly Tax[] };

function sumLines(lines: readonly Line[]): InvoiceTotals {
  const subtotalCents = sumToCents(lines.map(({ amountMicros }) => amountMicros));
  const discountCents = sumToCents(lines.map(({ discountMicros }) => discountMicros));
  const ivaGroups = groupByRate(lines.flatMap(({ taxes }) => taxes));
  const ivaCents = ivaGroups.reduce((sum, group) => sum + group.ivaCents, 0);
  const totalCents = wholeNumber(subtotalCents - discountCents + ivaCents);
  return { subtotalCents, discountCents, ivaGroups, ivaCents, totalCents };
}

function groupByRate(taxes: readonly Tax[]): IvaOfRate[] {
  const rates = [...new Set(taxes.map(({ rateMicros }) => rateMicros))].sort((a, b) => a - b);
  return rates.map((rateMicros) => {
    const group = taxes.filter((one) => one.rateMicros === rateMicros);
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
