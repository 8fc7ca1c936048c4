import * as z from 'zod';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../domain/order.ts';
import { recordId, timestamp } from '../fields.ts';
import { orderStatus, paymentStatus } from '../orders/order-fields.ts';

/** Values of an event's `type`. */
export const EVENT_TYPES = [
  'order.created',
  'order.changed',
  'order.cancelled',
  'order.moved',
  'order.paid',
  'order.refunded',
  'prescription.verified',
  'prescription.rejected',
  'invoice.issued',
  'invoice.failed',
  'invoice.cancelled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const UNKNOWN = 'null if the history of the order no longer tells it.';

const eventOrder = z
  .strictObject({
    id: recordId,
    folio: z.string().max(20).describe('Folio of the order.'),
    order_status: orderStatus.nullable().describe(`Status of the order right after this event; ${UNKNOWN}`),
    payment_status: paymentStatus.nullable().describe(`Status of the payment right after this event; ${UNKNOWN}`),
    version: z.int().min(1).describe('Version of the order that this event made. Versions of an order grow.'),
  })
  .meta({ id: 'EventOrder', description: 'The order of an event.' });

const eventMove = z
  .strictObject({
    status: z.enum(['order_status', 'payment_status']).describe('The status that changed.'),
    from: z.enum([...ORDER_STATUSES, ...PAYMENT_STATUSES]).describe('Its former value.'),
    to: z.enum([...ORDER_STATUSES, ...PAYMENT_STATUSES]).describe('Its new value.'),
  })
  .meta({ id: 'EventMove', description: 'A change of a status.' });

/** One thing that happened to an order, told by ids and statuses alone: whoever needs more reads the order. */
export const publicEvent = z
  .strictObject({
    id: z
      .string()
      .regex(/^evt_\d{1,15}_\d{1,15}_\d{1,4}$/)
      .describe('Identifier, always the same for the same event: whoever gets an event twice knows it by this.'),
    type: z.enum(EVENT_TYPES).describe('What happened.'),
    time: timestamp.describe('Time at which it happened.'),
    order: eventOrder.describe('The order that it happened to.'),
    move: eventMove.nullable().describe('The change of the status of order or payment; null if neither changed.'),
    prescriptions: z
      .array(z.int())
      .describe('The prescriptions that were added, verified or rejected, by id; empty for other events.'),
  })
  .meta({ id: 'Event', description: 'One thing that happened to an order. It holds nothing personal.' });
export type PublicEvent = z.infer<typeof publicEvent>;
