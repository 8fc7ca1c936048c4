import type { Order } from '../order.ts';
import type { OrderStatus, PaymentStatus } from '../rules/status.ts';
import type { View } from './counters.ts';
import type { OrderEntry } from './entries.ts';

/** A bound of a date, a UTC instant; an order without that date is outside of every bound. */
export type DateBound = {
  readonly field: 'createdAt' | 'expectedDeliveryDate' | 'maxDeliveryDate';
  readonly comparison: '>=' | '<';
  readonly instant: string;
};

/** No date counts as the latest. */
type OrderOrdering = {
  readonly field: 'createdAt' | 'expectedDeliveryDate';
  readonly isDescending: boolean;
};

/** The place of an order in a list: the fields by which the list is ordered, and its id. */
export type Place = Partial<Pick<OrderEntry, OrderOrdering['field']>> & Pick<OrderEntry, 'id'>;

/** Which orders of a view are asked for, in which order, and which of them are to be shown. */
export type OrderSelection = View & {
  /** The only order that is asked for. */
  readonly orderId: number | undefined;
  readonly patientId: number | undefined;
  /** The phone that its doctor must have sent with the order, E.164. */
  readonly sentPhone: string | undefined;
  /** Those that are wanted; undefined for any. */
  readonly orderStatuses: readonly OrderStatus[] | undefined;
  readonly paymentStatuses: readonly PaymentStatus[] | undefined;
  /** Each must be somewhere in the patient's name; folded, without blanks. */
  readonly nameWords: readonly string[];
  readonly dateBounds: readonly DateBound[];
  /** Orders that are equal in all of these stand by their ids, in the direction of the first. */
  readonly ordering: readonly OrderOrdering[];
  readonly offset: number;
  readonly limit: number;
  /** Shows those that follow this place, in place of those that follow the offset. */
  readonly after: Place | undefined;
};

/** The orders that are shown, and the exact number of all that were asked for. */
export type OrderPage = {
  readonly count: number;
  readonly orders: readonly Order[];
  /** The number of orders of the page, of which one that is just being stored may not be shown yet. */
  readonly size: number;
};

/** True if the statuses are among those that are wanted. */
export const hasWantedStatuses = (
  { orderStatus, paymentStatus }: Pick<Order, 'orderStatus' | 'paymentStatus'>,
  { orderStatuses, paymentStatuses }: OrderSelection,
): boolean => (orderStatuses?.includes(orderStatus) ?? true) && (paymentStatuses?.includes(paymentStatus) ?? true);

/** True if an order of the right view has what is asked for apart from its statuses. */
export const isSelected = (entry: OrderEntry, { dateBounds, nameWords, sentPhone }: OrderSelection): boolean =>
  (sentPhone === undefined || entry.sentPhone === sentPhone) &&
  dateBounds.every((bound) => isWithin(entry[bound.field], bound)) &&
  nameWords.every((word) => entry.searchName.includes(word));

const isWithin = (date: string | null, { comparison, instant }: DateBound): boolean =>
  date !== null && (comparison === '<' ? date < instant : date >= instant);

/** Returns the part of a sorted list that is to be shown. */
export function takeShown<Each>(
  sorted: readonly Each[],
  selection: OrderSelection,
  toPlace: (each: Each) => Place,
): Each[] {
  const { offset, limit, after } = selection;
  if (!after) return sorted.slice(offset, offset + limit);
  const compare = compareByOrdering(selection);
  return sorted.filter((each) => compare(toPlace(each), after) > 0).slice(0, limit);
}

// After every digit.
const LATEST = '~';

/** Returns the comparison that sorts orders as asked. */
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
