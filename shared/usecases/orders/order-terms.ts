import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { Catalog, CatalogPaymentMethod } from '../../catalog/catalog.ts';
import type { Document } from '../../documents/documents.ts';
import { validateReceiver } from '../../domain/invoices/tax-id.ts';
import { type Phone, parsePhone } from '../../domain/phone.ts';
import { sumSubtotal } from '../../domain/pricing.ts';
import { refuseInvalid, type ValidationError } from '../../domain/refusal.ts';
import type { Role } from '../../domain/role.ts';
import { localDate } from '../../domain/working-day.ts';
import type { Business } from '../../runtime/settings.ts';
import type { Client } from '../../store/access/clients.ts';
import { checkDocuments } from '../prescriptions/check-documents.ts';
import {
  type BasketLine,
  explainCoupon,
  explainShortage,
  findCoupon,
  findLines,
  noteInvalidCoupon,
  toPricedLines,
} from '../quotes/basket.ts';
import type { Delivery } from '../quotes/delivery.ts';
import type { OfferedCoupon } from '../quotes/offer.ts';
import { atHeldPrices, type HeldTerms, type SentHold } from './held-terms.ts';
import { checkDelivery, checkHeldDelivery, toHeldTerms } from './order-delivery.ts';
import { findPaymentMethod } from './payment-methods.ts';

export type OrderContext = {
  readonly catalog: Catalog;
  readonly business: Business;
  readonly client: Client;
  readonly now: Date;
};

/** The context of a new order, with the role of the user who places it and the hold that came with it. */
type PlacingContext = OrderContext & { readonly role: Role; readonly sentHold: SentHold };

/** The checked content of an order, as far as it does not depend on stored records. */
export type OrderTerms = {
  readonly lines: readonly BasketLine[];
  /** The coupon that applies today, if any. */
  readonly coupon: OfferedCoupon | null;
  readonly paymentMethod: CatalogPaymentMethod;
  /** Null when the patient's default address is to be used. */
  readonly delivery: Delivery | null;
  /** The offer that the order is placed at, and its delivery; null for that of today. */
  readonly held: HeldTerms | null;
  readonly documents: readonly Document[];
  /** The person's phone; null when none was sent. */
  readonly phone: Phone | null;
};

/** True if the caller relies on a total, so that nothing is left out of the order without an error. */
export const isFirm = ({ expected_total: expected, hold }: CreateOrderRequest['order']): boolean =>
  expected !== undefined || hold !== undefined;

export type Checked<Value> = { readonly value: Value | undefined; readonly errors: readonly ValidationError[] };

// The coupon of a hold is as it was.
const NOT_CHECKED: Checked<OfferedCoupon> = { value: undefined, errors: [] };

type CheckedLines = { readonly value: BasketLine[]; readonly errors: ValidationError[] };

const NO_DOCUMENTS = { count: 0, bytes: 0 };

/** Checks the order against the catalog, the client and the rules across its fields; all errors go together. */
export function checkTerms({ user, order, invoicing }: CreateOrderRequest, context: PlacingContext): OrderTerms {
  const { hold, errors: holdErrors } = context.sentHold;
  const lines = checkLines(order.details, context.catalog, ['order', 'details']);
  const coupon = hold ? NOT_CHECKED : checkCoupon(order, lines, context);
  const paymentMethod = checkPaymentMethod(order.payment_method, context);
  const delivery = hold ? checkHeldDelivery(order, hold, context) : checkDelivery(order, context);
  const documents = checkDocuments(
    { prescriptions: order.prescriptions, path: ['order', 'prescriptions'], present: NO_DOCUMENTS },
    context,
  );
  const phone = checkPhone(user.phone);
  const birth = birthdateErrors(user.birthdate, context);
  const receiver = invoicing ? validateReceiver(invoicing, ['invoicing']) : [];
  const checked = [lines, coupon, paymentMethod, delivery, documents, phone];
  refuseInvalid([...checked.flatMap(({ errors }) => errors), ...holdErrors, ...birth, ...receiver]);
  return {
    lines: hold ? atHeldPrices(lines.value, hold) : lines.value,
    coupon: coupon.value ?? null,
    paymentMethod: paymentMethod.value as CatalogPaymentMethod,
    ...(hold ? toHeldTerms(order, hold, delivery.value as Delivery) : { delivery: delivery.value ?? null, held: null }),
    documents: documents.value,
    phone: phone.value ?? null,
  };
}

/** Checks the lines of an order: all in stock, which a quote does not require, and at least one above 0. */
export function checkLines(
  details: CreateOrderRequest['order']['details'],
  catalog: Catalog,
  path: ValidationError['path'],
): CheckedLines {
  const { lines, errors } = findLines(details, catalog, path);
  for (const [index, { product: id }] of details.entries()) {
    const product = catalog.product(id);
    if (!product?.is_active || !product.has_shortage) continue;
    errors.push({ path: [...path, index, 'product'], ...explainShortage(id, catalog) });
  }
  if (details.every(({ quantity }) => quantity === 0)) errors.push({ path, code: 'nothing_ordered' });
  return { value: lines, errors };
}

/** Finds the coupon. One that does not apply is left out, or an error if the caller relies on a total. */
function checkCoupon(
  order: CreateOrderRequest['order'],
  { value: lines, errors: lineErrors }: CheckedLines,
  { catalog, now }: OrderContext,
): Checked<OfferedCoupon | null> {
  const { coupon: code } = order;
  const found = findCoupon(code, catalog, { subtotalCents: sumSubtotal(toPricedLines(lines, 0)), now });
  noteInvalidCoupon(found.problem);
  const problem = isFirm(order) && explainCoupon(found.problem, code, { catalog, now });
  // Without all of its lines nobody knows what the order would come to.
  if (!problem || (problem.code === 'coupon_below_minimum' && lineErrors.length > 0)) {
    return { value: found.coupon, errors: [] };
  }
  return { value: undefined, errors: [{ path: ['order', 'coupon'], ...problem }] };
}

function checkPaymentMethod(id: number, context: PlacingContext): Checked<CatalogPaymentMethod> {
  const found = findPaymentMethod(id, context);
  if (typeof found !== 'string') return { value: found, errors: [] };
  const error = { path: ['order', 'payment_method'], code: found, values: { method: id } };
  return { value: undefined, errors: [error] };
}

function checkPhone(written: string | undefined): Checked<Phone> {
  if (!written) return { value: undefined, errors: [] };
  const value = parsePhone(written);
  return { value, errors: value ? [] : [{ path: ['user', 'phone'], code: 'not_a_phone' }] };
}

function birthdateErrors(birthdate: string | null | undefined, { business, now }: OrderContext): ValidationError[] {
  const { timeZone } = business;
  const today = localDate(now, timeZone);
  const isBorn = !birthdate || birthdate <= today;
  return isBorn ? [] : [{ path: ['user', 'birthdate'], code: 'date_in_the_future', values: { today, timeZone } }];
}
