import type { CreateOrderRequest } from '../../api/orders/orders.ts';
import type { Invoicing, Shipping } from '../../api/people/addresses.ts';
import type { CatalogShippingMethod } from '../../catalog/catalog.ts';
import type { KeyedDocument } from '../../documents/documents.ts';
import { firstOrderStatus } from '../../domain/order.ts';
import { setsDefaults } from '../../domain/person.ts';
import type { BasketAmounts, LineAmounts } from '../../domain/pricing.ts';
import type { Order } from '../../store/orders/order.ts';
import type { OrderLine, OrderPrescription } from '../../store/orders/order-parts.ts';
import { firstVersion } from '../../store/orders/orders.ts';
import { changedFields } from '../../store/people/patients.ts';
import { toInvoicing, toPerson, toShipping } from '../../store/people/person.ts';
import type { UserRecord } from '../../store/people/users.ts';
import { createAttempt } from '../invoices/issuing/invoice-attempt.ts';
import type { BasketLine } from '../quotes/basket.ts';
import type { OfferedCoupon } from '../quotes/quote.ts';
import { chooseSale, type OrderContext, type OrderTerms, type Sale } from './check-order.ts';
import { newPrescription } from './order-documents.ts';
import { mergePatient, type OrderPeople, toSentPerson } from './order-people.ts';

/** The ids taken for one order and the records that may be new with it. */
export type NewIds = {
  readonly order: number;
  readonly patient: number;
  readonly shipping: number;
  readonly invoicing: number;
  readonly lines: readonly number[];
  readonly prescriptions: readonly number[];
};

type Drafting = {
  readonly body: CreateOrderRequest;
  readonly terms: OrderTerms;
  readonly people: OrderPeople;
  readonly ids: NewIds;
  readonly documents: readonly KeyedDocument[];
  /** True if the coupon that was asked for has no redemption left. */
  readonly isCouponSpent: boolean;
};

/** An order to be written, with its patient and a new receiver, if any. */
export type Draft = {
  readonly known: UserRecord | null;
  readonly patient: UserRecord;
  readonly invoicing: Invoicing | null;
  readonly order: Order;
};

// Payment, dispensing, shipping, invoicing and erasure set these fields later.
const NOTHING_DONE_YET = {
  paymentForm: null,
  rejectionReason: null,
  global: null,
  paymentDate: null,
  shippingDate: null,
  receivingDate: null,
  dispensed: null,
  cfdi: '',
  documents: [],
  retained: null,
} as const;

/** Composes the whole order with its amounts and copies. Checks what depends on the patient's own records. */
export function draftOrder(drafting: Drafting, context: OrderContext): Draft {
  const { body, terms, people, ids } = drafting;
  const time = context.now.toISOString();
  const stamp = { created_at: time, updated_at: time, updated_by: people.actor.id };
  const sale = chooseSale(drafting, context);
  const { delivery, offer, amounts } = sale;
  const shipping = body.order.shipping ? toShipping(body.order.shipping, ids.shipping, stamp) : null;
  const invoicing = body.invoicing ? toInvoicing(body.invoicing, ids.invoicing, stamp) : null;
  const patient = updatePatient(drafting, { shipping, invoicing }, time);
  const fields = {
    ...NOTHING_DONE_YET,
    id: ids.order,
    clientId: context.client.id,
    origin: context.client.origin,
    carrier: context.client.carrier,
    ...copyPeople(drafting, patient),
    shipping: delivery.store ? null : (shipping ?? patient.defaultShipping),
    isShippingSent: shipping !== null,
    store: delivery.store,
    invoicing,
    paymentMethod: terms.paymentMethod,
    coupon: copyCoupon(offer.coupon),
    ...pickTotals(amounts),
    ...copyDelivery(sale, context),
    orderStatus: firstOrderStatus({
      requiresPrescription: terms.lines.some(({ product }) => product.requires_prescription),
    }),
    paymentStatus: terms.paymentMethod.initial_payment_status,
    comments: body.order.comments ?? '',
    createdAt: time,
    updatedAt: time,
    lines: copyLines(terms.lines, amounts.lines, ids.lines),
    linesAt: time,
    prescriptions: toPrescriptions(drafting, time),
  };
  // An order of 0.00 is not invoiced.
  const invoice = invoicing && fields.totalCents > 0 ? createAttempt(fields, context.now) : null;
  const order = firstVersion({ ...fields, invoice }, { by: { user: people.actor.id }, now: context.now });
  return { known: people.known, patient, invoicing, order };
}

function updatePatient(
  { body, terms, people, ids }: Drafting,
  records: { shipping: Shipping | null; invoicing: Invoicing | null },
  time: string,
): UserRecord {
  const sent = { user: body.user, person: toSentPerson(body.user, terms.phone) };
  const patient = mergePatient(people, sent, { id: ids.patient, time });
  const after = setsDefaults(people.actor) ? withDefaults(patient, records) : patient;
  const isChanged = people.known !== null && changedFields(people.known, after).length > 0;
  return isChanged ? { ...after, updatedAt: time } : after;
}

/** Makes the first record of each kind the default; later ones do not replace it. */
const withDefaults = (patient: UserRecord, records: { shipping: Shipping | null; invoicing: Invoicing | null }) => ({
  ...patient,
  defaultShipping: patient.defaultShipping ?? records.shipping,
  defaultInvoicing: patient.defaultInvoicing ?? records.invoicing?.id ?? null,
});

function copyPeople({ body, terms, people }: Drafting, patient: UserRecord) {
  const actor = people.actor.id === patient.id ? patient : people.actor;
  return {
    patient: {
      ...toPerson(patient),
      referredBy: patient.referredBy,
      defaultShipping: patient.defaultShipping?.id ?? null,
      defaultInvoicing: patient.defaultInvoicing,
    },
    sentPerson: toSentPerson(body.user, terms.phone),
    generatedBy: toPerson(actor),
    updatedBy: toPerson(actor),
  };
}

const pickTotals = ({ lines: _, ...totals }: BasketAmounts): Omit<BasketAmounts, 'lines'> => totals;

const copyDelivery = ({ delivery: { selected, store }, offer }: Sale, { catalog }: OrderContext) => ({
  shippingMethod: (store ? catalog.pickupMethod : catalog.shippingMethod(selected.id)) as CatalogShippingMethod,
  rateDiscountCents: offer.shipping.discountCents,
  shippingCostCents: offer.shipping.costCents,
  expectedDeliveryDate: offer.expectedDeliveryDate,
  maxDeliveryDate: offer.maxDeliveryDate,
});

function toPrescriptions({ body, people, ids, documents }: Drafting, time: string): OrderPrescription[] {
  return documents.map((document, index) =>
    newPrescription(document, {
      id: ids.prescriptions[index] as number,
      issueDate: body.order.prescriptions[index]?.issue_date as string,
      expiringDate: body.order.prescriptions[index]?.expiring_date ?? null,
      updatedBy: people.actor.id,
      time,
    }),
  );
}

// An order keeps copies of what it shows as of its last change; later catalogs do not change them.

export function copyCoupon(coupon: OfferedCoupon | null): Order['coupon'] {
  if (!coupon) return null;
  const { id, code, description, value, has_free_shipping, max_redemptions, max_redemptions_per_patient } = coupon;
  return { id, code, description, value, has_free_shipping, max_redemptions, max_redemptions_per_patient };
}

/** Returns the coupon of an order as it is published today, with the limits that the order is counted by. */
export function renewCoupon(before: Order['coupon'], coupon: OfferedCoupon | null): Order['coupon'] {
  if (!before || !coupon) return null;
  const { max_redemptions, max_redemptions_per_patient } = before;
  return copyCoupon({ ...coupon, max_redemptions, max_redemptions_per_patient });
}

/** Returns the lines of an order: copies of the products with amounts and ids, by index. */
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
    requiresPrescription: product.requires_prescription,
    isAntibiotic: product.isAntibiotic,
    sanitaryFraction: product.sanitaryFraction,
    defaultImage: product.default_image,
  }));
}
