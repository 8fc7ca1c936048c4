import * as z from 'zod';
import type { MessageCode } from '../../messages/messages.ts';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../order/rules/status.ts';
import { parseSoughtPhone } from '../../people/rules/roles.ts';
import { contract } from '../contract.ts';
import { date, email, recordId, requiredText, stamps } from '../fields.ts';
import { choicesFilter, idFilter, listQuery, page } from '../lists.ts';
import {
  amounts,
  deliveryDates,
  insuranceRefundStatus,
  orderOrigin,
  orderStatus,
  orderTags,
  patientOrderStatus,
  paymentStatus,
  quantity,
  subscription,
} from './order-fields.ts';
import { listedInclude, listedParts } from './order-parts.ts';

const listOrderDetail = z
  .strictObject({ default_image: z.string().nullable().describe('Address of an image of the product.'), quantity })
  .meta({ id: 'ListOrderDetail', description: 'One line of an order as lists show it.' });

const listOrderShipping = z
  .strictObject({
    street: z.string().describe('Street.'),
    exterior_number: z.string().describe('Number of the building.'),
    city: z.string().describe('City.'),
  })
  .meta({ id: 'ListOrderShipping', description: 'An address as lists show it.' });

export const orderListItem = z
  .strictObject({
    id: recordId,
    created_at: stamps.created_at,
    order_status: orderStatus,
    patient_order_status: patientOrderStatus,
    patient: z.string().describe('Full name of the patient.'),
    payment_status: paymentStatus,
    products_count: z.int().describe('Number of lines.'),
    details: z.array(listOrderDetail).describe('The lines of the order.'),
    shipping: listOrderShipping.nullable().describe('The address that it is delivered to; null for a pickup.'),
    payment_method: z.string().describe('Name of the payment method.'),
    coupon: z.string().nullable().describe('Code of the coupon, or null.'),
    total: amounts.total,
    origin: orderOrigin,
    tags: orderTags,
    subscription,
    ...deliveryDates,
    ...listedParts,
  })
  .meta({ id: 'ListOrder', description: 'An order as lists show it.' });
export type OrderListItem = z.infer<typeof orderListItem>;

// An id of more than eight digits has no leading zeros.
const folio = z
  .string()
  .regex(/^[Rr][Xx]-(\d{8}|[1-9]\d{8,14})$/, 'not_a_folio' satisfies MessageCode)
  .transform((text) => Number(text.slice('RX-'.length)))
  .meta({ maxLength: 18 });

const phone = requiredText(25).transform((text, { issues }) => {
  const parsed = parseSoughtPhone(text);
  if (parsed) return parsed.e164;
  issues.push({ code: 'custom', input: text, message: 'not_a_phone' satisfies MessageCode });
  return z.NEVER;
});

export const ordersContract = contract({
  operationId: 'listOrders',
  tag: 'Orders',
  summary: 'List orders',
  description: 'The orders that the caller may see, newest first unless ordered otherwise.',
  authentication: 'user',
  query: listQuery(['created_at', 'expected_delivery_date'], '-created_at', 'Words of the patient’s full name.').extend(
    {
      patient: idFilter.optional().describe('The patient, by id.'),
      email: email.optional().describe('The patient, by e-mail address.'),
      phone: phone
        .optional()
        .describe(
          'The patient, by present telephone; 10 digits are a Mexican number. For a doctor, the telephone that they sent with the order.',
        ),
      folio: folio.optional().describe('The order of this folio, in upper or lower case: `RX-00000123`.'),
      created_at_before: date.optional().describe('Created on this day or earlier.'),
      created_at_after: date.optional().describe('Created on this day or later.'),
      order_status__in: choicesFilter(ORDER_STATUSES).optional().describe('Only orders of these statuses.'),
      exclude_order_status__in: choicesFilter(ORDER_STATUSES).optional().describe('No orders of these statuses.'),
      payment_status__in: choicesFilter(PAYMENT_STATUSES).optional().describe('Only orders of these payment statuses.'),
      store: idFilter.optional().describe('To be picked up at this store, by id.'),
      insurance_refund_status: insuranceRefundStatus.optional(),
      expected_delivery_date_before: date.optional().describe('Expected on this day or earlier.'),
      expected_delivery_date_after: date.optional().describe('Expected on this day or later.'),
      max_delivery_date_before: date.optional().describe('Expected at the latest on this day or earlier.'),
      max_delivery_date_after: date.optional().describe('Expected at the latest on this day or later.'),
      include: listedInclude,
    },
  ),
  answers: { 200: page('OrderPage', 'the orders that the caller may see', orderListItem) },
});
export type OrdersQuery = z.infer<typeof ordersContract.query>;
