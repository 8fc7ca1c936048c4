import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { BasketAmounts } from '../../domain/pricing.ts';
import { Refusal, refuseInvalid } from '../../domain/refusal.ts';
import type { ShippingOption } from '../../domain/shipping.ts';
import { type Delivery, planDelivery } from '../quotes/delivery.ts';
import { makeOffer, type Offer, priceOffer } from '../quotes/offer.ts';
import { collectProblems } from '../quotes/quote.ts';
import { representQuote } from '../quotes/represent-quote.ts';
import { holdError } from './held-terms.ts';
import type { OrderPeople } from './order-people.ts';
import { isFirm, type OrderContext, type OrderTerms } from './order-terms.ts';

type Asked = {
  readonly body: CreateOrderRequest;
  readonly terms: OrderTerms;
  readonly people: OrderPeople;
  /** True if the coupon that was asked for has no redemption left. */
  readonly isCouponSpent: boolean;
};

type Chosen = Delivery & { readonly selected: ShippingOption };

/** The delivery of an order, with the offer that it is placed at and its amounts. */
export type Sale = { readonly delivery: Chosen; readonly offer: Offer; readonly amounts: BasketAmounts };

/** Returns the sale of an order. Throws a Refusal if it cannot be delivered, or not for what the caller relies on. */
export function chooseSale(asked: Asked, context: OrderContext): Sale {
  const { lines, held } = asked.terms;
  const delivery = chooseDelivery(asked, context);
  const coupon = chooseCoupon(asked);
  const offer = held?.hold.offer ?? makeOffer({ lines, coupon, delivery }, context);
  const sale = { delivery, offer, amounts: priceOffer(offer) };
  requireExpectedTotal(asked, sale);
  return sale;
}

/**
 * Returns the requested delivery, or else the one to the patient's default address. A default address that the order cannot
 * be sent to is refused like none, because another answer would tell that the patient is known.
 */
function chooseDelivery(asked: Asked, context: OrderContext): Chosen {
  const delivery = asked.terms.delivery ?? deliverToDefault(asked, context);
  const { selected, problems } = delivery;
  if (selected && Object.keys(problems).length === 0) return { ...delivery, selected };
  const errors = [{ path: ['order', 'shipping'], code: 'delivery_missing' }] as const;
  throw new Refusal('invalid_input', { errors });
}

function deliverToDefault({ body, terms, people }: Asked, { catalog, now }: OrderContext): Delivery {
  const zipcode = findDefaultZipcode(body, people);
  const { held } = terms;
  const isHeld = held !== null && zipcode !== undefined;
  if (isHeld && held.hold.destination !== zipcode) refuseInvalid([holdError({ code: 'hold_of_other_destination' })]);
  if (isHeld) return held.delivery;
  return planDelivery({ zipcode, shippingMethod: body.order.shipping_method }, catalog, now).delivery;
}

/**
 * Returns none for another's order that is refused in any case, because `phone_taken` would tell that the address is there,
 * and none for a doctor who relies on a total, because a refusal would tell for nothing where a patient lives.
 */
function findDefaultZipcode({ order }: CreateOrderRequest, { actor, known, taken }: OrderPeople): string | undefined {
  if (taken.length > 0 && known?.id !== actor.id) return undefined;
  if (isFirm(order) && actor.role === 'doctor') return undefined;
  return known?.defaultShipping?.zipcode;
}

function chooseCoupon({ body, terms, isCouponSpent }: Asked): OrderTerms['coupon'] {
  if (!isCouponSpent) return terms.coupon;
  if (isFirm(body.order)) refuseInvalid([{ path: ['order', 'coupon'], code: 'coupon_exhausted' }]);
  return null;
}

function requireExpectedTotal({ body, terms: { lines } }: Asked, { delivery, offer, amounts }: Sale): void {
  const { expected_total: expectedCents = amounts.totalCents } = body.order;
  if (expectedCents === amounts.totalCents) return;
  const quote = { lines, delivery, offer, problems: collectProblems(lines, delivery, null) };
  throw new Refusal('total_changed', { represent: (say) => ({ quote: representQuote(quote, say) }) });
}
