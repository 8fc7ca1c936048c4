import { counterKey, counterPartition, parseCounterKey, viewerKind } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { listViewers } from '../orders/viewers.ts';
import type { Item, Table, Write } from '../table.ts';
import type { View } from './selection.ts';
import { parsePairName, type StatusPair, toPairName } from './status-pairs.ts';

/** The number of orders of a view that have this order_status and this payment_status. */
export type StatusCount = StatusPair & { readonly orders: number };

/** Returns the number of orders of these counts together. */
export const sumOrders = (counts: readonly StatusCount[]): number =>
  counts.reduce((sum, { orders }) => sum + orders, 0);

/** `changes` grows with every write to a view: two equal readings have nothing between them. */
export type ViewCounts = { readonly counts: readonly StatusCount[]; readonly changes: number };

// Transactions on one item cancel each other, and a shard takes what one item takes. A patient orders alone, but others
// order for patients too: of 50 orders at once for one, some ran out of tries at a single shard.
const SHARDS = { client: 16, doctor: 4, patient: 4 } as const;

/** One of the counters of a view, with its counts by the names of pairs. `changes` is undefined of one that was never written. */
export type Shard = {
  readonly number: number;
  readonly changes: number | undefined;
  readonly pairs: ReadonlyMap<string, number>;
};

/** Returns the shard that counts an order in a view: always the same one, so that a change of status is one write. */
export function chooseShard(viewer: View['viewer'], order: number): number {
  return order % SHARDS[viewerKind(viewer)];
}

/** Returns the writes that count an order in each of its views, if it is new or has moved from other statuses. */
export function counterWrites(before: StatusPair | null, order: Order): Write[] {
  if (before && toPairName(before) === toPairName(order)) return [];
  const added = new Map([[toPairName(order), 1], ...(before ? [[toPairName(before), -1] as const] : [])]);
  return listViewers(order).map((viewer) => addWrite(order, viewer, added));
}

function addWrite({ clientId, id }: Order, viewer: View['viewer'], added: ReadonlyMap<string, number>): Write {
  const pairs = [...added].map(([pair, value], index) => ({ pair, value, name: `#${index}`, amount: `:${index}` }));
  const terms = ['changes :one', ...pairs.map(({ name, amount }) => `${name} ${amount}`)];
  return {
    Update: {
      Key: counterKey(clientId, viewer, chooseShard(viewer, id)),
      UpdateExpression: `ADD ${terms.join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(pairs.map(({ name, pair }) => [name, pair])),
      ExpressionAttributeValues: {
        ':one': 1,
        ...Object.fromEntries(pairs.map(({ amount, value }) => [amount, value])),
      },
    },
  };
}

/** Reads the counters of a view; one query. */
export async function readShards(table: Table, { clientId, viewer }: View): Promise<Shard[]> {
  return (await table.all({ pk: counterPartition(clientId, viewer) })).map(parseShard);
}

const parseShard = ({ pk: _, sk, changes, ...pairs }: Item): Shard => ({
  number: parseCounterKey(String(sk)),
  changes: changes === undefined ? undefined : Number(changes),
  pairs: new Map(Object.entries(pairs).map(([pair, orders]) => [pair, Number(orders)])),
});

/** Reads the counts of a view, of all its shards; one query. Pairs of statuses that no order has are left out. */
export async function readCounts(table: Table, view: View): Promise<ViewCounts> {
  const totals = new Map<string, number>();
  let changes = 0;
  for (const shard of await readShards(table, view)) {
    changes += shard.changes ?? 0;
    for (const [pair, orders] of shard.pairs) totals.set(pair, (totals.get(pair) ?? 0) + orders);
  }
  const counts = [...totals].flatMap(([pair, orders]) => {
    const statuses = parsePairName(pair);
    return statuses && orders > 0 ? [{ ...statuses, orders }] : [];
  });
  return { changes, counts };
}

/** Returns how many orders a view has, as far as its counters know; one query. */
export async function countOrders(table: Table, view: View): Promise<number> {
  const { counts } = await readCounts(table, view);
  return sumOrders(counts);
}

/** Puts other counts in place of those of a shard, as one more change; false if it was written since it was read. */
export function replaceShard(
  table: Table,
  { clientId, viewer }: View,
  { number, changes }: Shard,
  pairs: Shard['pairs'],
): Promise<boolean> {
  const Item = { ...counterKey(clientId, viewer, number), ...Object.fromEntries(pairs), changes: (changes ?? 0) + 1 };
  const isUnchanged =
    changes === undefined
      ? { ConditionExpression: 'attribute_not_exists(changes)' }
      : { ConditionExpression: 'changes = :changes', ExpressionAttributeValues: { ':changes': changes } };
  return table.tryTransact([{ Put: { Item, ...isUnchanged } }]);
}
