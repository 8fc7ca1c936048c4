import type { Order } from '../../order/order.ts';
import type { Act } from '../../order/order-events.ts';
import { getOrder, getOrdersByKey } from '../../order/orders.ts';
import { globalLedgerWrite } from '../../order/rows/invoice-rows.ts';
import { formatFolio } from '../../order/rules/status.ts';
import { logError } from '../../runtime/log.ts';
import { storeInvoiceFiles } from '../../store/documents.ts';
import { orderKey } from '../../store/keys.ts';
import { unlessPaused } from '../../store/pause.ts';
import type { Table } from '../../store/table.ts';
import type { InvoiceDeps } from '../invoice-attempt.ts';
import { changeInvoice } from '../invoice-changes.ts';
import { processInBatches } from '../process-in-batches.ts';
import { DataRefused, type ProvidedDocument } from '../provider.ts';
import type { GlobalInvoice } from '../rules/build/cfdi.ts';
import { getGlobalStatus, toNetSale } from '../rules/global/global-sale.ts';
import { toGlobalPeriod } from '../rules/global/period.ts';
import { buildGlobalInvoice } from '../rules/global/sales.ts';
import { listNettedParts, listReturnedParts } from '../rules/owed-documents.ts';
import { toIssueInstant } from '../rules/place-of-issue.ts';
import { changePart, fixedSalesWrite, type GlobalPart, getPartSales, type PartOrder } from './global-parts.ts';

type Deps = Pick<InvoiceDeps, 'table' | 'business' | 'invoicing' | 'documents'> & { readonly zipcode: string };

// 2,000 orders are marked in a minute or two; the next run marks the rest.
const MARKING_MS = 5 * 60 * 1_000;
const PROVIDER_MS = 60_000;

/** Marks a part's orders, fixes its sales, issues it and stores a copy; each step is recorded and can be repeated. */
export async function continuePart(part: GlobalPart, act: Act, deps: Deps): Promise<GlobalPart> {
  const fixed = part.status === 'collecting' ? await collect(part, act, deps) : part;
  const issued = fixed.status === 'requested' ? await issuePart(fixed, act, deps) : fixed;
  return issued.status === 'issued' && !issued.isKept ? keepCopy(issued, deps) : issued;
}

/** Copies the XML and the PDF of an issued part into our bucket, as accounting records (CFF art. 28 and 30). */
async function keepCopy(part: GlobalPart, { table, invoicing, documents }: Deps): Promise<GlobalPart> {
  const files = await invoicing().files(part.providerId, AbortSignal.timeout(PROVIDER_MS));
  await storeInvoiceFiles(documents, part.key, files);
  return changePart(table, part, { isKept: true });
}

export const readListedOrders = (table: Table, listed: readonly PartOrder[]): Promise<Order[]> =>
  getOrdersByKey(
    table,
    listed.map(({ clientId, orderId }) => orderKey(clientId, orderId)),
  );

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

/** Marks an order, unless it was invoiced or cancelled meanwhile. Earlier returns reduce the sale; later ones are credited. */
async function markOrder(
  { clientId, orderId }: PartOrder,
  part: GlobalPart,
  act: Act,
  { table }: Pick<Deps, 'table'>,
): Promise<'in' | 'out'> {
  const order = await getOrder(table, { clientId, id: orderId });
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
async function fixSales(part: GlobalPart, listed: readonly PartOrder[], { table, zipcode }: Deps): Promise<GlobalPart> {
  const orders = (await readListedOrders(table, listed)).filter((order) => isInPart(order, part));
  if (orders.length === 0) return changePart(table, part, { status: 'empty', orderCount: 0 });
  const sold = { period: part.period, zipcode, orders: orders.map(toSoldOrder) };
  const { sales, paymentForm, totalCents } = buildGlobalInvoice(sold);
  const fixed = orders.map(({ clientId, id: orderId }, index) => {
    const sale = sales[index];
    if (!sale) throw new Error('an order of a global invoice has its sale');
    return { clientId, orderId, sale };
  });
  const changes = { status: 'requested', orderCount: orders.length, paymentForm, zipcode, totalCents } as const;
  return changePart(table, part, changes, [fixedSalesWrite(part, fixed)]);
}

const toSoldOrder = (order: Order) => ({
  ...toNetSale(order, listNettedParts(order)),
  folio: formatFolio(order.id),
  paymentForm: order.paymentForm ?? order.paymentMethod.sat_payment_form,
});

/** Looks up the part, and issues it if it was not: a repeated key never makes a second document. */
async function issuePart(part: GlobalPart, act: Act, deps: Deps): Promise<GlobalPart> {
  const provider = deps.invoicing();
  const match = await provider.find(part.key, AbortSignal.timeout(PROVIDER_MS));
  if (match) return record(part, match, act, deps);
  const document = await toDocument(part, deps);
  const reference = { key: part.key, folio: `GLOBAL-${part.period}-${part.part}` };
  try {
    return await record(part, await provider.issue(document, reference, AbortSignal.timeout(PROVIDER_MS)), act, deps);
  } catch (error) {
    if (!(error instanceof DataRefused)) throw error;
    logError('a global invoice is refused', error, { period: part.period, part: part.part });
    return changePart(deps.table, part, { status: 'refused', reason: 'refused' });
  }
}

async function toDocument(part: GlobalPart, { table }: Pick<Deps, 'table'>): Promise<GlobalInvoice> {
  const { sales } = await getPartSales(table, part);
  const { period, zipcode, paymentForm, totalCents } = part;
  return {
    kind: 'global',
    expeditionZipcode: zipcode,
    period: toGlobalPeriod(period),
    sales: sales.map(({ sale }) => sale),
    paymentForm,
    totalCents,
  };
}

async function record(
  part: GlobalPart,
  provided: ProvidedDocument,
  { now }: Act,
  { table, business }: Deps,
): Promise<GlobalPart> {
  const { id: providerId, status, totalCents } = provided;
  const stamp = provided.stamp && { ...provided.stamp, at: toIssueInstant(provided.stamp.at, business.timeZone) };
  if (status === 'pending') return part;
  if (status !== 'valid') return changePart(table, part, { status: 'refused', reason: `${status}_with_provider` });
  const reason = totalCents === part.totalCents ? null : 'total_differs';
  const issued = { status: 'issued', providerId, stamp, issuedAt: now.toISOString(), reason } as const;
  const row = globalLedgerWrite(part, { stamp }, now);
  return changePart(table, part, issued, [row]);
}
