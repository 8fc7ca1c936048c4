import type { LineAmounts } from '../../domain/pricing.ts';
import type { Order } from '../../store/orders/order.ts';
import type { OrderLine } from '../../store/orders/order-parts.ts';
import type { BasketLine } from '../quotes/basket.ts';
import type { OfferedCoupon } from '../quotes/offer.ts';

// An order keeps copies of what it shows as of its last change; later catalogs do not change them.

export function copyCoupon(coupon: OfferedCoupon | null): Order['coupon'] {
  if (!coupon) return null;
  const { id, code, description, value, has_free_shipping, max_redemptions, max_redemptions_per_patient } = coupon;
  return { id, code, description, value, has_free_shipping, max_redemptions, max_redemptions_per_patient };
}

/** Returns the coupon of an order as it is published today, with the limits that the order is counted by. */
export function renewCoupon(before: Order['coupon'], coupon: OfferedCoupon | null): Order['coupon'] {
  if (!before || !coupon) return null;
  const { max_redemptions, max_redemptions_per_patient } = before;
  return copyCoupon({ ...coupon, max_redemptions, max_redemptions_per_patient });
}

/** Returns the lines of an order: copies of the products with amounts and ids, by index. */
export function copyLines(
  lines: readonly BasketLine[],
  amounts: readonly LineAmounts[],
  ids: readonly number[],
): OrderLine[] {
  return lines.map(({ product, quantity }, index) => ({
    ...(amounts[index] as LineAmounts),
    id: ids[index] as number,
    productId: product.id,
    quantity,
    priceCents: product.priceCents,
    name: product.name,
    presentation: product.presentation,
    eanKey: product.ean_key,
    satKey: product.sat_key,
    satUnit: product.sat_unit,
    requiresPrescription: product.requires_prescription,
    isAntibiotic: product.isAntibiotic,
    sanitaryFraction: product.sanitaryFraction,
    defaultImage: product.default_image,
  }));
}
