import { findPatients } from '../../people/name-index.ts';
import { creationKey, delaysKey, orderKey, parseDoctor, patientViewer, viewerKind } from '../../store/keys.ts';
import type { Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { parseOrder } from '../order-item.ts';
import { findOrder } from '../orders.ts';
import { readCounts, type StatusCount, sumOrders, type View, type ViewCounts } from './counters.ts';
import { boundCreation, type CreationRange, parseDelays, WHOLE_VIEW } from './delivery-delays.ts';
import { type OrderEntry, toEntry } from './entries.ts';
import { type Part, takeMerged, takeOthers } from './merge.ts';
import {
  compareByOrdering,
  hasWantedStatuses,
  isSelected,
  type OrderPage,
  type OrderSelection,
  type Place,
  takeShown,
} from './selection.ts';
import { type FoundEntry, pairSource, readWanted, type Source, viewSource } from './sources.ts';

type Listing = {
  readonly selection: OrderSelection;
  readonly views: readonly View[];
  readonly range: CreationRange;
  readonly isWanted: (entry: OrderEntry) => boolean;
  /** True if the view's counters count exactly the selection, and its entries are in the right order. */
  readonly isCounted: boolean;
};

/** One try to read a page, with the counts of its views from before it; the last try is shown as it is. */
type Reading = { readonly listing: Listing; readonly counts: readonly ViewCounts[]; readonly isLast: boolean };

type Matches = { readonly count: number; readonly entries: readonly FoundEntry[] };

/**
 * Returns a page of a view of orders with the exact number of all matches. Without search, dates and sorting by delivery
 * it reads about as much as it shows, whatever the size of the view; a search reads the orders of the matching patients,
 * dates read the orders created shortly before them. Throws Refusal `unavailable` when the request runs out of time.
 */
export async function readOrderPage(table: Table, selection: OrderSelection): Promise<OrderPage> {
  const { orderStatuses, paymentStatuses } = selection;
  if (orderStatuses?.length === 0 || paymentStatuses?.length === 0) return EMPTY;
  if (selection.orderId !== undefined) return readSingle(table, selection, selection.orderId);
  const listing = await planListing(table, selection);
  return listing.views.length === 0 ? EMPTY : readConsistently(table, listing);
}

const EMPTY: OrderPage = { count: 0, orders: [], size: 0 };

async function readSingle(table: Table, selection: OrderSelection, id: number): Promise<OrderPage> {
  const { clientId, viewer, patientId } = selection;
  const order = await findOrder(table, { clientId, viewer, id });
  const isMatch =
    order &&
    (patientId === undefined || order.patient.id === patientId) &&
    hasWantedStatuses(order, selection) &&
    isSelected(toEntry(order), selection);
  if (!isMatch) return EMPTY;
  const orders = takeShown([order], selection, toEntry);
  return { count: 1, orders, size: orders.length };
}

async function planListing(table: Table, selection: OrderSelection): Promise<Listing> {
  const { clientId, viewer, patientId, sentPhone, dateBounds, nameWords, ordering } = selection;
  const hasDates = dateBounds.length > 0;
  const isOfDelivery = dateBounds.some(({ field }) => field !== 'createdAt');
  const [views, delays] = await Promise.all([
    narrowViews(table, selection),
    isOfDelivery ? table.get(delaysKey(clientId)) : undefined,
  ]);
  const doctorId = parseDoctor(viewer);
  const isByCreation = ordering.length === 1 && ordering[0]?.field === 'createdAt';
  const isOwnOrPatients = doctorId === undefined || patientId === undefined;
  return {
    selection,
    views,
    range: hasDates ? boundCreation(selection, parseDelays(delays)) : WHOLE_VIEW,
    isWanted: (entry) => isSelected(entry, selection) && (doctorId === undefined || entry.doctorId === doctorId),
    isCounted: isByCreation && isOwnOrPatients && !hasDates && sentPhone === undefined && nameWords.length === 0,
  };
}

/** Returns the smallest views that together hold all matches; none if nothing can match. */
async function narrowViews(table: Table, { clientId, viewer, patientId, nameWords }: OrderSelection): Promise<View[]> {
  const own = { clientId, viewer };
  const isPatient = viewerKind(viewer) === 'patient';
  if (patientId !== undefined) {
    const patientView = { clientId, viewer: patientViewer(patientId) };
    return isPatient && viewer !== patientView.viewer ? [] : [patientView];
  }
  const patients = isPatient ? undefined : await findPatients(table, clientId, nameWords);
  return patients?.map((id) => ({ clientId, viewer: patientViewer(id) })) ?? [own];
}

// If orders changed while a page was read it is read once more, and then shown as it is: no page reads more than twice,
// however many orders are being written.
const TRIES = 2;

async function readConsistently(table: Table, listing: Listing): Promise<OrderPage> {
  const { selection, views, isCounted } = listing;
  const readAllCounts = async () =>
    isCounted || isByStatus(selection) ? Promise.all(views.map((view) => readCounts(table, view))) : [];
  let before = await readAllCounts();
  for (let tries = 1; ; tries++) {
    const reading = { listing, counts: before, isLast: tries === TRIES };
    const { count, entries } = await (isCounted ? readCounted(table, reading) : readFiltered(table, reading));
    const [orders, after] = await Promise.all([readShown(table, selection, entries), readAllCounts()]);
    const isSame =
      sumChanges(before) === sumChanges(after) && orders.every((order) => hasWantedStatuses(order, selection));
    if (reading.isLast || isSame) return { count, orders, size: entries.length };
    before = after;
  }
}

const sumChanges = (counts: readonly ViewCounts[]): number => counts.reduce((sum, { changes }) => sum + changes, 0);

/** Reads the orders of entries, with the statuses under which they were listed, even if they have changed since. */
async function readShown(table: Table, { clientId }: View, entries: readonly FoundEntry[]): Promise<Order[]> {
  const items = await table.getAll(entries.map(({ entry }) => orderKey(clientId, entry.id)));
  return items.flatMap((item, index) => (item ? { ...parseOrder(item), ...entries[index]?.statuses } : []));
}

// 500 entries are 16 read units.
const READ_AGAIN_FROM_OLDEST = 500;

async function readCounted(table: Table, reading: Reading): Promise<Matches> {
  const { selection } = reading.listing;
  const count = sumOrders(reading.counts.flatMap((view) => wantedPairs(view, selection)));
  if (selection.offset >= count) return { count, entries: [] };
  if (!selection.after) return readNumbered(table, reading, count);
  return { count, entries: await readBehind(table, reading, selection.after) };
}

/** Reads from the nearer end of the list; the last try of an ascending list starts at the oldest, unless that is far away. */
async function readNumbered(table: Table, reading: Reading, count: number): Promise<Matches> {
  const { offset, limit, ordering } = reading.listing.selection;
  const isDescending = ordering[0]?.isDescending === true;
  const range = WHOLE_VIEW;
  const behind = Math.max(0, count - offset - limit);
  // Counted from the newest, each order placed since the count shifts the page.
  const isFromOldest = !isDescending && reading.isLast && offset <= READ_AGAIN_FROM_OLDEST;
  if (behind < offset && !isFromOldest) {
    const size = count - offset - behind;
    const entries = await takePart(table, reading, { range, skipped: behind, size, isForward: isDescending });
    return { count, entries: entries.reverse() };
  }
  const entries = await takePart(table, reading, { range, skipped: offset, size: limit, isForward: !isDescending });
  // A page that is not full ends the list and so gives the exact count, whatever was written since.
  return { count: entries.length < limit ? offset + entries.length : count, entries };
}

/** Reads the orders after a place at the price of a first page; orders written before it do not shift the result. */
function readBehind(table: Table, reading: Reading, { createdAt = '', id }: Place): Promise<FoundEntry[]> {
  const { limit, ordering } = reading.listing.selection;
  const isForward = ordering[0]?.isDescending !== true;
  // The next order of one instant has at least the next id.
  const range = isForward
    ? { ...WHOLE_VIEW, from: creationKey(createdAt, id + 1) }
    : { ...WHOLE_VIEW, until: creationKey(createdAt, id - 1) };
  return takePart(table, reading, { range, skipped: 0, size: limit, isForward });
}

// Each pair of statuses takes a query: beyond this number, excluding the unwanted pairs may take fewer.
const MANY_PAIRS = 20;

async function takePart(table: Table, reading: Reading, part: Part): Promise<FoundEntry[]> {
  const sources = toSources(reading);
  const [view] = reading.listing.views;
  // An entry of the whole view lacks statuses, which may change until its order is read: the last try merges.
  const others =
    view && sources.length > MANY_PAIRS && !reading.isLast
      ? await takeOthers(table, viewSource(view), unwantedSources(view, reading), part)
      : undefined;
  return others ?? takeMerged(table, sources, part);
}

const unwantedSources = (view: View, { listing, counts }: Reading): Source[] =>
  counts
    .flatMap((counted) => counted.counts.filter((pair) => !hasWantedStatuses(pair, listing.selection)))
    .map((pair) => pairSource(view, pair));

async function readFiltered(table: Table, reading: Reading): Promise<Matches> {
  const { range, isWanted, selection } = reading.listing;
  const compare = compareByOrdering(selection);
  const all = range.from > range.until ? [] : await readWanted(table, toSources(reading), range, isWanted);
  // An order that moved between pairs of statuses meanwhile may be in both.
  const distinct = new Map(all.map((match) => [match.entry.id, match]));
  const sorted = [...distinct.values()].sort((a, b) => compare(a.entry, b.entry));
  return { count: sorted.length, entries: takeShown(sorted, selection, ({ entry }) => entry) };
}

const toSources = ({ listing: { views, selection }, counts }: Reading): Source[] =>
  views.flatMap((view, index) =>
    isByStatus(selection)
      ? wantedPairs(counts[index], selection).map((pair) => pairSource(view, pair))
      : [viewSource(view)],
  );

const wantedPairs = (view: ViewCounts | undefined, selection: OrderSelection): StatusCount[] =>
  view?.counts.filter((pair) => hasWantedStatuses(pair, selection)) ?? [];

const isByStatus = ({ orderStatuses, paymentStatuses }: OrderSelection): boolean =>
  orderStatuses !== undefined || paymentStatuses !== undefined;
