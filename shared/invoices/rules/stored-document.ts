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

/** The lines of a refund or a credit note; `line` is null for the shipment. */
export const saleParts = z
  .array(z.object({ line: z.number().nullable(), quantity: z.number(), cents: z.number() }))
  .readonly();

/** A task of the jobs: how often it was tried, and when it is due next; null if there is nothing to do. */
const task = z.object({ tries: z.number(), dueAt: z.string().nullable() });

/** The latest attempt to issue a tax document of an order, and its outcome. Times are `2026-11-21T23:00:00.000Z`. */
export const storedTaxDocument = z.object({
  kind: z.enum(DOCUMENT_KINDS),
  status: z.enum(DOCUMENT_STATUSES),
  /** The provider's idempotency key for this attempt. */
  key: z.string(),
  /** The provider's id; '' until it is issued. */
  providerId: z.string(),
  /** SAT's stamp: its UUID (the fiscal folio), the issuer's series and folio, and the instant of the stamp. */
  stamp: z.object({ uuid: z.string(), series: z.string(), folio: z.string(), at: z.string() }).nullable(),
  /** The total of an invoice or a credit note; the sum that a payment complement is for. */
  amountCents: z.number(),
  /** SAT's c_MetodoPago. */
  paymentMethod: z.enum(['PUE', 'PPD']),
  /** SAT's c_FormaPago. */
  paymentForm: z.string(),
  /** The UUID of the document that it replaces (relation 04), pays or credits (relation 01). */
  relatedUuid: z.string().nullable(),
  /** Why it is to be cancelled, or was, and with motive 01 the UUID of its substitute; null if it is not. */
  cancellation: z.object({ motive: z.enum(CANCELLATION_MOTIVES), substitution: z.string().nullable() }).nullable(),
  cancelledAt: z.string().exactOptional(),
  requestedAt: z.string(),
  issuedAt: z.string().nullable(),
  /** The reason why no document was issued, or cannot be cancelled; the provider may quote whom it was for. */
  reason: erases(z.string().nullable(), null),
  /** The lines of a credit note; other documents have none. */
  parts: saleParts.exactOptional(),
  /** The description of a credit note in an operator's words; absent for SAT's own. */
  purpose: erases(z.string().exactOptional(), undefined),
  /**
   * Only in a credit note of a global invoice: the zip code of its part (LugarExpedicion), '' until that is issued. Its
   * `relatedUuid` is that of the part, null until then.
   */
  globalZipcode: z.string().exactOptional(),
  mail: z.enum(MAIL_STATUSES).nullable(),
  /** The parts of which our bucket has a copy, which belongs to the accounting as the document does (CFF art. 28 and 30). */
  kept: z.array(z.enum(ARCHIVED_PARTS)).readonly(),
  /** The actions that an operator has taken. */
  handled: z.array(z.enum(INVOICE_ACTIONS)).readonly(),
  tasks: z.object({
    /** Looks up an attempt whose outcome is unknown, or makes one anew of which nothing was issued. */
    issue: task.exactOptional(),
    cancel: task.exactOptional(),
    /** `tries` counts the claims, which tells one from another; while a mail is being sent, `dueAt` is the end of its claim. */
    mail: task.exactOptional(),
    /** Absent when everything is copied, and after our copy was erased. */
    archive: task.exactOptional(),
  }),
  /** The total with which it was issued; absent if that is `amountCents`. */
  issuedCents: z.number().exactOptional(),
  /** The number of attempts that a job has made anew; absent while there are none. */
  retries: z.number().exactOptional(),
  /** The end of the month in which a PUE invoice has to be paid; absent if it was paid when it was issued. */
  payBy: z.string().exactOptional(),
  /** A job has found it unpaid after `payBy`. */
  isOverdue: z.literal(true).exactOptional(),
});
