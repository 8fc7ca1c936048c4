import { representForOperator } from '../../../shared/answers/order.ts';
import { business } from '../../../shared/runtime/business.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { prescriptionConfig } from '../../../shared/runtime/config.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { listNextActions } from '../../../shared/usecases/orders/next-actions.ts';
import { openDocuments } from './documents.ts';

export type ShownOrder = Awaited<ReturnType<typeof showOrder>>;

/** Shows everything of an order to its operator, with what they may do next. */
export async function showOrder(order: Order) {
  const maximumAgeDays = prescriptionConfig().PRESCRIPTION_MAXIMUM_AGE_DAYS;
  const next = listNextActions(order, { now: now(), business: business(), maximumAgeDays });
  return { ...(await representForOperator(order, openDocuments())), next_actions: next };
}
