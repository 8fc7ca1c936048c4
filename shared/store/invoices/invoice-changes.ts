import { Refusal, unavailable } from '../../domain/refusal.ts';
import type { Order } from '../orders/order.ts';
import type { Act } from '../orders/order-history.ts';
import { changeOrderWrites } from '../orders/order-writes.ts';
import { getOrder, nextVersion } from '../orders/orders.ts';
import type { Table } from '../table.ts';

/** The fields of an order that a change of its invoice may touch. */
export type InvoiceChange = Partial<Pick<Order, 'invoice' | 'cfdi' | 'updatedAt'>>;

/** The order as it is now; `isChanged` says that this call has changed it. */
export type ChangedInvoice = { readonly order: Order; readonly isChanged: boolean };

// An order changes rarely, so ten conflicts in a row mean that something else is wrong.
const TRIES = 10;

/**
 * Updates the order's invoice under optimistic locking; after a conflict, `change` runs again on the fresh order.
 * Nothing is changed when it returns undefined. `known` is the order as last read. Throws Refusal `unavailable`.
 */
export async function changeInvoice(
  table: Table,
  known: Order,
  act: Act,
  change: (order: Order) => InvoiceChange | undefined,
): Promise<ChangedInvoice> {
  let before = known;
  for (let tries = 0; tries < TRIES; tries++) {
    const changes = change(before);
    if (!changes) return { order: before, isChanged: false };
    const after = nextVersion(before, changes, act);
    if (await table.tryTransact(changeOrderWrites(before, after))) return { order: after, isChanged: true };
    const fresh = await getOrder(table, before);
    if (!fresh) throw new Refusal('not_found');
    before = fresh;
  }
  throw unavailable();
}
