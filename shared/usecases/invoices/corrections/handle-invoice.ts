import { getOpenActions, listOpenActions, markHandled } from '../../../domain/invoices/invoice-status.ts';
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
 */
export async function handleInvoice(seen: Seen, act: Act, table: Table): Promise<readonly InvoiceAction[]> {
  const order = await seenOrder(table, seen);
  const actions = chooseOpenActions(order);
  await changeInvoice(table, order, act, markActionsHandled);
  return actions;
}

/** Returns the open actions of an order's documents. Throws `move_not_allowed` if there is none. */
export function chooseOpenActions(order: Order): readonly InvoiceAction[] {
  const actions = listOpenActions(order);
  if (actions.length > 0) return actions;
  throw refusedToOperator('no_open_action', { order: order.id });
}

function markActionsHandled(order: Order): InvoiceChange {
  const { invoice, documents } = order;
  const handle = (document: TaxDocument) => {
    const actions = getOpenActions(document, order);
    return actions.length > 0 ? markHandled(document, actions) : document;
  };
  return { invoice: invoice && handle(invoice), documents: documents.map(handle) };
}
