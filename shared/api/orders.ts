import * as z from 'zod';
import {
  INSURANCE_REFUND_STATUSES,
  ORDER_STATUSES,
  PATIENT_ORDER_STATUSES,
  PAYMENT_STATUSES,
} from '../domain/order.ts';
import type { MessageCode } from '../messages/messages.ts';
import { invoicing, invoicingInput, shipping, shippingInput, store } from './addresses.ts';
import { contract } from './contract.ts';
import { amount, count, id, lines, pathId, rate, timestamp } from './fields.ts';
import { payment, paymentReference, walletAgreement } from './payments.ts';
import { patient, user, userInput } from './people.ts';
import { prescription, prescriptionInput } from './prescriptions.ts';
import { product } from './products.ts';
import { details } from './quotes.ts';

// The interface leaves comments unbounded; this is ample for an operator to read.
const MAX_COMMENTS = 2_000;

export const orderDetail = z.strictObject({
  id: z.int(),
  product,
  price: amount,
  subtotal: amount,
  total: amount,
  discount: amount,
  iva: amount,
  quantity: count,
  order: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const paymentMethod = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  name: z.string().max(30),
  fee: rate,
  fixed_fee: rate,
});

export const shippingMethod = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  company: z.string().max(100),
  method: z.enum(['standard', 'express', 'local', 'default']),
  min_delivery_days: count.nullable(),
  max_delivery_days: count.nullable(),
});

export const coupon = z.strictObject({
  code: z.string().max(16),
  description: z.string().max(150),
  value: rate,
  has_free_shipping: z.boolean(),
});

/** The read representation of an order. */
export const order = z.strictObject({
  id: z.int(),
  details: z.array(orderDetail),
  patient,
  shipping: shipping.nullable(),
  store: store.nullable(),
  payment: payment.nullable(),
  wallet_agreement: walletAgreement.nullable(),
  payment_references: z.array(paymentReference),
  payment_method: paymentMethod,
  coupon: coupon.nullable(),
  generated_by: user.nullable(),
  updated_by: user.nullable(),
  invoicing: invoicing.nullable(),
  payment_date: timestamp.nullable(),
  shipping_date: timestamp.nullable(),
  expected_delivery_date: timestamp.nullable(),
  max_delivery_date: timestamp.nullable(),
  receiving_date: timestamp.nullable(),
  patient_order_status: z.enum(PATIENT_ORDER_STATUSES),
  prescriptions: z.array(prescription),
  tags: z.string(),
  shipping_method: shippingMethod,
  created_at: timestamp,
  updated_at: timestamp,
  deleted_at: timestamp.nullable(),
  insurance_refund_status: z.enum(INSURANCE_REFUND_STATUSES),
  order_status: z.enum(ORDER_STATUSES),
  payment_status: z.enum(PAYMENT_STATUSES),
  rejection_reason: z.string().max(50),
  origin: z.string().max(20),
  subtotal: amount,
  iva: amount,
  shipping_price: amount,
  shipping_discount: amount,
  shipping_cost: amount.nullable(),
  discount: amount,
  total: amount,
  folio: z.string().max(20),
  cfdi: z.string().max(30),
  external_payment_id: z.string().max(50),
  reminder: z.int().nullable(),
  subscription: z.int().nullable(),
});
export type Order = z.infer<typeof order>;

export const createOrderContract = contract({
  authentication: 'user',
  caching: 'never',
  body: z.object({
    user: userInput,
    order: z.object({
      details,
      payment_method: id,
      shipping: shippingInput.optional(),
      shipping_method: id.optional(),
      store: id.nullable().optional(),
      coupon: z.string().nullable().optional(),
      prescriptions: z.array(prescriptionInput).default([]),
      comments: lines(MAX_COMMENTS).optional(),
    }),
    invoicing: invoicingInput.optional(),
  }),
  headers: z.object({
    'Idempotency-Key': z
      .string()
      .regex(/^[\x21-\x7e]{8,255}$/, 'not_an_idempotency_key' satisfies MessageCode)
      .optional(),
  }),
  answerHeaders: ['Idempotent-Replayed'],
  answers: { 201: order },
});
export type CreateOrderRequest = z.infer<typeof createOrderContract.body>;

export const orderContract = contract({
  authentication: 'user',
  caching: 'never',
  path: z.object({ id: pathId }),
  answers: { 200: order },
});

/** Exactly one of two changes: other products, or the end of the order. */
export const updateOrderContract = contract({
  authentication: 'user',
  caching: 'never',
  path: z.object({ id: pathId }),
  body: z
    .object({ details: details.optional(), order_status: z.enum(['cancelled']).optional() })
    .refine(
      (change) => (change.details === undefined) !== (change.order_status === undefined),
      'one_change' satisfies MessageCode,
    )
    .meta({ oneOf: [{ required: ['details'] }, { required: ['order_status'] }] }),
  refusals: [
    'order_not_changeable',
    'order_not_cancellable',
    'order_invoiced',
    'invoice_in_progress',
    'order_changed_meanwhile',
  ],
  answers: { 200: order },
});
export type UpdateOrderRequest = z.infer<typeof updateOrderContract.body>;
