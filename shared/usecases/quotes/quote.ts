import type { QuoteRequest } from '../../api/orders/quotes.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { sumSubtotal } from '../../domain/pricing.ts';
import { refuseInvalid } from '../../domain/refusal.ts';
import type { Message } from '../../messages/messages.ts';
import type { Business } from '../../runtime/settings.ts';
import { type BasketLine, findCoupon, findLines, nameProduct, noteInvalidCoupon, toPricedLines } from './basket.ts';
import { type Delivery, planDelivery } from './delivery.ts';
import { makeOffer, type Offer } from './offer.ts';

/** A basket with its delivery and the offer for both. */
export type Quote = {
  readonly lines: readonly BasketLine[];
  readonly delivery: Delivery;
  readonly offer: Offer;
  /** The parts that were left out, and those that would stop an order, by key of `errors`. */
  readonly problems: Readonly<Record<string, Message>>;
};

/** Quotes a basket and its delivery. It stores nothing and reads nothing but the published catalog. */
export function quote(request: QuoteRequest, context: { catalog: Catalog; business: Business; now: Date }): Quote {
  const { catalog, now } = context;
  const { lines, errors } = findLines(request.details, catalog, ['details']);
  const { zipcode, store, shipping_method: shippingMethod } = request;
  const { delivery, errors: deliveryErrors } = planDelivery({ zipcode, store, shippingMethod }, catalog, now);
  refuseInvalid([...errors, ...deliveryErrors]);

  // A minimum is compared before IVA, so that the rate does not matter.
  const subtotalCents = sumSubtotal(toPricedLines(lines, 0));
  const { coupon, problem } = findCoupon(request.coupon, catalog, { subtotalCents, now });
  noteInvalidCoupon(problem);
  const offer = makeOffer({ lines, coupon, delivery }, context);
  return { lines, delivery, offer, problems: collectProblems(lines, delivery, problem) };
}

/** Collects what was left out of a quote, and what would stop an order. */
export function collectProblems(
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
