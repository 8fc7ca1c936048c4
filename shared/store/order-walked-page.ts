import { inTime } from './deadline.ts';
import { creationKey, entryPartition, viewPartition } from './keys.ts';
import { entryPages, type OrderEntry } from './order-entries.ts';
import { rowOfItem } from './order-rows.ts';
import { comparisonOf, isSelected, type OrderPage, type OrderSelection } from './order-selection.ts';
import type { Table } from './table.ts';

/**
 * A page of any selection, by going through the entries of the whole view. None of them moves, so each order that is
 * there at the start is met once, and it is shown with the values by which it was selected, whatever becomes of it
 * meanwhile. Refused as `unavailable` at the deadline.
 */
export async function walkedPage(table: Table, selection: OrderSelection, deadline: number): Promise<OrderPage> {
  const { clientId, viewer, offset, limit } = selection;
  const selected: OrderEntry[] = [];
  // The newest first: what is placed meanwhile comes before the start, and is left out as a whole.
  const pages = entryPages(table, entryPartition(clientId, viewer), { isForward: false });
  for await (const page of inTime(pages, deadline)) {
    for (const entry of page) if (isSelected(entry, selection)) selected.push(entry);
  }
  const shown = selected.sort(comparisonOf(selection)).slice(offset, offset + limit);
  const pk = viewPartition(clientId, viewer);
  const rows = await table.getAll(shown.map(({ createdAt, id }) => ({ pk, sk: creationKey(createdAt, id) })));
  return { count: selected.length, rows: shown.map((entry, index) => ({ ...rowOfItem(rows[index] ?? {}), ...entry })) };
}
