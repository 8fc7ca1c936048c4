import type { UserCaller } from '../access/authenticate.ts';
import { Refusal } from '../domain/refusal.ts';
import type { UserLimits } from '../runtime/config.ts';
import type { Table } from '../store/table.ts';
import { WHOLE_VIEW } from './lists/delivery-delays.ts';
import { takeMerged, viewSource } from './lists/entries.ts';
import { toViewer } from './order.ts';
import { listInvoiceRequests } from './rows/invoice-rows.ts';

type Counting = { readonly caller: UserCaller; readonly limits: UserLimits; readonly now: Date };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// Rounded up, so that the caller is admitted after these seconds.
const secondsUntil = (instantMs: number, now: Date): number =>
  Math.max(1, Math.ceil((instantMs - now.getTime()) / 1_000));

// A patient's view includes orders that others placed for them, which do not count. Reading twice the limit skips as many of
// these; with more in one hour, only the newest entries count.
const VIEW_PER_LIMIT = 2;

/** Reads two entries of the user's view for each allowed order. Simultaneous requests do not see each other. */
async function orderLimitRefusal(table: Table, { caller, limits, now }: Counting): Promise<Refusal | null> {
  const { client, user } = caller;
  if (user.role === 'insurance_employee') return null;
  const most = limits.ordersPerHour;
  const view = viewSource({ clientId: client.id, viewer: toViewer(user) });
  const range = { ...WHOLE_VIEW, from: new Date(now.getTime() - HOUR_MS + 1).toISOString() };
  const newestFirst = { range, skipped: 0, size: VIEW_PER_LIMIT * most, isForward: false };
  const entries = (await takeMerged(table, [view], newestFirst)).map(({ entry }) => entry);
  // Once this one is an hour old, fewer than allowed remain.
  const leaving = entries.filter(({ placedBy }) => placedBy === user.id)[most - 1];
  if (!leaving) return null;
  const retryAfterSeconds = secondsUntil(Date.parse(leaving.createdAt) + HOUR_MS, now);
  return new Refusal('too_many_orders', { retryAfterSeconds });
}

/** Repeated requests for one order count once. Reads one row more than it allows. */
export async function invoiceLimitRefusal(
  table: Table,
  { caller, limits, now, orderId }: Counting & { readonly orderId: number | null },
): Promise<Refusal | null> {
  const { client, user } = caller;
  if (user.role === 'insurance_employee') return null;
  const most = limits.invoicesPerDay;
  const recent = { since: new Date(now.getTime() - DAY_MS), limit: most + 1 };
  const requests = await listInvoiceRequests(table, { client: client.id, user: user.id }, recent);
  const leaving = requests.filter((request) => request.orderId !== orderId)[most - 1];
  if (!leaving) return null;
  const retryAfterSeconds = secondsUntil(Date.parse(leaving.askedAt) + DAY_MS, now);
  return new Refusal('too_many_invoices', { retryAfterSeconds });
}

export async function placingLimitRefusal(
  table: Table,
  { isInvoiced, ...counting }: Counting & { readonly isInvoiced: boolean },
): Promise<Refusal | null> {
  const tooMany = await orderLimitRefusal(table, counting);
  if (tooMany || !isInvoiced) return tooMany;
  return invoiceLimitRefusal(table, { ...counting, orderId: null });
}
