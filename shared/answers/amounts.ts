import { formatCents } from '../domain/money.ts';
import type { BasketAmounts, LineAmounts } from '../domain/pricing.ts';

/** Represents the amounts of a line. */
export const representLineAmounts = (line: Omit<LineAmounts, 'ivaRateMicros'>) => ({
  subtotal: formatCents(line.subtotalCents),
  discount: formatCents(line.discountCents),
  iva: formatCents(line.ivaCents),
  total: formatCents(line.totalCents),
});

/** Represents the amounts of a quote or an order. */
export const representAmounts = (basket: Omit<BasketAmounts, 'lines' | 'shippingIvaRateMicros'>) => ({
  ...representLineAmounts(basket),
  shipping_price: formatCents(basket.shippingPriceCents),
  shipping_discount: formatCents(basket.shippingDiscountCents),
});
