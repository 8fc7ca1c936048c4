import * as z from 'zod';
import { erases } from '../domain/erasure.ts';
import { SANITARY_FRACTIONS } from '../domain/medicines.ts';
import { saleParts } from '../invoices/rules/stored-document.ts';
import { ATTEMPT_STATUSES } from '../payments/rules/order-payment.ts';
import { COLLECTIONS } from '../payments/rules/payment.ts';
import { DOCUMENT_TYPES } from '../prescriptions/rules/document.ts';
import { SCANS } from '../prescriptions/rules/prescription.ts';
import { REFUND_STATUSES } from './rules/status.ts';

// The parts of a stored order. Amounts are in cents, dates `YYYY-MM-DD`, times `2026-11-21T23:00:00.000Z`.

export const storedLine = z.object({
  id: z.number(),
  productId: z.number(),
  quantity: z.number(),
  priceCents: z.number(),
  subtotalCents: z.number(),
  discountCents: z.number().default(0),
  ivaCents: z.number().default(0),
  /** The rate of its pricing, whatever the settings say later; 0 for a product without IVA. */
  ivaRateMicros: z.number().default(0),
  totalCents: z.number(),
  name: z.string(),
  presentation: z.string(),
  eanKey: z.string(),
  satKey: z.string(),
  satUnit: z.string(),
  /** False for a line of quantity 0, like the next. */
  requiresPrescription: z.boolean().default(false),
  isAntibiotic: z.boolean().default(false),
  /** Per LGS art. 226; null for products that are no medicine. */
  sanitaryFraction: z.enum(SANITARY_FRACTIONS).nullable(),
  defaultImage: z.string().nullable(),
});
export type OrderLine = z.infer<typeof storedLine>;

const rejection = z.object({ at: z.string(), by: z.string(), reason: z.string() });

export const storedPrescription = z.object({
  id: z.number(),
  issueDate: z.string(),
  expiringDate: z.string().nullable(),
  documentKey: z.string(),
  documentName: z.string(),
  documentType: z.enum(DOCUMENT_TYPES),
  /** The SHA-256 of the document, which reveals its use in another order. */
  documentHash: z.string(),
  /** Absent where the stage does not scan documents. */
  scan: z.enum(SCANS).exactOptional(),
  /** When, by which operator and for how much of each product that requires it; null until then. */
  verification: z
    .object({
      at: z.string(),
      by: z.string(),
      lines: z.array(z.object({ productId: z.number(), quantity: z.number() })).readonly(),
      /** Present if the operator accepted a prescription older than the setting allows. */
      isAgeAccepted: z.literal(true).exactOptional(),
    })
    .nullable(),
  /** Null if it was not rejected, or verified since. */
  rejection: rejection.nullable(),
  /** Rejections that a verification or another rejection has replaced, oldest first; absent without one. */
  pastRejections: z.array(rejection).readonly().exactOptional(),
  /** The author, as read by the operator who verified it. */
  prescriber: z.object({ name: z.string(), licence: z.string().nullable(), address: z.string().nullable() }).nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  updatedBy: z.number().nullable(),
});
export type OrderPrescription = z.infer<typeof storedPrescription>;

/** Records of an erased patient that must be kept, each with its last day; null without any. */
export const storedRetention = z.object({
  documents: z
    .array(
      storedPrescription
        .pick({ id: true, documentKey: true, documentType: true, documentHash: true, scan: true })
        .extend({
          /** Present if a pharmacist had rejected it. */
          isRejected: z.literal(true).exactOptional(),
        }),
    )
    .readonly(),
  documentsUntil: z.string().nullable(),
  /** The last day on which the invoice's receiver is kept. */
  receiverUntil: z.string().nullable(),
  /** The last day on which the copies of tax documents are kept (CFF art. 28 and 30). */
  copiesUntil: z.string().nullable(),
});

/** `provided` is present if the payment provider refunds, absent if an operator did. */
export const storedRefund = z.object({
  cents: z.number(),
  form: z.string(),
  at: z.string(),
  /** Empty for money beyond the total. */
  parts: saleParts,
  isSurplus: z.literal(true).exactOptional(),
  /** The operator's words, which may name the patient. */
  reason: erases(z.string().exactOptional(), undefined),
  provided: z
    .object({
      /** 1 for the first refund of the order through the provider. */
      number: z.number(),
      /** The attempt whose money goes back; absent for the one that paid the order. */
      attempt: z.number().exactOptional(),
      status: z.enum(REFUND_STATUSES),
      isHandled: z.literal(true).exactOptional(),
    })
    .exactOptional(),
});
export type Refund = z.infer<typeof storedRefund>;

/** An operator's internal note. */
export const storedNote = z.object({ at: z.string(), by: z.string(), text: z.string() });

const storedAttempt = z.object({
  number: z.number(),
  referenceId: z.number(),
  collection: z.enum(COLLECTIONS),
  amountCents: z.number(),
  createdAt: z.iso.datetime(),
  firstRequestedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  returnUrl: z.string().nullable().default(null),
  customer: z.string().nullable().default(null),
  status: z.enum(ATTEMPT_STATUSES),
  providerId: z.string().nullable().default(null),
  /** The provider's page names the patient. */
  reference: erases(
    z.object({ reference: z.string(), institution: z.string(), externalUrl: z.string() }).nullable().default(null),
    null,
  ),
  receivedCents: z.number().default(0),
  superseded: z.boolean().default(false),
  dispute: z
    .object({ status: z.enum(['open', 'won', 'lost']), amountCents: z.number(), isHandled: z.boolean() })
    .nullable()
    .default(null),
});

export const storedPayment = z.object({
  attempts: z.array(storedAttempt).readonly(),
  customer: z.string().nullable().default(null),
  paidBy: z.number().nullable().default(null),
  unmatchedCents: z.number().default(0),
  handledCents: z.number().default(0),
  isAccountWatched: z.boolean().default(false),
});
