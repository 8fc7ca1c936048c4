import { representAmounts, representLineAmounts } from '../../answers/amounts.ts';
import type { Quotation } from '../../api/orders/quotes.ts';
import { formatCents } from '../../domain/money.ts';
import type { ShippingOption } from '../../domain/shipping.ts';
import type { Message } from '../../messages/messages.ts';
import { priceOffer } from './offer.ts';
import type { Quote } from './quote.ts';

/** Represents a quote with its figures, and its messages in the language of `say`. */
export function representQuote(
  { lines, delivery, offer, problems }: Quote,
  say: (message: Message) => string,
): Quotation {
  const { coupon, expectedDeliveryDate, maxDeliveryDate } = offer;
  const amounts = priceOffer(offer);
  return {
    ...representAmounts(amounts),
    coupon: coupon && { code: coupon.code, value: coupon.value },
    shipping_method_options: delivery.options.map(representOption),
    selected_shipping_method: delivery.selected?.id ?? null,
    errors: Object.fromEntries(Object.entries(problems).map(([key, message]) => [key, say(message)])),
    expected_delivery_date: expectedDeliveryDate,
    max_delivery_date: maxDeliveryDate,
    details: lines.map(({ product, quantity }, index) => ({
      product: product.id,
      quantity,
      ...representLineAmounts(amounts.lines[index] ?? NO_AMOUNTS),
    })),
  };
}

const NO_AMOUNTS = { subtotalCents: 0, discountCents: 0, ivaCents: 0, totalCents: 0 };

const representOption = (option: ShippingOption) => ({
  id: option.id,
  company: option.company,
  method: option.method,
  min_delivery_days: option.min_delivery_days,
  max_delivery_days: option.max_delivery_days,
  price: formatCents(option.priceCents),
});
