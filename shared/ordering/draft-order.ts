import type { CreateOrderRequest } from '../api/orders/orders.ts';
import type { Invoicing, Shipping } from '../api/people/addresses.ts';
import type { Catalog, CatalogShippingMethod } from '../catalog/catalog.ts';
import type { LineAmounts } from '../domain/pricing.ts';
import { createAttempt } from '../invoices/invoice-attempt.ts';
import { keptAsSent, type Order, type SentPerson } from '../order/order.ts';
import type { OrderLine } from '../order/order-parts.ts';
import { firstOrderStatus, markApproved, startPayment } from '../order/rules/status.ts';
import { startPaymentAttempt } from '../payments/start-payment.ts';
import { changedFields } from '../people/patients.ts';
import { toInvoicing, toPerson, toShipping } from '../people/person.ts';
import { keepsRecords } from '../people/rules/roles.ts';
import type { UserRecord } from '../people/users.ts';
import { type StoredDocument, toPrescriptions } from '../prescriptions/uploads.ts';
import type { BasketLine, OfferedCoupon } from '../quotes/quote.ts';
import type { Reservation } from '../stock/rules/reservation.ts';
import type { OrderContext, OrderTerms, Sale } from './check-order.ts';
import { mergePatient, type OrderPeople, showAsSent, toSentPerson } from './order-people.ts';

export type NewIds = {
  readonly order: number;
  readonly patient: number;
  readonly shipping: number;
  readonly invoicing: number;
  readonly lines: readonly number[];
  readonly prescriptions: readonly number[];
  /** For the payment reference of a collected order; else 0. */
  readonly reference: number;
};

type Drafting = {
  readonly body: CreateOrderRequest;
  readonly terms: OrderTerms;
  readonly sale: Sale;
  readonly people: OrderPeople;
  readonly documents: readonly StoredDocument[];
  readonly ids: NewIds;
  readonly stock: { readonly stock?: Reservation };
};

/** An order to write, its patient before (null if unregistered) and after, and their new invoice receiver, if any. */
export type Draft = {
  readonly registered: UserRecord | null;
  readonly patient: UserRecord;
  readonly receiver: Invoicing | null;
  readonly order: Order;
};

// Set later by payment, dispensing, shipping, invoicing and erasure.
const NOTHING_DONE_YET = {
  paymentForm: null,
  rejectionReason: null,
  global: null,
  shippingDate: null,
  receivingDate: null,
  dispensed: null,
  insuranceRefundStatus: 'not_started',
  cfdi: '',
  documents: [],
  retained: null,
  notes: [],
  tags: [],
} as const;

export function draftOrder(drafting: Drafting, { catalog, client, collecting, now }: OrderContext): Draft {
  const { body, terms, people, sale, documents, ids } = drafting;
  const { delivery, offer, amounts } = sale;
  const { lines: lineAmounts, ...totals } = amounts;
  const time = now.toISOString();
  const updatedBy = people.actor.id;
  const stamp = { created_at: time, updated_at: time, updated_by: updatedBy };
  const shipping = body.order.shipping ? toShipping(body.order.shipping, ids.shipping, stamp) : null;
  const invoicing = body.invoicing ? toInvoicing(body.invoicing, ids.invoicing, stamp) : null;
  const sentPerson = toSentPerson(body.user, terms.phone);
  const patient = updatePatient(drafting, { sentPerson, shipping, invoicing }, time);
  const lines = copyLines(terms.lines, lineAmounts, ids.lines);
  const stored = { documents, ids: ids.prescriptions };
  const orderStatus = firstOrderStatus(lines);
  const fields = {
    ...NOTHING_DONE_YET,
    id: ids.order,
    clientId: client.id,
    origin: client.origin,
    carrier: client.carrier,
    ...copyPeople(people, patient, { user: body.user, person: sentPerson }),
    sentPerson,
    shipping: delivery.store ? null : (shipping ?? patient.defaultShipping),
    isShippingSent: shipping !== null,
    store: delivery.store,
    invoicing,
    paymentMethod: terms.paymentMethod,
    coupon: copyCoupon(offer.coupon),
    ...totals,
    ...copyDelivery(sale, catalog),
    orderStatus,
    ...markApproved(undefined, orderStatus, time),
    ...startPayment(totals.totalCents, terms.paymentMethod.initial_payment_status, time),
    ...drafting.stock,
    ...keptAsSent.parse(body.order),
    createdAt: time,
    updatedAt: time,
    lines,
    linesAt: time,
    prescriptions: toPrescriptions(body.order.prescriptions, stored, { updatedBy, time }),
  };
  // An order of 0.00 is not invoiced.
  const invoice = invoicing && fields.totalCents > 0 ? createAttempt(fields, now) : null;
  const payment = startPaymentAttempt(fields, { referenceId: ids.reference, collecting, now });
  const requested = invoice && { invoiceRequests: [{ userId: updatedBy, at: time }] };
  const order = { ...fields, ...payment, invoice, ...requested, version: 1 };
  const receiver = keepsRecords(people.actor) ? invoicing : null;
  return { registered: people.registered, patient, receiver, order };
}

type NewRecords = {
  readonly sentPerson: SentPerson;
  readonly shipping: Shipping | null;
  readonly invoicing: Invoicing | null;
};

/** The first record of each kind becomes the default. */
function updatePatient(
  { body, people: { actor, registered }, ids }: Drafting,
  { sentPerson, shipping, invoicing }: NewRecords,
  time: string,
): UserRecord {
  const input = { user: body.user, person: sentPerson };
  const patient = mergePatient({ actor, registered }, input, { id: ids.patient, time });
  const defaultShipping = patient.defaultShipping ?? shipping;
  const defaultInvoicing = patient.defaultInvoicing ?? invoicing?.id ?? null;
  const after = keepsRecords(actor) ? { ...patient, defaultShipping, defaultInvoicing } : patient;
  const isChanged = registered !== null && changedFields(registered, after).length > 0;
  return isChanged ? { ...after, updatedAt: time } : after;
}

function copyPeople(people: OrderPeople, patient: UserRecord, input: Parameters<typeof showAsSent>[2]) {
  const actor = toPerson(people.actor.id === patient.id ? patient : people.actor);
  const { referredBy, defaultShipping, defaultInvoicing } = patient;
  const { shown, ...record } = showAsSent(patient, people.registered, input);
  return {
    patient: { ...shown, referredBy, defaultShipping: defaultShipping?.id ?? null, defaultInvoicing },
    ...record,
    generatedBy: actor,
    updatedBy: actor,
  };
}

const copyDelivery = ({ delivery: { selected, store }, offer }: Sale, catalog: Catalog) => ({
  shippingMethod: (store ? catalog.pickupMethod : catalog.shippingMethod(selected.id)) as CatalogShippingMethod,
  rateDiscountCents: offer.shipping.discountCents,
  shippingCostCents: offer.shipping.costCents,
  expectedDeliveryDate: offer.expectedDeliveryDate,
  maxDeliveryDate: offer.maxDeliveryDate,
});

// An order keeps copies of what it shows; later catalogs do not change them.

function copyCoupon(coupon: OfferedCoupon | null): Order['coupon'] {
  if (!coupon) return null;
  const { id, code, description, value, has_free_shipping, max_redemptions, max_redemptions_per_patient } = coupon;
  return { id, code, description, value, has_free_shipping, max_redemptions, max_redemptions_per_patient };
}

/** Returns the order's coupon as published today, with the limits under which the order was counted. */
export function renewCoupon(before: Order['coupon'], coupon: OfferedCoupon | null): Order['coupon'] {
  if (!before || !coupon) return null;
  const { max_redemptions, max_redemptions_per_patient } = before;
  return copyCoupon({ ...coupon, max_redemptions, max_redemptions_per_patient });
}

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
    // A line of 0 is not dispensed.
    requiresPrescription: quantity > 0 && product.requires_prescription,
    isAntibiotic: quantity > 0 && product.isAntibiotic,
    sanitaryFraction: product.sanitaryFraction,
    defaultImage: product.default_image,
  }));
}
