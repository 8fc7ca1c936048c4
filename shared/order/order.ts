import * as z from 'zod';
import { paymentMethod } from '../api/orders/order-parts.ts';
import { coupon, shippingMethod } from '../api/orders/orders.ts';
import { store } from '../api/people/addresses.ts';
import { erases } from '../domain/erasure.ts';
import { saleParts, storedTaxDocument } from '../invoices/rules/stored-document.ts';
import { COLLECTIONS } from '../payments/rules/payment.ts';
import { storedInvoicing, storedPerson, storedShipping } from '../people/person.ts';
import type { Role } from '../people/rules/roles.ts';
import { doctorViewer, patientViewer, type Viewer } from '../store/keys.ts';
import { storedLine, storedPrescription, storedRefund, storedRetention } from './order-parts.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from './rules/status.ts';
import { storedPayment } from './stored-payment.ts';

// A field that came after the first orders were stored has its default here (`.default(…)`), and nowhere else.

/** The patient as the order shows them, by what was sent with it. */
const orderPatient = storedPerson.extend({
  referredBy: z.number().nullable(),
  defaultShipping: erases(z.number().nullable(), null),
  defaultInvoicing: erases(z.number().nullable(), null),
});

/** The fields of the patient that were sent with the order: all that a doctor sees besides names and e-mail. */
const sentPerson = z.object({
  phone: erases(storedPerson.shape.phone.exactOptional(), undefined),
  secondLastName: erases(storedPerson.shape.secondLastName.exactOptional(), undefined),
  sex: erases(storedPerson.shape.sex.exactOptional(), undefined),
  birthdate: erases(storedPerson.shape.birthdate.exactOptional(), undefined),
  medicalCondition: erases(storedPerson.shape.medicalCondition.exactOptional(), undefined),
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
  patientOnRecord: erases(patientOnRecord.nullable().exactOptional(), null),
  /** Erased with the patient if it is them, like the next. */
  generatedBy: storedPerson,
  updatedBy: storedPerson,
  shipping: erases(storedShipping.nullable(), null),
  /** False if the address is the patient's default one, which a doctor may not see. */
  isShippingSent: z.boolean(),
  /** `is_sat_branch`: its orders are invoiced from its zip code, in `time_zone`; null for that of the zip code. */
  store: z.object({ ...store.shape, is_sat_branch: z.boolean(), time_zone: z.string().nullable() }).nullable(),
  /** The receiver of the latest invoice that was requested; a part of it stays while tax law requires it. */
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
  rejectionReason: erases(z.string().nullable().default(null), null),
  /** Its payments through the provider; absent where none was ever requested. */
  payment: storedPayment.exactOptional(),
  /** Why it was prepared before it was paid, though it is collected, in the operator's words; absent if it was not. */
  unpaidReason: erases(z.string().exactOptional(), undefined),
  /** Why it was moved further though it was wholly refunded, as of its last move; absent if it was not. */
  refundedReason: erases(z.string().exactOptional(), undefined),
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
  /**
   * Its shipments, the oldest first; absent while there is none with a carrier or a tracking number, which leads to where the
   * patient lives.
   */
  shipments: erases(z.array(storedShipment).readonly().exactOptional(), []),
  /** When it was dispensed, and under which prescriptions; null if it was not, or went back. */
  dispensed: z
    .object({ at: z.string(), under: z.array(z.number()).readonly() })
    .nullable()
    .default(null),
  comments: erases(z.string(), ''),
  /** The provider's id of the invoice; '' while there is none. */
  cfdi: z.string(),
  /** The corrected receiver of a replacement that is not issued yet; absent or null without one. */
  replacementInvoicing: erases(storedInvoicing.nullable().exactOptional(), null),
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
  prescriptions: erases(z.array(storedPrescription).readonly(), []),
  retained: storedRetention.nullable().default(null),
});
export type Order = Readonly<z.infer<typeof storedOrder>>;

/**
 * True if the patient of an order was erased: it has no copies of them any more. Only an erased patient has no e-mail, which
 * is all that an order says that was erased before `deletedAt` was stored.
 */
export const isPatientErased = ({ patient }: Order): boolean => patient.deletedAt !== undefined || patient.email === '';

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
