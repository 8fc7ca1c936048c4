import { joinTexts, refusedToOperator } from '../domain/operator-refusal.ts';
import { localDate } from '../domain/working-day.ts';
import { toStarting } from '../invoices/invoice-attempt.ts';
import { cancelSale } from '../invoices/rules/owed-documents.ts';
import type { Text } from '../messages/say.ts';
import { ORDER_STATUS_TEXTS, PAYMENT_STATUS_TEXTS, quoteStatus } from '../messages/status-texts.ts';
import {
  type Changed,
  commitOperation,
  describeMove,
  type Move,
  quantityText,
  seenOrder,
} from '../order/operate-order.ts';
import type { Order } from '../order/order.ts';
import { type Happening, listDocumentEvents } from '../order/order-events.ts';
import { canMoveOrder, isFurther, markApproved, ORDER_STATUSES, type OrderStatus } from '../order/rules/status.ts';
import { isWhollyRefunded } from '../payments/rules/payment-exceptions.ts';
import {
  findCovering,
  findUncovered,
  findUnnamed,
  markDispensed,
  resolveLots,
  type UncoveredQuantity,
  type WrittenLot,
} from '../prescriptions/rules/prescription.ts';
import type { Business } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import { fillOrder } from './order-stock.ts';

type Deps = { readonly table: Table; readonly business: Business };

/** An operator's reasons to prepare a collected order before it is paid, and to move on a fully refunded one. */
type MoveReasons = { readonly unpaidReason?: string | undefined; readonly refundedReason?: string | undefined };

type StatusMove = Move<OrderStatus> &
  MoveReasons & {
    /** Why it is cancelled, which its client reads. */
    readonly cancelReason?: string | undefined;
    readonly carrier?: string | undefined;
    readonly tracking?: string | undefined;
    readonly trackingUrl?: string | null | undefined;
    readonly lots?: readonly WrittenLot[] | undefined;
  };

type PlannedMove = Omit<StatusMove, 'id'>;

/** Moves an order for an operator; dispensing, which takes its stock, shipping and delivery set their dates. */
export async function moveOrder(move: StatusMove, { table, business }: Deps): Promise<Order> {
  const before = await seenOrder(table, move);
  const { after, events } = planMove(before, move, business);
  const isFilled = after.dispensed !== null && before.dispensed === null;
  const stock = isFilled ? await fillOrder(before, business, table) : {};
  return commitOperation(table, before, { ...after, ...stock }, move, ...events);
}

/** Returns a moved order with its events. Throws `move_not_allowed`. */
export function planMove(before: Order, move: PlannedMove, business: Business): Changed {
  const { to, now, carrier = null, tracking: trackingNumber = null, trackingUrl = null, lots = [] } = move;
  const { shippingDate, receivingDate, refundedReason: _, ...unchanged } = before;
  const today = localDate(now, business.timeZone);
  refuseMove(before, to, today, move);
  const time = now.toISOString();
  const under = findCovering(before.prescriptions, today).map((prescription) => prescription.id);
  const changes = {
    orderStatus: to,
    ...markApproved(before.approvedAt, to, time),
    shippingDate: to === 'shipped' ? time : shippingDate,
    receivingDate: to === 'delivered' ? time : receivingDate,
    dispensed: markDispensed(before.dispensed, to, {
      ...{ at: time, under },
      ...(lots.length > 0 && { lots: resolveLots(before, lots, today) }),
    }),
    ...(to === 'shipped' && (carrier ?? trackingNumber) !== null
      ? { shipments: [...(before.shipments ?? []), { carrier, trackingNumber, trackingUrl, shippedAt: time }] }
      : {}),
    ...(to === 'cancelled' ? cancelSale(before, toStarting(before, now)) : {}),
    ...chooseReasons(before, move),
  };
  const after = { ...unchanged, ...changes };
  return { after, events: [toEvent(before, move), ...listDocumentEvents(before, after)] };
}

function toEvent(before: Order, move: PlannedMove): Happening {
  const { to, cancelReason, carrier = null, tracking: trackingNumber = null } = move;
  const { refundedReason, unpaidReason } = chooseReasons(before, move);
  const reason = refundedReason ?? unpaidReason ?? (to === 'cancelled' ? cancelReason : undefined);
  return {
    what: to === 'cancelled' ? 'cancelled' : 'moved',
    from: before.orderStatus,
    to,
    ...(reason !== undefined && { reason }),
    ...(to === 'shipped' && (carrier ?? trackingNumber) !== null && { shipment: { carrier, trackingNumber } }),
  };
}

const chooseReasons = (before: Order, { to, unpaidReason, refundedReason }: PlannedMove) => ({
  ...(to === 'in_process' && unpaidReason !== undefined && { unpaidReason }),
  ...(isStoppedByRefund(before, to) && refundedReason !== undefined && { refundedReason }),
});

const isStoppedByRefund = (order: Order, to: OrderStatus): boolean => isFurther(to) && isWhollyRefunded(order);

/** Throws `move_not_allowed`. Preparing an unpaid collected order and moving on a fully refunded one need a reason. */
export function refuseMove(order: Order, to: OrderStatus, today: string, reasons: MoveReasons = {}): void {
  const { id, orderStatus: from } = order;
  const allowed = ORDER_STATUSES.filter((status) => canMoveOrder(order, status));
  if (!allowed.includes(to)) {
    const move = describeMove({ from, to, allowed }, ORDER_STATUS_TEXTS);
    throw refusedToOperator('order_moves_elsewhere', { order: id, ...move });
  }
  if (NEEDS_PRESCRIPTIONS.includes(to)) refuseUncovered(order, today);
  if (to === 'in_process') refuseUnnamed(order, today);
  if (isStoppedByRefund(order, to) && reasons.refundedReason === undefined)
    throw refusedToOperator('order_refunded', { order: id });
  const { paymentMethod, paymentStatus: payment } = order;
  const isPaid = payment === 'paid' || payment === 'credit' || paymentMethod.collection === undefined;
  if (to !== 'in_process' || isPaid || reasons.unpaidReason !== undefined) return;
  const status = quoteStatus(payment, PAYMENT_STATUS_TEXTS);
  throw refusedToOperator('order_not_collected_yet', { order: id, status });
}

const NEEDS_PRESCRIPTIONS: readonly OrderStatus[] = ['approved', 'in_process'];

/** Refuses to approve or prepare more of a prescription product than was verified (LGS art. 226). */
function refuseUncovered({ id, lines, prescriptions }: Order, today: string): void {
  const uncovered = findUncovered(lines, prescriptions, today);
  if (uncovered.length === 0) return;
  const products = joinTexts(uncovered.map(describeUncovered), ', ');
  throw refusedToOperator('order_uncovered', { order: id, products });
}

/** Refuses to prepare an antibiotic while the register lacks who prescribed it (LGS art. 234; agreement of DOF 27 May 2010). */
function refuseUnnamed({ id: order, lines, prescriptions }: Order, today: string): void {
  const unnamed = findUnnamed(lines, prescriptions, today);
  if (unnamed) throw refusedToOperator('antibiotic_unnamed', { order, prescription: unnamed.id });
}

function describeUncovered(uncovered: UncoveredQuantity): Text {
  const { productId, quantity, coveredQuantity: verified } = uncovered;
  const texts = { es: `${quantity} × producto ${productId}`, en: quantityText(uncovered) };
  return verified === null
    ? texts
    : { es: `${texts.es} (verificado: ${verified})`, en: `${texts.en} (verified: ${verified})` };
}
