import { allocate, type Cents, MICROS_PER_CENT, MICROS_PER_UNIT, type Micros, wholeNumber } from '../../money.ts';
import type { InvoiceConcept } from './cfdi.ts';
import { computeTotals } from './invoice-totals.ts';

/** The sum charged at one rate, base and IVA together. */
type ShareOfRate = { readonly rateMicros: Micros; readonly cents: Cents };

type Part = {
  /** The concepts of the invoice. */
  readonly invoiced: readonly InvoiceConcept[];
  /** The parts that came before, the earliest first. */
  readonly earlierCents: readonly Cents[];
  readonly amountCents: Cents;
};

/**
 * Splits a part of an invoice over its rates of IVA, in proportion to what the earlier parts have left of each: so no rate
 * gets more than it charged, and the last part is exactly the rest. Throws RangeError if the parts exceed the invoice.
 */
export function splitByRate({ invoiced, earlierCents, amountCents }: Part): ShareOfRate[] {
  const whole = computeTotals(invoiced).ivaGroups.map(({ rateMicros, baseCents, ivaCents }) => {
    return { rateMicros, cents: baseCents + ivaCents };
  });
  const open = earlierCents.reduce<ShareOfRate[]>((rest, cents) => subtract(rest, takeShares(rest, cents)), whole);
  return takeShares(open, amountCents).filter(({ cents }) => cents > 0);
}

function takeShares(open: readonly ShareOfRate[], amountCents: Cents): ShareOfRate[] {
  const cents = open.map((share) => share.cents);
  wholeNumber(cents.reduce((sum, each) => sum + each, 0) - amountCents);
  const taken = allocate(amountCents, cents);
  return open.map(({ rateMicros }, index) => ({ rateMicros, cents: taken[index] ?? 0 }));
}

const subtract = (open: readonly ShareOfRate[], taken: readonly ShareOfRate[]): ShareOfRate[] =>
  open.map(({ rateMicros, cents }, index) => ({ rateMicros, cents: wholeNumber(cents - (taken[index]?.cents ?? 0)) }));

/** Returns a concept for each share, made by `toConcept` from its base, whose totals are the shares to the cent. */
export function fitConcepts(
  shares: readonly ShareOfRate[],
  toConcept: (baseMicros: Micros, rateMicros: Micros) => InvoiceConcept,
): InvoiceConcept[] {
  const concepts: InvoiceConcept[] = [];
  let totalCents = 0;
  for (const { rateMicros, cents } of shares) {
    totalCents += cents;
    const withConcept = (baseMicros: Micros) => [...concepts, toConcept(baseMicros, rateMicros)];
    const exactMicros = (cents * MICROS_PER_CENT * MICROS_PER_UNIT) / (MICROS_PER_UNIT + rateMicros);
    concepts.push(toConcept(fitBase(exactMicros, totalCents, withConcept), rateMicros));
  }
  return concepts;
}

// At 16 %, one amount in seven is no base of whole cents with its IVA rounded: 0.04 would be 0.03 or 0.05. Its base needs
// more decimals, of which a CFDI has six. The margin keeps it away from half a cent, where a provider may round either way.
const STEP_MICROS = 50;
const MARGIN_MICROS = 20;
const FARTHEST_MICROS = 2 * MICROS_PER_CENT;

/** Returns the base of whole cents nearest to an exact one if its total fits, else the nearest one to that which does. */
function fitBase(exactMicros: number, totalCents: Cents, withConcept: (base: Micros) => InvoiceConcept[]): Micros {
  const whole = Math.round(exactMicros / MICROS_PER_CENT) * MICROS_PER_CENT;
  const hasTotal = (base: Micros) => computeTotals(withConcept(base)).totalCents === totalCents;
  for (let distance = 0; distance <= FARTHEST_MICROS; distance += STEP_MICROS) {
    for (const base of [whole + distance, whole - distance]) {
      if (base > MARGIN_MICROS && hasTotal(base - MARGIN_MICROS) && hasTotal(base + MARGIN_MICROS)) return base;
    }
  }
  throw new RangeError(`no base makes ${totalCents} cents`);
}
