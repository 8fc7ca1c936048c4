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

/** The price before IVA; a quantity of 0 gives a line of zeros. */
export type BasketLine = { unitPriceCents: Cents; quantity: number; ivaRateMicros: Micros };

/** A value up to 1 is a share of the subtotal, above 1 an amount in pesos. Both dates are inclusive; null is unbounded. */
export type CouponTerms = {
  code: string;
  valueMicros: Micros;
  has_free_shipping: boolean;
  minimumSubtotalCents: Cents | null;
  valid_from: string | null;
  valid_until: string | null;
};

/** The customer's price, including IVA, and the temporary discount on it. */
type ShippingCharge = { priceCents: Cents; discountCents: Cents; ivaRateMicros: Micros };

/** `totalCents` is subtotal − discount + IVA. */
export type LineAmounts = {
  subtotalCents: Cents;
  discountCents: Cents;
  ivaCents: Cents;
  ivaRateMicros: Micros;
  totalCents: Cents;
};

/** The lines are in the input's order, and each of their amounts adds up to that of the basket. */
export type BasketAmounts = {
  subtotalCents: Cents;
  discountCents: Cents;
  ivaCents: Cents;
  shippingPriceCents: Cents;
  shippingDiscountCents: Cents;
  /** The IVA rate included in the shipment's price; null if it is free. */
  shippingIvaRateMicros: Micros | null;
  totalCents: Cents;
  lines: LineAmounts[];
};

type Discount = Pick<CouponTerms, 'valueMicros' | 'has_free_shipping'>;

export type BasketInput = { lines: readonly BasketLine[]; coupon: Discount | null; shipping: ShippingCharge };

/**
 * Prices a basket. The coupon is applied without checks (see `couponProblem`) and affects shipping only if it has free
 * shipping. The shipping price includes IVA. total = subtotal − discount + IVA + shipping price − shipping discount (rule of
 * the API). Throws RangeError for negative, fractional or inexact amounts.
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

/** Before discount and IVA. Throws RangeError beyond the safe integers. */
export const sumSubtotal = (lines: readonly BasketLine[]): Cents => sumCents(lines.map(computeGross));

const computeGross = ({ unitPriceCents, quantity }: BasketLine): Cents =>
  wholeNumber(wholeNumber(unitPriceCents) * wholeNumber(quantity));

// The API: "value between 0 and 1 is a percentage and any larger value is a fixed amount"; 1 itself is 100 %.
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
  return spreadIva(spreadDiscount(rankLines(lines), discountCents))
    .sort((a, b) => a.position - b.position)
    .map(({ grossCents, discountCents, ivaCents, ivaRateMicros }) => ({
      subtotalCents: grossCents,
      discountCents,
      ivaCents,
      ivaRateMicros,
      totalCents: grossCents - discountCents + ivaCents,
    }));
}

// Spare cents go to lines of a higher IVA rate first, then dearer ones, so that the lines' order does not matter: 0.47 + 0.47
// less 0.01, one of them taxed, would owe 0.07 or 0.08 of IVA. Among equal lines the earlier one wins.
const rankLines = (lines: readonly BasketLine[]): RankedLine[] =>
  lines
    .map((line, position) => ({ position, ivaRateMicros: line.ivaRateMicros, grossCents: computeGross(line) }))
    .sort((a, b) => b.ivaRateMicros - a.ivaRateMicros || b.grossCents - a.grossCents);

function spreadDiscount(lines: readonly RankedLine[], discountCents: Cents): DiscountedLine[] {
  const grosses = lines.map((line) => line.grossCents);
  const discounts = allocate(discountCents, grosses);
  return lines.map((line, index) => ({ ...line, discountCents: discounts[index] ?? 0 }));
}

type TaxedLine = DiscountedLine & { ivaCents: Cents };

// IVA is rounded once per rate, as in the summary of a CFDI (CFDI40221; Anexo 20: round at the end): three lines of 1.03 at 16
// % owe 0.49, not 3 × 0.16. Floor and ceiling of a line's exact tax both lie in SAT's tolerance (CFDI40180).
function spreadIva(lines: readonly DiscountedLine[]): TaxedLine[] {
  const rates = [...new Set(lines.map(({ ivaRateMicros }) => ivaRateMicros))];
  return rates.flatMap((rate) => taxLines(lines.filter(({ ivaRateMicros }) => ivaRateMicros === rate)));
}

/** All lines have the same rate. */
function taxLines(lines: readonly DiscountedLine[]): TaxedLine[] {
  const taxesInMicros = lines.map(
    ({ grossCents, discountCents, ivaRateMicros }) => BigInt(grossCents - discountCents) * BigInt(ivaRateMicros),
  );
  const exactTotal = taxesInMicros.reduce((sum, tax) => sum + tax, 0n);
  const ivaCents = Number(divideHalfUp(exactTotal, BigInt(MICROS_PER_UNIT)));
  const ivas = roundToTotal(ivaCents, taxesInMicros, BigInt(MICROS_PER_UNIT));
  return lines.map((line, index) => ({ ...line, ivaCents: ivas[index] ?? 0 }));
}

/** Both ends of a coupon's validity are inclusive, to the millisecond. */
export function couponPeriod(
  { valid_from: validFrom, valid_until: validUntil }: Pick<CouponTerms, 'valid_from' | 'valid_until'>,
  now: Date,
): 'not_yet_valid' | 'valid' | 'ended' {
  const hasBegun = validFrom === null || now.getTime() >= Date.parse(validFrom);
  const isCurrent = validUntil === null || now.getTime() <= Date.parse(validUntil);
  if (!isCurrent) return 'ended';
  return hasBegun ? 'valid' : 'not_yet_valid';
}

/**
 * Returns why a coupon does not apply to this subtotal (before discount and IVA), or null. The minimum is inclusive. Quotes
 * answer `coupon_invalid` for unknown codes too, so that nobody learns which codes were or will be valid.
 */
export function couponProblem(
  coupon: CouponTerms,
  { subtotalCents, now }: { subtotalCents: Cents; now: Date },
): 'coupon_invalid' | 'coupon_below_minimum' | null {
  if (couponPeriod(coupon, now) !== 'valid') return 'coupon_invalid';
  return subtotalCents < (coupon.minimumSubtotalCents ?? 0) ? 'coupon_below_minimum' : null;
}

// SAT's c_TasaOCuota has 0, 0.08 and 0.16 for IVA (CFDI40179); products at 0 (LIVA art. 2-A) have no `has_iva`.
export const PRODUCT_IVA_RATES = ['0.16', '0.08'] as const;
// Charges are part of a good's price (LIVA art. 12): shipping may have the rate of the goods, 0 for medicines.
export const SHIPPING_IVA_RATES = ['0.16', '0.08', '0'] as const;

// c_TasaOCuota: "IVA Crédito aplicado del 50%", of the decrees for the border regions (DOF, 31 December 2018 and 30 December
// 2020), for goods handed over there.
const BORDER_RATE_MICROS: Micros = 80_000;

/** Both ends are inclusive. */
type ZipcodeRange = { readonly from: string; readonly to: string };

export type IvaRates = {
  /** For taxed products outside of the border's zip codes. */
  readonly generalMicros: Micros;
  readonly shippingMicros: Micros;
  readonly borderZipcodes: readonly ZipcodeRange[];
};

/** Returns the rate of taxed products at the zip code of a delivery or store; the general one if it is unknown. */
export function ivaRateAt(zipcode: string | null, { generalMicros, borderZipcodes }: IvaRates): Micros {
  if (zipcode === null || !isZipcode(zipcode)) return generalMicros;
  // Texts of five digits compare like numbers.
  const isBorder = borderZipcodes.some(({ from, to }) => from <= zipcode && zipcode <= to);
  return isBorder ? BORDER_RATE_MICROS : generalMicros;
}

/** Parses `22000` or `21000-22999`; undefined for anything else. */
export function parseZipcodeRange(text: string): ZipcodeRange | undefined {
  const [from = '', to = from, ...more] = text.split('-');
  const isRange = isZipcode(from) && isZipcode(to) && from <= to && more.length === 0;
  return isRange ? { from, to } : undefined;
}
