import { representAmounts, representLineAmounts } from '../../answers/amounts.ts';
import type { Quotation, QuoteRequest } from '../../api/orders/quotes.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { formatCents } from '../../domain/money.ts';
import { priceBasket, sumSubtotal } from '../../domain/pricing.ts';
import { refuseInvalid } from '../../domain/refusal.ts';
import type { ShippingOption } from '../../domain/shipping.ts';
import { deliveryDates } from '../../domain/working-day.ts';
import type { Message } from '../../messages/messages.ts';
import type { Business } from '../../runtime/business.ts';
import { type BasketLine, findCoupon, findLines, noteInvalidCoupon, toPricedLines } from './basket.ts';
import { type Delivery, planDelivery } from './delivery.ts';

/** A quotation whose messages are not translated yet. */
export type Quote = Omit<Quotation, 'errors'> & { readonly errors: Readonly<Record<string, Message>> };

/** Prices a basket and its delivery. It stores nothing and reads nothing but the published catalog. */
export function quote(request: QuoteRequest, context: { catalog: Catalog; business: Business; now: Date }): Quote {
  const { catalog, business, now } = context;
  const { lines, errors } = findLines(request.details, catalog, ['details']);
  const { zipcode, store, shipping_method: shippingMethod } = request;
  const { delivery, errors: deliveryErrors } = planDelivery({ zipcode, store, shippingMethod }, catalog, now);
  refuseInvalid([...errors, ...deliveryErrors]);

  const basket = toPricedLines(lines);
  const { coupon, problem } = findCoupon(request.coupon, catalog, { subtotalCents: sumSubtotal(basket), now });
  noteInvalidCoupon(problem);
  const shipping = delivery.selected ?? { priceCents: 0, discountCents: 0 };
  const amounts = priceBasket({ lines: basket, coupon, shipping, ivaRateMicros: business.ivaRateMicros });
  return {
    ...representAmounts(amounts),
    coupon: coupon && { code: coupon.code, value: coupon.value },
    shipping_method_options: delivery.options.map(optionAnswer),
    selected_shipping_method: delivery.selected?.id ?? null,
    errors: collectProblems(lines, delivery, problem),
    ...promisedDates(delivery.selected, context),
    details: request.details.map((line, index) => ({
      ...line,
      ...representLineAmounts(amounts.lines[index] ?? NO_AMOUNTS),
    })),
  };
}

const optionAnswer = (option: ShippingOption) => ({
  id: option.id,
  company: option.company,
  method: option.method,
  min_delivery_days: option.min_delivery_days,
  max_delivery_days: option.max_delivery_days,
  price: formatCents(option.priceCents),
});

const NO_AMOUNTS = { subtotalCents: 0, discountCents: 0, ivaCents: 0, totalCents: 0 };

function promisedDates(
  selected: ShippingOption | null,
  { catalog, business, now }: { catalog: Catalog; business: Business; now: Date },
) {
  if (!selected) return { expected_delivery_date: null, max_delivery_date: null };
  const calendar = { ...business, holidays: catalog.holidays };
  const { expectedDeliveryDate, maxDeliveryDate } = deliveryDates({ now, calendar, ...selected });
  return {
    expected_delivery_date: expectedDeliveryDate?.toISOString() ?? null,
    max_delivery_date: maxDeliveryDate?.toISOString() ?? null,
  };
}

function collectProblems(
  lines: readonly BasketLine[],
  delivery: Delivery,
  coupon: Message | null,
): Record<string, Message> {
  const short = listLines(lines, ({ has_shortage }) => has_shortage);
  const prescribed = listLines(lines, ({ requires_prescription }) => requires_prescription);
  return {
    ...delivery.problems,
    ...(coupon && { coupon }),
    ...(short && { details: { code: 'lines_in_shortage', values: { lines: short } } }),
    ...(prescribed && { prescriptions: { code: 'lines_need_prescription', values: { lines: prescribed } } }),
  };
}

/** Lists the lines that have such a product: `1: Zinc 50 mg, Caja (id 103); 3: …`; '' if there are none. */
function listLines(lines: readonly BasketLine[], concerns: (product: BasketLine['product']) => boolean): string {
  return lines
    .flatMap(({ product }, index) => (concerns(product) ? `${index + 1}: ${nameProduct(product)}` : []))
    .join('; ');
}

const nameProduct = ({ id, name, presentation }: BasketLine['product']): string =>
  `${presentation === '' ? name : `${name}, ${presentation}`} (id ${id})`;
