import type { Order } from '../../../shared/store/orders/order.ts';
import type { Act } from '../../../shared/store/orders/order-history.ts';
import { nextVersion } from '../../../shared/store/orders/orders.ts';

/** A job's change of an order. */
export const BY_JOB: Act = { by: 'system', now: new Date('2026-01-02T18:00:00.000Z') };

/** Returns the next version of an order in a state that need not be reachable from the one before. */
export const forceVersion = (before: Order, state: Partial<Order>, act: Act = BY_JOB): Order =>
  nextVersion(before, { ...before, ...state }, act);
