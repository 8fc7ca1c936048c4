import { randomUUID } from 'node:crypto';
import { toMonthInstants } from '../../domain/working-day.ts';
import type { Order } from '../../order/order.ts';
import type { Act } from '../../order/order-events.ts';
import { uninvoicedRows } from '../../order/rows/invoice-rows.ts';
import { logError, logInfo } from '../../runtime/log.ts';
import type { Table } from '../../store/table.ts';
import type { InvoiceDeps } from '../invoice-attempt.ts';
import { getGlobalStatus, toNetSale } from '../rules/global/global-sale.ts';
import { globalWaitsUntil, localMonth, shiftMonth } from '../rules/global/period.ts';
import { listRateShares } from '../rules/global/sales.ts';
import { listReturnedParts } from '../rules/owed-documents.ts';
import { continuePart, readListedOrders } from './global-part.ts';
import { changePart, createPart, type GlobalPart, globalParts, type PartOrder } from './global-parts.ts';

export type GlobalDeps = Pick<InvoiceDeps, 'table' | 'business' | 'invoicing' | 'documents'> & {
  /** The zip code of the issuer. */
  readonly zipcode: string;
  readonly salesPerPart: number;
};

/** The most sales of a part: Facturapi takes 5,000 items a document (`items`); 2,000 fit in an item of ours and in a call. */
export const SALES_PER_PART = 2_000;

// Parts that are not finished are looked for in as many months.
const MONTHS = 13;

/**
 * Issues the global invoice of the last month, and goes on with all parts of earlier ones. Orders of earlier months that became
 * free since are left to an operator, who knows which returns were filed; the alarm counts them. Safe to run concurrently and
 * to repeat after a crash.
 */
export async function issueDueGlobals(act: Act, deps: GlobalDeps): Promise<readonly GlobalPart[]> {
  const last = lastMonth(act.now, deps.business.timeZone);
  const earlier = { from: shiftMonth(last, -MONTHS), until: shiftMonth(last, -1) };
  const parts = await continueParts(await globalParts(deps.table, earlier), act, deps);
  return [...parts, ...(await issueGlobal(last, act, deps)).parts];
}

/** Returns the last local month that is over. */
export const lastMonth = (now: Date, timeZone: string): string => shiftMonth(localMonth(now, timeZone), -1);

/**
 * Issues the global invoice of a month that is over, in as many parts as it needs: goes on with those begun, then takes the
 * paid orders without an invoice into new ones. While the own invoice of an order is in progress no new part is begun, for
 * half a day at most. Returns the parts, and the number of orders whose own invoice is in progress.
 */
export async function issueGlobal(
  period: string,
  act: Act,
  deps: GlobalDeps,
): Promise<{ readonly parts: readonly GlobalPart[]; readonly waiting: number }> {
  const { table, business, salesPerPart } = deps;
  const begun = await readParts(table, period);
  const parts = await continueParts(begun, act, deps);
  const rows = await uninvoicedRows(table, toMonthInstants(period, business.timeZone));
  const waiting = rows.filter(({ isWaiting }) => isWaiting).length;
  if (parts.some(({ status }) => status === 'collecting')) return { parts, waiting };
  if (waiting > 0 && act.now < globalWaitsUntil(period, business.timeZone)) return { parts, waiting };
  const free = rows.filter(({ isWaiting }) => !isWaiting);
  for (let start = 0; start < free.length; start += salesPerPart) {
    const orders = await listReady(free.slice(start, start + salesPerPart), deps);
    if (orders.length > 0) parts.push(await beginPart({ period, part: parts.length + 1, orders }, act, deps));
  }
  return { parts, waiting };
}

const readParts = (table: Table, period: string): Promise<GlobalPart[]> =>
  globalParts(table, { from: period, until: period });

async function continueParts(parts: readonly GlobalPart[], act: Act, deps: GlobalDeps): Promise<GlobalPart[]> {
  const continued: GlobalPart[] = [];
  for (const part of parts) continued.push(await tryPart(part, act, deps));
  return continued;
}

/** Goes on with a part; a failure is logged, and does not hold up the others. */
async function tryPart(part: GlobalPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  try {
    const after = await continuePart(part, act, deps);
    if (after.status !== part.status) logInfo('global invoice', namePart(after));
    return after;
  } catch (error) {
    logError('a part of a global invoice failed', error, namePart(part));
    const current = await readParts(deps.table, part.period);
    return current.find((one) => one.part === part.part) ?? part;
  }
}

const namePart = ({ period, part, status }: GlobalPart) => ({ period, part, status });

async function listReady(rows: readonly PartOrder[], { table }: GlobalDeps): Promise<PartOrder[]> {
  const orders = await readListedOrders(table, rows);
  const ready = orders.filter((order) => getGlobalStatus(order) === 'ready' && addsUp(order));
  return ready.map(({ clientId, id: orderId }) => ({ clientId, orderId }));
}

/** True if an order can be stated by rates. One that cannot stays where the alarm counts it. */
function addsUp(order: Order): boolean {
  try {
    return listRateShares(toNetSale(order, listReturnedParts(order))).length > 0;
  } catch (error) {
    logError('an order does not fit in a global invoice', error, { orderId: order.id });
    return false;
  }
}

const newPartKey = ({ period, part }: Pick<GlobalPart, 'period' | 'part'>): string =>
  `global-${period}-${part}-${randomUUID()}`;

type NewPart = { readonly period: string; readonly part: number; readonly orders: readonly PartOrder[] };

/**
 * Requests the refused parts of a month again, for an operator: nothing was issued under their former keys.
 */
export async function reopenRefused(period: string, { table }: Pick<GlobalDeps, 'table'>): Promise<void> {
  const parts = await readParts(table, period);
  for (const part of parts.filter(({ status }) => status === 'refused')) {
    await changePart(table, part, { status: 'requested', key: newPartKey(part), reason: null });
  }
}

/** Writes a part before anything else happens for it. Throws if somebody else writes the same one right now. */
async function beginPart({ period, part, orders }: NewPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  const begun: GlobalPart = {
    period,
    part,
    status: 'collecting',
    version: 1,
    key: newPartKey({ period, part }),
    providerId: '',
    stamp: null,
    orderCount: orders.length,
    totalCents: 0,
    paymentForm: '',
    zipcode: '',
    createdAt: act.now.toISOString(),
    issuedAt: null,
    isKept: false,
    reason: null,
  };
  const isWritten = await createPart(deps.table, begun, orders);
  if (!isWritten) throw new Error('the global invoice is being issued by somebody else');
  return tryPart(begun, act, deps);
}
