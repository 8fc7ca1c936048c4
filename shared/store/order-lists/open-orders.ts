import { isFinished, isRefundDue, ORDER_STATUSES, type OrderStatus, type PaymentStatus } from '../../domain/order.ts';
import { FIRST_CREATION, openPartition, orderKey, parseOrderId, refundsPartition } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { getOrdersByKey } from '../orders/orders.ts';
import type { Item, Table } from '../table.ts';

export const OPEN_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter((status) => !isFinished(status));

type Wanted = {
  readonly statuses: readonly OrderStatus[];
  readonly paymentStatus?: PaymentStatus | undefined;
  readonly limit: number;
};

// A queue does not know payments, so that for one payment_status its orders are read in batches of at least these.
const ORDERS_PER_BATCH = 100;

/**
 * Returns the open orders of all clients that have one of these statuses, the oldest first, and whether there are more
 * than `limit`. It costs a query for each status and a read of the orders shown, whatever the number of clients and
 * orders; with a payment_status it goes on until enough are found, so that it may read every open order.
 */
export async function listOpenOrders(
  table: Table,
  { statuses, paymentStatus, limit }: Wanted,
): Promise<{ readonly orders: readonly Order[]; readonly hasMore: boolean }> {
  const isWanted = (order: Order) =>
    statuses.includes(order.orderStatus) && (paymentStatus === undefined || order.paymentStatus === paymentStatus);
  const count = paymentStatus ? Math.max(limit + 1, ORDERS_PER_BATCH) : limit + 1;
  const found: Order[] = [];
  let after = FIRST_CREATION;
  for (;;) {
    const entries = await oldestEntries(table, statuses, { after, count });
    found.push(...(await getOrdersByKey(table, entries.map(toOrderKey))).filter(isWanted));
    if (found.length > limit || entries.length < count) break;
    after = String(entries.at(-1)?.sk);
  }
  return { orders: found.slice(0, limit), hasMore: found.length > limit };
}

/**
 * Returns the cancelled orders of all clients, or of one, that wait for a refund, the latest first, and whether there are
 * more than `limit`. It costs one query and a read of the orders shown, whatever the number of orders; for one client, the
 * query reads those of all.
 */
export async function listRefundsDue(
  table: Table,
  { limit, clientId }: { readonly limit: number; readonly clientId?: number | undefined },
): Promise<{ readonly orders: readonly Order[]; readonly hasMore: boolean }> {
  const own = clientId === undefined ? {} : { filter: 'clientId = :client', values: { ':client': clientId } };
  const entries = await table.first({ pk: refundsPartition(), isDescending: true, ...own }, limit + 1);
  const orders = (await getOrdersByKey(table, entries.map(toOrderKey))).filter(isRefundDue);
  return { orders: orders.slice(0, limit), hasMore: orders.length > limit };
}

/** Returns the oldest entries of these queues that come after a sort key, each order once. */
async function oldestEntries(
  table: Table,
  statuses: readonly OrderStatus[],
  { after, count }: { readonly after: string; readonly count: number },
): Promise<Item[]> {
  const query = { where: 'sk > :after', values: { ':after': after } };
  const queues = await Promise.all(
    statuses.map((status) => table.first({ pk: openPartition(status), ...query }, count)),
  );
  // An order that moved meanwhile may be in two queues.
  const entries = new Map(queues.flat().map((entry) => [String(entry.sk), entry]));
  return [...entries]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, count)
    .map(([, entry]) => entry);
}

const toOrderKey = (entry: Item) => orderKey(Number(entry.clientId), parseOrderId(entry));
