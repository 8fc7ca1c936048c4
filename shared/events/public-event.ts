import type { EventType, PublicEvent } from '../api/events/events.ts';
import { formatCents, parseCents } from '../domain/money.ts';
import type { OrderEvent } from '../order/order-events.ts';
import { formatFolio, ORDER_STATUSES, PAYMENT_STATUSES } from '../order/rules/status.ts';

/**
 * The events that clients get. The others show what a client's view of an order does not: an invoice's progress before its
 * outcome, mails, complements, credit notes, global invoices, payment exceptions and operators' notes.
 */
const EVENT_TYPE: Readonly<Partial<Record<OrderEvent['what'], EventType>>> = {
  created: 'order.created',
  changed: 'order.changed',
  tagged: 'order.changed',
  claim_moved: 'order.changed',
  cancelled: 'order.cancelled',
  moved: 'order.moved',
  paid: 'order.paid',
  payment_moved: 'order.changed',
  refunded: 'order.refunded',
  payment_requested: 'payment.requested',
  payment_rejected: 'payment.rejected',
  // A refund that was announced did not happen.
  refund_failed: 'order.changed',
  prescription_attached: 'order.changed',
  prescription_verified: 'prescription.verified',
  prescription_rejected: 'prescription.rejected',
  // The requester learned it from the answer; others did not.
  invoice_refused: 'invoice.failed',
  invoice_not_issued: 'invoice.failed',
  invoice_issued: 'invoice.issued',
  invoice_cancelled: 'invoice.cancelled',
  // The patient's data in the order are gone.
  erased: 'order.changed',
};

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
  if (type === undefined) return null;
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
