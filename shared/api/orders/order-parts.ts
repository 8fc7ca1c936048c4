import * as z from 'zod';
import type { DOCUMENT_KINDS, DOCUMENT_STATUSES } from '../../invoices/rules/document-values.ts';
import type { MessageCode } from '../../messages/messages.ts';
import { COLLECTIONS, type Collection } from '../../payments/rules/payment.ts';
import { MAX_DATA_PREFIX, MAX_DOCUMENT_BYTES } from '../../prescriptions/rules/document.ts';
import { namedQuery } from '../catalog/named.ts';
import { contract } from '../contract.ts';
import {
  amount,
  choice,
  date,
  explainChoices,
  fileName,
  optional,
  rate,
  recordId,
  shownText,
  stamps,
  timestamp,
  updatedBy,
} from '../fields.ts';
import { choicesFilter, page } from '../lists.ts';
import { quantity } from './order-fields.ts';

// Base64 turns three bytes into four characters.
const MAX_DOCUMENT_TEXT = 4 * Math.ceil(MAX_DOCUMENT_BYTES / 3) + MAX_DATA_PREFIX;

export const prescriptionInput = z
  .object({
    document: z
      .string()
      .min(1)
      // Zod's own maximum would count the characters of a long text, which takes 20 ms.
      .refine(({ length }) => length <= MAX_DOCUMENT_TEXT, {
        error: 'document_too_large' satisfies MessageCode,
        abort: true,
      })
      .meta({ maxLength: MAX_DOCUMENT_TEXT })
      .describe(
        'A PDF, JPEG or PNG of at most 3 MB in base64, with or without a `data:` prefix; no archive, and no PDF with scripts or files inside.',
      ),
    issue_date: date.describe('Date of issue; not in the future.'),
    document_name: optional(fileName).describe(
      'File name under which it is shown; it gets the extension of the type found.',
    ),
    expiring_date: optional(date).describe('Last day on which it is valid; neither past nor before the issue.'),
  })
  .meta({ id: 'PrescriptionInput', description: 'A prescription that comes with an order.' });
export type PrescriptionInput = z.infer<typeof prescriptionInput>;

export const prescription = z
  .strictObject({
    id: recordId,
    issue_date: date.describe('Date of issue.'),
    patient: z.int().describe('The patient, by id.'),
    expiring_date: date.nullable().describe('Last day on which it is valid.'),
    document: z
      .url()
      .or(z.literal(''))
      .describe('Address of the document, good for five minutes; empty if malware was found in it.'),
    document_name: z.string().describe('File name under which it is shown.'),
    is_verified: z.boolean().describe('True once the pharmacy has checked it.'),
    order: z.int().nullable().describe('The order that it came with, by id.'),
    updated_by: updatedBy,
    ...stamps,
  })
  .meta({ id: 'Prescription', description: 'A prescription of an order.' });
export type Prescription = z.infer<typeof prescription>;

/** Chosen by the caller, so that a request can be repeated safely. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,255}$/, 'not_an_idempotency_key' satisfies MessageCode)
  .meta({ minLength: 8, maxLength: 255 })
  .optional();

export const paymentMethod = z
  .strictObject({
    id: recordId,
    ...stamps,
    name: shownText(30).describe('Name.'),
    fee: rate.describe('Fee as a share of the total; not included in it.'),
    fixed_fee: rate.describe('Fixed fee; not included in the total.'),
  })
  .meta({ id: 'PaymentMethod', description: 'A way to pay.' });
export type PaymentMethod = z.infer<typeof paymentMethod>;

const COLLECTION_MEANINGS: Readonly<Record<Collection, string>> = {
  card: 'on a page that takes credit and debit cards',
  oxxo: 'in cash at an OXXO store, with the number of a voucher',
  spei: 'by bank transfer to a CLABE, an account number of this order alone',
};
const collection = choice<Collection>('How it is collected.', COLLECTION_MEANINGS);

const WITHOUT = 'Without it, the answer is exactly that of the interface.';
const ONLY_INCLUDED = 'Only with `include`.';

const METHOD_PARTS = ['collection'] as const;
export type MethodPart = (typeof METHOD_PARTS)[number];

const listedPaymentMethod = z
  .strictObject({
    ...paymentMethod.shape,
    collection: z
      .enum(COLLECTIONS)
      .nullable()
      .optional()
      .describe(
        explainChoices(`How an order by this method is collected online. ${ONLY_INCLUDED}`, {
          ...COLLECTION_MEANINGS,
          null: 'not online: the order is paid as agreed with the pharmacy',
        }),
      ),
  })
  .meta({ id: 'ListedPaymentMethod', description: 'A way to pay, as the list shows it.' });
export type ListedPaymentMethod = z.infer<typeof listedPaymentMethod>;

export const paymentMethodsContract = contract({
  operationId: 'listPaymentMethods',
  tag: 'Orders',
  summary: 'List payment methods',
  description:
    'The payment methods that the caller may use for an order, last changed first unless ordered otherwise: those of the client, without credit for those who may not order on it.',
  authentication: 'user',
  query: namedQuery.extend({
    include: choicesFilter(METHOD_PARTS)
      .optional()
      .describe(
        explainChoices(`Fields to add to each method. ${WITHOUT}`, {
          collection: 'how it is collected online, if it is',
        }),
      ),
  }),
  answers: { 200: page('PaymentMethodPage', 'payment methods', listedPaymentMethod) },
});

// Cards and wallet agreements are never created yet: an order shows null for both.

export const payment = z
  .strictObject({
    id: recordId,
    user: z.int().describe('The owner of the card, by id.'),
    card_id: z.string().max(30).describe('Id of the card with the payment processor.'),
    method: z.string().describe('Kind of payment.'),
    name: z.string().max(30).describe('Name of the card.'),
  })
  .meta({ id: 'Payment', description: 'A card that an order is paid with.' });

export const walletAgreement = z
  .strictObject({
    id: recordId,
    email: z.string().describe('E-mail address of the wallet.'),
    user: z.int().describe('The owner of the wallet, by id.'),
  })
  .meta({ id: 'WalletAgreement', description: 'An agreement to bill a wallet of another provider.' });

export const paymentReference = z
  .strictObject({
    id: recordId,
    ...stamps,
    order: z.int().describe('The order, by id.'),
    method: collection,
    reference: z.string().max(50).describe('The number of the voucher, the CLABE, or for a card the id of its page.'),
    institution: z.string().max(50).describe('Who takes the payment: OXXO, the bank of the CLABE, or the provider.'),
    external_url: z
      .url()
      .max(200)
      .describe(
        'Page of the payment provider on which the patient pays, or sees the voucher or the CLABE: open it for the patient. `about:blank` if its address is too long; `reference` is then enough.',
      ),
  })
  .meta({ id: 'PaymentReference', description: 'A reference for paying an order elsewhere, such as in a shop.' });

export const ORDER_PARTS = ['shipments', 'reviews', 'refunds', 'invoices', 'comments', 'payments'] as const;
export type OrderPart = (typeof ORDER_PARTS)[number];

const LISTED_PARTS = ['lines', 'shipments', 'comments'] as const;
export type ListedPart = (typeof LISTED_PARTS)[number];

const PART_MEANINGS: Readonly<Record<OrderPart, string>> = {
  shipments: 'carrier, tracking number and its page',
  reviews: 'the decisions on its prescriptions',
  refunds: 'what went back, and what is due',
  invoices: 'its tax documents, with links',
  comments: 'the text that was written for the pharmacy',
  payments: 'each try to pay it online, and when it expires',
};

export const orderInclude = z.object({
  include: choicesFilter(ORDER_PARTS)
    .optional()
    .describe(explainChoices(`Parts of the order to add to the answer. ${WITHOUT}`, PART_MEANINGS)),
});

export const listedInclude = choicesFilter(LISTED_PARTS)
  .optional()
  .describe(
    explainChoices(`Parts of each order to add to the answer. ${WITHOUT}`, {
      lines: 'product, name, presentation and quantity of each line, and the folio of the order',
      shipments: PART_MEANINGS.shipments,
      comments: PART_MEANINGS.comments,
    }),
  );

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
    status: choice('The decision of the pharmacist.', {
      waiting: 'nobody has looked at it yet',
      verified: 'it is valid for the products of the order',
      rejected: '`reason` says why; another one may be added while the order waits for approval',
    }),
    reason: z.string().nullable().describe('Why it was rejected, in the pharmacist’s words; else null.'),
    reviewed_at: timestamp.nullable().describe('Time of the decision; null while it waits.'),
  })
  .meta({ id: 'Review', description: "A pharmacist's decision about a prescription." });

const refund = z
  .strictObject({
    amount: amount.describe('The amount that has gone back, or is to go back.'),
    form: z.string().max(2).nullable().describe('SAT’s c_FormaPago in which it went back; null while it is due.'),
    refunded_at: timestamp.nullable().describe('Time of the refund; null while it is due.'),
    status: choice('Whether the money has arrived, as far as it is known.', {
      due: 'the order is cancelled and its money has yet to go back',
      pending: 'the payment provider works on it',
      succeeded: 'it has gone back',
      failed: 'the payment provider could not give it back; the pharmacy looks into it',
    }),
  })
  .meta({ id: 'Refund', description: 'Money that goes back to whoever paid the order.' });

const paymentTry = z
  .strictObject({
    collection,
    reference: z.string().max(50).nullable().describe('As in `payment_references`; null where none was made.'),
    institution: z.string().max(50).nullable().describe('Who takes the payment; null where no reference was made.'),
    external_url: z.url().max(200).nullable().describe('Page on which the patient pays; null once it is over.'),
    amount: amount.describe('The amount to pay.'),
    received: amount.describe('What has arrived.'),
    status: choice('The present state of the try.', {
      open: 'the patient may pay it',
      processing: 'the payment provider works on it',
      paid: 'it is paid',
      rejected: 'the payment provider has refused it',
      expired: 'its time is over, or another reference has replaced it: it is not to be paid any more',
    }),
    expires_at: timestamp.describe('End of the time in which it can be paid.'),
  })
  .meta({ id: 'PaymentTry', description: 'A try to collect an order online.' });

const invoice = z
  .strictObject({
    kind: choice<(typeof DOCUMENT_KINDS)[number]>('Kind of document.', {
      invoice: 'the invoice of the sale (CFDI of type I)',
      payment: 'a payment complement (type P) of an invoice on credit',
      credit: 'a credit note (type E)',
    }),
    uuid: z.string().nullable().describe('SAT’s UUID; null while it is not stamped.'),
    series: z.string().nullable().describe('Series of the pharmacy.'),
    folio: z.string().nullable().describe('Folio of the pharmacy.'),
    status: choice<(typeof DOCUMENT_STATUSES)[number]>('The present state of the document.', {
      requested: 'it is being issued',
      retrying: 'it could not be issued yet, and is tried again',
      refused: 'SAT does not accept the data: request it again with the right ones',
      not_issued: 'it was not issued in time; the pharmacy decides',
      issued: 'it is stamped and valid',
      cancelling: 'it is about to be cancelled with SAT',
      cancellation_pending: 'SAT waits for the receiver to accept the cancellation',
      cancellation_rejected: 'the receiver or SAT refused the cancellation: it is still valid',
      cancelled: 'it is not valid any more',
    }),
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
  refunds: z
    .array(refund)
    .optional()
    .describe(`The refunds, the oldest first, and at last what is due. ${ONLY_INCLUDED}`),
  invoices: z
    .array(invoice)
    .optional()
    .describe(`The tax documents, for those who may see the receiver of the invoice; else none. ${ONLY_INCLUDED}`),
  comments,
  payments: z
    .array(paymentTry)
    .optional()
    .describe(`The tries to collect it online, the present one first, then the latest. ${ONLY_INCLUDED}`),
};

export const listedParts = {
  folio: shownText(20).optional().describe(`Number of the order for people. ${ONLY_INCLUDED}`),
  lines: z.array(line).optional().describe(`The lines. ${ONLY_INCLUDED}`),
  shipments,
  comments,
};
