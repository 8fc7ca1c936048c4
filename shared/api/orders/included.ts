import * as z from 'zod';
import { DOCUMENT_KINDS, DOCUMENT_STATUSES } from '../../invoices/rules/document-values.ts';
import { amount, recordId, shownText, timestamp } from '../fields.ts';
import { choicesFilter } from '../lists.ts';
import { quantity } from './order-parts.ts';

const ORDER_PARTS = ['shipments', 'reviews', 'refunds', 'invoices', 'comments'] as const;
export type OrderPart = (typeof ORDER_PARTS)[number];

const LISTED_PARTS = ['lines', 'shipments', 'comments'] as const;
export type ListedPart = (typeof LISTED_PARTS)[number];

const WITHOUT = 'Without it, the answer is exactly that of the interface.';

export const orderInclude = z.object({
  include: choicesFilter(ORDER_PARTS).optional().describe(`Parts of the order to add to the answer. ${WITHOUT}`),
});

export const listedInclude = choicesFilter(LISTED_PARTS)
  .optional()
  .describe(`Parts of each order to add to the answer; \`lines\` adds its folio too. ${WITHOUT}`);

const ONLY_INCLUDED = 'Only with `include`.';

const shipment = z
  .strictObject({
    carrier: z.string().max(60).nullable().describe('Who carries it, if the pharmacy said so.'),
    tracking_number: z.string().max(60).nullable().describe('Its number with the carrier, if the pharmacy said it.'),
    tracking_url: z.url().nullable().describe('The carrier’s page of this shipment, for known carriers.'),
    shipped_at: timestamp.describe('Time of shipping.'),
  })
  .meta({ id: 'Shipment', description: 'A shipment of an order.' });

const review = z
  .strictObject({
    prescription: recordId.describe('The prescription, by id.'),
    status: z.enum(['waiting', 'verified', 'rejected']).describe('The decision of the pharmacist.'),
    reason: z.string().nullable().describe('Why it was rejected, in the pharmacist’s words; else null.'),
    reviewed_at: timestamp.nullable().describe('Time of the decision; null while it waits.'),
  })
  .meta({ id: 'Review', description: "A pharmacist's decision about a prescription." });

const refund = z
  .strictObject({
    amount: amount.describe('The amount that has gone back.'),
    form: z.string().max(2).describe('SAT’s c_FormaPago in which it went back.'),
    refunded_at: timestamp.describe('Time of the refund.'),
    status: z
      .enum(['pending', 'succeeded', 'failed'])
      .describe('Whether the money has arrived, as far as it is known.'),
  })
  .meta({ id: 'Refund', description: 'Money that has gone back to whoever paid the order.' });

const invoice = z
  .strictObject({
    kind: z.enum(DOCUMENT_KINDS).describe('Invoice, payment complement or credit note.'),
    uuid: z.string().nullable().describe('SAT’s UUID; null while it is not stamped.'),
    series: z.string().nullable().describe('Series of the pharmacy.'),
    folio: z.string().nullable().describe('Folio of the pharmacy.'),
    status: z.enum(DOCUMENT_STATUSES).describe('The present state of the document.'),
    stamped_at: timestamp.nullable().describe('Time of the stamp.'),
    xml: z.url().nullable().describe('A link to the XML that works for 5 minutes; null until there is a copy.'),
    pdf: z.url().nullable().describe('A link to the PDF that works for 5 minutes; null until there is a copy.'),
  })
  .meta({ id: 'TaxDocument', description: 'A tax document of an order.' });

const line = z
  .strictObject({
    product: recordId.describe('The product, by id.'),
    name: z.string().describe('Name of the product, as of the last change of the order.'),
    presentation: z.string().nullable().describe('Presentation of the product.'),
    quantity,
  })
  .meta({ id: 'ListLine', description: 'A line of an order, as lists show it.' });

const shipments = z.array(shipment).optional().describe(`The shipments, the oldest first. ${ONLY_INCLUDED}`);
const comments = z.string().optional().describe(`The text that was written for the pharmacy. ${ONLY_INCLUDED}`);

export const orderParts = {
  shipments,
  reviews: z
    .array(review)
    .optional()
    .describe(`A pharmacist's decisions about its prescriptions, the oldest of each first. ${ONLY_INCLUDED}`),
  refunds: z.array(refund).optional().describe(`The refunds, the oldest first. ${ONLY_INCLUDED}`),
  invoices: z
    .array(invoice)
    .optional()
    .describe(`The tax documents, for those who may see the receiver of the invoice; else none. ${ONLY_INCLUDED}`),
  comments,
};

export const listedParts = {
  folio: shownText(20).optional().describe(`Number of the order for people. ${ONLY_INCLUDED}`),
  lines: z.array(line).optional().describe(`The lines. ${ONLY_INCLUDED}`),
  shipments,
  comments,
};
