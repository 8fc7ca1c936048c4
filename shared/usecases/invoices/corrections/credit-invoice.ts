import { REMITTED } from '../../../domain/invoices/cancelled-sale.ts';
import { getUncreditedSaleCents, startGlobalCredit } from '../../../domain/invoices/global/credits.ts';
import {
  findValidInvoice,
  getUncreditedCents,
  type NewCredit,
  startCredit,
} from '../../../domain/invoices/owed-documents.ts';
import { findReplacement } from '../../../domain/invoices/replacement.ts';
import type { TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { type Cents, formatCents } from '../../../domain/money.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Table } from '../../../store/table.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../../operations/operate-order.ts';
import { refusedToOperator } from '../../operations/operator-refusal.ts';
import { newAttemptKey } from '../issuing/invoice-attempt.ts';

type Crediting = Operation &
  Seen & {
    readonly amountCents: Cents;
    /** SAT's c_FormaPago in which the money goes back; without it, that of the payment. */
    readonly form?: string | undefined;
    /** The description that the receiver reads. */
    readonly purpose?: string | undefined;
  };

/**
 * Asks for a credit note of a valid invoice, or of an order's sale in a global invoice; settling issues it. Credit notes never
 * exceed what they are of.
 */
export async function creditInvoice(crediting: Crediting, table: Table): Promise<Order> {
  const { amountCents, form, purpose, now } = crediting;
  const before = await seenOrder(table, crediting);
  refuseCredit(before, amountCents);
  const paymentForm = form ?? getReturnForm(before);
  const documents = addCredit(before, { amountCents, paymentForm, purpose }, now);
  return commitOperation(table, before, { ...before, documents }, crediting);
}

/** Throws `move_not_allowed` if no credit note of this amount can be issued for an order now. */
export function refuseCredit(order: Order, amountCents: Cents): void {
  const openCents = getCreditableCents(order);
  if (openCents === undefined) throw refusedToOperator('no_valid_invoice', { order: order.id });
  refuseReplacementUnderWay(order);
  if (amountCents > openCents) {
    throw refusedToOperator('credit_too_large', { order: order.id, left: formatCents(openCents) });
  }
}

const getReturnForm = ({ paymentStatus, paymentForm, paymentMethod }: Order): string =>
  paymentStatus === 'paid' ? (paymentForm ?? paymentMethod.sat_payment_form) : REMITTED;

/** Returns what credit notes have left of an order's invoice, or of its sale in a global one; undefined if it is in neither. */
export function getCreditableCents(order: Order): Cents | undefined {
  const invoice = findValidInvoice(order);
  if (invoice) return getUncreditedCents(order, invoice);
  return order.global ? getUncreditedSaleCents(order) : undefined;
}

/** Returns the documents of an order that can be credited with a new credit note. */
export function addCredit(order: Order, credit: Omit<NewCredit, 'key'>, now: Date): TaxDocument[] {
  const invoice = findValidInvoice(order);
  const note = { ...credit, key: newAttemptKey(order) };
  return [...order.documents, invoice ? startCredit(invoice, note, now) : startGlobalCredit(note, now)];
}

/** Throws while it is not certain which invoice will be the valid one. */
export function refuseReplacementUnderWay(order: Order): void {
  if (!findReplacement(order)) return;
  throw refusedToOperator('replacement_under_way', { order: order.id });
}
