import type { EventType, PublicEvent } from '../api/events/events.ts';
import { formatCents, parseCents } from '../domain/money.ts';
import type { OrderEvent } from '../order/order-events.ts';
import { formatFolio, ORDER_STATUSES, PAYMENT_STATUSES } from '../order/rules/status.ts';

/**
 * Null for events that are not for clients: what their view of an order does not show, such as an invoice's progress before
 * its outcome, mails, complements, credit notes, global invoices and operators' notes on a verification.
 */
const EVENT_TYPE = {
  created: 'order.created',
  changed: 'order.changed',
  tagged: 'order.changed',
  claim_moved: 'order.changed',
  // For operators only.
  noted: null,
  cancelled: 'order.cancelled',
  moved: 'order.moved',
  paid: 'order.paid',
  payment_moved: 'order.changed',
  refunded: 'order.refunded',
  payment_requested: 'payment.requested',
  payment_rejected: 'payment.rejected',
  // A refund that was announced did not happen.
  refund_failed: 'order.changed',
  // For operators only.
  payment_not_made: null,
  payment_mismatched: null,
  payment_disputed: null,
  payment_handled: null,
  prescription_attached: 'order.changed',
  prescription_verified: 'prescription.verified',
  prescription_age_accepted: null,
  prescriber_recorded: null,
  prescription_rejected: 'prescription.rejected',
  invoice_requested: null,
  invoice_retrying: null,
  // The requester learned it from the answer; others did not.
  invoice_refused: 'invoice.failed',
  invoice_not_issued: 'invoice.failed',
  invoice_issued: 'invoice.issued',
  invoice_cancelling: null,
  invoice_cancellation_pending: null,
  invoice_cancellation_rejected: null,
  invoice_cancelled: 'invoice.cancelled',
  complement_requested: null,
  complement_retrying: null,
  complement_refused: null,
  complement_not_issued: null,
  complement_issued: null,
  complement_cancelling: null,
  complement_cancellation_pending: null,
  complement_cancellation_rejected: null,
  complement_cancelled: null,
  credit_note_requested: null,
  credit_note_retrying: null,
  credit_note_refused: null,
  credit_note_not_issued: null,
  credit_note_issued: null,
  credit_note_cancelling: null,
  credit_note_cancellation_pending: null,
  credit_note_cancellation_rejected: null,
  credit_note_cancelled: null,
  invoiced_globally: null,
  invoice_handled: null,
  invoice_mailed: null,
  mail_unconfirmed: null,
  mail_given_up: null,
  // The patient's data in the order are gone.
  erased: 'order.changed',
} as const satisfies Record<OrderEvent['what'], EventType | null>;

const MOVED_STATUS: Readonly<Partial<Record<OrderEvent['what'], 'order_status' | 'payment_status'>>> = {
  cancelled: 'order_status',
  moved: 'order_status',
  paid: 'payment_status',
  payment_moved: 'payment_status',
  payment_rejected: 'payment_status',
};

/** Returns an event as clients see it; null if it is not for them. */
export function toPublicEvent(event: OrderEvent): PublicEvent | null {
  const { orderId: id, version, place, what, at: time, orderStatus, paymentStatus } = event;
  const { prescriptions = [], shipment, reason = null } = event;
  const type = EVENT_TYPE[what];
  if (type === null) return null;
  return {
    id: `evt_${id}_${version}_${place}`,
    type,
    time,
    order: { id, folio: formatFolio(id), order_status: orderStatus, payment_status: paymentStatus, version },
    move: toMove(event),
    shipment: shipment ? { carrier: shipment.carrier, tracking_number: shipment.trackingNumber } : null,
    refunded: toRefunded(event),
    reason: what === 'cancelled' ? reason : null,
    prescriptions: [...prescriptions],
  };
}

function toMove({ what, from, to }: OrderEvent): PublicEvent['move'] {
  const status = MOVED_STATUS[what];
  const statuses = [...ORDER_STATUSES, ...PAYMENT_STATUSES];
  const [before, after] = [from, to].map((value) => statuses.find((name) => name === value));
  return status && before && after ? { status, from: before, to: after } : null;
}

// `from` and `to` are the sums of refunds before and after.
const toRefunded = ({ what, from = '', to = '' }: OrderEvent): string | null =>
  what === 'refunded' ? formatCents((parseCents(to) ?? 0) - (parseCents(from) ?? 0)) : null;
