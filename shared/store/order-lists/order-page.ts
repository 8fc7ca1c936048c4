import { delaysKey, orderKey, parseDoctor, patientViewer, viewerKind } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseOrder } from '../orders/order-item.ts';
import { findOrder } from '../orders/orders.ts';
import { findPatients } from '../people/name-index.ts';
import type { Table } from '../table.ts';
import { readCounts, type ViewCounts } from './counters.ts';
import { boundCreation, parseDelays, WHOLE_VIEW } from './delivery-delays.ts';
import { toEntry } from './entries.ts';
import { isByStatus, type Listing, readCounted, readFiltered } from './page-entries.ts';
import {
  hasWantedStatuses,
  isSelected,
  isSentWith,
  type OrderPage,
  type OrderSelection,
  showPart,
  type View,
} from './selection.ts';
import type { FoundEntry } from './sources.ts';

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
    isSelected(toEntry(order), selection) &&
    isSentWith(order, selection);
  if (!isAsked) return EMPTY;
  const orders = showPart([order], selection, toEntry);
  return { count: 1, orders, size: orders.length };
}

async function planListing(table: Table, selection: OrderSelection): Promise<Listing> {
  const { clientId, viewer, patientId, dateBounds, nameWords, ordering } = selection;
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
    const [orders, after] = await Promise.all([readOrders(table, selection, found), readAllCounts()]);
    const isSame =
      sumChanges(before) === sumChanges(after) && orders.every((each) => hasWantedStatuses(each, selection));
    if (reading.isLast || isSame) return { count, orders, size: found.length };
    before = after;
  }
}

const sumChanges = (counts: readonly ViewCounts[]): number => counts.reduce((sum, { changes }) => sum + changes, 0);

/** Reads the orders of entries. They have the statuses by which they were found, whatever became of them since. */
async function readOrders(table: Table, { clientId }: View, found: readonly FoundEntry[]): Promise<Order[]> {
  const items = await table.getAll(found.map(({ entry }) => orderKey(clientId, entry.id)));
  return items.flatMap((item, index) => (item ? { ...parseOrder(item), ...found[index]?.statuses } : []));
}
