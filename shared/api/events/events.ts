import * as z from 'zod';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../../order/rules/status.ts';
import { contract } from '../contract.ts';
import { amount, choice, explainChoices, pathId, recordId, timestamp } from '../fields.ts';
import { choicesFilter, page, pagingQuery } from '../lists.ts';
import { orderStatus, paymentStatus } from '../orders/order-fields.ts';

export const EVENT_TYPES = [
  'order.created',
  'order.changed',
  'order.cancelled',
  'order.moved',
  'order.paid',
  'order.refunded',
  'payment.requested',
  'payment.rejected',
  'prescription.verified',
  'prescription.rejected',
  'invoice.issued',
  'invoice.failed',
  'invoice.cancelled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const TYPE_MEANINGS: Readonly<Record<EventType, string>> = {
  'order.created': 'the order was placed',
  'order.changed': 'its lines, its payment or its prescriptions changed, or its patient was erased: read it',
  'order.cancelled': 'it was cancelled',
  'order.moved': 'the pharmacy moved it to another status',
  'order.paid': 'its money has arrived',
  'order.refunded': 'money went back',
  'payment.requested': 'it has a reference to pay that did not come with the order',
  'payment.rejected': 'the payment was refused, or its time is over',
  'prescription.verified': 'a pharmacist has verified a prescription',
  'prescription.rejected': 'a pharmacist has rejected a prescription',
  'invoice.issued': 'its invoice is stamped',
  'invoice.failed': 'its invoice could not be issued',
  'invoice.cancelled': 'its invoice is cancelled',
};

const UNKNOWN = 'null if the history of the order no longer tells it.';

const rightAfter = <Status extends z.ZodType>(status: Status) =>
  status.nullable().describe(`Right after this event; ${UNKNOWN} ${status.description}`);

const eventOrder = z
  .strictObject({
    id: recordId,
    folio: z.string().max(20).describe('Folio of the order.'),
    order_status: rightAfter(orderStatus),
    payment_status: rightAfter(paymentStatus),
    version: z.int().min(1).describe('Version of the order that this event made. Versions of an order grow.'),
  })
  .meta({ id: 'EventOrder', description: 'The order of an event.' });

const eventMove = z
  .strictObject({
    status: choice('The status that changed.', {
      order_status: 'that of the order',
      payment_status: 'that of the payment',
    }),
    from: z
      .enum([...ORDER_STATUSES, ...PAYMENT_STATUSES])
      .describe('Its former value, one of `order_status` or `payment_status`.'),
    to: z
      .enum([...ORDER_STATUSES, ...PAYMENT_STATUSES])
      .describe('Its new value, one of `order_status` or `payment_status`.'),
  })
  .meta({ id: 'EventMove', description: 'A change of a status.' });

const eventShipment = z
  .strictObject({
    carrier: z.string().max(60).nullable().describe('Who carries it, if the pharmacy said so.'),
    tracking_number: z.string().max(60).nullable().describe('Its number with the carrier, if the pharmacy said it.'),
  })
  .meta({ id: 'EventShipment', description: 'The shipment of an event.' });

/** Only ids, statuses, amounts, shipments and the reason of a cancellation: whoever needs more reads the order. */
export const publicEvent = z
  .strictObject({
    id: z
      .string()
      .regex(/^evt_\d{1,15}_\d{1,15}_\d{1,4}$/)
      .describe('Identifier, always the same for the same event: whoever gets an event twice knows it by this.'),
    type: choice('The kind of event.', TYPE_MEANINGS),
    time: timestamp.describe('Time at which it happened.'),
    order: eventOrder.describe('The order that it happened to.'),
    move: eventMove.nullable().describe('The change of the status of order or payment; null if neither changed.'),
    shipment: eventShipment
      .nullable()
      .describe('The shipment, when the order was moved to `shipped`; null for other events.'),
    refunded: amount.nullable().describe('The amount that went back, for `order.refunded`; null for other events.'),
    reason: z
      .string()
      .max(200)
      .nullable()
      .describe('The pharmacy’s reason, if it cancelled the order and gave one; null for other events.'),
    prescriptions: z
      .array(z.int())
      .describe('The prescriptions that were added, verified or rejected, by id; empty for other events.'),
  })
  .meta({ id: 'Event', description: 'One thing that happened to an order. It holds nothing personal.' });
export type PublicEvent = z.infer<typeof publicEvent>;

const type = choicesFilter(EVENT_TYPES)
  .optional()
  .describe(explainChoices('Only events of these types.', TYPE_MEANINGS));

export const eventsContract = contract({
  operationId: 'listEvents',
  tag: 'Events',
  summary: 'Follow events',
  description:
    'The events of all orders of the client, in the order in which they were told, for its insurance employees; 404 for ' +
    'other users. Events are told within seconds, and kept for 30 days. Ask again with `next` until it brings nothing, and ' +
    'then from time to time: no event is left out, those of an order come in its order, and an answer that was lost can be ' +
    'asked for again. A cursor behind which events are no longer kept is refused.',
  authentication: 'user',
  query: z.object({
    limit: pagingQuery.shape.limit,
    cursor: pagingQuery.shape.cursor.describe(
      'Empty to begin with the oldest event that is kept, then as in `next`. It is valid for the same caller and types.',
    ),
    type,
  }),
  answers: {
    200: z
      .strictObject({
        next: z.url().describe('Address of the events behind these; also if there are none yet.'),
        results: z.array(publicEvent).describe('The events, at most `limit`; maybe none of the types on a long way.'),
      })
      .meta({ id: 'EventFeed', description: 'Some events of a client.' }),
  },
  refusals: ['not_found'],
});
export type EventsQuery = z.infer<typeof eventsContract.query>;

export const orderEventsContract = contract({
  operationId: 'listOrderEvents',
  tag: 'Events',
  summary: 'List the events of an order',
  description:
    'The events of one order, the oldest first, for whoever sees the order; 404 also when it is somebody else’s. They stay ' +
    'as long as the order, except the oldest ones of an order with a very long history.',
  authentication: 'user',
  path: z.object({ id: pathId }),
  query: pagingQuery.extend({ type }),
  answers: { 200: page('EventPage', 'the events of an order', publicEvent) },
});
export type OrderEventsQuery = z.infer<typeof orderEventsContract.query>;
