import * as z from 'zod';
import { isRefundDue } from '../../payments/rules/payment-exceptions.ts';
import { joinName } from '../../people/person.ts';
import { creationKey, openPartition, orderKey, parseCreationKey, refundsPartition } from '../../store/keys.ts';
import { parseItem, toItem } from '../../store/parse-item.ts';
import type { Item, Table } from '../../store/table.ts';
import type { Order } from '../order.ts';
import { getOrdersByKey } from '../orders.ts';
import { isFinished, ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES, type PaymentStatus } from '../rules/status.ts';
import { getDueAt, listWaitSteps, ORDER_WAITS } from '../rules/waits.ts';

const waitStep = z.object({ until: z.string().nullable(), waits: z.array(z.enum(ORDER_WAITS)).readonly() });

const storedFacts = z.object({
  clientId: z.number(),
  paymentStatus: z.enum(PAYMENT_STATUSES),
  totalCents: z.number(),
  patient: z.string(),
  dueAt: z.string(),
  waits: z.array(waitStep).readonly(),
  /** The store where the patient collects it; absent if it is delivered. */
  store: z.object({ id: z.number(), name: z.string() }).exactOptional(),
  /** Present if somebody wrote an allergy or condition of the patient, a comment, or an internal note. */
  condition: z.literal(true).exactOptional(),
  comment: z.literal(true).exactOptional(),
  note: z.literal(true).exactOptional(),
});

export type OrderSummary = Readonly<z.infer<typeof storedFacts>> & Pick<Order, 'id' | 'createdAt' | 'orderStatus'>;

const selectFacts = (order: Order): z.infer<typeof storedFacts> => ({
  clientId: order.clientId,
  paymentStatus: order.paymentStatus,
  totalCents: order.totalCents,
  patient: joinName(order.patient),
  dueAt: getDueAt(order),
  waits: listWaitSteps(order),
  ...(order.store && { store: { id: order.store.id, name: order.store.name } }),
  ...(hasCondition(order) && { condition: true }),
  ...(order.comments !== '' && { comment: true }),
  ...(order.notes.length > 0 && { note: true }),
});

/** True if the order or the patient's record tells a condition, whoever of two people it is of. */
const hasCondition = ({ patient, sentPerson, patientOnRecord }: Order): boolean =>
  [patient, sentPerson, patientOnRecord].some((person) => Boolean(person?.medicalCondition));

export const summarizeOrder = (order: Order): OrderSummary => {
  const { id, createdAt, orderStatus } = order;
  return { id, createdAt, orderStatus, ...selectFacts(order) };
};

/** None if the order is done. An entry has all that the queue shows, in about 0.3 KB, so that no order is read. */
export function queueItems(order: Order): Item[] {
  const pk = findQueue(order);
  return pk === undefined ? [] : [toItem({ pk, sk: creationKey(order.createdAt, order.id) }, selectFacts(order))];
}

function findQueue(order: Order): string | undefined {
  if (isRefundDue(order)) return refundsPartition();
  return isFinished(order.orderStatus) ? undefined : openPartition(order.orderStatus);
}

function parseQueueItem(item: Item, orderStatus: OrderStatus): OrderSummary {
  const { order: id, createdAt } = parseCreationKey(String(item.sk));
  return { id, createdAt, orderStatus, ...parseItem(storedFacts, item, 'queue entry') };
}

export const OPEN_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter((status) => !isFinished(status));

type Wanted = {
  readonly statuses: readonly OrderStatus[];
  readonly paymentStatus?: PaymentStatus | undefined;
  readonly limit: number;
};

export type Queue = { readonly orders: readonly OrderSummary[]; readonly hasMore: boolean };

/** Oldest first. Costs a query for each status, for all clients; with a payment_status these queries read all open orders. */
export async function listOpenOrders(table: Table, { statuses, paymentStatus, limit }: Wanted): Promise<Queue> {
  const isWanted = (order: OrderSummary) =>
    statuses.includes(order.orderStatus) && (paymentStatus === undefined || order.paymentStatus === paymentStatus);
  const count = paymentStatus ? Number.POSITIVE_INFINITY : limit + 1;
  const queues = await Promise.all(statuses.map((status) => readQueue(table, status, count)));
  const orders = (await mergeMoved(table, queues.flat())).filter(isWanted).sort(compareCreation);
  return { orders: orders.slice(0, limit), hasMore: orders.length > limit };
}

async function readQueue(table: Table, status: OrderStatus, count: number): Promise<OrderSummary[]> {
  const items = await table.first({ pk: openPartition(status) }, count);
  return items.map((item) => parseQueueItem(item, status));
}

/** Returns each order once: an order that moves while the queues are read may be in two, and is read again. */
async function mergeMoved(table: Table, summaries: readonly OrderSummary[]): Promise<OrderSummary[]> {
  const byId = new Map(summaries.map((order) => [order.id, order]));
  const moved = summaries.filter((order) => byId.get(order.id) !== order);
  const keys = moved.map(({ clientId, id }) => orderKey(clientId, id));
  for (const order of await getOrdersByKey(table, keys)) byId.set(order.id, summarizeOrder(order));
  return [...byId.values()];
}

const compareCreation = (one: OrderSummary, other: OrderSummary): number =>
  creationKey(one.createdAt, one.id) < creationKey(other.createdAt, other.id) ? -1 : 1;

/** Returns cancelled orders that wait for a refund, oldest first. One query, which reads those of all clients even for one. */
export async function listRefundsDue(
  table: Table,
  { limit, clientId }: { readonly limit: number; readonly clientId?: number | undefined },
): Promise<Queue> {
  const own = clientId === undefined ? {} : { filter: 'clientId = :client', values: { ':client': clientId } };
  const items = await table.first({ pk: refundsPartition(), ...own }, limit + 1);
  const orders = items.map((item) => parseQueueItem(item, 'cancelled'));
  return { orders: orders.slice(0, limit), hasMore: orders.length > limit };
}
