import type { OrderStatus, PaymentStatus } from '../../domain/order.ts';
import type { Viewer } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import type { OrderEntry } from './entries.ts';

/** The orders of a client that a viewer sees. */
export type View = { readonly clientId: number; readonly viewer: Viewer };

/** A bound of a delivery date, a UTC instant; an order without that date is outside of every bound. */
export type DateBound = {
  readonly field: 'expectedDeliveryDate' | 'maxDeliveryDate';
  readonly comparison: '>=' | '<';
  readonly instant: string;
};

/** No date counts as the latest. */
type OrderOrdering = {
  readonly field: 'createdAt' | 'expectedDeliveryDate';
  readonly isDescending: boolean;
};

/** Which orders of a view are asked for, in which order, and which of them are to be shown. */
export type OrderSelection = View & {
  readonly patientId: number | undefined;
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
};

/** The orders that are shown, and the exact number of all that were asked for. */
export type OrderPage = { readonly count: number; readonly orders: readonly Order[] };

/** True if the statuses are among those that are wanted. */
export const hasWantedStatuses = (
  { orderStatus, paymentStatus }: Pick<Order, 'orderStatus' | 'paymentStatus'>,
  { orderStatuses, paymentStatuses }: OrderSelection,
): boolean => (orderStatuses?.includes(orderStatus) ?? true) && (paymentStatuses?.includes(paymentStatus) ?? true);

/** True if an order of the right view has what is asked for apart from its statuses. */
export const isSelected = (entry: OrderEntry, { dateBounds, nameWords }: OrderSelection): boolean =>
  dateBounds.every((bound) => isWithin(entry[bound.field], bound)) &&
  nameWords.every((word) => entry.searchName.includes(word));

const isWithin = (date: string | null, { comparison, instant }: DateBound): boolean =>
  date !== null && (comparison === '<' ? date < instant : date >= instant);

// After every digit.
const LATEST = '~';

/** Returns the comparison that sorts orders as asked. */
export function createComparison({ ordering }: OrderSelection): (a: OrderEntry, b: OrderEntry) => number {
  const byId = ordering[0]?.isDescending ? -1 : 1;
  return (a, b) => {
    for (const { field, isDescending } of ordering) {
      const [x, y] = [a[field] ?? LATEST, b[field] ?? LATEST];
      if (x !== y) return x < y === isDescending ? 1 : -1;
    }
    return byId * (a.id - b.id);
  };
}
