import { representForOperator } from '../../../shared/answers/order.ts';
import { listWaits } from '../../../shared/domain/order-waits.ts';
import { localDate } from '../../../shared/domain/working-day.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { business, prescriptionConfig } from '../../../shared/runtime/config.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { listNextActions } from '../../../shared/usecases/operations/next-actions.ts';
import { openDocuments } from './documents.ts';

export type ShownOrder = Awaited<ReturnType<typeof showOrder>>;

/** Shows everything of an order to its operator, with what it waits for and what they may do next. */
export async function showOrder(order: Order) {
  const maximumAgeDays = prescriptionConfig().PRESCRIPTION_MAXIMUM_AGE_DAYS;
  const next = listNextActions(order, { now: now(), business: business(), maximumAgeDays });
  const waits = listWaits(order, localDate(now(), business().timeZone));
  return { ...(await representForOperator(order, openDocuments())), waits_for: waits, next_actions: next };
}
