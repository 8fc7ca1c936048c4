import type { Table } from '../table.ts';
import { ordersIn, readCounts } from './order-counters.ts';
import { findPart, rowsOfPart } from './order-part.ts';
import { rowOfItem } from './order-rows.ts';
import { hasWantedStatuses, type OrderPage, type OrderSelection } from './order-selection.ts';

// A write to the view between the two reads of its counters costs another try of some milliseconds.
const TRIES = 5;

/**
 * A page in the order of creation, without filters or with statuses of one kind, counted by the counters: it reads little
 * more than it shows, whatever the size of the view. The counters are read before and after the rows: only if nothing was
 * written between, and the rows are as many as the count promises, do they belong together. Undefined if the selection
 * is of another kind, the page lies too deep, or they never did.
 */
export async function countedPage(table: Table, selection: OrderSelection): Promise<OrderPage | undefined> {
  if (!isCounted(selection)) return undefined;
  const { clientId, viewer, offset } = selection;
  let before = await readCounts(table, clientId, viewer);
  for (let tries = 0; tries < TRIES; tries++) {
    const wanted = before.counts.filter((each) => each.orders > 0 && hasWantedStatuses(each, selection));
    const count = ordersIn(wanted);
    if (count <= offset) return { count, rows: [] };
    const part = findPart(count, selection);
    const rows = await rowsOfPart(table, { selection, wanted, part });
    if (!rows) return undefined;
    const after = await readCounts(table, clientId, viewer);
    if (after.changes === before.changes && rows.length === part.size) return { count, rows: rows.map(rowOfItem) };
    before = after;
  }
  return undefined;
}

function isCounted({ patientId, orderStatuses, paymentStatuses, nameWords, dateBounds, ordering }: OrderSelection) {
  const isByCreation = ordering.length === 1 && ordering[0]?.field === 'createdAt';
  const isOfOneKind = orderStatuses === undefined || paymentStatuses === undefined;
  return isByCreation && isOfOneKind && patientId === undefined && nameWords.length === 0 && dateBounds.length === 0;
}
