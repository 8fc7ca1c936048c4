import * as z from 'zod';
import { contract } from './contract.ts';
import { amount, count, id, rate, timestamp, zipcode } from './fields.ts';

// The interface leaves the number of lines open: 50 keeps an order within one DynamoDB transaction of 100 actions.
const MAX_LINES = 50;

export const orderDetailInput = z.object({ product: id, quantity: count });
export const details = z.array(orderDetailInput).min(1).max(MAX_LINES);

export const quotation = z.strictObject({
  subtotal: amount,
  shipping_price: amount,
  shipping_discount: amount,
  discount: amount,
  iva: amount,
  total: amount,
  coupon: z.strictObject({ code: z.string(), value: rate }).nullable(),
  shipping_method_options: z.array(
    z.strictObject({
      id: z.int(),
      company: z.string().max(100),
      method: z.enum(['standard', 'express', 'local', 'default']),
      min_delivery_days: count.nullable(),
      max_delivery_days: count.nullable(),
      price: amount,
    }),
  ),
  selected_shipping_method: z.int().nullable(),
  errors: z.record(z.string(), z.string()),
  expected_delivery_date: timestamp.nullable(),
  max_delivery_date: timestamp.nullable(),
  details: z.array(
    z.strictObject({
      product: z.int(),
      quantity: count,
      subtotal: amount,
      discount: amount,
      iva: amount,
      total: amount,
    }),
  ),
});
export type Quotation = z.infer<typeof quotation>;

export const quoteContract = contract({
  authentication: 'key',
  caching: 'never',
  body: z.object({
    details,
    zipcode: zipcode.optional(),
    store: id.optional(),
    coupon: z.string().optional(),
    shipping_method: id.optional(),
  }),
  answers: { 201: quotation },
});
export type QuoteRequest = z.infer<typeof quoteContract.body>;
