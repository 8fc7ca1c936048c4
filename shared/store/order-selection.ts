import type { OrderStatus, PaymentStatus } from '../domain/order.ts';
import type { OrderRow } from './order-rows.ts';
import type { Viewer } from './orders.ts';

/** A bound of a delivery date, a UTC instant; an order without that date is outside of every bound. */
export type DateBound = {
  readonly field: 'expectedDeliveryDate' | 'maxDeliveryDate';
  readonly comparison: '>=' | '<';
  readonly instant: string;
};

/** No date counts as the latest. */
export type OrderOrdering = {
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
