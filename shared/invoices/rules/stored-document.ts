import * as z from 'zod';
import { erases } from '../../domain/erasure.ts';
import {
  ARCHIVED_PARTS,
  CANCELLATION_MOTIVES,
  DOCUMENT_KINDS,
  DOCUMENT_STATUSES,
  INVOICE_ACTIONS,
  MAIL_STATUSES,
} from './document-values.ts';

/** `line` is null for the shipment. */
export const saleParts = z
  .array(z.object({ line: z.number().nullable(), quantity: z.number(), cents: z.number() }))
  .readonly();

/** `dueAt` is null if nothing is to be done. */
const task = z.object({ tries: z.number(), dueAt: z.string().nullable() });

export const storedTaxDocument = z.object({
  kind: z.enum(DOCUMENT_KINDS),
  status: z.enum(DOCUMENT_STATUSES),
  /** The provider's idempotency key for this attempt. */
  key: z.string(),
  /** The provider's id; '' until it is issued. */
  providerId: z.string(),
  /** The issuer's series and folio, and the instant of the stamp. */
  stamp: z.object({ uuid: z.string(), series: z.string(), folio: z.string(), at: z.string() }).nullable(),
  /** The total of an invoice or a credit note; the amount that a complement pays. */
  amountCents: z.number(),
  /** SAT's c_MetodoPago. */
  paymentMethod: z.enum(['PUE', 'PPD']),
  /** SAT's c_FormaPago. */
  paymentForm: z.string(),
  /** The UUID of the document that it replaces (relation 04), pays or credits (relation 01). */
  relatedUuid: z.string().nullable(),
  /** The reason of the cancellation, with motive 01 the substitute's UUID; null without one. */
  cancellation: z.object({ motive: z.enum(CANCELLATION_MOTIVES), substitution: z.string().nullable() }).nullable(),
  cancelledAt: z.string().exactOptional(),
  requestedAt: z.string(),
  issuedAt: z.string().nullable(),
  /** Why it was not issued or cannot be cancelled; the provider may quote the receiver. */
  reason: erases(z.string().nullable(), null),
  parts: saleParts.exactOptional(),
  /** A credit note's description by an operator; absent for the default text. */
  purpose: erases(z.string().exactOptional(), undefined),
  /** The zip code of the global invoice's part that a credit note relates to; '' and `relatedUuid` null until that is issued. */
  globalZipcode: z.string().exactOptional(),
  mail: z.enum(MAIL_STATUSES).nullable(),
  /** The copies in our bucket, accounting records like the document (CFF art. 28 and 30). */
  kept: z.array(z.enum(ARCHIVED_PARTS)).readonly(),
  /** The actions that operators have closed. */
  handled: z.array(z.enum(INVOICE_ACTIONS)).readonly(),
  tasks: z.object({
    /** Looks up an attempt of unknown outcome, or makes the next attempt. */
    issue: task.exactOptional(),
    cancel: task.exactOptional(),
    /** `tries` counts the claims and so identifies one; while a mail is being sent, `dueAt` is the end of the claim. */
    mail: task.exactOptional(),
    /** Absent when all is copied, and after the copy was erased. */
    archive: task.exactOptional(),
  }),
  /** The issued total, if it is not `amountCents`. */
  issuedCents: z.number().exactOptional(),
  /** The number of a job's new attempts; absent if zero. */
  retries: z.number().exactOptional(),
  /** The end of the month in which a PUE invoice must be paid; absent if it was already paid. */
  payBy: z.string().exactOptional(),
  /** A job found it unpaid after `payBy`. */
  isOverdue: z.literal(true).exactOptional(),
});
