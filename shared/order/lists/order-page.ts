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

/**
 * Returns a page of a view of orders with the exact number of all that match. Without search, dates and order by delivery
 * it reads about what it shows, whatever the size of the view; a search reads the orders of the patients found, dates read
 * the orders created not long before them. Throws Refusal `unavailable` when the time of its request is not enough.
 */
export async function readOrderPage(table: Table, selection: OrderSelection): Promise<OrderPage> {
  const { orderStatuses, paymentStatuses } = selection;
  if (orderStatuses?.length === 0 || paymentStatuses?.length === 0) return EMPTY;
  if (selection.orderId !== undefined) return readSingle(table, selection, selection.orderId);
  const listing = await planListing(table, selection);
  return listing.views.length === 0 ? EMPTY : readConsistently(table, listing);
}

const EMPTY: OrderPage = { count: 0, orders: [], size: 0 };

/** Reads the only order that is asked for; one query. */
async function readSingle(table: Table, selection: OrderSelection, id: number): Promise<OrderPage> {
  const { clientId, viewer, patientId } = selection;
  const order = await findOrder(table, { clientId, viewer, id });
  const isAsked =
    order &&
    (patientId === undefined || order.patient.id === patientId) &&
    hasWantedStatuses(order, selection) &&
    isSelected(toEntry(order), selection);
  if (!isAsked) return EMPTY;
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

/** Returns the smallest views that together hold what is asked for; none if that is nothing. */
async function narrowViews(table: Table, { clientId, viewer, patientId, nameWords }: OrderSelection): Promise<View[]> {
  const own = { clientId, viewer };
  const isPatient = viewerKind(viewer) === 'patient';
  if (patientId !== undefined) {
    const ofPatient = { clientId, viewer: patientViewer(patientId) };
    return isPatient && viewer !== ofPatient.viewer ? [] : [ofPatient];
  }
  const found = isPatient ? undefined : await findPatients(table, clientId, nameWords);
  return found?.map((id) => ({ clientId, viewer: patientViewer(id) })) ?? [own];
}

// Orders that were changed between the first read and the last are read once more, and then shown as they are: while
// many orders are written, no page reads more than twice.
const TRIES = 2;

async function readConsistently(table: Table, listing: Listing): Promise<OrderPage> {
  const { selection, views, isCounted } = listing;
  const readAllCounts = async () =>
    isCounted || isByStatus(selection) ? Promise.all(views.map((view) => readCounts(table, view))) : [];
  let before = await readAllCounts();
  for (let tries = 1; ; tries++) {
    const reading = { listing, counts: before, isLast: tries === TRIES };
    const { count, found } = await (isCounted ? readCounted(table, reading) : readFiltered(table, reading));
    const [orders, after] = await Promise.all([readShown(table, selection, found), readAllCounts()]);
    const isSame =
      sumChanges(before) === sumChanges(after) && orders.every((each) => hasWantedStatuses(each, selection));
    if (reading.isLast || isSame) return { count, orders, size: found.length };
    before = after;
  }
}

const sumChanges = (counts: readonly ViewCounts[]): number => counts.reduce((sum, { changes }) => sum + changes, 0);

/** Reads the orders of entries. They have the statuses by which they were found, whatever became of them since. */
async function readShown(table: Table, { clientId }: View, found: readonly FoundEntry[]): Promise<Order[]> {
  const items = await table.getAll(found.map(({ entry }) => orderKey(clientId, entry.id)));
  return items.flatMap((item, index) => (item ? { ...parseOrder(item), ...found[index]?.statuses } : []));
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

/** One try to read a page, with the counts of its views as they were before; the last one is shown as it is. */
type Reading = {
  readonly listing: Listing;
  readonly counts: readonly ViewCounts[];
  readonly isLast: boolean;
};

/** The number of all entries asked for, and those of the page. */
type Found = { readonly count: number; readonly found: readonly FoundEntry[] };

// 500 entries are 16 read units.
const READ_AGAIN_FROM_OLDEST = 500;

/** Reads a page of what the counters count, by its number or behind a place. */
async function readCounted(table: Table, reading: Reading): Promise<Found> {
  const { selection } = reading.listing;
  const count = sumOrders(reading.counts.flatMap((view) => wantedPairs(view, selection)));
  if (selection.offset >= count) return { count, found: [] };
  if (!selection.after) return readNumbered(table, reading, count);
  return { count, found: await readBehind(table, reading, selection.after) };
}

/** Reads the page from the nearer end of the list; the last try of oldest first from the oldest, unless that is far away. */
async function readNumbered(table: Table, reading: Reading, count: number): Promise<Found> {
  const { offset, limit, ordering } = reading.listing.selection;
  const isDescending = ordering[0]?.isDescending === true;
  const range = WHOLE_VIEW;
  const behind = Math.max(0, count - offset - limit);
  // Counted from the newest, a page is shifted by each order placed since the list was counted.
  const isFromOldest = !isDescending && reading.isLast && offset <= READ_AGAIN_FROM_OLDEST;
  if (behind < offset && !isFromOldest) {
    const size = count - offset - behind;
    const found = await takePart(table, reading, { range, skipped: behind, size, isForward: isDescending });
    return { count, found: found.reverse() };
  }
  const found = await takePart(table, reading, { range, skipped: offset, size: limit, isForward: !isDescending });
  // A page that is not full ends the list, and so counts it, whatever was written since it was counted.
  return { count: found.length < limit ? offset + found.length : count, found };
}

/** Reads what follows an order, whatever was written before it since, at the price of the first page. */
function readBehind(table: Table, reading: Reading, { createdAt = '', id }: Place): Promise<FoundEntry[]> {
  const { limit, ordering } = reading.listing.selection;
  const isForward = ordering[0]?.isDescending !== true;
  // The next order of one instant has at least the next id.
  const range = isForward
    ? { ...WHOLE_VIEW, from: creationKey(createdAt, id + 1) }
    : { ...WHOLE_VIEW, until: creationKey(createdAt, id - 1) };
  return takePart(table, reading, { range, skipped: 0, size: limit, isForward });
}

// Each pair of statuses takes a query: with more of them, those that are not wanted may take fewer.
const MANY_PAIRS = 20;

async function takePart(table: Table, reading: Reading, part: Part): Promise<FoundEntry[]> {
  const sources = toSources(reading);
  const [view] = reading.listing.views;
  // An entry of the whole view does not say its statuses, which may change until its order is read: the last try merges.
  const found =
    view && sources.length > MANY_PAIRS && !reading.isLast
      ? await takeOthers(table, viewSource(view), unwantedSources(view, reading), part)
      : undefined;
  return found ?? takeMerged(table, sources, part);
}

const unwantedSources = (view: View, { listing, counts }: Reading): Source[] =>
  counts
    .flatMap((each) => each.counts.filter((pair) => !hasWantedStatuses(pair, listing.selection)))
    .map((pair) => pairSource(view, pair));

/** Reads all that is asked for, then sorts it. */
async function readFiltered(table: Table, reading: Reading): Promise<Found> {
  const { range, isWanted, selection } = reading.listing;
  const compare = compareByOrdering(selection);
  const all = range.from > range.until ? [] : await readWanted(table, toSources(reading), range, isWanted);
  // An order that moved from one pair of statuses to another meanwhile may be in both.
  const distinct = new Map(all.map((found) => [found.entry.id, found]));
  const sorted = [...distinct.values()].sort((a, b) => compare(a.entry, b.entry));
  return { count: sorted.length, found: takeShown(sorted, selection, ({ entry }) => entry) };
}

/** Returns the entries of the views that have wanted statuses: the counts tell which of them there are. */
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
