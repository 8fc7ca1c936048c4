import { Refusal, unavailable } from '../../domain/refusal.ts';
import type { Order } from '../orders/order.ts';
import { changeInvoiceWrites } from '../orders/order-writes.ts';
import { getOrder, nextVersion } from '../orders/orders.ts';
import type { Table } from '../table.ts';

/** What a change of an invoice may touch of its order. */
export type InvoiceChange = Partial<Pick<Order, 'invoice' | 'cfdi' | 'updatedAt'>>;

/** The order as it is now, and whether it was changed by this. */
export type ChangedInvoice = { readonly order: Order; readonly isChanged: boolean };

// Others change an order once in a while; whoever meets ten of them in a row is met by something else.
const TRIES = 10;

/**
 * Brings the invoice of an order on, whatever else happens to the order meanwhile: `change` is asked again with the order
 * as it is by then, and undefined leaves it so. `known` is how it was last seen, which saves a read. Throws Refusal
 * `unavailable`.
 */
export async function changeInvoice(
  table: Table,
  known: Order,
  change: (order: Order) => InvoiceChange | undefined,
): Promise<ChangedInvoice> {
  let before = known;
  for (let tries = 0; tries < TRIES; tries++) {
    const changes = change(before);
    if (!changes) return { order: before, isChanged: false };
    const after = nextVersion(before, changes);
    if (await table.tryTransact(changeInvoiceWrites(before, after))) return { order: after, isChanged: true };
    const fresh = await getOrder(table, before);
    if (!fresh) throw new Refusal('not_found');
    before = fresh;
  }
  throw unavailable();
}
