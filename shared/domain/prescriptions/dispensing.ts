import type { OrderStatus } from '../order.ts';
import { isDispensed } from './retention.ts';

/** When the medicines of an order were first prepared, and the ids of the prescriptions that covered them then. */
export type Dispensed = { readonly at: string; readonly under: readonly number[] };

/**
 * Returns when an order was dispensed, of which the next status is `to`; `now` is what holds if it is dispensed with this
 * move. One that goes back, to shortage, gave nothing away.
 */
export const markDispensed = (before: Dispensed | null, to: OrderStatus, now: Dispensed): Dispensed | null =>
  isDispensed(to) ? (before ?? now) : null;
