import { orderKey } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { getOrdersByKey } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import { type CreationRange, WHOLE_VIEW } from './delivery-delays.ts';
import { parseEntry } from './entries.ts';
import type { View } from './selection.ts';
import { toQuery, viewSource } from './sources.ts';

type Part = { readonly range?: CreationRange; readonly offset?: number; readonly limit: number };

/**
 * Returns a part of the orders of views of any clients that have no order in common, the newest first, and whether more follow.
 * It costs a query for each view, of its entries up to the end of the part, and a read of the orders shown.
 */
export async function latestOfViews(
  table: Table,
  views: readonly View[],
  { range = WHOLE_VIEW, offset = 0, limit }: Part,
): Promise<{ readonly orders: readonly Order[]; readonly hasMore: boolean }> {
  const end = offset + limit;
  const listed = await Promise.all(views.map((view) => latestEntries(table, view, { range, count: end + 1 })));
  const latestFirst = listed
    .flat()
    .sort((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id);
  const shown = latestFirst.slice(offset, end).map(({ clientId, id }) => orderKey(clientId, id));
  return { orders: await getOrdersByKey(table, shown), hasMore: latestFirst.length > end };
}

async function latestEntries(
  table: Table,
  view: View,
  { range, count }: { readonly range: CreationRange; readonly count: number },
) {
  const items = await table.first(toQuery(viewSource(view), { range, isForward: false }), count);
  return items.map((item) => ({ ...parseEntry(item), clientId: view.clientId }));
}
