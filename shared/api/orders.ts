import * as z from 'zod';
import {
  INSURANCE_REFUND_STATUSES,
  ORDER_STATUSES,
  PATIENT_ORDER_STATUSES,
  PAYMENT_STATUSES,
} from '../domain/order.ts';
import { invoicing, invoicingInput, shipping, shippingInput, store } from './addresses.ts';
import { contract } from './contract.ts';
import { amount, id, lines, pathId, rate, timestamp } from './fields.ts';
import { patient, user, userInput } from './people.ts';
import { prescription, prescriptionInput } from './prescriptions.ts';
import { product } from './products.ts';
import { details } from './quotes.ts';

// The interface leaves comments unbounded; this is ample for an operator to read.
const MAX_COMMENTS = 2_000;

const orderDetail = z.strictObject({
  id: z.int(),
  product,
  price: amount,
  subtotal: amount,
  total: amount,
  discount: amount,
  iva: amount,
  quantity: z.int(),
  order: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});

const paymentMethod = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  name: z.string(),
  fee: rate,
  fixed_fee: rate,
});

const shippingMethod = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
  company: z.string(),
  method: z.enum(['standard', 'express', 'local', 'default']),
  min_delivery_days: z.int().nullable(),
  max_delivery_days: z.int().nullable(),
});

const coupon = z.strictObject({
  code: z.string(),
  description: z.string(),
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
  payment: z.null(),
  wallet_agreement: z.null(),
  payment_references: z.tuple([]),
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
  rejection_reason: z.string(),
  origin: z.string(),
  subtotal: amount,
  iva: amount,
  shipping_price: amount,
  shipping_discount: amount,
  shipping_cost: amount.nullable(),
  discount: amount,
  total: amount,
  folio: z.string(),
  cfdi: z.string(),
  external_payment_id: z.string(),
  reminder: z.null(),
  subscription: z.null(),
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
      .regex(/^[\x21-\x7e]{8,255}$/, 'not_an_idempotency_key')
      .optional(),
  }),
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
    .refine((change) => (change.details === undefined) !== (change.order_status === undefined), 'one_change'),
  answers: { 200: order },
});
export type UpdateOrderRequest = z.infer<typeof updateOrderContract.body>;
