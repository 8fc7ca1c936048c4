import { type Cents, formatCents } from '../../domain/money.ts';
import { sumRefunds } from '../../domain/order.ts';
import { PAYMENT_STATUS_TEXTS, quoteStatus } from '../../messages/status-texts.ts';
import type { Order } from '../../store/orders/order.ts';
import type { Table } from '../../store/table.ts';
import { addCredit, getCreditableCents, refuseReplacementUnderWay } from './invoices/correct-invoice.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from './operate-order.ts';
import { refusedToOperator } from './operator-refusal.ts';

type Refunding = Operation &
  Seen & {
    readonly amountCents: Cents;
    /** SAT's c_FormaPago in which the money went back. */
    readonly form: string;
  };

/**
 * Records that an operator has paid back a part of what was paid for an order, or all of it, cancelled or not. Refuses more
 * than was paid, and without a version the same refund twice in a row. Settling issues its credit note.
 */
export async function refundOrder(refunding: Refunding, table: Table): Promise<Order> {
  const { amountCents: cents, form, now } = refunding;
  const before = await seenOrder(table, refunding);
  refuseRefund(before, cents);
  refuseRepeated(before, refunding);
  const refunds = [...(before.refunds ?? []), { cents, form, at: now.toISOString() }];
  const documents = creditRefund(before, refunding);
  return commitOperation(table, before, { ...before, refunds, documents }, refunding);
}

/**
 * Adds the credit note of a refund, for at most what earlier ones have left of a valid invoice or of a sale in a global one.
 * There is none while the invoice is being cancelled, since SAT cancels no invoice with a valid credit note; nor without
 * an invoice, which then gets its credit note when it is issued, as a global one does when the order gets into it.
 */
function creditRefund(before: Order, { amountCents, form: paymentForm, now }: Refunding): Order['documents'] {
  const credited = Math.min(amountCents, getCreditableCents(before) ?? 0);
  return credited === 0 ? before.documents : addCredit(before, { amountCents: credited, paymentForm }, now);
}

/** Throws `move_not_allowed` if this amount of an order cannot be refunded, or not now. */
export function refuseRefund(order: Order, cents: Cents): void {
  refuseUnpaid(order);
  refuseTooMuch(order, cents);
  refuseReplacementUnderWay(order);
}

function refuseUnpaid({ id, paymentStatus }: Order): void {
  if (paymentStatus === 'paid') return;
  const status = quoteStatus(paymentStatus, PAYMENT_STATUS_TEXTS);
  throw refusedToOperator('order_not_paid', { order: id, status });
}

/** Returns what has not gone back of the total of an order. */
export const getRefundableCents = (order: Order): Cents => order.totalCents - sumRefunds(order);

function refuseTooMuch(order: Order, cents: Cents): void {
  const openCents = getRefundableCents(order);
  if (cents <= openCents) return;
  throw refusedToOperator('refund_too_large', { order: order.id, left: formatCents(openCents) });
}

// Whoever is not sure that a command was done runs it again within minutes.
const REPEATED_WITHIN_MS = 60 * 60_000;

function refuseRepeated({ id, refunds = [], version: current }: Order, { amountCents, form, version, now }: Refunding) {
  const last = refunds.at(-1);
  if (version !== undefined || !last || last.cents !== amountCents || last.form !== form) return;
  if (now.getTime() - Date.parse(last.at) >= REPEATED_WITHIN_MS) return;
  throw refusedToOperator('refund_repeated', { order: id, amount: formatCents(amountCents), version: current });
}
