import * as z from 'zod';
import type { MessageCode } from '../../messages/messages.ts';
import { MAX_DOCUMENTS_PER_ORDER } from '../../prescriptions/rules/document.ts';
import { product } from '../catalog/products.ts';
import { contract } from '../contract.ts';
import {
  amount,
  deletedAt,
  id,
  lines,
  list,
  optional,
  pathId,
  plainText,
  recordId,
  sentAmount,
  shownText,
  stamps,
  timestamp,
} from '../fields.ts';
import { invoicing, invoicingInput, shipping, shippingInput, store } from '../people/addresses.ts';
import { patient, user, userInput } from '../people/people.ts';
import {
  amounts,
  couponValue,
  deliveryDates,
  insuranceRefundStatus,
  orderOrigin,
  orderStatus,
  orderTags,
  patientOrderStatus,
  paymentStatus,
  quantity,
  shippingAmounts,
  shippingService,
  subscription,
} from './order-fields.ts';
import {
  idempotencyKey,
  orderInclude,
  orderParts,
  payment,
  paymentMethod,
  paymentReference,
  prescription,
  prescriptionInput,
  walletAgreement,
} from './order-parts.ts';
import { details, holdToken, quotation } from './quotes.ts';

const MAX_COMMENTS = 2_000;

const orderDetail = z
  .strictObject({
    id: recordId,
    product: product.describe(
      'The product as it is published today; if it is withdrawn, as it was last published, inactive.',
    ),
    price: amount.describe('Price of one in Mexican pesos (MXN), before IVA.'),
    ...amounts,
    quantity,
    order: z.int().describe('The order, by id.'),
    ...stamps,
  })
  .meta({ id: 'OrderDetail', description: 'One line of an order, at the prices of its last change.' });

export const shippingMethod = z
  .strictObject({ id: recordId, ...stamps, ...shippingService })
  .meta({ id: 'ShippingMethod', description: 'A way to ship.' });

export const coupon = z
  .strictObject({
    code: shownText(16).describe('Code of the coupon.'),
    description: shownText(150).describe('Description of the coupon.'),
    value: couponValue,
    has_free_shipping: z.boolean().describe('True when it makes shipping free.'),
  })
  .meta({ id: 'Coupon', description: 'A coupon of an order.' });

export const order = z
  .strictObject({
    id: recordId,
    details: z.array(orderDetail).describe('The lines of the order.'),
    patient: patient.describe('The patient whom the order is for.'),
    shipping: shipping.nullable().describe('The address that it is delivered to; null for a pickup.'),
    store: store.nullable().describe('The store where it is picked up; null for a delivery.'),
    payment: payment.nullable().describe('The card that it is paid with, or null.'),
    wallet_agreement: walletAgreement.nullable().describe('The wallet agreement that it is paid by, or null.'),
    payment_references: z.array(paymentReference).describe('References for paying it elsewhere, such as in a shop.'),
    payment_method: paymentMethod.describe('The payment method.'),
    coupon: coupon.nullable().describe('The coupon that was applied, or null.'),
    generated_by: user.nullable().describe('The user who placed it.'),
    updated_by: user.nullable().describe('The user who changed it last.'),
    invoicing: invoicing.nullable().describe('The tax data that came with it, or null.'),
    payment_date: timestamp.nullable().describe('Time of payment.'),
    shipping_date: timestamp.nullable().describe('Time of shipping.'),
    receiving_date: timestamp.nullable().describe('Time of delivery.'),
    ...deliveryDates,
    patient_order_status: patientOrderStatus,
    prescriptions: z.array(prescription).describe('The prescriptions that came with it.'),
    tags: orderTags,
    shipping_method: shippingMethod.describe('The shipping method.'),
    ...stamps,
    deleted_at: deletedAt,
    insurance_refund_status: insuranceRefundStatus,
    order_status: orderStatus,
    payment_status: paymentStatus,
    rejection_reason: shownText(50).describe('The reason for which the payment processor rejected the payment.'),
    origin: orderOrigin,
    ...amounts,
    ...shippingAmounts,
    shipping_cost: amount.nullable().describe('Cost of the shipment to the pharmacy.'),
    folio: shownText(20).describe('Number of the order for people.'),
    cfdi: shownText(30).describe('Id of its invoice; empty when there is none.'),
    external_payment_id: shownText(50).describe('Id of the payment with the payment processor.'),
    reminder: z.int().nullable().describe('The reminder that it came from, by id.'),
    subscription,
    ...orderParts,
  })
  .meta({ id: 'Order', description: 'An order as it stands.' });
export type Order = z.infer<typeof order>;

const newOrder = z
  .object({
    details: details.describe('The lines of the order; at least one has a quantity above 0.'),
    payment_method: id.describe(
      'A payment method of the client, by id; those on credit are for its employees, unless the client has them for everyone.',
    ),
    shipping: optional(shippingInput).describe(
      'The address to deliver to; without it and `store`, the patient’s default address.',
    ),
    shipping_method: optional(id).describe(
      'One of the shipping methods of the postal code, by id; without it, the default one.',
    ),
    store: optional(id).describe('The store to pick up at, by id; not together with `shipping`.'),
    coupon: optional(plainText).describe(
      'Code of a coupon; an invalid one is left out without an error, or is one if `expected_total` or `hold` is sent.',
    ),
    expected_total: optional(sentAmount).describe(
      'The total that the caller relies on: if it is another, the order is refused with `total_changed` and nothing is stored.',
    ),
    hold: optional(holdToken).describe(
      'The `token` of a quotation’s `hold`: the order gets its figures and dates. The lines are those of the quotation in the same order; what is left out of destination, shipping method and coupon is as quoted.',
    ),
    prescriptions: optional(
      list(prescriptionInput, { maximum: MAX_DOCUMENTS_PER_ORDER, tooMany: 'too_many_documents' }),
    )
      .transform((input) => input ?? [])
      .meta({ default: [] })
      .describe('Prescriptions of the products that require one; at most 10 and 4 MB together.'),
    comments: optional(lines(MAX_COMMENTS)).describe('Comments for the pharmacy.'),
  })
  .meta({ id: 'NewOrder', description: 'The lines, delivery and payment of a new order.' });

const totalChanged = z
  .strictObject({
    detail: z.string().describe('A message for people, in the language of `Content-Language`.'),
    code: z.literal('total_changed').describe('A stable code for programs.'),
    quote: quotation.describe('The order as a quote: its `total` is the one to expect.'),
  })
  .meta({ id: 'TotalChanged', description: 'The total of an order is not the expected one.' });

export const createOrderContract = contract({
  operationId: 'createOrder',
  tag: 'Orders',
  summary: 'Place an order',
  description:
    'Creates an order for a patient together with the records of the user, address, prescriptions and invoice that come with it. A failed invoice leaves `cfdi` empty; an invalid coupon is left out.',
  authentication: 'user',
  carriesDocuments: true,
  query: orderInclude,
  body: z
    .object({
      user: userInput.describe('The person whom the order is for.'),
      order: newOrder.describe('The order.'),
      invoicing: optional(invoicingInput).describe('Tax data; when sent, the order is invoiced at once.'),
    })
    .meta({
      id: 'CreateOrderRequest',
      description: 'An order together with the person it is for and, if wanted, the data of its invoice.',
    }),
  headers: z.object({
    'Idempotency-Key': idempotencyKey.describe(
      'A key of your own for this order: sent again within 24 hours with the same body, it answers the order that is there.',
    ),
  }),
  answerHeaders: ['Idempotent-Replayed'],
  refusals: ['too_many_orders', 'too_many_invoices', 'total_changed', 'rebuilding'],
  refusalBodies: { total_changed: totalChanged },
  answers: { 201: order },
});
export type CreateOrderRequest = z.infer<typeof createOrderContract.body>;

export const orderContract = contract({
  operationId: 'getOrder',
  tag: 'Orders',
  summary: 'Read an order',
  description: 'One order; 404 also when it is somebody else’s.',
  authentication: 'user',
  path: z.object({ id: pathId }),
  query: orderInclude,
  answers: { 200: order },
});

/** Either replaces the products or cancels the order. */
export const updateOrderContract = contract({
  operationId: 'updateOrder',
  tag: 'Orders',
  summary: 'Change or cancel an order',
  description:
    'Replaces all lines of a quoted or approved order at today’s prices while nobody has paid it or is paying it, or cancels an order that nobody has begun to prepare. An order on credit is changed and cancelled only by who placed it or an insurance employee. An approved order gets no more of a product that requires a prescription than its verified prescriptions cover.',
  authentication: 'user',
  path: z.object({ id: pathId }),
  query: orderInclude,
  body: z
    .object({
      details: optional(details).describe('The lines that replace all present ones.'),
      order_status: optional(z.enum(['cancelled'])).describe('`cancelled`: the order ends for good.'),
    })
    .refine(
      (change) => (change.details === undefined) !== (change.order_status === undefined),
      'one_change' satisfies MessageCode,
    )
    .meta({
      id: 'UpdateOrderRequest',
      description: 'Exactly one of two changes: other products, or the end of the order.',
      oneOf: [
        { required: ['details'], properties: { details: { not: { type: 'null' } } } },
        { required: ['order_status'], properties: { order_status: { not: { type: 'null' } } } },
      ],
    }),
  refusals: [
    'order_not_changeable',
    'order_not_cancellable',
    'order_paid',
    'order_on_credit',
    'order_invoiced',
    'invoice_in_progress',
    'too_many_references',
    'order_changed_meanwhile',
    'rebuilding',
  ],
  answers: { 200: order },
});
export type UpdateOrderRequest = z.infer<typeof updateOrderContract.body>;

export const addPrescriptionsContract = contract({
  operationId: 'addPrescriptions',
  tag: 'Orders',
  summary: 'Add prescriptions to an order',
  description:
    'Adds documents to an order that waits for approval, by the rules of a new order: at most 10 and 4 MB together with those that it has.',
  authentication: 'user',
  carriesDocuments: true,
  path: z.object({ id: pathId }),
  body: z
    .object({
      prescriptions: list(prescriptionInput, {
        minimum: 1,
        maximum: MAX_DOCUMENTS_PER_ORDER,
        tooMany: 'too_many_documents',
      }).describe('Prescriptions of the products that require one.'),
    })
    .meta({ id: 'AddPrescriptionsRequest', description: 'Prescriptions for an order that waits for approval.' }),
  headers: z.object({
    'Idempotency-Key': idempotencyKey.describe(
      'A key of your own for this request: sent again within 24 hours with the same body, it adds nothing and answers the order as it is.',
    ),
  }),
  answerHeaders: ['Idempotent-Replayed'],
  refusals: ['order_not_waiting', 'order_changed_meanwhile', 'rebuilding'],
  answers: { 201: order },
});
export type AddPrescriptionsRequest = z.infer<typeof addPrescriptionsContract.body>;
