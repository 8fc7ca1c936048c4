import * as z from 'zod';
import type {
  InsuranceRefundStatus,
  OrderStatus,
  PatientOrderStatus,
  PaymentStatus,
} from '../../order/rules/status.ts';
import { amount, choice, count, rate, timestamp } from '../fields.ts';

export const quantity = count.describe('Number of pieces.');

export const orderStatus = choice<OrderStatus>('Status of the order in the pharmacy.', {
  quoted: 'the pharmacy has set it back for changes; its lines may be replaced',
  pending_approval: 'a product requires a prescription, which a pharmacist has yet to verify',
  approved: 'it may be prepared, once it is paid if it is collected online',
  in_process: 'the pharmacy prepares it; from here on only the pharmacy can stop it',
  ready: 'it is packed, and waits for the carrier or for whoever collects it',
  shipped: 'the carrier has it',
  delivered: 'the patient has it',
  cancelled: 'it has ended for good',
  delayed: 'the pharmacy goes on with it later than promised',
  shortage: 'a product is missing; the pharmacy goes on once it is there',
});
export const patientOrderStatus = choice<PatientOrderStatus>('Status of the order as the patient sees it.', {
  in_process: 'it was placed and has not left the pharmacy yet',
  shipped: 'the carrier has it',
  delivered: 'the patient has it',
  cancelled: 'it has ended for good',
});
export const paymentStatus = choice<PaymentStatus>('Status of the payment.', {
  unpaid: 'it is yet to be paid',
  credit: 'it was placed on credit, and is paid later by agreement',
  paid: 'the money has arrived, or there was nothing to pay',
  in_process: 'the payment provider works on it, such as a voucher whose time is over',
  processing: 'the pharmacy has yet to confirm a payment that it was told of',
  rejected: 'it was refused or its time is over; `rejection_reason` says which, and it may be tried again',
});

export const insuranceRefundStatus = choice<InsuranceRefundStatus>('Status of the refund by the insurer.', {
  not_started: 'nobody has claimed it',
  missing_data: 'the claim lacks data or documents',
  sent_to_broker: 'the broker has the claim',
  sent_to_insurer: 'the insurer has the claim',
  approved_by_insurer: 'the insurer pays it',
});

export const amounts = {
  subtotal: amount.describe('Price by quantity, before discount and IVA.'),
  discount: amount.describe('Discount of the coupon.'),
  iva: amount.describe('Value added tax.'),
  total: amount.describe('Amount to pay, in Mexican pesos (MXN).'),
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
  method: choice('Kind of delivery.', {
    standard: 'by a carrier, at its usual speed',
    express: 'by a carrier, faster',
    local: 'by a messenger within the city',
    default: 'what is chosen when a request names none',
  }),
  min_delivery_days: count.nullable().describe('Fewest working days until delivery.'),
  max_delivery_days: count.nullable().describe('Most working days until delivery.'),
};
export const couponValue = rate.describe('Up to 1 a share of the subtotal, above 1 an amount.');
export const orderOrigin = z.string().max(20).describe('The channel that it came through.');
export const orderTags = z.string().describe('Tags, separated by commas.');
export const subscription = z.int().nullable().describe('The subscription that it came from, by id.');
