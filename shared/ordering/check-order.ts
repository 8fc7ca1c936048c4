import type { Client } from '../access/clients.ts';
import type { CreateOrderRequest } from '../api/orders/orders.ts';
import type { Catalog, CatalogPaymentMethod } from '../catalog/catalog.ts';
import { type BasketAmounts, priceBasket, sumSubtotal } from '../domain/pricing.ts';
import { Refusal, refuseInvalid, type ValidationError } from '../domain/refusal.ts';
import type { ShippingOption } from '../domain/shipping.ts';
import { validateReceiver } from '../invoices/rules/tax-id.ts';
import { collectionErrors } from '../payments/start-payment.ts';
import { personErrors } from '../people/patients.ts';
import { findStateOfZipcode, isMexico } from '../people/rules/address.ts';
import { type Phone, parsePhone, type Role } from '../people/rules/roles.ts';
import { checkDocuments } from '../prescriptions/uploads.ts';
import {
  atHeldPrices,
  compareToHold,
  findHeldDelivery,
  type HeldTerms,
  type Hold,
  holdError,
  type SentHold,
} from '../quotes/hold.ts';
import {
  type BasketLine,
  collectProblems,
  type Delivery,
  explainCoupon,
  explainShortage,
  findCoupon,
  findLines,
  makeOffer,
  noteInvalidCoupon,
  type Offer,
  type OfferedCoupon,
  planDelivery,
  type RequestedLine,
  representQuote,
  toPricedLines,
} from '../quotes/quote.ts';
import type { Business, Collecting } from '../runtime/config.ts';
import { sumQuantities } from '../stock/rules/reservation.ts';
import type { Document } from '../store/documents.ts';
import type { FoundPeople } from './order-people.ts';
import { findPaymentMethod } from './payment-methods.ts';

export type OrderContext = {
  readonly catalog: Catalog;
  readonly business: Business;
  readonly collecting: Collecting | null;
  readonly client: Client;
  readonly now: Date;
};

type NewOrder = CreateOrderRequest['order'];

/** A valid value or its validation errors; neither for an optional field that was not sent. */
type Checked<Value> = { readonly value?: Value | undefined; readonly errors: readonly ValidationError[] };
type CheckedLines = { readonly value: BasketLine[]; readonly errors: ValidationError[] };

export type OrderTerms = {
  readonly lines: readonly BasketLine[];
  readonly coupon: OfferedCoupon | null;
  readonly paymentMethod: CatalogPaymentMethod;
  /** Null for the patient's default address. */
  readonly delivery: Delivery | null;
  /** The held offer and its delivery; null for today's offer. */
  readonly held: HeldTerms | null;
  readonly documents: readonly Document[];
  readonly phone: Phone | undefined;
};

/** True if the caller relies on a total: then nothing may be left out of the order silently. */
const isFirm = ({ expected_total: expected, hold }: NewOrder): boolean => expected !== undefined || hold !== undefined;

/** Checks the order against the catalog, the client and rules across fields; reports all errors together. */
export function checkTerms(
  { user, order, invoicing }: CreateOrderRequest,
  role: Role,
  { hold, errors: holdErrors }: SentHold,
  context: OrderContext,
): OrderTerms {
  const lines = checkLines(order.details, context.catalog, ['order', 'details']);
  // The coupon of a hold applies unchanged.
  const coupon = hold ? { errors: [] } : checkCoupon(order, lines, context);
  const paymentMethod = checkPaymentMethod(order.payment_method, { ...context, role });
  const delivery = hold ? checkHeldDelivery(order, hold, context) : checkDelivery(order, context);
  const present = { count: 0, bytes: 0 };
  const upload = { prescriptions: order.prescriptions, path: ['order', 'prescriptions'], present };
  const documents = checkDocuments(upload, context);
  const person = personErrors(user, ['user'], { now: context.now, timeZone: context.business.timeZone });
  const deliveryPhone = deliveryPhoneErrors(order);
  const receiver = invoicing ? validateReceiver(invoicing, ['invoicing']) : [];
  const checks = [lines, coupon, paymentMethod, delivery, documents];
  refuseInvalid([...checks.flatMap(({ errors }) => errors), ...person, ...holdErrors, ...deliveryPhone, ...receiver]);
  return {
    lines: hold ? atHeldPrices(lines.value, hold) : lines.value,
    coupon: coupon.value ?? null,
    paymentMethod: paymentMethod.value as CatalogPaymentMethod,
    ...(hold ? toHeldTerms(order, hold, delivery.value as Delivery) : { delivery: delivery.value ?? null, held: null }),
    documents: documents.value,
    phone: user.phone ? parsePhone(user.phone) : undefined,
  };
}

/** Unlike a quote, requires stock, except for the quantity that a product had in the lines `before` a change. */
export function checkLines(
  details: NewOrder['details'],
  catalog: Catalog,
  path: ValidationError['path'],
  before: readonly RequestedLine[] = [],
): CheckedLines {
  const { lines, errors } = findLines(details, catalog, path);
  const [totals, formerTotals] = [sumQuantities(details), sumQuantities(before)];
  for (const [index, { product: id }] of details.entries()) {
    const product = catalog.product(id);
    if (!product?.is_active || !product.has_shortage) continue;
    if ((totals.get(id) ?? 0) <= (formerTotals.get(id) ?? -1)) continue;
    errors.push({ path: [...path, index, 'product'], ...explainShortage(product, catalog) });
  }
  if (details.every(({ quantity }) => quantity === 0)) errors.push({ path, code: 'nothing_ordered' });
  return { value: lines, errors };
}

/** A coupon that does not apply is left out, or an error if the caller relies on a total. */
function checkCoupon(
  order: NewOrder,
  { value: lines, errors: lineErrors }: CheckedLines,
  { catalog, now }: OrderContext,
): Checked<OfferedCoupon | null> {
  const { coupon: code } = order;
  const match = findCoupon(code, catalog, { subtotalCents: sumSubtotal(toPricedLines(lines, 0)), now });
  noteInvalidCoupon(match.problem);
  const problem = isFirm(order) && explainCoupon(match.problem, code, { catalog, now });
  // The subtotal is unknown without all lines.
  if (!problem || (problem.code === 'coupon_below_minimum' && lineErrors.length > 0)) {
    return { value: match.coupon, errors: [] };
  }
  return { errors: [{ path: ['order', 'coupon'], ...problem }] };
}

function checkPaymentMethod(
  id: number,
  context: Parameters<typeof findPaymentMethod>[1],
): Checked<CatalogPaymentMethod> {
  const method = findPaymentMethod(id, context);
  if (typeof method !== 'string') return { value: method, errors: [] };
  return { errors: [{ path: ['order', 'payment_method'], code: method, values: { method: id } }] };
}

// The interface gives this phone no format, and carriers may need an extension.
const deliveryPhoneErrors = ({ shipping }: NewOrder): ValidationError[] =>
  !shipping || /\d/.test(shipping.phone) ? [] : [{ path: ['order', 'shipping', 'phone'], code: 'no_phone_digits' }];

/** Without a destination there is no delivery yet. */
function checkDelivery(order: NewOrder, { catalog, now }: OrderContext): Checked<Delivery> {
  const { shipping, store, shipping_method: shippingMethod } = order;
  if (!shipping && store === undefined) return { errors: [] };
  const { delivery, errors } = planDelivery({ zipcode: shipping?.zipcode, store, shippingMethod }, catalog, now);
  return { value: delivery, errors: [...errors.map(inOrder), ...deliveryErrors(delivery)] };
}

const deliveryErrors = ({ problems: { zipcode, shipping_method: method } }: Delivery): ValidationError[] => [
  ...(zipcode ? [{ path: ['order', 'shipping', 'zipcode'], ...zipcode }] : []),
  ...(method ? [{ path: ['order', 'shipping_method'], ...method }] : []),
];

const inOrder = (error: ValidationError): ValidationError => ({ ...error, path: ['order', ...error.path] });

function checkHeldDelivery(order: NewOrder, hold: Hold, { catalog, now }: OrderContext): Checked<Delivery> {
  const { errors } = planDelivery({ zipcode: order.shipping?.zipcode, store: order.store }, catalog, now);
  const value = findHeldDelivery(hold, catalog);
  const missing = value ? [] : [holdError({ code: 'hold_not_delivered' })];
  return { value, errors: [...errors.map(inOrder), ...compareToHold(order, hold), ...missing] };
}

/** Without a destination the order goes to the default address, if the hold is for one. */
function toHeldTerms(order: NewOrder, hold: Hold, delivery: Delivery): Pick<OrderTerms, 'delivery' | 'held'> {
  const isToDefault = !order.shipping && order.store === undefined && typeof hold.destination === 'string';
  return { delivery: isToDefault ? null : delivery, held: { hold, delivery } };
}

type Pricing = {
  readonly body: CreateOrderRequest;
  readonly terms: OrderTerms;
  readonly people: FoundPeople;
  readonly isCouponSpent: boolean;
};

type Chosen = Delivery & { readonly selected: ShippingOption };

export type Sale = { readonly delivery: Chosen; readonly offer: Offer; readonly amounts: BasketAmounts };

/** Throws a Refusal if the order cannot be delivered or does not come to the total that the caller relies on. */
export function priceOrder(pricing: Pricing, context: OrderContext): Sale {
  const { lines, held, paymentMethod } = pricing.terms;
  const delivery = chooseDelivery(pricing, context);
  const coupon = chooseCoupon(pricing);
  const offer = held?.hold.offer ?? makeOffer({ lines, coupon, delivery }, context);
  const sale = { delivery, offer, amounts: priceBasket(offer) };
  refuseInvalid(collectionErrors(paymentMethod, sale.amounts.totalCents, ['order', 'payment_method']));
  requireExpectedTotal(pricing, sale);
  return sale;
}

/**
 * Returns the requested delivery, or that to the patient's default address. An unsuitable default address is refused like a
 * missing one: a different answer would reveal that the patient exists.
 */
function chooseDelivery(pricing: Pricing, context: OrderContext): Chosen {
  const delivery = pricing.terms.delivery ?? deliverToDefault(pricing, context);
  const { selected, problems } = delivery;
  if (selected && Object.keys(problems).length === 0) return { ...delivery, selected };
  throw new Refusal('invalid_input', { errors: [{ path: ['order', 'shipping'], code: 'delivery_missing' }] });
}

function deliverToDefault({ body, terms, people }: Pricing, { catalog, now }: OrderContext): Delivery {
  const zipcode = findDefaultZipcode(body.order, people);
  if (!terms.held || zipcode === undefined)
    return planDelivery({ zipcode, shippingMethod: body.order.shipping_method }, catalog, now).delivery;
  const { hold, delivery } = terms.held;
  if (hold.destination !== zipcode) refuseInvalid([holdError({ code: 'hold_of_other_destination' })]);
  return delivery;
}

/**
 * Returns nothing for somebody else's order that will be refused anyway, because `phone_taken` would reveal the address, and
 * nothing for a doctor who relies on a total, because a refusal would reveal where the patient lives.
 */
function findDefaultZipcode(order: NewOrder, { actor, emailHolder, taken }: FoundPeople): string | undefined {
  if (taken.length > 0 && emailHolder?.id !== actor.id) return undefined;
  if (isFirm(order) && actor.role === 'doctor') return undefined;
  const address = emailHolder?.defaultShipping;
  const isUsable = address && isMexico(address.country) && findStateOfZipcode(address) === undefined;
  return isUsable ? address.zipcode : undefined;
}

function chooseCoupon({ body, terms, isCouponSpent }: Pricing): OrderTerms['coupon'] {
  if (!isCouponSpent) return terms.coupon;
  if (isFirm(body.order)) refuseInvalid([{ path: ['order', 'coupon'], code: 'coupon_exhausted' }]);
  return null;
}

function requireExpectedTotal({ body, terms: { lines } }: Pricing, { delivery, offer, amounts }: Sale): void {
  const { expected_total: expectedCents = amounts.totalCents } = body.order;
  if (expectedCents === amounts.totalCents) return;
  const quote = { lines, delivery, offer, problems: collectProblems(lines, delivery, null) };
  throw new Refusal('total_changed', { represent: (say) => ({ quote: representQuote(quote, say) }) });
}
