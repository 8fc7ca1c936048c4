import { countedPage } from './order-counted-page.ts';
import type { OrderPage, OrderSelection } from './order-selection.ts';
import { walkedPage } from './order-walked-page.ts';
import type { Table } from './table.ts';

// A request is answered after 7 s at the latest: what a list has not read until here it would not finish.
const TIME_LIMIT_MS = 5_000;

/**
 * A page of a view of orders with the exact number of all that match. By creation and by statuses it costs the same
 * at any size of the view; anything else walks through the short form of the whole view, which `timeLimitMs` bounds.
 * Refused as `unavailable` when that is not enough: never a wrong answer.
 */
export async function listOrders(
  table: Table,
  selection: OrderSelection,
  timeLimitMs = TIME_LIMIT_MS,
): Promise<OrderPage> {
  const { orderStatuses, paymentStatuses } = selection;
  if (orderStatuses?.length === 0 || paymentStatuses?.length === 0) return { count: 0, rows: [] };
  const asked = inNarrowestView(selection);
  const deadline = Date.now() + timeLimitMs;
  return (await countedPage(table, asked, deadline)) ?? (await walkedPage(table, asked, deadline));
}

/** What the client's employees see of one patient is that patient's own view. */
function inNarrowestView(selection: OrderSelection): OrderSelection {
  const { viewer, patientId } = selection;
  if (viewer !== 'client' || patientId === undefined) return selection;
  return { ...selection, viewer: `patient#${patientId}`, patientId: undefined };
}
