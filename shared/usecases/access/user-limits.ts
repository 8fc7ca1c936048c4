import { INVOICE_WINDOW_MS } from '../../domain/invoices/invoice-status.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { UserLimits } from '../../runtime/config.ts';
import { recentEntries } from '../../store/order-lists/sources.ts';
import { type Order, toViewer } from '../../store/orders/order.ts';
import { getOrders } from '../../store/orders/orders.ts';
import { BATCH, type Table } from '../../store/table.ts';
import type { UserCaller } from './authenticate.ts';

type Counting = {
  readonly caller: UserCaller;
  readonly limits: UserLimits;
  readonly now: Date;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// Whole seconds, rounded up, so that the caller is let in when they have passed.
const secondsUntil = (instantMs: number, now: Date): number =>
  Math.max(1, Math.ceil((instantMs - now.getTime()) / 1_000));

/**
 * Returns the refusal of an order of somebody who has placed as many in the last hour as one user may, or null. Counts the
 * entries of their own view, those that others placed for them aside. Requests at the same moment do not see each other.
 */
async function orderLimitRefusal(table: Table, { caller, limits, now }: Counting): Promise<Refusal | null> {
  const { client, user } = caller;
  if (user.role === 'insurance_employee') return null;
  const most = limits.ordersPerHour;
  const asked = { since: new Date(now.getTime() - HOUR_MS + 1), pageSize: most };
  const times: number[] = [];
  for await (const entries of recentEntries(table, { clientId: client.id, viewer: toViewer(user) }, asked)) {
    times.push(...entries.filter(({ placedBy }) => placedBy === user.id).map(({ createdAt }) => Date.parse(createdAt)));
    if (times.length >= most) break;
  }
  // The newest come first: once this one has left the hour, fewer than allowed are in it.
  const leaving = times[most - 1];
  if (leaving === undefined) return null;
  return new Refusal('too_many_orders', { retryAfterSeconds: secondsUntil(leaving + HOUR_MS, now) });
}

/**
 * Returns the refusal of an invoice of somebody who has asked for those of as many orders in the last 24 hours as one user
 * may, or null. Asking again for the same order is no other invoice. Only orders of the invoice window can have been
 * invoiced by them, so it reads these, 100 in a round trip, the newest first.
 */
export async function invoiceLimitRefusal(
  table: Table,
  { caller, limits, now, orderId }: Counting & { readonly orderId: number | null },
): Promise<Refusal | null> {
  const { client, user } = caller;
  if (user.role === 'insurance_employee') return null;
  const since = now.getTime() - DAY_MS;
  const asked = { since: new Date(since - INVOICE_WINDOW_MS), pageSize: BATCH };
  const times: number[] = [];
  for await (const entries of recentEntries(table, { clientId: client.id, viewer: toViewer(user) }, asked)) {
    const ids = entries.map(({ id }) => id).filter((id) => id !== orderId);
    const orders = await getOrders(table, client.id, ids);
    times.push(...orders.map((order) => lastRequestAt(order, user.id)).filter((time) => time > since));
    if (times.length >= limits.invoicesPerDay) break;
  }
  const leaving = times.toSorted((a, b) => b - a)[limits.invoicesPerDay - 1];
  if (leaving === undefined) return null;
  return new Refusal('too_many_invoices', { retryAfterSeconds: secondsUntil(leaving + DAY_MS, now) });
}

/**
 * Returns the refusal of an order, with an invoice or without, by these limits, or null. Invoices, which take far more reads,
 * are counted only if the order may be placed.
 */
export async function placingLimitRefusal(
  table: Table,
  { isInvoiced, ...counting }: Counting & { readonly isInvoiced: boolean },
): Promise<Refusal | null> {
  const tooMany = await orderLimitRefusal(table, counting);
  if (tooMany || !isInvoiced) return tooMany;
  return invoiceLimitRefusal(table, { ...counting, orderId: null });
}

/** Returns the time at which a user last asked for the invoice of an order, or 0. */
function lastRequestAt({ history }: Order, user: number): number {
  const own = history.filter(
    ({ what, by }) => what === 'invoice_requested' && typeof by === 'object' && 'user' in by && by.user === user,
  );
  return Math.max(0, ...own.map(({ at }) => Date.parse(at)));
}
