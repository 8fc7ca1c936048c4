import * as z from 'zod';
import { INVOICE_ACTIONS, INVOICE_STATUSES, MAIL_STATUSES } from '../../domain/invoices/order-invoice.ts';
import { DOCUMENT_TYPES } from '../../domain/prescriptions/prescription.ts';
import { type Fates, shareFate } from '../people/fates.ts';

// The parts of a stored order. Amounts are in cents, dates `YYYY-MM-DD`, times `2026-11-21T23:00:00.000Z`.

export const storedLine = z.object({
  id: z.number(),
  productId: z.number(),
  quantity: z.number(),
  priceCents: z.number(),
  subtotalCents: z.number(),
  discountCents: z.number(),
  ivaCents: z.number(),
  totalCents: z.number(),
  name: z.string(),
  presentation: z.string(),
  eanKey: z.string(),
  satKey: z.string(),
  satUnit: z.string(),
  hasIva: z.boolean(),
  requiresPrescription: z.boolean(),
  defaultImage: z.string().nullable(),
});
export type OrderLine = z.infer<typeof storedLine>;

export const LINE_FATES: Fates<OrderLine> = {
  ...shareFate('impersonal', 'id', 'productId', 'quantity', 'requiresPrescription'),
  ...shareFate('impersonal', 'priceCents', 'subtotalCents', 'discountCents', 'ivaCents', 'totalCents'),
  ...shareFate('impersonal', 'name', 'presentation', 'eanKey', 'satKey', 'satUnit', 'hasIva', 'defaultImage'),
};

export const storedPrescription = z.object({
  id: z.number(),
  issueDate: z.string(),
  expiringDate: z.string().nullable(),
  documentKey: z.string(),
  documentName: z.string(),
  documentType: z.enum(DOCUMENT_TYPES),
  /** When and by which operator it was verified, and how much of each product that requires one; null if it was not. */
  verification: z
    .object({
      at: z.string(),
      by: z.string(),
      lines: z.array(z.object({ productId: z.number(), quantity: z.number() })).readonly(),
    })
    .nullable()
    .default(null),
  createdAt: z.string(),
  updatedAt: z.string(),
  updatedBy: z.number().nullable(),
});
export type OrderPrescription = z.infer<typeof storedPrescription>;

/** The documents of an order whose patient is erased, which the pharmacy has to keep until the end of the day `until`. */
export const storedRetention = z.object({
  until: z.string(),
  documents: z.array(storedPrescription.pick({ documentKey: true, documentType: true })).readonly(),
});

export const storedInvoice = z.object({
  status: z.enum(INVOICE_STATUSES),
  key: z.string(),
  paymentMethod: z.enum(['PUE', 'PPD']),
  requestedAt: z.string(),
  issuedAt: z.string().nullable(),
  reason: z.string().nullable(),
  mail: z.object({ status: z.enum(MAIL_STATUSES), tries: z.number() }).nullable(),
  handled: z.array(z.enum(INVOICE_ACTIONS)).readonly(),
  checks: z.number(),
  dueAt: z.string().nullable(),
});

export const INVOICE_FATES: Fates<z.infer<typeof storedInvoice>> = {
  ...shareFate('impersonal', 'status', 'key', 'paymentMethod', 'requestedAt', 'issuedAt', 'handled', 'checks', 'dueAt'),
  reason: 'null',
  // The reason that a provider gives may quote whom it was for.
  mail: { status: 'impersonal', tries: 'impersonal' },
};

/** The kinds of events of an order; `invoice_issued` and so on are the statuses of its invoice. */
const ORDER_EVENTS = [
  'created',
  'changed',
  'cancelled',
  'moved',
  'paid',
  'payment_moved',
  'prescription_attached',
  'prescription_verified',
  ...INVOICE_STATUSES.map((status) => `invoice_${status}` as const),
  'invoice_handled',
  'invoice_mailed',
  'mail_unconfirmed',
  'mail_given_up',
  'erased',
] as const;

/** The author of a change: a user by id, an operator by their ARN on AWS (locally the system's user name), or a job. */
const actor = z.union([z.object({ user: z.number() }), z.object({ operator: z.string() }), z.literal('system')]);
export type Actor = Readonly<z.infer<typeof actor>>;

/** One thing that happened to an order, with the version that it made. */
export const storedEvent = z.object({
  what: z.enum(ORDER_EVENTS),
  at: z.string(),
  version: z.number(),
  by: actor,
  /** The statuses of order or payment before and after. */
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  /** The ids of the prescriptions that were attached or verified. */
  prescriptions: z.array(z.number()).readonly().exactOptional(),
});
export type OrderEvent = Readonly<z.infer<typeof storedEvent>>;

export const EVENT_FATES: Fates<OrderEvent> = shareFate(
  'impersonal',
  'what',
  'at',
  'version',
  'by',
  'from',
  'to',
  'prescriptions',
);
