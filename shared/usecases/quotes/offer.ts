import type { Catalog, CatalogCoupon } from '../../catalog/catalog.ts';
import { ivaRateAt } from '../../domain/iva-rates.ts';
import type { Cents, Micros } from '../../domain/money.ts';
import { type BasketAmounts, type BasketInput, priceBasket } from '../../domain/pricing.ts';
import { deliveryDates } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/settings.ts';
import { type BasketLine, toPricedLines } from './basket.ts';
import type { Delivery } from './delivery.ts';

/** The parts of a coupon that an order keeps, with its value as pricing takes it. */
export type OfferedCoupon = Pick<
  CatalogCoupon,
  | 'id'
  | 'code'
  | 'description'
  | 'value'
  | 'valueMicros'
  | 'has_free_shipping'
  | 'max_redemptions'
  | 'max_redemptions_per_patient'
>;

/** Everything that makes the figures and the dates of a basket, as of one moment. */
export type Offer = {
  readonly lines: BasketInput['lines'];
  readonly coupon: OfferedCoupon | null;
  readonly shipping: {
    readonly priceCents: Cents;
    readonly discountCents: Cents;
    readonly costCents: Cents | null;
    readonly ivaRateMicros: Micros;
  };
  /** Times as `2026-11-21T23:00:00.000Z`, like the next. */
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
};

type Wanted = {
  readonly lines: readonly BasketLine[];
  readonly coupon: OfferedCoupon | null;
  readonly delivery: Delivery;
};
type Context = { readonly catalog: Catalog; readonly business: Business; readonly now: Date };

/** Makes the offer of this moment. Without a destination, shipping costs nothing and has no dates. */
export function makeOffer({ lines, coupon, delivery }: Wanted, context: Context): Offer {
  const { ivaRates } = context.business;
  const { priceCents, discountCents, costCents } = delivery.selected ?? NO_CHARGE;
  return {
    lines: toPricedLines(lines, ivaRateAt(delivery.zipcode, ivaRates)),
    coupon,
    shipping: { priceCents, discountCents, costCents, ivaRateMicros: ivaRates.shippingMicros },
    ...promiseDates(delivery, context),
  };
}

const NO_CHARGE = { priceCents: 0, discountCents: 0, costCents: null };

function promiseDates({ selected }: Delivery, { catalog, business, now }: Context) {
  if (!selected) return { expectedDeliveryDate: null, maxDeliveryDate: null };
  const calendar = { ...business, holidays: catalog.holidays };
  const { expectedDeliveryDate, maxDeliveryDate } = deliveryDates({ now, calendar, ...selected });
  return {
    expectedDeliveryDate: expectedDeliveryDate?.toISOString() ?? null,
    maxDeliveryDate: maxDeliveryDate?.toISOString() ?? null,
  };
}

/** Prices an offer, in cents. */
export const priceOffer = ({ lines, coupon, shipping }: Offer): BasketAmounts =>
  priceBasket({ lines, coupon, shipping });
