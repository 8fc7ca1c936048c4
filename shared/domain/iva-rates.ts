import type { Micros } from './money.ts';
import { isZipcode } from './shipping.ts';

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
