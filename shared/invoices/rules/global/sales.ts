import {
  type Cents,
  divideHalfUp,
  MICROS_PER_CENT,
  MICROS_PER_UNIT,
  type Micros,
  sumCents,
} from '../../../domain/money.ts';
import type { ShareOfRate } from '../../../domain/sale-parts.ts';
import { toMonthInstants } from '../../../domain/working-day.ts';
import { findLowest, type GlobalInvoice, type GlobalSale, roundToCents } from '../build/cfdi.ts';

export type SoldOrder = {
  readonly folio: string;
  /** SAT's c_FormaPago in which it was paid. */
  readonly paymentForm: string;
  readonly totalCents: Cents;
  /** The total by rate, lowest first. */
  readonly shares: readonly ShareOfRate[];
};

/** `zipcode`: the issuer's, whose main place makes the sales that no branch hands out at its counter. */
export type SoldPeriod = { readonly period: string; readonly zipcode: string; readonly orders: readonly SoldOrder[] };

/**
 * Builds a global invoice with one concept per order (Guía de llenado del CFDI global 4.0, pages 15 to 19); discounts are in
 * the amounts. Throws RangeError without orders, or if no six-decimal amounts fit the total.
 */
export function buildGlobalInvoice({ period, zipcode, orders }: SoldPeriod): GlobalInvoice {
  const totalCents = sumCents(orders.map((order) => order.totalCents));
  return {
    kind: 'global',
    expeditionZipcode: zipcode,
    period: toGlobalPeriod(period),
    sales: fitSales(toSales(orders), totalCents),
    paymentForm: choosePaymentForm(orders),
    totalCents,
  };
}

// The form of the largest sale; ties do not matter (Guía, page 7).
function choosePaymentForm(orders: readonly SoldOrder[]): string {
  const [first, ...others] = orders;
  if (!first) throw new RangeError('a global invoice has a sale');
  return others.reduce((largest, order) => (order.totalCents > largest.totalCents ? order : largest), first)
    .paymentForm;
}

// Orders pay whole cents including IVA, while base and IVA have six decimals. The next sales of a rate absorb each rounding
// difference, so that thousands of equal sales do not add up to a cent.
function toSales(orders: readonly SoldOrder[]): GlobalSale[] {
  const surpluses = new Map<Micros, Surplus>();
  return orders.map((order) => {
    const taxes = order.shares.map(({ rateMicros, cents }) => {
      const paidMicros = BigInt(cents) * BigInt(MICROS_PER_CENT);
      const { tax, surplus } = splitPaid(paidMicros, rateMicros, surpluses.get(rateMicros) ?? NO_SURPLUS);
      surpluses.set(rateMicros, surplus);
      return tax;
    });
    return { folio: order.folio, amountMicros: sumBases(taxes), taxes };
  });
}

/** A rate's rounding surplus so far, in the total and in IVA, both in parts of a micro. */
type Surplus = { readonly paid: bigint; readonly iva: bigint };
const NO_SURPLUS: Surplus = { paid: 0n, iva: 0n };

// 16 % of a base falls on the next micro every six micros.
const MOVES = [0n, 1n, -1n, 2n, -2n, 3n, -3n, 4n, -4n, 5n, -5n, 6n, -6n];

function splitPaid(paidMicros: bigint, rateMicros: Micros, before: Surplus) {
  const parts = BigInt(MICROS_PER_UNIT + rateMicros);
  const exactBase = divideHalfUp(paidMicros * BigInt(MICROS_PER_UNIT), parts);
  const splits = MOVES.filter((move) => exactBase + move > 0n).map((move) => {
    const tax = taxOf(rateMicros, exactBase + move);
    const paid = before.paid + (tax.baseMicros + tax.ivaMicros - paidMicros) * parts;
    const iva = before.iva + tax.ivaMicros * parts - paidMicros * BigInt(rateMicros);
    return { tax, surplus: { paid, iva } };
  });
  return splits.reduce((best, split) => (weigh(split.surplus) < weigh(best.surplus) ? split : best));
}

// A micro less IVA costs up to seven of the payment, which the next sales take back; without the weight it is never chosen.
const weigh = ({ paid, iva }: Surplus): bigint => absolute(paid) + 10n * absolute(iva);
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

type RateSum = { readonly rateMicros: Micros; readonly base: bigint; readonly iva: bigint };

function sumByRate(sales: readonly GlobalSale[]): RateSum[] {
  const sums = new Map<Micros, RateSum>();
  for (const { rateMicros, baseMicros, ivaMicros } of sales.flatMap(({ taxes }) => taxes)) {
    const { base, iva } = sums.get(rateMicros) ?? { base: 0n, iva: 0n };
    sums.set(rateMicros, { rateMicros, base: base + baseMicros, iva: iva + ivaMicros });
  }
  return [...sums.values()].sort((a, b) => a.rateMicros - b.rateMicros);
}

/** As `computeSalesTotals`: the sum of the amounts and the IVA of each rate are rounded separately, at the end. */
function roundTotal(sums: readonly RateSum[]): Cents {
  const subtotalCents = roundToCents(sums.reduce((all, { base }) => all + base, 0n));
  return sums.reduce((all, { iva }) => all + roundToCents(iva), subtotalCents);
}

/** Moves a large base by less than a cent, so that the total fits. Throws RangeError if no base fits. */
export function fitSales(sales: readonly GlobalSale[], totalCents: Cents): readonly GlobalSale[] {
  const sums = sumByRate(sales);
  for (const sum of sums.toReversed()) {
    const { sale, tax } = findLargest(sales, sum.rateMicros);
    const movedTax = moveTax(tax, { sum, others: sums.filter((other) => other !== sum), totalCents });
    if (movedTax) return sales.map((other) => (other === sale ? replaceTax(sale, movedTax) : other));
  }
  throw new RangeError('no bases of six decimals fit the total of a global invoice');
}

function findLargest(sales: readonly GlobalSale[], rateMicros: Micros) {
  const taxes = sales.flatMap((sale) =>
    sale.taxes.filter((tax) => tax.rateMicros === rateMicros).map((tax) => ({ sale, tax })),
  );
  return taxes.reduce((largest, other) => (other.tax.baseMicros > largest.tax.baseMicros ? other : largest));
}

function replaceTax(sale: GlobalSale, movedTax: SaleTax): GlobalSale {
  const taxes = sale.taxes.map((tax) => (tax.rateMicros === movedTax.rateMicros ? movedTax : tax));
  return { ...sale, taxes, amountMicros: sumBases(taxes) };
}

// At half a cent a provider that computes in binary fractions may round either way.
const MARGIN_MICROS = 100;

type Fit = { readonly sum: RateSum; readonly others: readonly RateSum[]; readonly totalCents: Cents };

/** Moves the base as little as possible so that the total fits; undefined if none within a cent fits. */
function moveTax(tax: SaleTax, { sum, others, totalCents }: Fit): SaleTax | undefined {
  const moveBy = (move: number) => taxOf(tax.rateMicros, tax.baseMicros + BigInt(move));
  const computeTotal = (move: number) => {
    const { baseMicros, ivaMicros } = moveBy(move);
    const base = sum.base - tax.baseMicros + baseMicros;
    return roundTotal([...others, { ...sum, base, iva: sum.iva - tax.ivaMicros + ivaMicros }]);
  };
  const bounds = { low: Math.max(-MICROS_PER_CENT, 1 - Number(tax.baseMicros)), high: MICROS_PER_CENT };
  const lowest = findLowest(bounds, (move) => computeTotal(move) >= totalCents);
  const highest = findLowest(bounds, (move) => computeTotal(move) > totalCents) - 1;
  const margin = Math.max(0, Math.min(MARGIN_MICROS, Math.floor((highest - lowest) / 2)));
  const move = Math.min(Math.max(0, lowest + margin), highest - margin);
  return computeTotal(move) === totalCents ? moveBy(move) : undefined;
}

export type SaleTax = GlobalSale['taxes'][number];

/** A provider computes the same IVA from base and rate. */
export const taxOf = (rateMicros: Micros, baseMicros: bigint): SaleTax => ({
  rateMicros,
  baseMicros,
  ivaMicros: divideHalfUp(baseMicros * BigInt(rateMicros), BigInt(MICROS_PER_UNIT)),
});

export const sumBases = (taxes: readonly SaleTax[]): bigint =>
  taxes.reduce((sum, { baseMicros }) => sum + baseMicros, 0n);

const HOUR_MS = 60 * 60 * 1_000;
// RMF 2.7.1.21: a global invoice is issued within 24 hours of the end of its period (Guía de llenado del CFDI global, page 4).
const DUE_AFTER_MS = 24 * HOUR_MS;
// Half a day covers an outage of the provider and an operator's night.
const WAITING_MS = 12 * HOUR_MS;

export const globalDueAt = (period: string, timeZone: string): Date =>
  new Date(toMonthInstants(period, timeZone).until.getTime() + DUE_AFTER_MS);

/** While orders' own invoices are in progress, a global invoice waits until this time; later orders go into another part. */
export const globalWaitsUntil = (period: string, timeZone: string): Date =>
  new Date(toMonthInstants(period, timeZone).until.getTime() + WAITING_MS);

/** SAT's Meses and Año are those of the sales (Guía, pages 11 and 12). */
export const toGlobalPeriod = (period: string): GlobalInvoice['period'] => ({
  month: period.slice('YYYY-'.length),
  year: Number(period.slice(0, 'YYYY'.length)),
});
