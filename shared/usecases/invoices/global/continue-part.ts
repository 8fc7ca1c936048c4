import { randomUUID } from 'node:crypto';
import type { GlobalInvoice } from '../../../domain/invoices/content/cfdi.ts';
import { listOwedGlobalCredit } from '../../../domain/invoices/global/credits.ts';
import { toGlobalPeriod } from '../../../domain/invoices/global/period.ts';
import { getGlobalStanding } from '../../../domain/invoices/global/standing.ts';
import { DataRefused, type ProvidedDocument } from '../../../invoicing/provider.ts';
import { logError } from '../../../runtime/log.ts';
import {
  changePart,
  fixedSalesWrite,
  type GlobalPart,
  getPartSales,
  type PartOrder,
} from '../../../store/invoices/global-parts.ts';
import { changeInvoice } from '../../../store/invoices/invoice-changes.ts';
import { globalLedgerWrite } from '../../../store/invoices/order-rows.ts';
import type { Order } from '../../../store/orders/order.ts';
import type { Act } from '../../../store/orders/order-history.ts';
import { getOrder } from '../../../store/orders/orders.ts';
import { unlessPaused } from '../../../store/orders/pause.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { processInBatches } from '../process-in-batches.ts';
import { buildSales, isIn, readOrders } from './part-sales.ts';
import { cancelFormer, closePart, isCancelling, isToClose } from './replace-part.ts';

type Deps = Pick<InvoiceDeps, 'table' | 'business' | 'invoicing'> & { readonly zipcode: string };

// 2,000 orders are marked in a minute or two; what is left is marked by the next run.
const MARKING_MS = 5 * 60 * 1_000;
// A document of thousands of lines takes its time.
const PROVIDER_MS = 60_000;

/**
 * Goes on with a part of a global invoice: marks its orders, fixes its sales, and has it issued; once the windows of all its
 * orders are closed, has it issued anew without those that left it. Each step is recorded before the next one, so that it can
 * be repeated after a crash. Returns the part as it is then.
 */
export async function continuePart(part: GlobalPart, act: Act, deps: Deps): Promise<GlobalPart> {
  const fixed = part.status === 'collecting' ? await collect(part, act, deps) : part;
  const closed = isToClose(fixed, act.now, deps.business.timeZone) ? await closePart(fixed, deps) : fixed;
  const free = isCancelling(closed) ? await cancelFormer(closed, deps) : closed;
  return free.status === 'requested' ? await settle(free, act, deps) : free;
}

async function collect(part: GlobalPart, act: Act, deps: Deps): Promise<GlobalPart> {
  const { table } = deps;
  const { orders } = await getPartSales(table, part);
  const outcomes = await processInBatches(
    orders,
    MARKING_MS,
    unlessPaused(table, (order: PartOrder) => markOrder(order, part, act, { table })),
  );
  const marked = (outcomes.in ?? 0) + (outcomes.out ?? 0);
  return marked === orders.length ? fixSales(part, orders, deps) : part;
}

/**
 * Marks an order as being in a part, unless it got an invoice, or was cancelled, meanwhile. The part states all of it, so
 * that what was paid back before gets its credit note in the same change.
 */
async function markOrder(
  { clientId, orderId }: PartOrder,
  part: GlobalPart,
  act: Act,
  { table }: Pick<Deps, 'table'>,
): Promise<'in' | 'out'> {
  const order = await getOrder(table, { clientId, id: orderId });
  if (!order) return 'out';
  const global = { period: part.period, part: part.part };
  const owedCredits = (fresh: Order) =>
    listOwedGlobalCredit(fresh, { newKey: () => `order-${orderId}-${randomUUID()}`, now: act.now });
  const { order: after } = await changeInvoice(table, order, act, (fresh) =>
    getGlobalStanding(fresh) === 'ready'
      ? { global, documents: [...fresh.documents, ...owedCredits(fresh)] }
      : undefined,
  );
  return isIn(after, part) ? 'in' : 'out';
}

/** Fixes the sales of a part: those of the orders that are marked, whatever becomes of them later. */
async function fixSales(part: GlobalPart, listed: readonly PartOrder[], { table, zipcode }: Deps): Promise<GlobalPart> {
  const orders = (await readOrders(table, listed)).filter((order) => isIn(order, part));
  if (orders.length === 0) return changed(part, await changePart(table, part, { status: 'empty', orderCount: 0 }));
  const { changes, fixed } = buildSales(part, orders, zipcode);
  const writes = [fixedSalesWrite(part, 'SALES', fixed)];
  return changed(part, await changePart(table, part, { ...changes, status: 'requested' }, writes));
}

/** Returns the changed part, or the one before if somebody else has changed it, who goes on with it. */
const changed = (before: GlobalPart, after: GlobalPart | undefined): GlobalPart => after ?? before;

/** Finds out whether a part was issued, and has it issued if it was not: a repeated key never makes a second document. */
async function settle(part: GlobalPart, act: Act, deps: Deps): Promise<GlobalPart> {
  const provider = deps.invoicing();
  const found = await provider.find(part.key, AbortSignal.timeout(PROVIDER_MS));
  if (found) return record(part, found, act, deps);
  const document = await toDocument(part, deps);
  const reference = { key: part.key, folio: `GLOBAL-${part.period}-${part.part}` };
  try {
    return await record(part, await provider.issue(document, reference, AbortSignal.timeout(PROVIDER_MS)), act, deps);
  } catch (error) {
    if (!(error instanceof DataRefused)) throw error;
    logError('a global invoice is refused', error, { period: part.period, part: part.part });
    return changed(part, await changePart(deps.table, part, { status: 'refused', reason: 'refused' }));
  }
}

async function toDocument(part: GlobalPart, { table }: Pick<Deps, 'table'>): Promise<GlobalInvoice> {
  const { sales } = await getPartSales(table, part);
  const { period, zipcode, paymentForm, totalCents, former } = part;
  return {
    kind: 'global',
    expeditionZipcode: zipcode,
    period: toGlobalPeriod(period),
    replacesUuid: former?.stamp.uuid ?? null,
    sales: sales.map(({ sale }) => sale),
    paymentForm,
    totalCents,
  };
}

async function record(
  part: GlobalPart,
  provided: ProvidedDocument,
  { now }: Act,
  { table }: Deps,
): Promise<GlobalPart> {
  const { id: providerId, status, stamp, totalCents } = provided;
  if (status === 'pending') return part;
  if (status !== 'valid') {
    return changed(part, await changePart(table, part, { status: 'refused', reason: `${status}_with_provider` }));
  }
  const reason = totalCents === part.totalCents ? null : 'total_differs';
  const issued = { status: 'issued', providerId, stamp, issuedAt: now.toISOString(), reason } as const;
  const row = globalLedgerWrite(part, { stamp }, now);
  return changed(part, await changePart(table, part, issued, [row]));
}
