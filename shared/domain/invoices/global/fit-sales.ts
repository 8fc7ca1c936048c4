import { type Cents, divideHalfUp, MICROS_PER_CENT, type Micros } from '../../money.ts';
import type { GlobalSale } from '../content/cfdi.ts';
import { type SaleTax, sumBases, taxOf } from './sale-tax.ts';

/** The base and the IVA of all sales of one rate, in millionths of a peso. */
type RateSum = { readonly rateMicros: Micros; readonly base: bigint; readonly iva: bigint };

function sumByRate(sales: readonly GlobalSale[]): RateSum[] {
  const sums = new Map<Micros, RateSum>();
  for (const { rateMicros, baseMicros, ivaMicros } of sales.flatMap(({ taxes }) => taxes)) {
    const { base, iva } = sums.get(rateMicros) ?? { base: 0n, iva: 0n };
    sums.set(rateMicros, { rateMicros, base: base + baseMicros, iva: iva + ivaMicros });
  }
  return [...sums.values()].sort((one, other) => one.rateMicros - other.rateMicros);
}

/**
 * Returns the total of a global invoice, by the rules of `computeSalesTotals`: the sum of the amounts and the sum of IVA of each
 * rate are rounded each by itself, at the end.
 */
function roundTotal(sums: readonly RateSum[]): Cents {
  const subtotalCents = toCents(sums.reduce((all, { base }) => all + base, 0n));
  return sums.reduce((all, { iva }) => all + toCents(iva), subtotalCents);
}

const toCents = (micros: bigint): Cents => Number(divideHalfUp(micros, BigInt(MICROS_PER_CENT)));

/**
 * Returns the sales with bases so that the total of the invoice is this one. Rounding base and IVA of each rate by itself
 * may give a cent more or less than what was paid, so the base of the largest sale of a rate is moved by less than a cent.
 * Throws RangeError if no such base fits.
 */
export function fitSales(sales: readonly GlobalSale[], totalCents: Cents): readonly GlobalSale[] {
  const sums = sumByRate(sales);
  for (const sum of sums.toReversed()) {
    const { sale, tax } = findLargest(sales, sum.rateMicros);
    const moved = moveTax(tax, { sum, others: sums.filter((one) => one !== sum), totalCents });
    if (moved) return sales.map((one) => (one === sale ? replaceTax(sale, moved) : one));
  }
  throw new RangeError('no bases of six decimals fit the total of a global invoice');
}

function findLargest(sales: readonly GlobalSale[], rateMicros: Micros) {
  const taxes = sales.flatMap((sale) =>
    sale.taxes.filter((tax) => tax.rateMicros === rateMicros).map((tax) => ({ sale, tax })),
  );
  return taxes.reduce((one, other) => (other.tax.baseMicros > one.tax.baseMicros ? other : one));
}

function replaceTax(sale: GlobalSale, moved: SaleTax): GlobalSale {
  const taxes = sale.taxes.map((tax) => (tax.rateMicros === moved.rateMicros ? moved : tax));
  return { ...sale, taxes, amountMicros: sumBases(taxes) };
}

// Half a cent is where a provider that computes in binary fractions may round either way.
const MARGIN_MICROS = 100;

type Fit = { readonly sum: RateSum; readonly others: readonly RateSum[]; readonly totalCents: Cents };

/** Returns a tax of the sum with the base that is moved least so that the total fits; undefined if none within a cent does. */
function moveTax(tax: SaleTax, { sum, others, totalCents }: Fit): SaleTax | undefined {
  const moveBy = (move: number) => taxOf(tax.rateMicros, tax.baseMicros + BigInt(move));
  const computeTotal = (move: number) => {
    const { baseMicros, ivaMicros } = moveBy(move);
    const base = sum.base - tax.baseMicros + baseMicros;
    return roundTotal([...others, { ...sum, base, iva: sum.iva - tax.ivaMicros + ivaMicros }]);
  };
  const bounds = { low: Math.max(-MICROS_PER_CENT, 1 - Number(tax.baseMicros)), high: MICROS_PER_CENT };
  const lowest = lowestMove(bounds, (move) => computeTotal(move) >= totalCents);
  const highest = lowestMove(bounds, (move) => computeTotal(move) > totalCents) - 1;
  const margin = Math.max(0, Math.min(MARGIN_MICROS, Math.floor((highest - lowest) / 2)));
  const move = Math.min(Math.max(0, lowest + margin), highest - margin);
  return computeTotal(move) === totalCents ? moveBy(move) : undefined;
}

/** Returns the lowest move within the bounds for which `holds` is true; it must be true for all above. */
function lowestMove({ low, high }: { low: number; high: number }, holds: (move: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
