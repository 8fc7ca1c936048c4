import { creationKey, entryPartition, viewPartition } from '../keys.ts';
import type { Table } from '../table.ts';
import type { OrderEntry } from './order-entries.ts';
import { rowOfItem } from './order-rows.ts';
import { createComparison, isSelected, type OrderPage, type OrderSelection } from './order-selection.ts';
import { walkEntries } from './order-walk.ts';

/**
 * A page of any selection, by going through the entries of the whole view. Each order is shown with the values by which
 * it was selected, whatever becomes of it meanwhile.
 */
export async function walkedPage(table: Table, selection: OrderSelection): Promise<OrderPage> {
  const { clientId, viewer, offset, limit } = selection;
  const isWanted = (entry: OrderEntry) => isSelected(entry, selection);
  const selected = await walkEntries(table, entryPartition(clientId, viewer), isWanted);
  const shown = selected.sort(createComparison(selection)).slice(offset, offset + limit);
  const pk = viewPartition(clientId, viewer);
  const rows = await table.getAll(shown.map(({ createdAt, id }) => ({ pk, sk: creationKey(createdAt, id) })));
  return { count: selected.length, rows: shown.map((entry, index) => ({ ...rowOfItem(rows[index] ?? {}), ...entry })) };
}
