import type { Table } from '../table.ts';
import { type StatusCount, sumOrders, type ViewCounts } from './counters.ts';
import type { CreationRange } from './delivery-delays.ts';
import type { OrderEntry } from './entries.ts';
import { type Part, takeMerged, takeOthers } from './merge.ts';
import { createComparison, hasWantedStatuses, type OrderSelection, type View } from './selection.ts';
import { type FoundEntry, pairSource, readWanted, type Source, viewSource } from './sources.ts';

/** The views that are read for a selection, and how. */
export type Listing = {
  readonly selection: OrderSelection;
  readonly views: readonly View[];
  readonly range: CreationRange;
  readonly isWanted: (entry: OrderEntry) => boolean;
  /** True if the counters of the view count what is asked for, in the order of its entries. */
  readonly isCounted: boolean;
};

/** One try to read a page, with the counts of its views as they were before; the last one is shown as it is. */
export type Reading = {
  readonly listing: Listing;
  readonly counts: readonly ViewCounts[];
  readonly isLast: boolean;
};

/** The number of all entries asked for, and those of the page. */
export type Found = { readonly count: number; readonly found: readonly FoundEntry[] };

// 500 entries are 16 read units.
const READ_AGAIN_FROM_OLDEST = 500;

/** Reads the page from the nearer end of the list; the last try of oldest first from the oldest, unless that is far away. */
export async function readCounted(table: Table, reading: Reading): Promise<Found> {
  const { counts } = reading;
  const { selection } = reading.listing;
  const { offset, limit, ordering } = selection;
  const count = sumOrders(counts.flatMap((view) => wantedPairs(view, selection)));
  if (offset >= count) return { count, found: [] };
  const isDescending = ordering[0]?.isDescending === true;
  const behind = Math.max(0, count - offset - limit);
  // Counted from the newest, a page is shifted by each order placed since the list was counted.
  const isFromOldest = !isDescending && reading.isLast && offset <= READ_AGAIN_FROM_OLDEST;
  if (behind < offset && !isFromOldest) {
    const found = await takePart(table, reading, {
      skipped: behind,
      size: count - offset - behind,
      isForward: isDescending,
    });
    return { count, found: found.reverse() };
  }
  const found = await takePart(table, reading, { skipped: offset, size: limit, isForward: !isDescending });
  // A page that is not full ends the list, and so counts it, whatever was written since it was counted.
  return { count: found.length < limit ? offset + found.length : count, found };
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
export async function readFiltered(table: Table, reading: Reading): Promise<Found> {
  const { range, isWanted, selection } = reading.listing;
  const { offset, limit } = selection;
  const compare = createComparison(selection);
  const all = range.from > range.until ? [] : await readWanted(table, toSources(reading), range, isWanted);
  // An order that moved from one pair of statuses to another meanwhile may be in both.
  const distinct = new Map(all.map((found) => [found.entry.id, found]));
  const sorted = [...distinct.values()].sort((a, b) => compare(a.entry, b.entry));
  return { count: sorted.length, found: sorted.slice(offset, offset + limit) };
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

export const isByStatus = ({ orderStatuses, paymentStatuses }: OrderSelection): boolean =>
  orderStatuses !== undefined || paymentStatuses !== undefined;
