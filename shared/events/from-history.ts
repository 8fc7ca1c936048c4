import type { EventType, PublicEvent } from '../api/events/events.ts';
import { formatCents, parseCents } from '../domain/money.ts';
import type { Order } from '../order/order.ts';
import type { OrderEvent } from '../order/order-parts.ts';
import { formatFolio, ORDER_STATUSES, PAYMENT_STATUSES } from '../order/rules/status.ts';

/**
 * The type of the event that tells an entry of an order's history; null if clients are not told. They are not told what
 * their view of an order does not show: how far an invoice is before its outcome, its mail, complements, credit notes and
 * global invoices, and what operators note beside a verification.
 */
const EVENT_TYPE = {
  created: 'order.created',
  changed: 'order.changed',
  cancelled: 'order.cancelled',
  moved: 'order.moved',
  paid: 'order.paid',
  payment_moved: 'order.changed',
  refunded: 'order.refunded',
  payment_requested: 'payment.requested',
  payment_rejected: 'payment.rejected',
  // A refund that was reported before did not happen.
  refund_failed: 'order.changed',
  // These are for the operator alone.
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
  // Whoever asked for it was told; others were not.
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
  // The copies of the patient that the order showed are gone.
  erased: 'order.changed',
} as const satisfies Record<OrderEvent['what'], EventType | null>;

/** The status that an entry of the history moves, if it moves one. */
const MOVED_STATUS: Readonly<Partial<Record<OrderEvent['what'], 'order_status' | 'payment_status'>>> = {
  cancelled: 'order_status',
  moved: 'order_status',
  paid: 'payment_status',
  payment_moved: 'payment_status',
  payment_rejected: 'payment_status',
};

type Told = Pick<Order, 'id' | 'orderStatus' | 'paymentStatus' | 'shipments' | 'history' | 'historyOmitted'>;

/** Returns the events that an order's history tells of the versions behind `after`, the oldest first. */
export function listEvents(order: Told, after: number): PublicEvent[] {
  const versions = [...Map.groupBy(order.history, ({ version }) => version)];
  return versions.flatMap(([version, entries]) =>
    version > after ? entries.flatMap((entry, place) => toEvent(order, entry, place)) : [],
  );
}

/** `place` counts all entries of a version, so that the id of an event stays when another kind of entry is told one day. */
function toEvent(order: Told, entry: OrderEvent, place: number): PublicEvent[] {
  const type = EVENT_TYPE[entry.what];
  if (type === null) return [];
  const { version, at: time, prescriptions = [] } = entry;
  const told = { id: order.id, folio: formatFolio(order.id), ...statusesAfter(order, version), version };
  return [
    {
      id: `evt_${order.id}_${version}_${place}`,
      type,
      time,
      order: told,
      move: toMove(entry),
      shipment: findShipment(order, entry),
      refunded: toRefunded(entry),
      prescriptions: [...prescriptions],
    },
  ];
}

function toMove({ what, from, to }: OrderEvent): PublicEvent['move'] {
  const status = MOVED_STATUS[what];
  const known = [...ORDER_STATUSES, ...PAYMENT_STATUSES];
  const [before, after] = [from, to].map((value) => known.find((one) => one === value));
  return status && before && after ? { status, from: before, to: after } : null;
}

// The shipment of a move has its time.
function findShipment({ shipments = [] }: Told, { what, to, at }: OrderEvent): PublicEvent['shipment'] {
  if (what !== 'moved' || to !== 'shipped') return null;
  const shipment = shipments.find(({ shippedAt }) => shippedAt === at);
  return shipment ? { carrier: shipment.carrier, tracking_number: shipment.trackingNumber } : null;
}

// The history has the sums of refunds before and after.
const toRefunded = ({ what, from = '', to = '' }: OrderEvent): string | null =>
  what === 'refunded' ? formatCents((parseCents(to) ?? 0) - (parseCents(from) ?? 0)) : null;

const statusesAfter = (order: Told, version: number) => ({
  order_status: findFormer(order, version, 'order_status', ORDER_STATUSES, order.orderStatus),
  payment_status: findFormer(order, version, 'payment_status', PAYMENT_STATUSES, order.paymentStatus),
});

/**
 * Returns a status as it was right after a version: the next move of it says from where it went. A history that omits
 * entries omits the oldest of a kind, so that it does not know what was before the first move that it holds.
 */
function findFormer<Status extends string>(
  { history, historyOmitted }: Told,
  version: number,
  status: 'order_status' | 'payment_status',
  known: readonly Status[],
  present: Status,
): Status | null {
  const moves = history.filter(({ what }) => MOVED_STATUS[what] === status);
  const next = moves.find((move) => move.version > version);
  if (!next) return present;
  const isKnown = historyOmitted === 0 || moves.some((move) => move.version <= version);
  return (isKnown && known.find((one) => one === next.from)) || null;
}
