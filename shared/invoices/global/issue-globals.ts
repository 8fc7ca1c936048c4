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
  readonly zipcode: string;
  readonly salesPerPart: number;
};

/** Facturapi takes 5,000 items per document (`items`); 2,000 fit in a table item and in a call. */
export const SALES_PER_PART = 2_000;

// Unfinished parts of this many months are continued.
const MONTHS = 13;

/**
 * Issues last month's global invoice and continues all earlier parts. Orders of earlier months that became eligible later are
 * left to an operator, who knows which returns were filed; an alarm counts them. Safe to repeat and to run concurrently.
 */
export async function issueDueGlobals(act: Act, deps: GlobalDeps): Promise<readonly GlobalPart[]> {
  const last = lastMonth(act.now, deps.business.timeZone);
  const earlier = { from: shiftMonth(last, -MONTHS), until: shiftMonth(last, -1) };
  const parts = await continueParts(await globalParts(deps.table, earlier), act, deps);
  return [...parts, ...(await issueGlobal(last, act, deps)).parts];
}

export const lastMonth = (now: Date, timeZone: string): string => shiftMonth(localMonth(now, timeZone), -1);

/**
 * Issues the global invoice of a past month in as many parts as it needs: continues existing parts, then puts the paid orders
 * without an invoice into new ones. For half a day it waits for orders (`waiting`) whose own invoice is in progress.
 */
export async function issueGlobal(
  period: string,
  act: Act,
  deps: GlobalDeps,
): Promise<{ readonly parts: readonly GlobalPart[]; readonly waiting: number }> {
  const { table, business, salesPerPart } = deps;
  const parts = await continueParts(await readParts(table, period), act, deps);
  const rows = await uninvoicedRows(table, toMonthInstants(period, business.timeZone));
  const waiting = rows.filter(({ isWaiting }) => isWaiting).length;
  if (parts.some(({ status }) => status === 'collecting')) return { parts, waiting };
  if (waiting > 0 && act.now < globalWaitsUntil(period, business.timeZone)) return { parts, waiting };
  const eligible = rows.filter(({ isWaiting }) => !isWaiting);
  for (let start = 0; start < eligible.length; start += salesPerPart) {
    const orders = await listReady(eligible.slice(start, start + salesPerPart), deps);
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

/** Logs a failure, so that it does not stop the other parts. */
async function tryPart(part: GlobalPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  try {
    const after = await continuePart(part, act, deps);
    if (after.status !== part.status) logInfo('global invoice', namePart(after));
    return after;
  } catch (error) {
    logError('a part of a global invoice failed', error, namePart(part));
    const current = await readParts(deps.table, part.period);
    return current.find((other) => other.part === part.part) ?? part;
  }
}

const namePart = ({ period, part, status }: GlobalPart) => ({ period, part, status });

async function listReady(rows: readonly PartOrder[], { table }: GlobalDeps): Promise<PartOrder[]> {
  const orders = await readListedOrders(table, rows);
  const ready = orders.filter((order) => getGlobalStatus(order) === 'ready' && isConsistent(order));
  return ready.map(({ clientId, id: orderId }) => ({ clientId, orderId }));
}

/** True if an order's amounts can be stated by rate. An order that fails stays where the alarm counts it. */
function isConsistent(order: Order): boolean {
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

/** Requests a month's refused parts again under new keys, as nothing was issued under the old ones. */
export async function reopenRefused(period: string, { table }: Pick<GlobalDeps, 'table'>): Promise<void> {
  const parts = await readParts(table, period);
  for (const part of parts.filter(({ status }) => status === 'refused')) {
    await changePart(table, part, { status: 'requested', key: newPartKey(part), reason: null });
  }
}

/** Stores a part before anything else happens for it. Throws if another run stores the same one. */
async function beginPart({ period, part, orders }: NewPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  const newPart: GlobalPart = {
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
  const isWritten = await createPart(deps.table, newPart, orders);
  if (!isWritten) throw new Error('the global invoice is being issued by somebody else');
  return tryPart(newPart, act, deps);
}
