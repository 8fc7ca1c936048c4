import type { OrderReference } from '../../api/orders/invoices.ts';
import type { Prescription } from '../../api/orders/order-parts.ts';
import type { Order as OrderAnswer } from '../../api/orders/orders.ts';
import type { User } from '../../api/people/people.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { formatCents } from '../../domain/money.ts';
import type { BasketAmounts, LineAmounts } from '../../domain/pricing.ts';
import type { SalePart } from '../../domain/sale-parts.ts';
import { foldText } from '../../domain/text.ts';
import { isGlobalCredit } from '../../invoices/rules/global/global-sale.ts';
import { listDocuments } from '../../invoices/rules/tax-document.ts';
import { findCurrentAttempt } from '../../payments/rules/order-payment.ts';
import { joinName, type Person } from '../../people/person.ts';
import { isThreat } from '../../prescriptions/rules/prescription.ts';
import type { Documents } from '../../store/documents.ts';
import type { Order } from '../order.ts';
import type { OrderEvent } from '../order-events.ts';
import type { OrderLine, OrderPrescription } from '../order-parts.ts';
import { formatFolio, getRefundStatus, patientOrderStatus } from '../rules/status.ts';
import { type Reader, representCollecting, representReferences, representShipments, seesShipping } from './parts.ts';
import { representNames, representPatient, representUser } from './person.ts';
import { representPaymentMethod, representProduct, representStore } from './published.ts';

export const representLineAmounts = (line: Omit<LineAmounts, 'ivaRateMicros'>) => ({
  subtotal: formatCents(line.subtotalCents),
  discount: formatCents(line.discountCents),
  iva: formatCents(line.ivaCents),
  total: formatCents(line.totalCents),
});

export const representAmounts = (basket: Omit<BasketAmounts, 'lines' | 'shippingIvaRateMicros'>) => ({
  ...representLineAmounts(basket),
  shipping_price: formatCents(basket.shippingPriceCents),
  shipping_discount: formatCents(basket.shippingDiscountCents),
});

export type Sources = { readonly catalog: Catalog; readonly documents: Documents };

export async function representOrder(order: Order, reader: Reader, sources: Sources): Promise<OrderAnswer> {
  const details = order.lines.map((line) => representLine(line, order, sources.catalog));
  return { ...(await representWithoutLines(order, reader, sources.documents)), details };
}

/** The operator reads like an employee of the client, under an id that no user has. */
const OPERATOR: Reader = { id: 0, role: 'insurance_employee' };

export async function representForOperator(order: Order, events: readonly OrderEvent[], documents: Documents) {
  const { clientId: client, version, comments, notes, paymentForm, global } = order;
  const refunds = (order.refunds ?? []).map((refund) => {
    const { cents, form, at, parts, isSurplus = false } = refund;
    const status = getRefundStatus(refund);
    return { amount: formatCents(cents), form, at, status, is_surplus: isSurplus, parts: parts.map(representPart) };
  });
  const details = order.lines.map((line) => representOwnLine(line, order));
  const common = await representWithoutLines(order, OPERATOR, documents);
  const prescriptions = common.prescriptions.map((shown, index) => ({
    ...shown,
    ...representJudgement(order.prescriptions[index]),
  }));
  const past = { history: events.map(representEvent), kept_documents: await representKept(order, documents) };
  const records = {
    dispensed_at: order.dispensed?.at ?? null,
    payment_form: paymentForm,
    collecting: representCollecting(order),
    refunds,
    global_invoice: global,
    tax_documents: representTaxDocuments(order),
    receiver_kept_until: order.retained?.receiverUntil ?? null,
  };
  const patient = { ...common.patient, user: { ...common.patient.user, ...representOwnHealth(order) } };
  const own = { patient, patient_on_record: representRecord(order), shipments: representShipments(order, OPERATOR) };
  return { ...common, client, version, comments, notes, details, prescriptions, ...own, ...past, ...records };
}

// A table shows the columns in the order in which its rows bring them.
const representEvent = ({ what, at, version, by, from, to, prescriptions, reason }: OrderEvent) => ({
  what,
  at,
  version,
  by,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(prescriptions && { prescriptions }),
  ...(reason !== undefined && { reason }),
});

/** Returns the name in the patient's record if it differs from the order's by more than case and accents. */
function findOtherName({ patient, patientOnRecord }: Order): string | null {
  const name = joinName({ ...patient, ...patientOnRecord });
  return foldText(name) === foldText(joinName(patient)) ? null : name;
}

/** With another person's e-mail, such as a mother's for her child, the record is not the patient's: shows what was sent. */
function representOwnHealth(order: Order) {
  if (findOtherName(order) === null) return {};
  const { sex = null, birthdate = null, medicalCondition: medical_condition = '' } = order.sentPerson;
  return { sex, birthdate, medical_condition };
}

/** Fields in which the record differed from the order; null where equal. Another person's record comes with all health data. */
function representRecord(order: Order) {
  const { patient, sentPerson, patientOnRecord } = order;
  const record = patientOnRecord ?? {};
  const name = findOtherName(order);
  const recordValue = <Field extends 'sex' | 'birthdate' | 'medicalCondition'>(field: Field) =>
    record[field] ?? (name !== null && sentPerson[field] === undefined ? patient[field] : null);
  return {
    name,
    phone: record.phone ?? null,
    sex: recordValue('sex'),
    birthdate: recordValue('birthdate'),
    medical_condition: recordValue('medicalCondition'),
  };
}

/** The documents of an erased patient that are kept for the authorities. */
const representKept = ({ retained }: Order, documents: Documents) =>
  Promise.all(
    (retained?.documents ?? []).map(async (document) => ({
      prescription: document.id,
      kept_until: retained?.documentsUntil ?? '',
      document: await linkDocument(document, documents),
    })),
  );

const linkDocument = async (document: Pick<OrderPrescription, 'documentKey' | 'scan'>, documents: Documents) =>
  isThreat(document) ? '' : documents.link(document.documentKey);

const representJudgement = (prescription: OrderPrescription | undefined) => {
  const { verification = null, rejection = null, prescriber = null, pastRejections = [], scan } = prescription ?? {};
  return {
    ...(scan && { scan }),
    verified_at: verification?.at ?? null,
    verified_by: verification?.by ?? null,
    verified_for: (verification?.lines ?? []).map(({ productId: product, quantity }) => ({ product, quantity })),
    is_age_accepted: verification?.isAgeAccepted ?? false,
    rejected_at: rejection?.at ?? null,
    rejected_by: rejection?.by ?? null,
    rejection_reason: rejection?.reason ?? null,
    past_rejections: pastRejections.map(({ at, by, reason }) => ({ rejected_at: at, rejected_by: by, reason })),
    prescriber,
  };
};

const representPart = ({ line, quantity, cents }: SalePart) => ({ line, quantity, amount: formatCents(cents) });

const representOwnLine = (line: OrderLine, { dispensed }: Order) => ({
  id: line.id,
  product: line.productId,
  name: line.name,
  presentation: line.presentation,
  ean_key: line.eanKey,
  requires_prescription: line.requiresPrescription,
  is_antibiotic: line.isAntibiotic,
  sanitary_fraction: line.sanitaryFraction,
  quantity: line.quantity,
  ...representPrices(line),
  lots: (dispensed?.lots ?? []).flatMap(({ line: id, ...lot }) => (id === line.id ? [lot] : [])),
});

/** The lines are left out: their products come from the catalog. */
async function representWithoutLines(
  order: Order,
  reader: Reader,
  documents: Documents,
): Promise<Omit<OrderAnswer, 'details'>> {
  return {
    id: order.id,
    patient: representPatient(order, reader),
    shipping: seesShipping(order, reader) ? order.shipping : null,
    store: order.store && representStore(order.store),
    payment: null,
    wallet_agreement: null,
    payment_references: representReferences(order),
    payment_method: representPaymentMethod(order.paymentMethod),
    coupon: representOrderCoupon(order),
    generated_by: representActor(order.generatedBy, reader),
    updated_by: representActor(order.updatedBy, reader),
    invoicing: seesInvoicing(order, reader) ? order.invoicing : null,
    payment_date: order.paymentDate,
    shipping_date: order.shippingDate,
    expected_delivery_date: order.expectedDeliveryDate,
    max_delivery_date: order.maxDeliveryDate,
    receiving_date: order.receivingDate,
    patient_order_status: patientOrderStatus(order.orderStatus),
    prescriptions: await Promise.all(order.prescriptions.map((item) => representPrescription(item, order, documents))),
    tags: order.tags.join(','),
    shipping_method: representShippingMethod(order),
    created_at: order.createdAt,
    updated_at: order.updatedAt,
    deleted_at: null,
    insurance_refund_status: order.insuranceRefundStatus,
    order_status: order.orderStatus,
    payment_status: order.paymentStatus,
    rejection_reason: order.rejectionReason ?? '',
    origin: order.origin,
    ...representAmounts(order),
    shipping_cost: order.shippingCostCents === null ? null : formatCents(order.shippingCostCents),
    folio: formatFolio(order.id),
    cfdi: order.cfdi,
    external_payment_id: findCurrentAttempt(order)?.providerId ?? '',
    reminder: null,
    subscription: null,
  };
}

const representPrices = (line: OrderLine) => ({ price: formatCents(line.priceCents), ...representLineAmounts(line) });

const representLine = (line: OrderLine, order: Order, catalog: Catalog): OrderAnswer['details'][number] => ({
  id: line.id,
  product: representProduct(line, catalog),
  ...representPrices(line),
  quantity: line.quantity,
  order: order.id,
  created_at: order.linesAt,
  updated_at: order.linesAt,
});

/** A doctor sees the invoice's receiver only if they sent it. */
export const seesInvoicing = ({ invoicing }: Order, { id, role }: Reader): boolean =>
  role !== 'doctor' || invoicing?.updated_by === id;

const representActor = (person: Person, reader: Reader): User =>
  person.id === reader.id ? representUser(person) : representNames(person);

const representShippingMethod = ({ shippingMethod: { pickup: _, ...shown } }: Order): OrderAnswer['shipping_method'] =>
  shown;

function representOrderCoupon({ coupon }: Order): OrderAnswer['coupon'] {
  if (!coupon) return null;
  const { code, description, value, has_free_shipping } = coupon;
  return { code, description, value, has_free_shipping };
}

const representPrescription = async (
  prescription: OrderPrescription,
  { id, patient }: Order,
  documents: Documents,
): Promise<Prescription> => ({
  id: prescription.id,
  issue_date: prescription.issueDate,
  patient: patient.id,
  expiring_date: prescription.expiringDate,
  document: await linkDocument(prescription, documents),
  document_name: prescription.documentName,
  is_verified: prescription.verification !== null,
  order: id,
  updated_by: prescription.updatedBy,
  created_at: prescription.createdAt,
  updated_at: prescription.updatedAt,
});

export async function representOrderReference(order: Order, reader: Reader, sources: Sources): Promise<OrderReference> {
  const full = await representOrder(order, reader, sources);
  return {
    ...full,
    patient: full.patient.id,
    shipping: full.shipping?.id ?? null,
    store: full.store?.id ?? null,
    payment: full.payment?.id ?? null,
    wallet_agreement: full.wallet_agreement?.id ?? null,
    payment_method: full.payment_method.id,
    coupon: order.coupon?.id ?? null,
    generated_by: full.generated_by?.id ?? null,
    updated_by: full.updated_by?.id ?? null,
    invoicing: full.invoicing?.id ?? null,
    shipping_method: full.shipping_method.id,
  };
}

/** `kept`: the files of the document that are in our bucket. */
const representTaxDocuments = (order: Order) =>
  listDocuments(order).map(({ status, stamp, amountCents, kept, ...document }) => {
    const kind = isGlobalCredit(document) ? ('global_credit' as const) : document.kind;
    const { uuid = null, series = null, folio = null, at: stamped_at = null } = stamp ?? {};
    return { kind, status, uuid, series, folio, stamped_at, amount: formatCents(amountCents), kept };
  });
