import { type Cents, divideHalfUp, MICROS_PER_CENT, MICROS_PER_UNIT, type Micros, sumCents } from '../../money.ts';
import type { GlobalInvoice, GlobalSale } from '../content/cfdi.ts';
import { fitSales } from './fit-sales.ts';
import { toGlobalPeriod } from './period.ts';
import { sumBases, taxOf } from './sale-tax.ts';

/** The part of an order that its line of a global invoice needs. */
export type SoldOrder = {
  readonly folio: string;
  /** SAT's c_FormaPago in which it was paid. */
  readonly paymentForm: string;
  readonly totalCents: Cents;
  readonly shippingPriceCents: Cents;
  readonly shippingDiscountCents: Cents;
  readonly shippingIvaRateMicros: Micros | null;
  readonly lines: readonly { readonly totalCents: Cents; readonly ivaRateMicros: Micros }[];
};

/** The sum paid for the goods and the shipping of one rate, IVA included. */
export type RateShare = { readonly rateMicros: Micros; readonly paidCents: Cents };

/** Returns the shares of an order's rates, lowest first. Throws RangeError if they are not the order's total. */
export function listRateShares(order: Omit<SoldOrder, 'folio' | 'paymentForm'>): RateShare[] {
  const feeCents = order.shippingPriceCents - order.shippingDiscountCents;
  const fee = { totalCents: feeCents, ivaRateMicros: order.shippingIvaRateMicros ?? 0 };
  const paid = [...order.lines, fee].filter(({ totalCents }) => totalCents !== 0);
  const shares = [...Map.groupBy(paid, ({ ivaRateMicros }) => ivaRateMicros)].map(([rateMicros, parts]) => {
    return { rateMicros, paidCents: sumCents(parts.map(({ totalCents }) => totalCents)) };
  });
  if (sumCents(shares.map(({ paidCents }) => paidCents)) !== order.totalCents) {
    throw new RangeError('the total of an order is not that of its rates');
  }
  return shares.sort((one, other) => one.rateMicros - other.rateMicros);
}

/** Orders of a month, and the issuer's zip code: the issuer's main place sells what no branch hands out at its counter. */
export type SoldPeriod = { readonly period: string; readonly zipcode: string; readonly orders: readonly SoldOrder[] };

/**
 * Builds a global invoice of a period: one concept an order (Guía de llenado del CFDI global 4.0, pages 15 to 19), whose total
 * is the sum of the orders' totals. Discounts are in the amounts already. Throws RangeError if there is no order, if the
 * lines of one do not add up to its total, or if no amounts of six decimals fit the sum.
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

// The form of the sale of the largest amount, whichever of equal ones (Guía, page 7).
function choosePaymentForm(orders: readonly SoldOrder[]): string {
  const [first, ...others] = orders;
  if (!first) throw new RangeError('a global invoice has a sale');
  return others.reduce((largest, order) => (order.totalCents > largest.totalCents ? order : largest), first)
    .paymentForm;
}

// An order pays whole cents, IVA included, while its base and its IVA have six decimals. What rounding adds to a sale is taken
// off the next ones of that rate, so that thousands of equal sales do not add up to a cent.
function toSales(orders: readonly SoldOrder[]): GlobalSale[] {
  const surpluses = new Map<Micros, Surplus>();
  return orders.map((order) => {
    const taxes = listRateShares(order).map(({ rateMicros, paidCents }) => {
      const paidMicros = BigInt(paidCents) * BigInt(MICROS_PER_CENT);
      const { tax, surplus } = splitPaid(paidMicros, rateMicros, surpluses.get(rateMicros) ?? NO_SURPLUS);
      surpluses.set(rateMicros, surplus);
      return tax;
    });
    return { folio: order.folio, amountMicros: sumBases(taxes), taxes };
  });
}

/** The surplus of the sales of a rate so far, in their total and in their IVA, both in parts of a micro. */
type Surplus = { readonly paid: bigint; readonly iva: bigint };
const NO_SURPLUS: Surplus = { paid: 0n, iva: 0n };

// 16 % of a base falls on the next micro every six micros.
const MOVES = [0n, 1n, -1n, 2n, -2n, 3n, -3n, 4n, -4n, 5n, -5n, 6n, -6n];

/** Splits what was paid into base and IVA, so that the surplus gets as small as it can. */
function splitPaid(paidMicros: bigint, rateMicros: Micros, before: Surplus) {
  const parts = BigInt(MICROS_PER_UNIT + rateMicros);
  const exactBase = divideHalfUp(paidMicros * BigInt(MICROS_PER_UNIT), parts);
  const splits = MOVES.filter((move) => exactBase + move > 0n).map((move) => {
    const tax = taxOf(rateMicros, exactBase + move);
    const paid = before.paid + (tax.baseMicros + tax.ivaMicros - paidMicros) * parts;
    const iva = before.iva + tax.ivaMicros * parts - paidMicros * BigInt(rateMicros);
    return { tax, surplus: { paid, iva } };
  });
  return splits.reduce((best, split) => (sizeOf(split.surplus) < sizeOf(best.surplus) ? split : best));
}

// A micro of IVA less costs up to seven of what was paid, which the next sales take back; without the weight it is never chosen.
const sizeOf = ({ paid, iva }: Surplus): bigint => absolute(paid) + 10n * absolute(iva);
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
