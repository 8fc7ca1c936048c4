import type { Quotation, QuoteRequest } from '../api/orders/quotes.ts';
import type { Catalog, CatalogCoupon, CatalogProduct, CatalogStore } from '../catalog/catalog.ts';
import { type Cents, formatCents, type Micros } from '../domain/money.ts';
import {
  type BasketInput,
  couponPeriod,
  couponProblem,
  ivaRateAt,
  priceBasket,
  sumSubtotal,
} from '../domain/pricing.ts';
import { refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import { defaultShippingOption, pickupOption, type ShippingOption, shippingOptions } from '../domain/shipping.ts';
import { deliveryDates } from '../domain/working-day.ts';
import type { Message } from '../messages/messages.ts';
import { representAmounts, representLineAmounts } from '../order/answers/order.ts';
import type { Business } from '../runtime/config.ts';
import { noteRequest } from '../runtime/log.ts';
import { sumQuantities } from '../stock/rules/reservation.ts';

export type Quote = {
  readonly lines: readonly BasketLine[];
  readonly delivery: Delivery;
  readonly offer: Offer;
  /** Omissions, and obstacles to an order, by key of `errors`. */
  readonly problems: Readonly<Record<string, Message>>;
};

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

export type Offer = {
  readonly lines: BasketInput['lines'];
  readonly coupon: OfferedCoupon | null;
  readonly shipping: {
    readonly priceCents: Cents;
    readonly discountCents: Cents;
    readonly costCents: Cents | null;
    readonly ivaRateMicros: Micros;
  };
  /** UTC instants, like the next. */
  readonly expectedDeliveryDate: string | null;
  readonly maxDeliveryDate: string | null;
};

type Basket = Pick<Quote, 'lines' | 'delivery'> & Pick<Offer, 'coupon'>;
type Context = { readonly catalog: Catalog; readonly business: Business; readonly now: Date };

/** Quotes a basket and its delivery from the published catalog alone; stores nothing. */
export function quote(request: QuoteRequest, context: Context): Quote {
  const { catalog, now } = context;
  const { lines, errors } = findLines(request.details, catalog, ['details']);
  const { zipcode, store, shipping_method: shippingMethod } = request;
  const { delivery, errors: deliveryErrors } = planDelivery({ zipcode, store, shippingMethod }, catalog, now);
  refuseInvalid([...errors, ...deliveryErrors]);

  // A minimum is compared before IVA, so the rate does not matter.
  const subtotalCents = sumSubtotal(toPricedLines(lines, 0));
  const { coupon, problem } = findCoupon(request.coupon, catalog, { subtotalCents, now });
  noteInvalidCoupon(problem);
  const offer = makeOffer({ lines, coupon, delivery }, context);
  return { lines, delivery, offer, problems: collectProblems(lines, delivery, problem) };
}

/** Names lines out of stock as `1: Zinc 50 mg, Caja (id 103); 3: …`. */
export function collectProblems(
  lines: readonly BasketLine[],
  delivery: Delivery,
  coupon: Message | null,
): Record<string, Message> {
  const short = lines.flatMap(({ product }, index) =>
    product.has_shortage ? `${index + 1}: ${nameProduct(product)}` : [],
  );
  return {
    ...delivery.problems,
    ...(coupon && { coupon }),
    ...(short.length > 0 && { details: { code: 'lines_in_shortage', values: { lines: short.join('; ') } } }),
  };
}

/** Without a destination, shipping costs nothing and has no dates. */
export function makeOffer({ lines, coupon, delivery }: Basket, context: Context): Offer {
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

export function representQuote(
  { lines, delivery, offer, problems }: Quote,
  say: (message: Message) => string,
): Quotation {
  const { coupon, expectedDeliveryDate, maxDeliveryDate } = offer;
  const amounts = priceBasket(offer);
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

type DeliveryRequest = {
  readonly zipcode?: string | undefined;
  readonly store?: number | null | undefined;
  readonly shippingMethod?: number | undefined;
};

export type Delivery = {
  readonly options: readonly ShippingOption[];
  readonly selected: ShippingOption | null;
  readonly store: CatalogStore | null;
  /** The zip code of the destination or the store; null while unknown. */
  readonly zipcode: string | null;
  /** The problems of the requested delivery by field: a quote shows them, an order is refused. */
  readonly problems: { readonly zipcode?: Message; readonly shipping_method?: Message };
};

const NO_DELIVERY: Delivery = { options: [], selected: null, store: null, zipcode: null, problems: {} };

export function planDelivery(
  request: DeliveryRequest,
  catalog: Catalog,
  now: Date,
): { delivery: Delivery; errors: ValidationError[] } {
  const { zipcode, store: storeId } = request;
  const hasStore = storeId !== undefined && storeId !== null;
  const store = hasStore ? catalog.store(storeId) : undefined;
  const errors: ValidationError[] = [];
  if (hasStore && zipcode !== undefined) errors.push({ path: ['non_field_errors'], code: 'zipcode_or_store' });
  if (hasStore && !store) errors.push({ path: ['store'], code: 'store_unknown', values: { store: storeId } });
  if (errors.length > 0) return { delivery: NO_DELIVERY, errors };
  return { delivery: store ? pickup(request, store, catalog) : shipment(request, catalog, now), errors };
}

function pickup({ shippingMethod }: DeliveryRequest, store: CatalogStore, catalog: Catalog): Delivery {
  return { ...choice([pickupOption(catalog.pickupMethod)], shippingMethod), store, zipcode: store.zipcode };
}

function shipment({ zipcode, shippingMethod }: DeliveryRequest, catalog: Catalog, now: Date): Delivery {
  if (zipcode === undefined) return { ...NO_DELIVERY, problems: undeliverable(shippingMethod) };
  const rates = catalog.shippingRates(zipcode);
  const options = shippingOptions({ zipcode, rates, methods: catalog.deliveryMethods, now });
  if (options.length > 0) return { ...choice(options, shippingMethod), store: null, zipcode };
  return { ...NO_DELIVERY, zipcode, problems: { zipcode: { code: 'zipcode_not_served', values: { zipcode } } } };
}

function undeliverable(shippingMethod: number | undefined): Delivery['problems'] {
  if (shippingMethod === undefined) return {};
  return { shipping_method: { code: 'shipping_method_without_zipcode', values: { method: shippingMethod } } };
}

function choice(
  options: ShippingOption[],
  shippingMethod: number | undefined,
): Pick<Delivery, 'options' | 'selected' | 'problems'> {
  const selected = options.find(({ id }) => id === shippingMethod);
  if (selected || shippingMethod === undefined) {
    return { options, selected: selected ?? defaultShippingOption(options), problems: {} };
  }
  const problem = { code: 'shipping_method_not_offered', values: { method: shippingMethod } } as const;
  return { options, selected: defaultShippingOption(options), problems: { shipping_method: problem } };
}

export type RequestedLine = { readonly product: number; readonly quantity: number };
export type BasketLine = { readonly product: CatalogProduct; readonly quantity: number };

/** Lines keep their order and repetitions. Unknown or inactive products, and quantities above a maximum, are errors at `path`. */
export function findLines(
  details: readonly RequestedLine[],
  catalog: Catalog,
  path: ValidationError['path'],
): { lines: BasketLine[]; errors: ValidationError[] } {
  const lines: BasketLine[] = [];
  const errors: ValidationError[] = [];
  const totals = sumQuantities(details);
  for (const [index, { product: id, quantity }] of details.entries()) {
    const product = catalog.product(id);
    if (product?.is_active) lines.push({ product, quantity });
    else errors.push({ path: [...path, index, 'product'], ...explainMissing(id, product) });
    const maximum = product?.is_active ? product.maxQuantity : null;
    if (!product || maximum === null || quantity === 0 || (totals.get(id) ?? 0) <= maximum) continue;
    const values = { product: nameProduct(product), maximum };
    errors.push({ path: [...path, index, 'quantity'], code: 'quantity_above_maximum', values });
  }
  return { lines, errors };
}

const explainMissing = (id: number, product: CatalogProduct | undefined): Message =>
  product
    ? { code: 'product_not_sold', values: { product: nameProduct(product) } }
    : { code: 'product_unknown', values: { product: id } };

export function explainShortage(short: CatalogProduct, catalog: Catalog): Message {
  const product = nameProduct(short);
  const substitute = catalog.cheapestSubstitute(short.id);
  if (!substitute) return { code: 'product_in_shortage', values: { product } };
  return { code: 'product_in_shortage_substitute', values: { product, substitute: nameProduct(substitute) } };
}

/** Returns `Zinc 50 mg, Caja (id 103)`. */
export const nameProduct = ({ id, name, presentation }: CatalogProduct): string =>
  `${presentation === '' ? name : `${name}, ${presentation}`} (id ${id})`;

/** `ivaRateMicros`: the rate of products that have IVA. */
export const toPricedLines = (lines: readonly BasketLine[], ivaRateMicros: Micros) =>
  lines.map(({ product, quantity }) => ({
    unitPriceCents: product.priceCents,
    quantity,
    ivaRateMicros: product.has_iva ? ivaRateMicros : 0,
  }));

/** Notes an invalid coupon in the request's log, so that guessing shows. */
export function noteInvalidCoupon(problem: Message | null): void {
  if (problem?.code === 'coupon_invalid') noteRequest({ invalidCoupon: true });
}

export function findCoupon(
  code: string | null | undefined,
  catalog: Catalog,
  at: { subtotalCents: Cents; now: Date },
): { coupon: CatalogCoupon | null; problem: Message | null } {
  if (code === null || code === undefined) return { coupon: null, problem: null };
  const coupon = catalog.coupon(code);
  if (!coupon) return { coupon: null, problem: { code: 'coupon_invalid' } };
  const problem = couponProblem(coupon, at);
  if (problem === null) return { coupon, problem: null };
  if (problem === 'coupon_invalid') return { coupon: null, problem: { code: problem } };
  return { coupon: null, problem: { code: problem, values: { minimum: coupon.minimum_subtotal ?? '0.00' } } };
}

/** Returns why a coupon is invalid, which a quote does not tell, since any API key may ask for one. Null if it is valid. */
export function explainCoupon(
  problem: Message | null,
  code: string | undefined,
  { catalog, now }: { catalog: Catalog; now: Date },
): Message | null {
  if (problem?.code !== 'coupon_invalid') return problem;
  const coupon = catalog.coupon(code ?? '');
  if (!coupon) return { code: 'coupon_unknown' };
  return { code: couponPeriod(coupon, now) === 'ended' ? 'coupon_ended' : 'coupon_not_yet_valid' };
}
