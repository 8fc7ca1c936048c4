import { counterKey, counterPartition, type Key, keyName, type Viewer, viewerKind } from '../../store/keys.ts';
import type { Table, Write } from '../../store/table.ts';
import { listViewers, type Order } from '../order.ts';
import type { OrderStatus, PaymentStatus } from '../rules/status.ts';

/** The orders of a client that a viewer sees. */
export type View = { readonly clientId: number; readonly viewer: Viewer };

export type StatusPair = { readonly orderStatus: OrderStatus; readonly paymentStatus: PaymentStatus };

// The names of pairs are read with each of the 16 counters of a client, twice for a page of its list. In whole words they
// were more than half of what the first page of a long history reads: 14 units instead of 8 (npm run bench -- orders).
const ORDER_LETTERS: Readonly<Record<OrderStatus, string>> = {
  quoted: 'q',
  pending_approval: 'p',
  approved: 'a',
  in_process: 'i',
  ready: 'r',
  shipped: 's',
  delivered: 'd',
  cancelled: 'c',
  delayed: 'l',
  shortage: 'h',
};
const PAYMENT_LETTERS: Readonly<Record<PaymentStatus, string>> = {
  unpaid: 'u',
  credit: 'c',
  paid: 'p',
  in_process: 'i',
  processing: 'o',
  rejected: 'r',
};

/** The name that a counter has for a pair of statuses: two letters, which are never given to another one. */
export const toPairName = ({ orderStatus, paymentStatus }: StatusPair): string =>
  ORDER_LETTERS[orderStatus] + PAYMENT_LETTERS[paymentStatus];

const PAIRS: ReadonlyMap<string, StatusPair> = new Map(
  (Object.keys(ORDER_LETTERS) as OrderStatus[]).flatMap((orderStatus) =>
    (Object.keys(PAYMENT_LETTERS) as PaymentStatus[]).map((paymentStatus) => {
      const statuses = { orderStatus, paymentStatus };
      return [toPairName(statuses), statuses] as const;
    }),
  ),
);

/** The pair of statuses of a name; undefined if it is the name of none. */
export const parsePairName = (pair: string): StatusPair | undefined => PAIRS.get(pair);

/** The number of orders of a view that have this order_status and this payment_status. */
export type StatusCount = StatusPair & { readonly orders: number };

/** `changes` grows with every write to a view: two equal readings have nothing between them. */
export type ViewCounts = { readonly counts: readonly StatusCount[]; readonly changes: number };

// Transactions on one item cancel each other, and a shard takes what one item takes. A patient orders alone, but others
// order for patients too: of 50 orders at once for one, some ran out of tries at a single shard.
const SHARDS = { client: 16, doctor: 4, patient: 4 } as const;

/** A field of a counter to which an order adds one, as far as its limit allows. */
export type Count = { readonly Key: Key; readonly field: string; readonly limit?: number };

/** Returns the counters of the views of an order, always the same ones, so that a change of status is one write to each. */
export const countInViews = (order: Order): Count[] =>
  listViewers(order).map((viewer) => ({
    Key: counterKey(order.clientId, viewer, order.id % SHARDS[viewerKind(viewer)]),
    field: toPairName(order),
  }));

/** Returns the writes that bring counters from what counted an order before to what counts it after, one for each counter. */
export function countWrites(before: readonly Count[], after: readonly Count[]): Write[] {
  const changes = [
    ...without(after, before).map((count) => ({ ...count, by: 1 })),
    ...without(before, after).map((count) => ({ ...count, by: -1 })),
  ];
  const keys = new Map(changes.map(({ Key }) => [keyName(Key), Key]));
  return [...keys].map(([name, Key]) =>
    addWrite(
      Key,
      changes.filter((change) => keyName(change.Key) === name),
    ),
  );
}

function without(counts: readonly Count[], others: readonly Count[]): readonly Count[] {
  const names = new Set(others.map(nameCount));
  return counts.filter((count) => !names.has(nameCount(count)));
}

const nameCount = ({ Key, field }: Count): string => `${keyName(Key)} ${field}`;

/** Adds to the fields of one counter. Its condition fails if a limit is reached. */
function addWrite(Key: Key, changes: readonly (Omit<Count, 'Key'> & { readonly by: number })[]): Write {
  const terms = changes.map((_, index) => `#${index} :${index}`);
  const limited = changes.flatMap(({ by, limit }, index) => (by > 0 && limit !== undefined ? [{ index, limit }] : []));
  const conditions = limited.map(({ index }) => `(attribute_not_exists(#${index}) OR #${index} < :limit${index})`);
  return {
    Update: {
      Key,
      UpdateExpression: `ADD changes :one, ${terms.join(', ')}`,
      ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
      ExpressionAttributeNames: Object.fromEntries(changes.map(({ field }, index) => [`#${index}`, field])),
      ExpressionAttributeValues: {
        ':one': 1,
        ...Object.fromEntries(changes.map(({ by }, index) => [`:${index}`, by])),
        ...Object.fromEntries(limited.map(({ index, limit }) => [`:limit${index}`, limit])),
      },
    },
  };
}

/** Reads the counts of a view, of all its shards; one query. Pairs of statuses that no order has are left out. */
export async function readCounts(table: Table, { clientId, viewer }: View): Promise<ViewCounts> {
  const totals = new Map<string, number>();
  let changes = 0;
  for (const { pk: _, sk: __, changes: more = 0, ...pairs } of await table.all({
    pk: counterPartition(clientId, viewer),
  })) {
    changes += Number(more);
    for (const [pair, orders] of Object.entries(pairs)) totals.set(pair, (totals.get(pair) ?? 0) + Number(orders));
  }
  const counts = [...totals].flatMap(([pair, orders]) => {
    const statuses = parsePairName(pair);
    return statuses && orders > 0 ? [{ ...statuses, orders }] : [];
  });
  return { changes, counts };
}

/** Returns the number of orders of these counts together. */
export const sumOrders = (counts: readonly StatusCount[]): number =>
  counts.reduce((sum, { orders }) => sum + orders, 0);

/** Returns how many orders a view has, as far as its counters know; one query. */
export async function countOrders(table: Table, view: View): Promise<number> {
  const { counts } = await readCounts(table, view);
  return sumOrders(counts);
}
