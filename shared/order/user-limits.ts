import type { UserCaller } from '../access/authenticate.ts';
import { Refusal } from '../domain/refusal.ts';
import type { UserLimits } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import { recentEntries } from './lists/sources.ts';
import { toViewer } from './order.ts';
import { askedInvoices } from './rows/invoice-rows.ts';

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

// A patient sees also what others place for them, which does not count. As much of that as a user may place is read past; whoever
// is sent more in one hour is counted by the newest.
const VIEW_PER_LIMIT = 2;

/**
 * Returns the refusal of an order of somebody who has placed as many in the last hour as one user may, or null. Reads two
 * entries of their own view for each order that they may place, whatever is stored, and no order. Requests at the same moment
 * do not see each other.
 */
async function orderLimitRefusal(table: Table, { caller, limits, now }: Counting): Promise<Refusal | null> {
  const { client, user } = caller;
  if (user.role === 'insurance_employee') return null;
  const most = limits.ordersPerHour;
  const asked = { since: new Date(now.getTime() - HOUR_MS + 1), limit: VIEW_PER_LIMIT * most };
  const entries = await recentEntries(table, { clientId: client.id, viewer: toViewer(user) }, asked);
  // The newest come first: once this one has left the hour, fewer than allowed are in it.
  const leaving = entries.filter(({ placedBy }) => placedBy === user.id)[most - 1];
  if (!leaving) return null;
  const retryAfterSeconds = secondsUntil(Date.parse(leaving.createdAt) + HOUR_MS, now);
  return new Refusal('too_many_orders', { retryAfterSeconds });
}

/**
 * Returns the refusal of an invoice of somebody who has asked for those of as many orders in the last 24 hours as one user
 * may, or null. Asking again for the same order is no other invoice. Reads a row for each invoice that they may ask for, and
 * one more, whatever is stored.
 */
export async function invoiceLimitRefusal(
  table: Table,
  { caller, limits, now, orderId }: Counting & { readonly orderId: number | null },
): Promise<Refusal | null> {
  const { client, user } = caller;
  if (user.role === 'insurance_employee') return null;
  const most = limits.invoicesPerDay;
  const asked = { since: new Date(now.getTime() - DAY_MS), limit: most + 1 };
  const requests = await askedInvoices(table, { client: client.id, user: user.id }, asked);
  const leaving = requests.filter((request) => request.orderId !== orderId)[most - 1];
  if (!leaving) return null;
  const retryAfterSeconds = secondsUntil(Date.parse(leaving.askedAt) + DAY_MS, now);
  return new Refusal('too_many_invoices', { retryAfterSeconds });
}

/**
 * Returns the refusal of an order, with an invoice or without, by these limits, or null. Invoices are counted only if the
 * order may be placed.
 */
export async function placingLimitRefusal(
  table: Table,
  { isInvoiced, ...counting }: Counting & { readonly isInvoiced: boolean },
): Promise<Refusal | null> {
  const tooMany = await orderLimitRefusal(table, counting);
  if (tooMany || !isInvoiced) return tooMany;
  return invoiceLimitRefusal(table, { ...counting, orderId: null });
}
