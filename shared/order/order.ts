import * as z from 'zod';
import { paymentMethod } from '../api/orders/order-parts.ts';
import { coupon, shippingMethod } from '../api/orders/orders.ts';
import { store } from '../api/people/addresses.ts';
import { saleParts, storedTaxDocument } from '../invoices/rules/stored-document.ts';
import { COLLECTIONS } from '../payments/rules/payment.ts';
import {
  type Fates,
  PERSON_FATES,
  RECEIVER_FATES,
  shareFate,
  storedInvoicing,
  storedPerson,
  storedShipping,
} from '../people/person.ts';
import type { Role } from '../people/rules/roles.ts';
import { doctorViewer, patientViewer, type Viewer } from '../store/keys.ts';
import {
  LINE_FATES,
  storedLine,
  storedPrescription,
  storedRefund,
  storedRetention,
  TAX_DOCUMENT_FATES,
} from './order-parts.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from './rules/status.ts';
import { PAYMENT_FATES, storedPayment } from './stored-payment.ts';

// A field that came after the first orders were stored has its default here (`.default(…)`), and nowhere else.

/** The patient as the order shows them, by what was sent with it. */
const orderPatient = storedPerson.extend({
  referredBy: z.number().nullable(),
  defaultShipping: z.number().nullable(),
  defaultInvoicing: z.number().nullable(),
});

/** The fields of the patient that were sent with the order: all that a doctor sees besides names and e-mail. */
const sentPerson = z.object({
  phone: storedPerson.shape.phone.exactOptional(),
  secondLastName: storedPerson.shape.secondLastName.exactOptional(),
  sex: storedPerson.shape.sex.exactOptional(),
  birthdate: storedPerson.shape.birthdate.exactOptional(),
  medicalCondition: storedPerson.shape.medicalCondition.exactOptional(),
});
export type SentPerson = z.infer<typeof sentPerson>;

/** The fields of the patient as they stood in the record, where the order shows what was sent instead. */
const patientOnRecord = sentPerson.extend({
  firstName: storedPerson.shape.firstName.exactOptional(),
  lastName: storedPerson.shape.lastName.exactOptional(),
});
export type PatientOnRecord = z.infer<typeof patientOnRecord>;

const storedShipment = z.object({
  carrier: z.string().nullable(),
  trackingNumber: z.string().nullable(),
  /** Its page with the carrier, as it was published when it was shipped. */
  trackingUrl: z.string().nullable(),
  shippedAt: z.string(),
});

/** An order as of its last change, with copies of the people and records that it shows; amounts in cents. */
export const storedOrder = z.object({
  id: z.number(),
  clientId: z.number(),
  origin: z.string(),
  carrier: z.object({ id: z.number(), name: z.string(), createdAt: z.string(), updatedAt: z.string() }).nullable(),
  patient: orderPatient,
  sentPerson,
  /** Absent if the record said the same; null once the patient is erased. */
  patientOnRecord: patientOnRecord.nullable().exactOptional(),
  generatedBy: storedPerson,
  updatedBy: storedPerson,
  shipping: storedShipping.nullable(),
  /** False if the address is the patient's default one, which a doctor may not see. */
  isShippingSent: z.boolean(),
  /** `is_sat_branch`: its orders are invoiced from its zip code, in `time_zone`; null for that of the zip code. */
  store: z.object({ ...store.shape, is_sat_branch: z.boolean(), time_zone: z.string().nullable() }).nullable(),
  /** The receiver of the latest invoice that was requested. */
  invoicing: storedInvoicing.nullable(),
  paymentMethod: z.object({
    ...paymentMethod.shape,
    initial_payment_status: z.enum(['unpaid', 'credit']),
    sat_payment_form: z.string(),
    collection: z.enum(COLLECTIONS).optional(),
  }),
  shippingMethod: z.object({ ...shippingMethod.shape, pickup: z.boolean() }),
  coupon: z
    .object({
      id: z.number(),
      ...coupon.shape,
      // The limits that the order is counted by.
      max_redemptions: z.number().nullable().default(null),
      max_redemptions_per_patient: z.number().nullable().default(null),
    })
    .nullable(),
  orderStatus: z.enum(ORDER_STATUSES),
  /** The time of its first approval after it waited for one; null until then, absent if it never waited. */
  approvedAt: z.string().nullable().exactOptional(),
  paymentStatus: z.enum(PAYMENT_STATUSES),
  /** SAT's c_FormaPago of its payment; null if it is not paid, or paid in the form of its payment method. */
  paymentForm: z.string().nullable().default(null),
  /** Why its payment was rejected, in the operator's words; null unless it is. */
  rejectionReason: z.string().nullable().default(null),
  /** Its payments through the provider; absent where none was ever requested. */
  payment: storedPayment.exactOptional(),
  /** Why it was prepared before it was paid, though it is collected, in the operator's words; absent if it was not. */
  unpaidReason: z.string().exactOptional(),
  /** Why it was moved further though it was wholly refunded, as of its last move; absent if it was not. */
  refundedReason: z.string().exactOptional(),
  /** Its refunds, the oldest first, with SAT's c_FormaPago of each, and by lines; absent while there is none. */
  refunds: z.array(storedRefund).readonly().exactOptional(),
  subtotalCents: z.number(),
  discountCents: z.number(),
  ivaCents: z.number(),
  shippingPriceCents: z.number(),
  shippingDiscountCents: z.number(),
  /** The rate of the IVA that shipping includes; null if nothing is charged for it. */
  shippingIvaRateMicros: z.number().nullable(),
  /** The temporary discount of the rate, without free shipping by a coupon. */
  rateDiscountCents: z.number(),
  shippingCostCents: z.number().nullable(),
  totalCents: z.number(),
  expectedDeliveryDate: z.string().nullable(),
  maxDeliveryDate: z.string().nullable(),
  paymentDate: z.string().nullable(),
  shippingDate: z.string().nullable(),
  receivingDate: z.string().nullable(),
  /** Its shipments, the oldest first; absent while there is none with a carrier or a tracking number. */
  shipments: z.array(storedShipment).readonly().exactOptional(),
  /** When it was dispensed, and under which prescriptions; null if it was not, or went back. */
  dispensed: z
    .object({ at: z.string(), under: z.array(z.number()).readonly() })
    .nullable()
    .default(null),
  comments: z.string(),
  /** The provider's id of the invoice; '' while there is none. */
  cfdi: z.string(),
  /** The corrected receiver of a replacement that is not issued yet; absent or null without one. */
  replacementInvoicing: storedInvoicing.nullable().exactOptional(),
  /** The users who have asked for its invoice, each with the time of the last request; absent if none has. */
  invoiceRequests: z
    .array(z.object({ userId: z.number(), at: z.string() }))
    .readonly()
    .exactOptional(),
  /** The latest attempt to invoice it. */
  invoice: storedTaxDocument.nullable(),
  /** Its payment complements and credit notes, the invoices that were replaced, and a replacement that is not issued yet. */
  documents: z.array(storedTaxDocument).readonly().default([]),
  /** The part of a global invoice that it is in, counted from 1; null if it is in none. */
  global: z
    .object({ period: z.string(), part: z.number(), returned: saleParts.exactOptional() })
    .nullable()
    .default(null),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  lines: z.array(storedLine).readonly(),
  /** The time at which the lines were last replaced. */
  linesAt: z.string(),
  prescriptions: z.array(storedPrescription).readonly(),
  retained: storedRetention.nullable().default(null),
});
export type Order = Readonly<z.infer<typeof storedOrder>>;

/**
 * True if the patient of an order was erased: it has no copies of them any more. Only an erased patient has no e-mail, which
 * is all that an order says that was erased before `deletedAt` was stored.
 */
export const isPatientErased = ({ patient }: Order): boolean => patient.deletedAt !== undefined || patient.email === '';

/** The fates of an order whose patient is erased; the receiver of its invoice stays while tax law needs it. */
export function orderFates(order: Order, receiver: 'kept' | 'erased'): Fates<Order> {
  const choosePersonFates = ({ id }: { readonly id: number }) =>
    id === order.patient.id ? PERSON_FATES : 'not theirs';
  return {
    ...shareFate('impersonal', 'id', 'clientId', 'origin', 'isShippingSent', 'orderStatus', 'paymentStatus', 'version'),
    ...shareFate('impersonal', 'paymentForm', 'approvedAt'),
    dispensed: shareFate('impersonal', 'at', 'under'),
    // An operator may have named the patient.
    rejectionReason: 'null',
    payment: PAYMENT_FATES,
    ...shareFate('dropped', 'unpaidReason', 'refundedReason'),
    refunds: {
      ...shareFate('impersonal', 'cents', 'form', 'at', 'isSurplus'),
      // An operator may have named the patient.
      reason: 'dropped',
      provided: shareFate('impersonal', 'number', 'attempt', 'status', 'isHandled'),
      parts: shareFate('impersonal', 'line', 'quantity', 'cents'),
    },
    ...shareFate(
      'impersonal',
      'subtotalCents',
      'discountCents',
      'ivaCents',
      'totalCents',
      'createdAt',
      'updatedAt',
      'linesAt',
    ),
    ...shareFate('impersonal', 'shippingPriceCents', 'shippingDiscountCents', 'rateDiscountCents', 'shippingCostCents'),
    ...shareFate('impersonal', 'shippingIvaRateMicros'),
    ...shareFate(
      'impersonal',
      'expectedDeliveryDate',
      'maxDeliveryDate',
      'paymentDate',
      'shippingDate',
      'receivingDate',
    ),
    // A tracking number leads to where they live.
    shipments: 'empty',
    ...shareFate('not theirs', 'carrier', 'store', 'paymentMethod', 'shippingMethod', 'coupon'),
    shipping: 'null',
    comments: 'blank',
    cfdi: 'tax record',
    prescriptions: 'empty',
    retained: {
      documents: shareFate('impersonal', 'id', 'documentKey', 'documentType', 'documentHash', 'isRejected'),
      ...shareFate('impersonal', 'documentsUntil', 'receiverUntil'),
    },
    patient: { ...PERSON_FATES, referredBy: 'impersonal', defaultShipping: 'null', defaultInvoicing: 'null' },
    sentPerson: shareFate('dropped', 'secondLastName', 'phone', 'sex', 'birthdate', 'medicalCondition'),
    patientOnRecord: 'null',
    generatedBy: choosePersonFates(order.generatedBy),
    updatedBy: choosePersonFates(order.updatedBy),
    invoicing: receiver === 'kept' ? RECEIVER_FATES : 'null',
    replacementInvoicing: receiver === 'kept' ? RECEIVER_FATES : 'null',
    invoiceRequests: shareFate('impersonal', 'userId', 'at'),
    invoice: TAX_DOCUMENT_FATES,
    documents: TAX_DOCUMENT_FATES,
    global: {
      ...shareFate('impersonal', 'period', 'part'),
      returned: shareFate('impersonal', 'line', 'quantity', 'cents'),
    },
    lines: LINE_FATES,
  };
}

const VIEWER: Readonly<Record<Role, (id: number) => Viewer>> = {
  patient: patientViewer,
  doctor: doctorViewer,
  insurance_employee: () => 'client',
};
/** Returns the viewer whose list of orders a user sees. */
export const toViewer = (user: { readonly id: number; readonly role: Role }): Viewer => VIEWER[user.role](user.id);

/** Returns the viewers of an order: its patient, the doctor who created it, and the client's employees. */
export const listViewers = ({ patient, generatedBy }: Pick<Order, 'patient' | 'generatedBy'>): Viewer[] => [
  'client',
  patientViewer(patient.id),
  ...(generatedBy.role === 'doctor' ? [doctorViewer(generatedBy.id)] : []),
];
