import { randomUUID } from 'node:crypto';
import { localMonth, shiftMonth, toMonthInstants } from '../../domain/working-day.ts';
import type { Order } from '../../order/order.ts';
import type { Act } from '../../order/order-events.ts';
import { getOrder, getOrdersByKey } from '../../order/orders.ts';
import { globalLedgerWrite, uninvoicedRows } from '../../order/rows/invoice-rows.ts';
import { formatFolio } from '../../order/rules/status.ts';
import { logError, logInfo } from '../../runtime/log.ts';
import { storeInvoiceFiles } from '../../store/documents.ts';
import { orderKey } from '../../store/keys.ts';
import { processInBatches } from '../../store/pause.ts';
import type { Table } from '../../store/table.ts';
import { changeInvoice, type InvoiceDeps } from '../invoice-attempt.ts';
import { DataRefused, type ProvidedDocument } from '../provider.ts';
import { getGlobalStatus, toNetSale } from '../rules/global/global-sale.ts';
import { buildGlobalInvoice, globalWaitsUntil, toGlobalPeriod } from '../rules/global/sales.ts';
import { listNettedParts, listReturnedParts } from '../rules/owed-documents.ts';
import { toIssueInstant } from '../rules/place-of-issue.ts';
import {
  changePart,
  createPart,
  type GlobalPart,
  getPartSales,
  globalParts,
  type PartOrder,
  salesWrite,
} from './global-parts.ts';

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
    return toNetSale(order, listReturnedParts(order)).shares.length > 0;
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

// 2,000 orders are marked in a minute or two; the next run marks the rest.
const MARKING_MS = 5 * 60 * 1_000;
const PROVIDER_MS = 60_000;

/** Marks a part's orders, fixes its sales, issues it and stores a copy; each step is recorded and can be repeated. */
async function continuePart(part: GlobalPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  const fixed = part.status === 'collecting' ? await collect(part, act, deps) : part;
  const issued = fixed.status === 'requested' ? await issuePart(fixed, act, deps) : fixed;
  return issued.status === 'issued' && !issued.isKept ? keepCopy(issued, deps) : issued;
}

/** Copies the XML and the PDF of an issued part into our bucket, as accounting records (CFF art. 28 and 30). */
async function keepCopy(part: GlobalPart, { table, invoicing, documents }: GlobalDeps): Promise<GlobalPart> {
  const files = await invoicing().files(part.providerId, AbortSignal.timeout(PROVIDER_MS));
  await storeInvoiceFiles(documents, part.key, files);
  return changePart(table, part, { isKept: true });
}

export const readListedOrders = (table: Table, listed: readonly PartOrder[]): Promise<Order[]> =>
  getOrdersByKey(
    table,
    listed.map(({ clientId, orderId }) => orderKey(clientId, orderId)),
  );

async function collect(part: GlobalPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  const { orders } = await getPartSales(deps.table, part);
  const outcomes = await processInBatches(deps.table, orders, { timeoutMs: MARKING_MS }, (order) =>
    markOrder(order, part, act, deps),
  );
  const marked = (outcomes.in ?? 0) + (outcomes.out ?? 0);
  return marked === orders.length ? fixSales(part, orders, deps) : part;
}

/** Marks an order, unless it was invoiced or cancelled meanwhile. Earlier returns reduce the sale; later ones are credited. */
async function markOrder(listed: PartOrder, part: GlobalPart, act: Act, { table }: GlobalDeps): Promise<'in' | 'out'> {
  const order = await getOrder(table, { clientId: listed.clientId, id: listed.orderId });
  if (!order) return 'out';
  const global = { period: part.period, part: part.part };
  const { order: after } = await changeInvoice(table, order, act, (fresh) => {
    if (getGlobalStatus(fresh) !== 'ready') return undefined;
    const returned = listReturnedParts(fresh);
    return { global: returned.length === 0 ? global : { ...global, returned } };
  });
  return isInPart(after, part) ? 'in' : 'out';
}

export const isInPart = ({ global }: Order, { period, part }: GlobalPart): boolean =>
  global?.period === period && global.part === part;

/** Fixes the sales of the marked orders, which later changes of the orders do not affect. */
async function fixSales(
  part: GlobalPart,
  listed: readonly PartOrder[],
  { table, zipcode }: GlobalDeps,
): Promise<GlobalPart> {
  const orders = (await readListedOrders(table, listed)).filter((order) => isInPart(order, part));
  if (orders.length === 0) return changePart(table, part, { status: 'empty', orderCount: 0 });
  const { sales, paymentForm, totalCents } = buildGlobalInvoice({
    period: part.period,
    zipcode,
    orders: orders.map(toSoldOrder),
  });
  const sold = orders.map(({ clientId, id: orderId }) => ({ clientId, orderId }));
  const changes = { status: 'requested', orderCount: orders.length, paymentForm, zipcode, totalCents } as const;
  return changePart(table, part, changes, [salesWrite(part, sold, sales)]);
}

const toSoldOrder = (order: Order) => ({
  ...toNetSale(order, listNettedParts(order)),
  folio: formatFolio(order.id),
  paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
});

/** Looks up the part, and issues it if it was not: a repeated key never makes a second document. */
async function issuePart(part: GlobalPart, act: Act, deps: GlobalDeps): Promise<GlobalPart> {
  const provider = deps.invoicing();
  const match = await provider.find(part.key, AbortSignal.timeout(PROVIDER_MS));
  if (match) return record(part, match, act, deps);
  const { period, zipcode: expeditionZipcode, paymentForm, totalCents } = part;
  const sales = (await getPartSales(deps.table, part)).sales.map(({ sale }) => sale);
  const sold = { period: toGlobalPeriod(period), sales, paymentForm, totalCents };
  const document = { kind: 'global', expeditionZipcode, ...sold } as const;
  const reference = { key: part.key, folio: `GLOBAL-${part.period}-${part.part}` };
  try {
    return await record(part, await provider.issue(document, reference, AbortSignal.timeout(PROVIDER_MS)), act, deps);
  } catch (error) {
    if (!(error instanceof DataRefused)) throw error;
    logError('a global invoice is refused', error, { period: part.period, part: part.part });
    return changePart(deps.table, part, { status: 'refused', reason: 'refused' });
  }
}

async function record(
  part: GlobalPart,
  provided: ProvidedDocument,
  { now }: Act,
  deps: GlobalDeps,
): Promise<GlobalPart> {
  const { table, business } = deps;
  const { id: providerId, status, totalCents } = provided;
  const stamp = provided.stamp && { ...provided.stamp, at: toIssueInstant(provided.stamp.at, business.timeZone) };
  if (status === 'pending') return part;
  if (status !== 'valid') return changePart(table, part, { status: 'refused', reason: `${status}_with_provider` });
  const reason = totalCents === part.totalCents ? null : 'total_differs';
  const issued = { status: 'issued', providerId, stamp, issuedAt: now.toISOString(), reason } as const;
  const row = globalLedgerWrite(part, { stamp }, now);
  return changePart(table, part, issued, [row]);
}
