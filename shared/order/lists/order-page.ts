import { findPatients } from '../../people/name-index.ts';
import { creationKey, delaysKey, parseDoctor, patientViewer, viewerKind } from '../../store/keys.ts';
import type { Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { findOrder, getOrdersByKey, parseOrder } from '../orders.ts';
import type { InsuranceRefundStatus, OrderStatus, PaymentStatus } from '../rules/status.ts';
import { readCounts, type StatusCount, sumOrders, type View, type ViewCounts } from './counters.ts';
import { boundCreation, type CreationRange, type DateBound, parseDelays, WHOLE_VIEW } from './delivery-delays.ts';
import {
  type Match,
  type OrderEntry,
  type Part,
  pairSource,
  readWanted,
  type Source,
  takeMerged,
  takeOthers,
  toEntry,
  toOrderKey,
  viewSource,
} from './entries.ts';

/** Orders without the date sort last. */
type OrderOrdering = { readonly field: 'createdAt' | 'expectedDeliveryDate'; readonly isDescending: boolean };

/** The position of an order in a list: the fields by which the list is sorted, and its id. */
export type Place = Partial<Pick<OrderEntry, OrderOrdering['field']>> & Pick<OrderEntry, 'id'>;

export type OrderSelection = View & {
  readonly orderId?: number | undefined;
  readonly patientId?: number | undefined;
  readonly sentPhone?: string | undefined;
  readonly storeId?: number | undefined;
  readonly insuranceRefundStatus?: InsuranceRefundStatus | undefined;
  /** Undefined for any. */
  readonly orderStatuses?: readonly OrderStatus[] | undefined;
  readonly paymentStatuses?: readonly PaymentStatus[] | undefined;
  /** Words that the patient's name must contain; folded, without blanks. */
  readonly nameWords: readonly string[];
  readonly dateBounds: readonly DateBound[];
  /** Ties are sorted by id, in the direction of the first field. */
  readonly ordering: readonly OrderOrdering[];
  readonly offset: number;
  readonly limit: number;
  /** Shows the orders behind this place instead of those behind the offset. */
  readonly after?: Place | undefined;
};

type OrderPage = {
  readonly count: number;
  readonly orders: readonly Order[];
  /** The number of entries of the page; an order that is just being stored may not be shown yet. */
  readonly size: number;
};

const EMPTY: OrderPage = { count: 0, orders: [], size: 0 };

type Listing = {
  readonly selection: OrderSelection;
  readonly views: readonly View[];
  readonly range: CreationRange;
  /** True if the views' counters count exactly the selection, and their entries are in the right order. */
  readonly isCounted: boolean;
};

/** One try to read a page, with the counts of its views from before it; the last try is shown as it is. */
type Reading = Listing & { readonly counts: readonly ViewCounts[]; readonly isLast: boolean };

/**
 * Returns a page of a view of orders with the exact number of all matches, in one of two ways. Without search, dates and
 * sorting by delivery, pairs of statuses are merged, which reads about as much as it shows, whatever the size of the view.
 * All else is filtered: a search reads the orders of the matching patients, dates read the orders created shortly before
 * them. Throws Refusal `unavailable` when the request runs out of time.
 */
export async function readOrderPage(table: Table, selection: OrderSelection): Promise<OrderPage> {
  const { orderStatuses, paymentStatuses, orderId } = selection;
  if (orderStatuses?.length === 0 || paymentStatuses?.length === 0) return EMPTY;
  if (orderId !== undefined) return readSingle(table, selection, orderId);
  const listing = await planListing(table, selection);
  return listing.views.length === 0 ? EMPTY : readConsistently(table, listing);
}

type Wanted = View & {
  readonly [Field in 'orderStatus' | 'paymentStatus']?: Order[Field] | undefined;
} & Pick<OrderSelection, 'limit'>;

/** Returns the latest orders of a view, newest first, and the exact number of matches, at the price of a list's first page. */
export const latestOrders = (table: Table, { orderStatus, paymentStatus, ...view }: Wanted): Promise<OrderPage> =>
  readOrderPage(table, {
    ...view,
    orderStatuses: orderStatus && [orderStatus],
    paymentStatuses: paymentStatus && [paymentStatus],
    nameWords: [],
    dateBounds: [],
    ordering: [{ field: 'createdAt', isDescending: true }],
    offset: 0,
  });

type ViewsPart = { readonly range?: CreationRange; readonly limit: number };

/** Views must have no order in common. Costs a query of each view's entries up to the end of the part, and the orders shown. */
export async function latestOfViews(
  table: Table,
  views: readonly View[],
  { range = WHOLE_VIEW, limit }: ViewsPart,
): Promise<{ readonly orders: readonly Order[]; readonly hasMore: boolean }> {
  const part = { range, skipped: 0, size: limit + 1, isForward: false };
  const matches = await takeMerged(table, views.map(viewSource), part);
  const orders = await getOrdersByKey(table, matches.slice(0, limit).map(toOrderKey));
  return { orders, hasMore: matches.length > limit };
}

async function readSingle(table: Table, selection: OrderSelection, id: number): Promise<OrderPage> {
  const order = await findOrder(table, { ...selection, id });
  if (!order || !hasWantedStatuses(order, selection) || !toFilter(selection)(toEntry(order))) return EMPTY;
  const orders = takeShown([order], selection, toEntry);
  return { count: 1, orders, size: orders.length };
}

async function planListing(table: Table, selection: OrderSelection): Promise<Listing> {
  const { clientId, viewer, patientId, sentPhone, storeId, dateBounds, nameWords, ordering } = selection;
  const isOfDelivery = dateBounds.some(({ field }) => field !== 'createdAt');
  const [views, delays] = await Promise.all([
    narrowViews(table, selection),
    isOfDelivery ? table.get(delaysKey(clientId)) : undefined,
  ]);
  const isByCreation = ordering.length === 1 && ordering[0]?.field === 'createdAt';
  const isOwnOrPatients = parseDoctor(viewer) === undefined || patientId === undefined;
  const fields = [sentPhone, storeId, selection.insuranceRefundStatus];
  const isUnfiltered =
    dateBounds.length === 0 && nameWords.length === 0 && fields.every((field) => field === undefined);
  const range = boundCreation(dateBounds, parseDelays(delays));
  return { selection, views, range, isCounted: isByCreation && isOwnOrPatients && isUnfiltered };
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
  let counts = await readAllCounts();
  for (let tries = 1; ; tries++) {
    const reading = { ...listing, counts, isLast: tries === TRIES };
    const { count, matches } = await (isCounted ? readMerged(table, reading) : readFiltered(table, reading));
    const [orders, after] = await Promise.all([readShown(table, matches), readAllCounts()]);
    const isSame =
      sumChanges(counts) === sumChanges(after) && orders.every((order) => hasWantedStatuses(order, selection));
    if (reading.isLast || isSame) return { count, orders, size: matches.length };
    counts = after;
  }
}

const sumChanges = (counts: readonly ViewCounts[]): number => counts.reduce((sum, { changes }) => sum + changes, 0);

/** Reads the orders of matches, with the statuses under which they were listed, even if they have changed since. */
async function readShown(table: Table, matches: readonly Match[]): Promise<Order[]> {
  const items = await table.getAll(matches.map(toOrderKey));
  return items.flatMap((item, index) => (item ? { ...parseOrder(item), ...matches[index]?.source.statuses } : []));
}

// 500 entries are 16 read units.
const READ_AGAIN_FROM_OLDEST = 500;

/** Reads from the nearer end of the list; the last try of an ascending list starts at the oldest, unless that is far away. */
async function readMerged(table: Table, reading: Reading) {
  const { selection, counts, isLast } = reading;
  const { offset, limit, ordering, after } = selection;
  const count = sumOrders(counts.flatMap((view) => wantedPairs(view, selection)));
  if (offset >= count) return { count, matches: [] };
  const isForward = ordering[0]?.isDescending !== true;
  const part = { range: WHOLE_VIEW, skipped: offset, size: limit, isForward };
  if (after)
    return { count, matches: await takePart(table, reading, { ...part, range: rangeBehind(after, isForward) }) };
  const behind = Math.max(0, count - offset - limit);
  // Counted from the newest, each order placed since the count shifts the page.
  const isFromOldest = isForward && isLast && offset <= READ_AGAIN_FROM_OLDEST;
  if (behind < offset && !isFromOldest) {
    const size = count - offset - behind;
    const matches = await takePart(table, reading, { ...part, skipped: behind, size, isForward: !isForward });
    return { count, matches: matches.reverse() };
  }
  const matches = await takePart(table, reading, part);
  // A page that is not full ends the list and so gives the exact count, whatever was written since.
  return { count: matches.length < limit ? offset + matches.length : count, matches };
}

/** Returns the range after a place; the next order of one instant has at least the next id. */
const rangeBehind = ({ createdAt = '', id }: Place, isForward: boolean): CreationRange =>
  isForward
    ? { ...WHOLE_VIEW, from: creationKey(createdAt, id + 1) }
    : { ...WHOLE_VIEW, until: creationKey(createdAt, id - 1) };

// Each pair of statuses takes a query: beyond this number, excluding the unwanted pairs may take fewer.
const MANY_PAIRS = 20;

async function takePart(table: Table, reading: Reading, part: Part): Promise<Match[]> {
  const sources = toSources(reading);
  const [view] = reading.views;
  // An entry of the whole view lacks statuses, which may change until its order is read: the last try merges.
  const others =
    view && sources.length > MANY_PAIRS && !reading.isLast
      ? await takeOthers(table, viewSource(view), unwantedSources(view, reading), part)
      : undefined;
  return others ?? takeMerged(table, sources, part);
}

const unwantedSources = (view: View, { selection, counts }: Reading): Source[] =>
  counts
    .flatMap((counted) => counted.counts.filter((pair) => !hasWantedStatuses(pair, selection)))
    .map((pair) => pairSource(view, pair));

async function readFiltered(table: Table, reading: Reading) {
  const { range, selection } = reading;
  const compare = compareByOrdering(selection);
  const sources = range.from > range.until ? [] : toSources(reading);
  const all = await readWanted(table, sources, range, toFilter(selection));
  // An order that moved between pairs of statuses meanwhile may be in both.
  const distinct = new Map(all.map((match) => [match.entry.id, match]));
  const sorted = [...distinct.values()].sort((a, b) => compare(a.entry, b.entry));
  return { count: sorted.length, matches: takeShown(sorted, selection, ({ entry }) => entry) };
}

const toSources = ({ views, selection, counts }: Reading): Source[] =>
  views.flatMap((view, index) =>
    isByStatus(selection)
      ? wantedPairs(counts[index], selection).map((pair) => pairSource(view, pair))
      : [viewSource(view)],
  );

const wantedPairs = (view: ViewCounts | undefined, selection: OrderSelection): StatusCount[] =>
  view?.counts.filter((pair) => hasWantedStatuses(pair, selection)) ?? [];

const isByStatus = ({ orderStatuses, paymentStatuses }: OrderSelection): boolean =>
  orderStatuses !== undefined || paymentStatuses !== undefined;

const hasWantedStatuses = (
  { orderStatus, paymentStatus }: Pick<Order, 'orderStatus' | 'paymentStatus'>,
  { orderStatuses, paymentStatuses }: OrderSelection,
): boolean => (orderStatuses?.includes(orderStatus) ?? true) && (paymentStatuses?.includes(paymentStatus) ?? true);

function toFilter(selection: OrderSelection) {
  const { viewer, patientId, sentPhone, storeId, insuranceRefundStatus, dateBounds, nameWords } = selection;
  const doctorId = parseDoctor(viewer);
  return (entry: OrderEntry): boolean =>
    (doctorId === undefined || entry.doctorId === doctorId) &&
    (patientId === undefined || entry.patientId === patientId) &&
    (sentPhone === undefined || entry.sentPhone === sentPhone) &&
    (storeId === undefined || entry.storeId === storeId) &&
    (insuranceRefundStatus === undefined || entry.insuranceRefundStatus === insuranceRefundStatus) &&
    dateBounds.every((bound) => isWithin(entry[bound.field], bound)) &&
    nameWords.every((word) => entry.searchName.includes(word));
}

const isWithin = (date: string | null, { comparison, instant }: DateBound): boolean =>
  date !== null && (comparison === '<' ? date < instant : date >= instant);

function takeShown<Item>(sorted: readonly Item[], selection: OrderSelection, toPlace: (item: Item) => Place): Item[] {
  const { offset, limit, after } = selection;
  if (!after) return sorted.slice(offset, offset + limit);
  const compare = compareByOrdering(selection);
  return sorted.filter((item) => compare(toPlace(item), after) > 0).slice(0, limit);
}

const LATEST = '~';

function compareByOrdering({ ordering }: OrderSelection): (a: Place, b: Place) => number {
  const byId = ordering[0]?.isDescending ? -1 : 1;
  return (a, b) => {
    for (const { field, isDescending } of ordering) {
      const [x, y] = [a[field] ?? LATEST, b[field] ?? LATEST];
      if (x !== y) return x < y === isDescending ? 1 : -1;
    }
    return byId * (a.id - b.id);
  };
}
