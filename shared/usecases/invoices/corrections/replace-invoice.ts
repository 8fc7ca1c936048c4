import { findValidInvoice, listRelated, type StampedInvoice } from '../../../domain/invoices/owed-documents.ts';
import { findReplaced, startReplacement } from '../../../domain/invoices/replacement.ts';
import type { Text } from '../../../messages/say.ts';
import type { Business } from '../../../runtime/settings.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Table } from '../../../store/table.ts';
import { commitOperation, type Operation, type Seen, seenOrder } from '../../operations/operate-order.ts';
import { joinTexts, refusedToOperator } from '../../operations/operator-refusal.ts';
import { newAttemptKey } from '../issuing/invoice-attempt.ts';
import { type CorrectedReceiver, correctReceiver } from './correct-receiver.ts';
import { refuseReplacementUnderWay } from './credit-invoice.ts';

type Replacing = Operation & Seen & { readonly receiver: CorrectedReceiver };
type Deps = { readonly table: Table; readonly business: Business };

/**
 * Asks for an invoice that replaces the present one of an order, for a corrected receiver or with today's payment, past the
 * window too. Settling issues it; the present one is valid until then, and cancelled in the same change.
 */
export async function replaceInvoice(replacing: Replacing, { table, business }: Deps): Promise<Order> {
  const { now } = replacing;
  const before = await seenOrder(table, replacing);
  const replaced = refuseIrreplaceable(before);
  const key = newAttemptKey(before);
  const replacement = startReplacement(replaced, before, { key, now, timeZone: business.timeZone });
  // An earlier replacement of which nothing was issued is forgotten.
  const others = before.documents.filter(({ kind, providerId }) => kind !== 'invoice' || providerId !== '');
  const replacementInvoicing = correctReceiver(before, replacing.receiver, now);
  const changes = { documents: [...others, replacement], replacementInvoicing };
  return commitOperation(table, before, { ...before, ...changes }, replacing);
}

/** Returns the invoice of an order that can be replaced now. Throws `move_not_allowed` if there is none. */
export function refuseIrreplaceable(order: Order): StampedInvoice {
  const { id, orderStatus, paymentStatus } = order;
  if (orderStatus === 'cancelled') throw refusedToOperator('replaced_of_cancelled', { order: id });
  const invoice = findValidInvoice(order);
  if (!invoice) throw refusedToOperator('no_valid_invoice', { order: id });
  if (paymentStatus === 'rejected') throw refusedToOperator('replaced_of_rejected', { order: id });
  refuseReplacementUnderWay(order);
  if (findReplaced(order)) throw refusedToOperator('replaced_not_cancelled', { order: id });
  refuseRelated(order, invoice);
  return invoice;
}

/** Returns the complements and credit notes of an invoice that are valid or on their way. */
export const listDependents = (order: Order, uuid: string) => [
  ...listRelated(order, 'payment', uuid),
  ...listRelated(order, 'credit', uuid),
];

const A_COMPLEMENT: Text = { es: 'un complemento de pago', en: 'a payment complement' };
const A_CREDIT_NOTE: Text = { es: 'una nota de crédito', en: 'a credit note' };
const AND: Text = { es: 'y', en: 'and' };

/** Throws if an invoice cannot be replaced, as SAT cancels none that a valid complement or credit note relates to. */
export function refuseRelated(order: Order, { stamp }: StampedInvoice): void {
  const related = listDependents(order, stamp.uuid);
  if (related.length === 0) return;
  const names = related.map(({ kind }) => (kind === 'payment' ? A_COMPLEMENT : A_CREDIT_NOTE));
  const [first, second] = new Set(names);
  const both = first && second ? [first, AND, second] : [...new Set(names)];
  throw refusedToOperator('invoice_has_related', { order: order.id, related: joinTexts(both, ' ') });
}
