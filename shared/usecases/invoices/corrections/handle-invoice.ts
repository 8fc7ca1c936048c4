import { getOpenActions, listOpenActions, markHandled } from '../../../domain/invoices/invoice-status.ts';
import { findDocument, listDocuments } from '../../../domain/invoices/order-documents.ts';
import type { InvoiceAction, TaxDocument } from '../../../domain/invoices/tax-document.ts';
import { changeInvoice, type InvoiceChange } from '../../../store/invoices/invoice-changes.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import type { Table } from '../../../store/table.ts';
import { type Seen, seenOrder } from '../../operations/operate-order.ts';
import { refusedToOperator } from '../../operations/operator-refusal.ts';

/**
 * Records that an operator has taken the open actions of an order's invoice, so that no alarm counts them any more: the
 * complement was issued at the provider, the receiver was contacted, the mail was delivered some other way. Returns them.
 * Throws `move_not_allowed` if there is none, and `order_changed_meanwhile` if none that the operator has seen is left.
 */
export async function handleInvoice(seen: Seen, act: Act, table: Table): Promise<readonly InvoiceAction[]> {
  const order = await seenOrder(table, seen);
  const actions = chooseOpenActions(order);
  const { order: after } = await changeInvoice(table, order, act, (fresh) => markActionsHandled(fresh, order));
  const handled = listDocuments(after).flatMap((document) =>
    listSeenActions(document, order).filter((action) => document.handled.includes(action)),
  );
  return actions.filter((action) => handled.includes(action));
}

/** Returns the open actions of an order's documents. Throws `move_not_allowed` if there is none. */
export function chooseOpenActions(order: Order): readonly InvoiceAction[] {
  const actions = listOpenActions(order);
  if (actions.length > 0) return actions;
  throw refusedToOperator('no_open_action', { order: order.id });
}

/** Marks the open actions of an order that were open when the operator saw it: nobody has taken those that came since. */
function markActionsHandled(order: Order, seen: Order): InvoiceChange {
  const { invoice, documents } = order;
  const choose = (document: TaxDocument) => {
    const open = getOpenActions(document, order);
    return listSeenActions(document, seen).filter((action) => open.includes(action));
  };
  if (listDocuments(order).every((document) => choose(document).length === 0)) {
    throw refusedToOperator('order_changed', { order: order.id, current: order.version, seen: seen.version });
  }
  const handle = (document: TaxDocument) => markHandled(document, choose(document));
  return { invoice: invoice && handle(invoice), documents: documents.map(handle) };
}

/** Returns the actions on a document that were open when the operator saw its order. */
function listSeenActions({ key }: TaxDocument, seen: Order): readonly InvoiceAction[] {
  const document = findDocument(seen, key);
  return document ? getOpenActions(document, seen) : [];
}
