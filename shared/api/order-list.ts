import * as z from 'zod';
import { ORDER_STATUSES, PATIENT_ORDER_STATUSES, PAYMENT_STATUSES } from '../domain/order.ts';
import type { MessageCode } from '../messages/messages.ts';
import { contract } from './contract.ts';
import { amount, count, date, timestamp } from './fields.ts';
import { idFilter, listQuery, page } from './lists.ts';

export const orderListItem = z.strictObject({
  id: z.int(),
  created_at: timestamp,
  order_status: z.enum(ORDER_STATUSES),
  patient_order_status: z.enum(PATIENT_ORDER_STATUSES),
  patient: z.string(),
  payment_status: z.enum(PAYMENT_STATUSES),
  products_count: z.int(),
  details: z.array(z.strictObject({ default_image: z.string().nullable(), quantity: count })),
  shipping: z.strictObject({ street: z.string(), exterior_number: z.string(), city: z.string() }).nullable(),
  payment_method: z.string(),
  coupon: z.string().nullable(),
  total: amount,
  origin: z.string().max(20),
  tags: z.string(),
  subscription: z.int().nullable(),
  expected_delivery_date: timestamp.nullable(),
  max_delivery_date: timestamp.nullable(),
});
export type OrderListItem = z.infer<typeof orderListItem>;

const statuses = <const Status extends string>(known: readonly Status[]) =>
  z
    .string()
    .transform((written) => written.split(',').map((status) => status.trim() as Status))
    .refine((list) => list.every((status) => known.includes(status)), {
      error: 'not_a_choice' satisfies MessageCode,
      params: { choices: known.join(', ') },
    })
    .meta({ type: 'array', minItems: 1, items: { type: 'string', enum: known } });

export const ordersContract = contract({
  authentication: 'user',
  caching: 'never',
  query: listQuery(['created_at', 'expected_delivery_date'], '-created_at').extend({
    patient: idFilter.optional(),
    order_status__in: statuses(ORDER_STATUSES).optional(),
    exclude_order_status__in: statuses(ORDER_STATUSES).optional(),
    payment_status__in: statuses(PAYMENT_STATUSES).optional(),
    expected_delivery_date_before: date.optional(),
    expected_delivery_date_after: date.optional(),
    max_delivery_date_before: date.optional(),
    max_delivery_date_after: date.optional(),
  }),
  answers: { 200: page(orderListItem) },
});
export type OrdersQuery = z.infer<typeof ordersContract.query>;
