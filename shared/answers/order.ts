import type { Shipping } from '../api/addresses.ts';
import type { Order as OrderAnswer } from '../api/orders.ts';
import type { Patient, User } from '../api/people.ts';
import type { Prescription } from '../api/prescriptions.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Documents } from '../documents/documents.ts';
import { formatCents } from '../domain/money.ts';
import { folioOf, patientOrderStatus } from '../domain/order.ts';
import type { Role } from '../domain/role.ts';
import type { Order, OrderHeader, OrderLine, OrderPrescription } from '../store/orders/orders.ts';
import type { Person } from '../store/people/users.ts';
import { representInvoicingFor, representShipping, representStore } from './address.ts';
import { representUser, restrictedToDoctor, restrictedToNames } from './person.ts';
import { representProduct } from './product.ts';

/** Who the answer is for. */
export type Reader = { readonly id: number; readonly role: Role };
export type Sources = { readonly catalog: Catalog; readonly documents: Documents };

/** The read representation of an order, with no more of its people than the reader may see. */
export async function representOrder(order: Order, reader: Reader, sources: Sources): Promise<OrderAnswer> {
  const { header, lines } = order;
  const details = lines.map((line) => representLine(line, header, sources.catalog));
  return { ...(await representApart(order, reader, sources.documents)), details };
}

/** An operator is no user of any client (ids begin at 1), and sees of a patient what the client's employees see. */
const OPERATOR: Reader = { id: 0, role: 'insurance_employee' };

/** An order as its operator sees it: besides what its reader sees, its client, version and comments, without a catalog. */
export async function representForOperator(order: Order, documents: Documents) {
  const { clientId, version, comments } = order.header;
  const details = order.lines.map(representOwnLine);
  return { ...(await representApart(order, OPERATOR, documents)), client: clientId, version, comments, details };
}

const representOwnLine = (line: OrderLine) => ({
  product: line.productId,
  name: line.name,
  presentation: line.presentation,
  ean_key: line.eanKey,
  requires_prescription: line.requiresPrescription,
  quantity: line.quantity,
  ...representFigures(line),
});

/** All but the lines, whose products are the catalog's. */
async function representApart(
  order: Order,
  reader: Reader,
  documents: Documents,
): Promise<Omit<OrderAnswer, 'details'>> {
  const { header, prescriptions } = order;
  return {
    id: header.id,
    patient: representPatient(header, reader),
    shipping: shippingFor(header, reader),
    store: header.store && representStore(header.store),
    payment: null,
    wallet_agreement: null,
    payment_references: [],
    payment_method: representPaymentMethod(header),
    coupon: representCoupon(header),
    generated_by: representActor(header.generatedBy, reader),
    updated_by: representActor(header.updatedBy, reader),
    invoicing: header.invoicing && representInvoicingFor(reader, header.invoicing),
    payment_date: header.paymentDate,
    shipping_date: header.shippingDate,
    expected_delivery_date: header.expectedDeliveryDate,
    max_delivery_date: header.maxDeliveryDate,
    receiving_date: header.receivingDate,
    patient_order_status: patientOrderStatus(header.orderStatus),
    prescriptions: await Promise.all(prescriptions.map((item) => representPrescription(item, header, documents))),
    tags: '',
    shipping_method: representShippingMethod(header),
    created_at: header.createdAt,
    updated_at: header.updatedAt,
    deleted_at: null,
    insurance_refund_status: 'not_started',
    order_status: header.orderStatus,
    payment_status: header.paymentStatus,
    rejection_reason: '',
    origin: header.origin,
    ...representTotals(header),
    folio: folioOf(header.id),
    cfdi: header.cfdi,
    external_payment_id: '',
    reminder: null,
    subscription: null,
  };
}

const representTotals = (header: OrderHeader) => ({
  subtotal: formatCents(header.subtotalCents),
  iva: formatCents(header.ivaCents),
  shipping_price: formatCents(header.shippingPriceCents),
  shipping_discount: formatCents(header.shippingDiscountCents),
  shipping_cost: header.shippingCostCents === null ? null : formatCents(header.shippingCostCents),
  discount: formatCents(header.discountCents),
  total: formatCents(header.totalCents),
});

const representFigures = (line: OrderLine) => ({
  price: formatCents(line.priceCents),
  subtotal: formatCents(line.subtotalCents),
  total: formatCents(line.totalCents),
  discount: formatCents(line.discountCents),
  iva: formatCents(line.ivaCents),
});

const representLine = (line: OrderLine, header: OrderHeader, catalog: Catalog): OrderAnswer['details'][number] => ({
  id: line.id,
  product: representProduct(line, catalog),
  ...representFigures(line),
  quantity: line.quantity,
  order: header.id,
  created_at: line.createdAt,
  updated_at: line.updatedAt,
});

/** A doctor sees an address that came with the order, not the one that the patient once gave. */
function shippingFor({ shipping, isShippingSent }: OrderHeader, reader: Reader): Shipping | null {
  const isHidden = reader.role === 'doctor' && !isShippingSent;
  return shipping && !isHidden ? representShipping(shipping) : null;
}

function representPatient({ patient, sentPerson, carrier }: OrderHeader, reader: Reader): Patient {
  const { id } = patient;
  return {
    id,
    user: reader.role === 'doctor' ? restrictedToDoctor(patient, sentPerson) : representUser(patient),
    referred_by: patient.referredBy,
    default_shipping: patient.defaultShipping,
    default_invoicing: patient.defaultInvoicing,
    preferred_payment: null,
    insurance_carriers: carrier ? [representCarrier(carrier, id)] : [],
  };
}

const representCarrier = (carrier: NonNullable<OrderHeader['carrier']>, patient: number) => ({
  id: carrier.id,
  name: carrier.name,
  created_at: carrier.createdAt,
  updated_at: carrier.updatedAt,
  deleted_at: null,
  patients: [patient],
});

const representActor = (person: Person, reader: Reader): User =>
  person.id === reader.id ? representUser(person) : restrictedToNames(person);

const representPaymentMethod = ({ paymentMethod }: OrderHeader): OrderAnswer['payment_method'] => ({
  id: paymentMethod.id,
  created_at: paymentMethod.createdAt,
  updated_at: paymentMethod.updatedAt,
  name: paymentMethod.name,
  fee: paymentMethod.fee,
  fixed_fee: paymentMethod.fixedFee,
});

const representShippingMethod = ({ shippingMethod }: OrderHeader): OrderAnswer['shipping_method'] => ({
  id: shippingMethod.id,
  created_at: shippingMethod.createdAt,
  updated_at: shippingMethod.updatedAt,
  company: shippingMethod.company,
  method: shippingMethod.method,
  min_delivery_days: shippingMethod.minDeliveryDays,
  max_delivery_days: shippingMethod.maxDeliveryDays,
});

const representCoupon = ({ coupon }: OrderHeader): OrderAnswer['coupon'] =>
  coupon && {
    code: coupon.code,
    description: coupon.description,
    value: coupon.value,
    has_free_shipping: coupon.hasFreeShipping,
  };

async function representPrescription(
  prescription: OrderPrescription,
  { id, patient }: OrderHeader,
  documents: Documents,
): Promise<Prescription> {
  return {
    id: prescription.id,
    issue_date: prescription.issueDate,
    patient: patient.id,
    expiring_date: prescription.expiringDate,
    document: await documents.link(prescription.documentKey),
    document_name: prescription.documentName,
    is_verified: prescription.isVerified,
    order: id,
    updated_by: prescription.updatedBy,
    created_at: prescription.createdAt,
    updated_at: prescription.updatedAt,
  };
}
