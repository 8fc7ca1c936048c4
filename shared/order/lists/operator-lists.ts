import { sideBySide } from '../../runtime/async.ts';
import { orderKey } from '../../store/keys.ts';
import type { Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { getOrdersByKey } from '../orders.ts';
import type { FiguredOrder } from '../rules/figures.ts';
import type { OrderStatus, PaymentStatus } from '../rules/status.ts';
import { readCounts, type View } from './counters.ts';
import { type CreationRange, WHOLE_VIEW } from './delivery-delays.ts';
import { parseEntry } from './entries.ts';
import { readOrderPage } from './order-page.ts';
import type { OrderPage } from './selection.ts';
import { type FoundEntry, pagesOf, pairSource, toFound, toQuery, viewSource } from './sources.ts';

type Wanted = View & {
  readonly orderStatus?: OrderStatus | undefined;
  readonly paymentStatus?: PaymentStatus | undefined;
  readonly limit: number;
};

/** Returns the latest orders of a view, newest first, and the exact number of matches, at the price of a list's first page. */
export const latestOrders = (
  table: Table,
  { clientId, viewer, orderStatus, paymentStatus, limit }: Wanted,
): Promise<OrderPage> =>
  readOrderPage(table, {
    clientId,
    viewer,
    orderId: undefined,
    patientId: undefined,
    sentPhone: undefined,
    orderStatuses: orderStatus && [orderStatus],
    paymentStatuses: paymentStatus && [paymentStatus],
    nameWords: [],
    dateBounds: [],
    ordering: [{ field: 'createdAt', isDescending: true }],
    offset: 0,
    limit,
    after: undefined,
  });

type Part = { readonly range?: CreationRange; readonly offset?: number; readonly limit: number };

/** Views must have no order in common. Costs a query of each view's entries up to the end of the part, and the orders shown. */
export async function latestOfViews(
  table: Table,
  views: readonly View[],
  { range = WHOLE_VIEW, offset = 0, limit }: Part,
): Promise<{ readonly orders: readonly Order[]; readonly hasMore: boolean }> {
  const end = offset + limit;
  const lists = await Promise.all(views.map((view) => latestEntries(table, view, { range, count: end + 1 })));
  const latestFirst = lists
    .flat()
    .sort((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id - one.id);
  const shown = latestFirst.slice(offset, end).map(({ clientId, id }) => orderKey(clientId, id));
  return { orders: await getOrdersByKey(table, shown), hasMore: latestFirst.length > end };
}

async function latestEntries(
  table: Table,
  view: View,
  { range, count }: { readonly range: CreationRange; readonly count: number },
) {
  const items = await table.first(toQuery(viewSource(view), { range, isForward: false }), count);
  return items.map((item) => ({ ...parseEntry(item), clientId: view.clientId }));
}

/** Orders that a client placed in a period; `lacking` counts those whose entries have no figures. */
export type FiguredOrders = { readonly orders: readonly FiguredOrder[]; readonly lacking: number };

/**
 * Reads what figures need of the orders that a client placed from `from` until before `until`, from list entries alone. Costs
 * 1 read unit for each pair of statuses, and 1 for some 22 orders; twice that if an order moved meanwhile, since it may
 * have been missed between two pairs.
 */
export async function readFiguredOrders(
  table: Table,
  clientId: number,
  { from, until }: { readonly from: string; readonly until: string },
): Promise<FiguredOrders> {
  const view: View = { clientId, viewer: 'client' };
  const range = { from, until };
  const first = await readEntries(table, view, range);
  const { changes } = await readCounts(table, view);
  const second = changes === first.changes ? [] : (await readEntries(table, view, range)).entries;
  // An order that moved meanwhile may be in two pairs; its latest reading counts.
  const latest = new Map([...first.entries, ...second].map((found) => [found.entry.id, found]));
  const orders = [...latest.values()].flatMap(toFigured);
  return { orders, lacking: latest.size - orders.length };
}

const AT_ONCE = 4;
// With pages of 5,000, calls to a local engine on a busy machine timed out after 1.2 s.
const ENTRIES_PER_PAGE = 1_000;

async function readEntries(table: Table, view: View, range: CreationRange) {
  const { counts, changes } = await readCounts(table, view);
  const entries: FoundEntry[] = [];
  await sideBySide(counts, { atOnce: AT_ONCE }, async (pair) => {
    const source = pairSource(view, pair);
    const pages = pagesOf(table, source, { range, isForward: true, pageSize: ENTRIES_PER_PAGE });
    for await (const items of pages) for (const item of items) entries.push(toFound(item, source));
  });
  return { changes, entries };
}

const toFigured = ({ entry: { createdAt, figures }, statuses }: FoundEntry): FiguredOrder[] =>
  figures && statuses ? [{ createdAt, ...statuses, ...figures }] : [];
