import * as z from 'zod';
import { paymentMethod } from '../api/orders/order-parts.ts';
import { coupon, shippingMethod } from '../api/orders/orders.ts';
import { store } from '../api/people/addresses.ts';
import { erases } from '../domain/erasure.ts';
import { saleParts, storedTaxDocument } from '../invoices/rules/stored-document.ts';
import { COLLECTIONS } from '../payments/rules/payment.ts';
import { storedInvoicing, storedPerson, storedShipping } from '../people/person.ts';
import type { Role } from '../people/rules/roles.ts';
import { storedReservation } from '../stock/rules/reservation.ts';
import { doctorViewer, patientViewer, type Viewer } from '../store/keys.ts';
import {
  storedLine,
  storedNote,
  storedPayment,
  storedPrescription,
  storedRefund,
  storedRetention,
} from './order-parts.ts';
import { INSURANCE_REFUND_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES } from './rules/status.ts';

// A field added after the first orders were stored has its default here (`.default(…)`), and nowhere else.

const orderPatient = storedPerson.extend({
  referredBy: z.number().nullable(),
  defaultShipping: erases(z.number().nullable(), null),
  defaultInvoicing: erases(z.number().nullable(), null),
});

/** The patient's data sent with the order: all that a doctor sees apart from names and e-mail. */
const sentPerson = z.object({
  phone: erases(storedPerson.shape.phone.exactOptional(), undefined),
  secondLastName: erases(storedPerson.shape.secondLastName.exactOptional(), undefined),
  sex: erases(storedPerson.shape.sex.exactOptional(), undefined),
  birthdate: erases(storedPerson.shape.birthdate.exactOptional(), undefined),
  medicalCondition: erases(storedPerson.shape.medicalCondition.exactOptional(), undefined),
});
export type SentPerson = z.infer<typeof sentPerson>;

/** The patient's recorded data where the order shows other data that was sent with it. */
const patientOnRecord = sentPerson.extend({
  firstName: storedPerson.shape.firstName.exactOptional(),
  lastName: storedPerson.shape.lastName.exactOptional(),
});
export type PatientOnRecord = z.infer<typeof patientOnRecord>;

const storedShipment = z.object({
  carrier: z.string().nullable(),
  trackingNumber: z.string().nullable(),
  trackingUrl: z.string().nullable(),
  shippedAt: z.string(),
});

/** What a client sends with an order and the order keeps as it is, or its default. */
export const keptAsSent = z.object({ comments: erases(z.string().default(''), '') });

/** An order as of its last change, with copies of the people and records that it shows. */
export const storedOrder = z.object({
  id: z.number(),
  clientId: z.number(),
  origin: z.string(),
  carrier: z.object({ id: z.number(), name: z.string(), createdAt: z.string(), updatedAt: z.string() }).nullable(),
  patient: orderPatient,
  sentPerson,
  /** Absent if the record agreed; null once the patient is erased. */
  patientOnRecord: erases(patientOnRecord.nullable().exactOptional(), null),
  /** Erased if it is the patient, like the next. */
  generatedBy: storedPerson,
  updatedBy: storedPerson,
  shipping: erases(storedShipping.nullable(), null),
  /** False for the patient's default address, which a doctor may not see. */
  isShippingSent: z.boolean(),
  /** `is_sat_branch`: invoices are issued from its zip code. `time_zone`: null for that of the zip code. */
  store: z.object({ ...store.shape, is_sat_branch: z.boolean(), time_zone: z.string().nullable() }).nullable(),
  /** The receiver of the latest requested invoice; a part of it stays while tax law requires it. */
  invoicing: erases(storedInvoicing.nullable(), null),
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
      // The limits under which the order was counted.
      max_redemptions: z.number().nullable().default(null),
      max_redemptions_per_patient: z.number().nullable().default(null),
    })
    .nullable(),
  orderStatus: z.enum(ORDER_STATUSES),
  /** The first approval; null while the order waits for one, absent if it never did. */
  approvedAt: z.string().nullable().exactOptional(),
  paymentStatus: z.enum(PAYMENT_STATUSES),
  /** SAT's c_FormaPago; null if unpaid, or paid in the payment method's own form. */
  paymentForm: z.string().nullable().default(null),
  /** The operator's words; null unless the payment was rejected. */
  rejectionReason: erases(z.string().nullable().default(null), null),
  /** Payments through the provider; absent if none was requested. */
  payment: storedPayment.exactOptional(),
  /** The operator's reason to prepare it before it was collected; absent if it was not. */
  unpaidReason: erases(z.string().exactOptional(), undefined),
  /** The operator's reason to move it on after a full refund, as of the last move. */
  refundedReason: erases(z.string().exactOptional(), undefined),
  /** Refunds, oldest first; absent without one. */
  refunds: z.array(storedRefund).readonly().exactOptional(),
  subtotalCents: z.number(),
  discountCents: z.number(),
  ivaCents: z.number(),
  shippingPriceCents: z.number(),
  shippingDiscountCents: z.number(),
  /** The rate of the IVA included in shipping; null for free shipping. */
  shippingIvaRateMicros: z.number().nullable(),
  /** The rate's temporary discount; excludes free shipping by a coupon. */
  rateDiscountCents: z.number(),
  shippingCostCents: z.number().nullable(),
  totalCents: z.number(),
  expectedDeliveryDate: z.string().nullable(),
  maxDeliveryDate: z.string().nullable(),
  paymentDate: z.string().nullable(),
  shippingDate: z.string().nullable(),
  receivingDate: z.string().nullable(),
  /** Oldest first; absent without a carrier or tracking number. A tracking number leads to the patient's address. */
  shipments: erases(z.array(storedShipment).readonly().exactOptional(), []),
  /** When, under which prescriptions and from which known lots it was dispensed; null if it was not, or was taken back. */
  dispensed: z
    .object({
      at: z.string(),
      under: z.array(z.number()).readonly(),
      lots: z
        .array(z.object({ line: z.number(), lot: z.string(), expiry: z.string(), quantity: z.number() }))
        .readonly()
        .exactOptional(),
    })
    .nullable()
    .default(null),
  /** What it takes from the stock of a store; absent if nothing of it was tracked there. */
  stock: storedReservation.exactOptional(),
  ...keptAsSent.shape,
  /** Operators' notes, oldest first; no answer of the API has them. */
  notes: erases(z.array(storedNote).readonly().default([]), []),
  /** Operators' words, which may name the patient. */
  tags: erases(z.array(z.string()).readonly().default([]), []),
  insuranceRefundStatus: z.enum(INSURANCE_REFUND_STATUSES).default('not_started'),
  /** The provider's id of the invoice; '' without one. */
  cfdi: z.string(),
  /** The corrected receiver of a replacement that is yet to be issued. */
  replacementInvoicing: erases(storedInvoicing.nullable().exactOptional(), null),
  /** The users who requested its invoice, each with their last request; absent without one. */
  invoiceRequests: z
    .array(z.object({ userId: z.number(), at: z.string() }))
    .readonly()
    .exactOptional(),
  invoice: storedTaxDocument.nullable(),
  /** Complements, credit notes, replaced invoices, and a replacement that is yet to be issued. */
  documents: z.array(storedTaxDocument).readonly().default([]),
  /** The part of the global invoice that contains it, counted from 1; null if none does. */
  global: z
    .object({ period: z.string(), part: z.number(), returned: saleParts.exactOptional() })
    .nullable()
    .default(null),
  createdAt: z.string(),
  updatedAt: z.string(),
  version: z.number(),
  lines: z.array(storedLine).readonly(),
  linesAt: z.string(),
  prescriptions: erases(z.array(storedPrescription).readonly(), []),
  retained: storedRetention.nullable().default(null),
});
export type Order = Readonly<z.infer<typeof storedOrder>>;

/** True if the patient was erased and the order has no copies of them. Before `deletedAt` was stored, only the e-mail tells. */
export const isPatientErased = ({ patient }: Order): boolean => patient.deletedAt !== undefined || patient.email === '';

const VIEWER: Readonly<Record<Role, (id: number) => Viewer>> = {
  patient: patientViewer,
  doctor: doctorViewer,
  insurance_employee: () => 'client',
};
export const toViewer = (user: { readonly id: number; readonly role: Role }): Viewer => VIEWER[user.role](user.id);

export const listViewers = ({ patient, generatedBy }: Pick<Order, 'patient' | 'generatedBy'>): Viewer[] => [
  'client',
  patientViewer(patient.id),
  ...(generatedBy.role === 'doctor' ? [doctorViewer(generatedBy.id)] : []),
];
