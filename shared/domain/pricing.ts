import {
  allocate,
  type Cents,
  divideHalfUp,
  MICROS_PER_CENT,
  MICROS_PER_UNIT,
  type Micros,
  roundToTotal,
  sumCents,
  wholeNumber,
} from './money.ts';
import { isZipcode } from './shipping.ts';

/** A line of a basket: the product's price before IVA, the quantity (0 gives a line of zeros), and its rate of IVA. */
export type BasketLine = { unitPriceCents: Cents; quantity: number; ivaRateMicros: Micros };

/**
 * A coupon as published. A value up to 1 is a share of the subtotal, above 1 an amount in pesos.
 * `valid_from` and `valid_until` are ISO date-time instants, both inclusive; null is unbounded.
 */
export type CouponTerms = {
  code: string;
  valueMicros: Micros;
  has_free_shipping: boolean;
  minimumSubtotalCents: Cents | null;
  valid_from: string | null;
  valid_until: string | null;
};

/** The price of the shipment for the customer, IVA at this rate included, and the temporary discount on it. */
type ShippingCharge = { priceCents: Cents; discountCents: Cents; ivaRateMicros: Micros };

/** `totalCents` is subtotal − discount + IVA of the line, which has this rate. */
export type LineAmounts = {
  subtotalCents: Cents;
  discountCents: Cents;
  ivaCents: Cents;
  ivaRateMicros: Micros;
  totalCents: Cents;
};

/** The amounts of a basket. Each amount of the lines (in the order of the input) adds up to that of the basket. */
export type BasketAmounts = {
  subtotalCents: Cents;
  discountCents: Cents;
  ivaCents: Cents;
  shippingPriceCents: Cents;
  shippingDiscountCents: Cents;
  /** The rate of the IVA that the shipment includes; null if nothing is charged for it. */
  shippingIvaRateMicros: Micros | null;
  totalCents: Cents;
  lines: LineAmounts[];
};

/** The terms of a coupon that make a discount. */
type Discount = Pick<CouponTerms, 'valueMicros' | 'has_free_shipping'>;

export type BasketInput = {
  lines: readonly BasketLine[];
  coupon: Discount | null;
  shipping: ShippingCharge;
};

/**
 * Prices a basket, in cents. The coupon is applied as given: check it with `couponProblem` first.
 * The coupon never touches shipping, except that free shipping makes its discount equal to its price; `shipping` already
 * includes IVA. total = subtotal − discount + IVA + shipping price − shipping discount (rule of the interface).
 * Throws RangeError for negative, fractional or inexact amounts.
 */
export function priceBasket({ lines, coupon, shipping }: BasketInput): BasketAmounts {
  const subtotalCents = sumSubtotal(lines);
  const discountCents = couponDiscount(coupon, subtotalCents);
  const pricedLines = computeLines(lines, discountCents);
  const ivaCents = sumCents(pricedLines.map((line) => line.ivaCents));
  const shippingDiscountCents = shippingDiscount(coupon, shipping);
  return {
    subtotalCents,
    discountCents,
    ivaCents,
    shippingPriceCents: shipping.priceCents,
    shippingDiscountCents,
    shippingIvaRateMicros: shipping.priceCents > shippingDiscountCents ? shipping.ivaRateMicros : null,
    totalCents: wholeNumber(subtotalCents - discountCents + ivaCents + shipping.priceCents - shippingDiscountCents),
    lines: pricedLines,
  };
}

/** Returns Σ price × quantity in cents, before discount and IVA. RangeError beyond the safe integers. */
export function sumSubtotal(lines: readonly BasketLine[]): Cents {
  return sumCents(lines.map(computeGross));
}

function computeGross({ unitPriceCents, quantity }: BasketLine): Cents {
  return wholeNumber(wholeNumber(unitPriceCents) * wholeNumber(quantity));
}

// The interface: "value between 0 and 1 is a percentage and any larger value is a fixed amount"; 1 itself is all of it.
const LARGEST_SHARE_MICROS = MICROS_PER_UNIT;

function couponDiscount(coupon: Discount | null, subtotalCents: Cents): Cents {
  if (coupon === null) return 0;
  const value = BigInt(coupon.valueMicros);
  if (coupon.valueMicros <= LARGEST_SHARE_MICROS) {
    return Number(divideHalfUp(value * BigInt(subtotalCents), BigInt(MICROS_PER_UNIT)));
  }
  return Math.min(Number(divideHalfUp(value, BigInt(MICROS_PER_CENT))), subtotalCents);
}

function shippingDiscount(coupon: Discount | null, shipping: ShippingCharge): Cents {
  if (coupon?.has_free_shipping) return shipping.priceCents;
  return Math.min(shipping.discountCents, shipping.priceCents);
}

type RankedLine = { position: number; ivaRateMicros: Micros; grossCents: Cents };
type DiscountedLine = RankedLine & { discountCents: Cents };

function computeLines(lines: readonly BasketLine[], discountCents: Cents): LineAmounts[] {
  const discounted = spreadDiscount(rankLines(lines), discountCents);
  return spreadIva(discounted)
    .sort((a, b) => a.position - b.position)
    .map(({ grossCents, discountCents, ivaCents, ivaRateMicros }) => ({
      subtotalCents: grossCents,
      discountCents,
      ivaCents,
      ivaRateMicros,
      totalCents: grossCents - discountCents + ivaCents,
    }));
}

// Cents are spread over lines of a higher rate of IVA first, then dearer ones, so that ties do not depend on how the lines were sent:
// 0.47 + 0.47 less 0.01, one of them taxed, would owe 0.07 or 0.08 of IVA. Among equal lines the earlier one wins.
function rankLines(lines: readonly BasketLine[]): RankedLine[] {
  return lines
    .map((line, position) => ({ position, ivaRateMicros: line.ivaRateMicros, grossCents: computeGross(line) }))
    .sort((a, b) => b.ivaRateMicros - a.ivaRateMicros || b.grossCents - a.grossCents);
}

function spreadDiscount(lines: readonly RankedLine[], discountCents: Cents): DiscountedLine[] {
  const grosses = lines.map((line) => line.grossCents);
  const discounts = allocate(discountCents, grosses);
  return lines.map((line, index) => ({ ...line, discountCents: discounts[index] ?? 0 }));
}

type TaxedLine = DiscountedLine & { ivaCents: Cents };

// IVA is rounded once for all lines of a rate, as in the summary of a CFDI (CFDI40221; Anexo 20: round at the end, not
// before); three lines of 1.03 at 16 % owe 0.49, not 3 × 0.16. Floor and ceiling of a line's exact tax both lie in SAT's
// tolerance (CFDI40180).
function spreadIva(lines: readonly DiscountedLine[]): TaxedLine[] {
  const rates = [...new Set(lines.map(({ ivaRateMicros }) => ivaRateMicros))];
  return rates.flatMap((rate) => taxLines(lines.filter(({ ivaRateMicros }) => ivaRateMicros === rate)));
}

/** Adds their IVA to the lines of one rate. */
function taxLines(lines: readonly DiscountedLine[]): TaxedLine[] {
  const taxesInMicros = lines.map(
    ({ grossCents, discountCents, ivaRateMicros }) => BigInt(grossCents - discountCents) * BigInt(ivaRateMicros),
  );
  const exactTotal = taxesInMicros.reduce((sum, tax) => sum + tax, 0n);
  const ivaCents = Number(divideHalfUp(exactTotal, BigInt(MICROS_PER_UNIT)));
  const ivas = roundToTotal(ivaCents, taxesInMicros, BigInt(MICROS_PER_UNIT));
  return lines.map((line, index) => ({ ...line, ivaCents: ivas[index] ?? 0 }));
}

/** Returns where a moment lies in the validity of a coupon, whose ends are inclusive to the millisecond. */
export function couponPeriod(
  { valid_from: validFrom, valid_until: validUntil }: Pick<CouponTerms, 'valid_from' | 'valid_until'>,
  now: Date,
): 'not_yet_valid' | 'valid' | 'ended' {
  const hasBegun = validFrom === null || now.getTime() >= Date.parse(validFrom);
  const isCurrent = validUntil === null || now.getTime() <= Date.parse(validUntil);
  if (!isCurrent) return 'ended';
  return hasBegun ? 'valid' : 'not_yet_valid';
}

export type CouponProblem = 'coupon_invalid' | 'coupon_below_minimum';

/**
 * Returns the reason why a known coupon does not apply to a basket of this subtotal (before discount and IVA), or null
 * if it does. Its minimum is inclusive. An end that is no date-time never lets the coupon apply. `coupon_invalid` is also
 * the answer of a quote for an unknown code, so that nobody learns which codes will be, or have been, valid.
 */
export function couponProblem(
  coupon: CouponTerms,
  { subtotalCents, now }: { subtotalCents: Cents; now: Date },
): CouponProblem | null {
  if (couponPeriod(coupon, now) !== 'valid') return 'coupon_invalid';
  return subtotalCents < (coupon.minimumSubtotalCents ?? 0) ? 'coupon_below_minimum' : null;
}

// SAT's c_TasaOCuota has 0, 0.08 and 0.16 for IVA, and refuses any other (CFDI40179). A product at 0 (LIVA art. 2-A) has no
// `has_iva` in the catalog, so 0 is not among the rates of products that have it.
export const PRODUCT_IVA_RATES = ['0.16', '0.08'] as const;
// The price of a good includes what is charged with it (LIVA art. 12), so a shop may charge shipping at the rate of its
// goods, which is 0 for medicines.
export const SHIPPING_IVA_RATES = ['0.16', '0.08', '0'] as const;

// c_TasaOCuota: "IVA Crédito aplicado del 50%", of the decrees for the border regions (DOF, 31 December 2018 and 30 December
// 2020). It holds for goods that are handed over there (decrees, article on IVA).
const BORDER_RATE_MICROS: Micros = 80_000;

/** Zip codes from the first to the last, both inside. */
export type ZipcodeRange = { readonly from: string; readonly to: string };

export type IvaRates = {
  /** The rate of products that have IVA, outside of the zip codes of the border. */
  readonly generalMicros: Micros;
  readonly shippingMicros: Micros;
  readonly borderZipcodes: readonly ZipcodeRange[];
};

/**
 * Returns the rate of products that have IVA for a delivery to this zip code, or for a pickup in a store that has it; null
 * if neither is known yet.
 */
export function ivaRateAt(zipcode: string | null, { generalMicros, borderZipcodes }: IvaRates): Micros {
  if (zipcode === null || !isZipcode(zipcode)) return generalMicros;
  // Texts of five digits compare like numbers.
  const isBorder = borderZipcodes.some(({ from, to }) => from <= zipcode && zipcode <= to);
  return isBorder ? BORDER_RATE_MICROS : generalMicros;
}

/** Parses `22000` or `21000-22999`; undefined if it is neither, or ends before it begins. */
export function parseZipcodeRange(text: string): ZipcodeRange | undefined {
  const [from = '', to = from, ...more] = text.split('-');
  const isRange = isZipcode(from) && isZipcode(to) && from <= to && more.length === 0;
  return isRange ? { from, to } : undefined;
}
