import * as z from 'zod';
import { ORDER_STATUSES, PATIENT_ORDER_STATUSES, PAYMENT_STATUSES } from '../../order/rules/status.ts';
import { amount, count, rate, timestamp } from '../fields.ts';

export const quantity = count.describe('Number of pieces.');

export const orderStatus = z.enum(ORDER_STATUSES).describe('Status of the order in the pharmacy.');
export const patientOrderStatus = z
  .enum(PATIENT_ORDER_STATUSES)
  .describe('Status of the order as the patient sees it.');
export const paymentStatus = z.enum(PAYMENT_STATUSES).describe('Status of the payment.');

export const amounts = {
  subtotal: amount.describe('Price by quantity, before discount and IVA.'),
  discount: amount.describe('Discount of the coupon.'),
  iva: amount.describe('Value added tax.'),
  total: amount.describe('Amount to pay.'),
};
export const shippingAmounts = {
  shipping_price: amount.describe('Price of shipping, IVA included.'),
  shipping_discount: amount.describe('Discount on shipping.'),
};
export const deliveryDates = {
  expected_delivery_date: timestamp
    .nullable()
    .describe('Expected time of delivery; null when the shipping method promises none.'),
  max_delivery_date: timestamp
    .nullable()
    .describe('Latest expected time of delivery; null when the shipping method promises none.'),
};
export const shippingService = {
  company: z.string().max(100).describe('The company that delivers.'),
  method: z.enum(['standard', 'express', 'local', 'default']).describe('Kind of delivery.'),
  min_delivery_days: count.nullable().describe('Fewest working days until delivery.'),
  max_delivery_days: count.nullable().describe('Most working days until delivery.'),
};
export const couponValue = rate.describe('Up to 1 a share of the subtotal, above 1 an amount.');
export const orderOrigin = z.string().max(20).describe('The channel that it came through.');
export const orderTags = z.string().describe('Tags, separated by commas.');
export const subscription = z.int().nullable().describe('The subscription that it came from, by id.');
