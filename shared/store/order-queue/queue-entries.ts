import * as z from 'zod';
import { isFinished, isRefundDue, type OrderStatus, PAYMENT_STATUSES } from '../../domain/order.ts';
import { getDueAt, listWaitSteps, ORDER_WAITS } from '../../domain/order-waits.ts';
import { creationKey, openPartition, parseCreationKey, refundsPartition } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { parseItem, toItem } from '../parse-item.ts';
import { joinName } from '../people/person.ts';
import type { Item } from '../table.ts';

const waitStep = z.object({ until: z.string().nullable(), waits: z.array(z.enum(ORDER_WAITS)).readonly() });

const storedFacts = z.object({
  clientId: z.number(),
  paymentStatus: z.enum(PAYMENT_STATUSES),
  totalCents: z.number(),
  /** The patient's full name. */
  patient: z.string(),
  /** The instant by which it has to be dealt with. */
  dueAt: z.string(),
  /** The things that it waits for, by the shop's local date. */
  waits: z.array(waitStep).readonly(),
});

/** The facts about an order that operators see in a list of orders. */
export type OrderSummary = Readonly<z.infer<typeof storedFacts>> & Pick<Order, 'id' | 'createdAt' | 'orderStatus'>;

const toFacts = (order: Order): z.infer<typeof storedFacts> => ({
  clientId: order.clientId,
  paymentStatus: order.paymentStatus,
  totalCents: order.totalCents,
  patient: joinName(order.patient),
  dueAt: getDueAt(order),
  waits: listWaitSteps(order),
});

/** Returns the summary of an order. */
export const summarizeOrder = (order: Order): OrderSummary => {
  const { id, createdAt, orderStatus } = order;
  return { id, createdAt, orderStatus, ...toFacts(order) };
};

/**
 * Returns the entry of an order in the queue that it waits in, or nothing if it is done. It has all that the queue shows, in
 * some 0.3 KB, so that no order is read for it.
 */
export function queueItems(order: Order): Item[] {
  const pk = findQueue(order);
  return pk === undefined ? [] : [toItem({ pk, sk: creationKey(order.createdAt, order.id) }, toFacts(order))];
}

function findQueue(order: Order): string | undefined {
  if (isRefundDue(order)) return refundsPartition();
  return isFinished(order.orderStatus) ? undefined : openPartition(order.orderStatus);
}

/** Parses an entry of the queue whose orders have this status. Throws InvalidItem. */
export function parseQueueItem(item: Item, orderStatus: OrderStatus): OrderSummary {
  const { order: id, createdAt } = parseCreationKey(String(item.sk));
  return { id, createdAt, orderStatus, ...parseItem(storedFacts, item, 'queue entry') };
}
