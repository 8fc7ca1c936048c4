import { delaysKey, orderKey, patientViewer, viewerKind } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseOrder } from '../orders/order-item.ts';
import { findPatients } from '../people/name-index.ts';
import type { Table } from '../table.ts';
import { readCounts, type StatusCount, sumOrders, type ViewCounts } from './counters.ts';
import { boundCreation, type CreationRange, parseDelays, WHOLE_VIEW } from './delivery-delays.ts';
import type { OrderEntry } from './entries.ts';
import {
  createComparison,
  hasWantedStatuses,
  isSelected,
  type OrderPage,
  type OrderSelection,
  type View,
} from './selection.ts';
import { type FoundEntry, pairSource, readWanted, type Source, takeMerged, viewSource } from './sources.ts';

/**
 * Returns a page of a view of orders with the exact number of all that match. Without search, dates and order by delivery
 * it reads about what it shows, whatever the size of the view; a search reads the orders of the patients found, dates read
 * the orders created not long before them. Throws Refusal `unavailable` when the time of its request is not enough.
 */
export async function listOrders(table: Table, selection: OrderSelection): Promise<OrderPage> {
  const { orderStatuses, paymentStatuses } = selection;
  if (orderStatuses?.length === 0 || paymentStatuses?.length === 0) return { count: 0, orders: [] };
  const listing = await planListing(table, selection);
  return listing.views.length === 0 ? { count: 0, orders: [] } : readPage(table, listing);
}

/** The views that are read for a selection, and how. */
type Listing = {
  readonly selection: OrderSelection;
  readonly views: readonly View[];
  readonly range: CreationRange;
  readonly isWanted: (entry: OrderEntry) => boolean;
  /** True if the counters of the view count what is asked for, in the order of its entries. */
  readonly isCounted: boolean;
};

async function planListing(table: Table, selection: OrderSelection): Promise<Listing> {
  const { clientId, viewer, patientId, dateBounds, nameWords, ordering } = selection;
  const hasDates = dateBounds.length > 0;
  const [views, delays] = await Promise.all([
    narrowViews(table, selection),
    hasDates ? table.get(delaysKey(clientId)) : undefined,
  ]);
  const doctorId = parseDoctor(viewer);
  const isByCreation = ordering.length === 1 && ordering[0]?.field === 'createdAt';
  const isOwnOrPatients = doctorId === undefined || patientId === undefined;
  return {
    selection,
    views,
    range: hasDates ? boundCreation(selection, parseDelays(delays)) : WHOLE_VIEW,
    isWanted: (entry) => isSelected(entry, selection) && (doctorId === undefined || entry.doctorId === doctorId),
    isCounted: isByCreation && isOwnOrPatients && !hasDates && nameWords.length === 0,
  };
}

/** Returns the smallest views that together hold what is asked for; none if that is nothing. */
async function narrowViews(table: Table, { clientId, viewer, patientId, nameWords }: OrderSelection): Promise<View[]> {
  const own = { clientId, viewer };
  const isPatient = viewerKind(viewer) === 'patient';
  if (patientId !== undefined) {
    const ofPatient = { clientId, viewer: patientViewer(patientId) };
    return isPatient && viewer !== ofPatient.viewer ? [] : [ofPatient];
  }
  const found = isPatient || nameWords.length === 0 ? undefined : await findPatients(table, clientId, nameWords);
  return found?.map((id) => ({ clientId, viewer: patientViewer(id) })) ?? [own];
}

// Orders that were changed between the first read and the last are read once more, and then shown as they are: while
// many orders are written, no page reads more than twice.
const TRIES = 2;

async function readPage(table: Table, listing: Listing): Promise<OrderPage> {
  const { selection, views, isCounted } = listing;
  const isByStatus = selection.orderStatuses !== undefined || selection.paymentStatuses !== undefined;
  const readAllCounts = async () =>
    isCounted || isByStatus ? Promise.all(views.map((view) => readCounts(table, view))) : [];
  let before = await readAllCounts();
  for (let tries = 1; ; tries++) {
    const sources = views.flatMap((view, index) => toSources(view, isByStatus ? before[index] : undefined, selection));
    const { count, shown } = await (isCounted
      ? countedPart(table, { sources, selection, count: countWanted(before, selection) })
      : filteredPart(table, { sources, listing }));
    const [orders, after] = await Promise.all([readOrders(table, selection, shown), readAllCounts()]);
    if (tries === TRIES || sumChanges(before) === sumChanges(after)) return { count, orders };
    before = after;
  }
}

const sumChanges = (counts: readonly ViewCounts[]): number => counts.reduce((sum, { changes }) => sum + changes, 0);
const wantedPairs = ({ counts }: ViewCounts, selection: OrderSelection): StatusCount[] =>
  counts.filter((pair) => hasWantedStatuses(pair, selection));
const countWanted = (counts: readonly ViewCounts[], selection: OrderSelection): number =>
  sumOrders(counts.flatMap((view) => wantedPairs(view, selection)));

/** Returns the entries of a view that have wanted statuses: `counts` tells which of them it has. */
const toSources = (view: View, counts: ViewCounts | undefined, selection: OrderSelection): Source[] =>
  counts ? wantedPairs(counts, selection).map((pair) => pairSource(view, pair)) : [viewSource(view)];

/** The number of all entries asked for, and those of the page. */
type Part = { readonly count: number; readonly shown: readonly FoundEntry[] };
type Counted = { readonly sources: readonly Source[]; readonly selection: OrderSelection; readonly count: number };

/** Reads the page from the nearer end of the list. */
async function countedPart(table: Table, { sources, selection, count }: Counted): Promise<Part> {
  const { offset, limit, ordering } = selection;
  const isDescending = ordering[0]?.isDescending === true;
  if (offset > 0 && offset >= count) return { count, shown: [] };
  const behind = Math.max(0, count - offset - limit);
  if (behind < offset) {
    const size = count - offset - behind;
    const shown = await takeMerged(table, sources, { skipped: behind, size, isForward: isDescending });
    return { count, shown: shown.reverse() };
  }
  const shown = await takeMerged(table, sources, { skipped: offset, size: limit, isForward: !isDescending });
  // A page that is not full ends the list, and so counts it, whatever was written since it was counted.
  return { count: shown.length < limit ? offset + shown.length : count, shown };
}

type Filtered = { readonly sources: readonly Source[]; readonly listing: Listing };

/** Reads all that is asked for, then sorts it. */
async function filteredPart(table: Table, { sources, listing }: Filtered): Promise<Part> {
  const { range, isWanted, selection } = listing;
  const compare = createComparison(selection);
  const found = range.from > range.until ? [] : await readWanted(table, sources, range, isWanted);
  const { offset, limit } = selection;
  const sorted = found.sort((a, b) => compare(a.entry, b.entry));
  return { count: sorted.length, shown: sorted.slice(offset, offset + limit) };
}

/** Reads the orders of entries. They have the statuses by which they were found, whatever became of them since. */
async function readOrders(table: Table, { clientId }: View, shown: readonly FoundEntry[]): Promise<Order[]> {
  const items = await table.getAll(shown.map(({ entry }) => orderKey(clientId, entry.id)));
  return items.flatMap((item, index) => (item ? { ...parseOrder(item), ...shown[index]?.statuses } : []));
}

const parseDoctor = (viewer: View['viewer']): number | undefined =>
  viewerKind(viewer) === 'doctor' ? Number(viewer.split('#')[1]) : undefined;
