import type { Order } from '../order.ts';
import type { OrderStatus, PaymentStatus } from '../rules/status.ts';
import type { View } from './counters.ts';
import type { OrderEntry } from './entries.ts';

/** A bound of a date, as a UTC instant; orders without that date are outside every bound. */
export type DateBound = {
  readonly field: 'createdAt' | 'expectedDeliveryDate' | 'maxDeliveryDate';
  readonly comparison: '>=' | '<';
  readonly instant: string;
};

/** Orders without the date sort last. */
type OrderOrdering = { readonly field: 'createdAt' | 'expectedDeliveryDate'; readonly isDescending: boolean };

/** The position of an order in a list: the fields by which the list is sorted, and its id. */
export type Place = Partial<Pick<OrderEntry, OrderOrdering['field']>> & Pick<OrderEntry, 'id'>;

export type OrderSelection = View & {
  readonly orderId: number | undefined;
  readonly patientId: number | undefined;
  /** The patient's phone as the doctor sent it, E.164. */
  readonly sentPhone: string | undefined;
  /** Undefined for any. */
  readonly orderStatuses: readonly OrderStatus[] | undefined;
  readonly paymentStatuses: readonly PaymentStatus[] | undefined;
  /** Words that the patient's name must contain; folded, without blanks. */
  readonly nameWords: readonly string[];
  readonly dateBounds: readonly DateBound[];
  /** Ties are sorted by id, in the direction of the first field. */
  readonly ordering: readonly OrderOrdering[];
  readonly offset: number;
  readonly limit: number;
  /** Shows the orders behind this place instead of those behind the offset. */
  readonly after: Place | undefined;
};

export type OrderPage = {
  readonly count: number;
  readonly orders: readonly Order[];
  /** The number of entries of the page; an order that is just being stored may not be shown yet. */
  readonly size: number;
};

export const hasWantedStatuses = (
  { orderStatus, paymentStatus }: Pick<Order, 'orderStatus' | 'paymentStatus'>,
  { orderStatuses, paymentStatuses }: OrderSelection,
): boolean => (orderStatuses?.includes(orderStatus) ?? true) && (paymentStatuses?.includes(paymentStatus) ?? true);

/** True if an order of the right view matches the selection, statuses apart. */
export const isSelected = (entry: OrderEntry, { dateBounds, nameWords, sentPhone }: OrderSelection): boolean =>
  (sentPhone === undefined || entry.sentPhone === sentPhone) &&
  dateBounds.every((bound) => isWithin(entry[bound.field], bound)) &&
  nameWords.every((word) => entry.searchName.includes(word));

const isWithin = (date: string | null, { comparison, instant }: DateBound): boolean =>
  date !== null && (comparison === '<' ? date < instant : date >= instant);

export function takeShown<Item>(
  sorted: readonly Item[],
  selection: OrderSelection,
  toPlace: (item: Item) => Place,
): Item[] {
  const { offset, limit, after } = selection;
  if (!after) return sorted.slice(offset, offset + limit);
  const compare = compareByOrdering(selection);
  return sorted.filter((item) => compare(toPlace(item), after) > 0).slice(0, limit);
}

// Comes after every digit.
const LATEST = '~';

export function compareByOrdering({ ordering }: OrderSelection): (a: Place, b: Place) => number {
  const byId = ordering[0]?.isDescending ? -1 : 1;
  return (a, b) => {
    for (const { field, isDescending } of ordering) {
      const [x, y] = [a[field] ?? LATEST, b[field] ?? LATEST];
      if (x !== y) return x < y === isDescending ? 1 : -1;
    }
    return byId * (a.id - b.id);
  };
}
