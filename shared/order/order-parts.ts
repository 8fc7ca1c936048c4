import * as z from 'zod';
import { erases } from '../domain/erasure.ts';
import { SANITARY_FRACTIONS } from '../domain/medicines.ts';
import { saleParts } from '../invoices/rules/stored-document.ts';
import { DOCUMENT_TYPES } from '../prescriptions/rules/document.ts';
import { REFUND_STATUSES } from './rules/status.ts';

// The parts of a stored order. Amounts are in cents, dates `YYYY-MM-DD`, times `2026-11-21T23:00:00.000Z`.

export const storedLine = z.object({
  id: z.number(),
  productId: z.number(),
  quantity: z.number(),
  priceCents: z.number(),
  subtotalCents: z.number(),
  discountCents: z.number(),
  ivaCents: z.number(),
  /** The rate at which it was priced, whatever the settings say later; 0 for a product without IVA. */
  ivaRateMicros: z.number(),
  totalCents: z.number(),
  name: z.string(),
  presentation: z.string(),
  eanKey: z.string(),
  satKey: z.string(),
  satUnit: z.string(),
  /** False, like the next, for a line of 0. */
  requiresPrescription: z.boolean(),
  isAntibiotic: z.boolean(),
  /** That of LGS art. 226; null for what is no medicine. */
  sanitaryFraction: z.enum(SANITARY_FRACTIONS).nullable(),
  defaultImage: z.string().nullable(),
});
export type OrderLine = z.infer<typeof storedLine>;

/** When, by which operator and why a prescription was rejected. */
const rejection = z.object({ at: z.string(), by: z.string(), reason: z.string() });

export const storedPrescription = z.object({
  id: z.number(),
  issueDate: z.string(),
  expiringDate: z.string().nullable(),
  documentKey: z.string(),
  documentName: z.string(),
  documentType: z.enum(DOCUMENT_TYPES),
  /** The SHA-256 of its bytes, by which the same document is known in another order. */
  documentHash: z.string(),
  /** When and by which operator it was verified, and how much of each product that requires one; null if it was not. */
  verification: z
    .object({
      at: z.string(),
      by: z.string(),
      lines: z.array(z.object({ productId: z.number(), quantity: z.number() })).readonly(),
      /** There if it was older than the setting allows, and the operator accepted that. */
      isAgeAccepted: z.literal(true).exactOptional(),
    })
    .nullable(),
  /** Null if it was not rejected, or was verified since. */
  rejection: rejection.nullable(),
  /** Its former rejections, the oldest first, which a verification or another rejection has replaced; absent without one. */
  pastRejections: z.array(rejection).readonly().exactOptional(),
  /** Its author, as read by the operator who verified it. */
  prescriber: z.object({ name: z.string(), licence: z.string().nullable(), address: z.string().nullable() }).nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  updatedBy: z.number().nullable(),
});
export type OrderPrescription = z.infer<typeof storedPrescription>;

/** The records of an order whose patient is erased that have to be kept, each with its last day; null if there is none. */
export const storedRetention = z.object({
  /** The documents of its prescriptions. */
  documents: z
    .array(
      storedPrescription.pick({ id: true, documentKey: true, documentType: true, documentHash: true }).extend({
        /** There if a pharmacist had rejected it. */
        isRejected: z.literal(true).exactOptional(),
      }),
    )
    .readonly(),
  documentsUntil: z.string().nullable(),
  /** The last day of the receiver of its invoice. */
  receiverUntil: z.string().nullable(),
});

/** `provided` is there if the payment provider gives it back, and absent if an operator has. */
export const storedRefund = z.object({
  cents: z.number(),
  form: z.string(),
  at: z.string(),
  /** None of what came beside the total. */
  parts: saleParts,
  isSurplus: z.literal(true).exactOptional(),
  /** Why, in the operator's words, who may have named the patient. */
  reason: erases(z.string().exactOptional(), undefined),
  provided: z
    .object({
      /** 1 for the first refund of the order through the provider. */
      number: z.number(),
      /** The attempt that brought the money; absent for the one that paid the order. */
      attempt: z.number().exactOptional(),
      status: z.enum(REFUND_STATUSES),
      isHandled: z.literal(true).exactOptional(),
    })
    .exactOptional(),
});
export type Refund = z.infer<typeof storedRefund>;
