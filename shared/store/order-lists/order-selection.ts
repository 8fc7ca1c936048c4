import type { OrderStatus, PaymentStatus } from '../../domain/order.ts';
import type { Viewer } from '../keys.ts';
import type { OrderEntry } from './order-entries.ts';
import type { OrderRow } from './order-rows.ts';

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
export type OrderSelection = {
  readonly clientId: number;
  readonly viewer: Viewer;
  readonly patientId: number | undefined;
  /** Those that are wanted; undefined for any. */
  readonly orderStatuses: readonly OrderStatus[] | undefined;
  readonly paymentStatuses: readonly PaymentStatus[] | undefined;
  /** Each must be somewhere in the patient's name; folded. */
  readonly nameWords: readonly string[];
  readonly dateBounds: readonly DateBound[];
  /** Orders that are equal in all of these stand by their ids, in the direction of the first. */
  readonly ordering: readonly OrderOrdering[];
  readonly offset: number;
  readonly limit: number;
};

/** The rows that are shown, and the exact number of all that were asked for. */
export type OrderPage = { readonly count: number; readonly rows: readonly OrderRow[] };

export const hasWantedStatuses = (
  { orderStatus, paymentStatus }: Pick<OrderEntry, 'orderStatus' | 'paymentStatus'>,
  { orderStatuses, paymentStatuses }: OrderSelection,
): boolean => (orderStatuses?.includes(orderStatus) ?? true) && (paymentStatuses?.includes(paymentStatus) ?? true);

export const isSelected = (entry: OrderEntry, selection: OrderSelection): boolean =>
  hasWantedStatuses(entry, selection) &&
  (selection.patientId === undefined || entry.patientId === selection.patientId) &&
  selection.dateBounds.every((bound) => isWithin(entry[bound.field], bound)) &&
  selection.nameWords.every((word) => entry.searchName.includes(word));

const isWithin = (date: string | null, { comparison, instant }: DateBound): boolean =>
  date !== null && (comparison === '<' ? date < instant : date >= instant);

// After every digit.
const LATEST = '~';

/** Which of two orders comes first, as a comparison for sorting. */
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
