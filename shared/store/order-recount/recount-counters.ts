import { setTimeout as pause } from 'node:timers/promises';
import { pairPartition, parseOrderId, type Viewer } from '../keys.ts';
import { chooseShard, readShards, replaceShard, type Shard, type StatusCount } from '../order-lists/counters.ts';
import type { View } from '../order-lists/selection.ts';
import { ENTRIES_PER_PAGE } from '../order-lists/sources.ts';
import { parsePairName, toPairName } from '../order-lists/status-pairs.ts';
import { getOrders } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import type { Findings, Purpose } from './differences.ts';

/** A pair of statuses that a counter has another number of than the orders that it counts, which are `orders`. */
export type CounterDifference = StatusCount & {
  readonly viewer: Viewer;
  readonly shard: number;
  readonly counter: number;
};
export type CounterName = Pick<CounterDifference, 'viewer' | 'shard'>;

export type Recounting = {
  readonly purpose: Purpose;
  /** The names of the pairs of statuses that orders of the view had a while ago. */
  readonly pairs: ReadonlySet<string>;
  /** The ids of orders that are perhaps listed wrongly; they are counted by themselves. */
  readonly suspects: ReadonlySet<number>;
  /** Those of them that are in the view. */
  readonly suspectsInView: readonly number[];
};

// Counting a view takes some milliseconds, or seconds if it is long, and each try settles the counters that were not
// written during it.
const TRIES = 30;
const LONGEST_PAUSE_MS = 500;

/**
 * Holds the counters of a view against its orders, and with the purpose of repair replaces those that differ.
 *
 * It need not stop anybody from placing orders. Whatever is placed or moved adds to `changes` of the counter of that order
 * in the same transaction. So orders that were counted between two equal readings of `changes` are those that this counter
 * must have; if the readings differ, they are counted again. A repair is written on the condition that `changes` is still
 * what it was before the counting, and adds to it as well. A try costs a query of each pair of statuses between two of
 * the counters.
 */
export async function recountView(
  table: Table,
  view: View,
  recounting: Recounting,
): Promise<Findings<CounterDifference, CounterName>> {
  const settled = new Map<number, CounterDifference[]>();
  let unsettled: number[] = [];
  for (let tries = 1; tries <= TRIES; tries++) {
    unsettled = [];
    for (const reading of await takeReadings(table, view, recounting)) {
      const { number } = reading.shard;
      if (settled.has(number)) continue;
      const found = await settleCounter(table, view, reading, recounting.purpose);
      if (found) settled.set(number, found);
      else unsettled.push(number);
    }
    if (unsettled.length === 0) break;
    await pause(Math.random() * LONGEST_PAUSE_MS);
  }
  const { viewer } = view;
  return { differences: [...settled.values()].flat(), unsettled: unsettled.map((shard) => ({ viewer, shard })) };
}

/** A counter as it was before its orders were counted, and whether it was the same afterwards. */
type Reading = { readonly shard: Shard; readonly orders: Shard['pairs']; readonly isQuiet: boolean };

async function takeReadings(table: Table, view: View, recounting: Recounting): Promise<Reading[]> {
  const read = async () => new Map((await readShards(table, view)).map((shard) => [shard.number, shard]));
  const before = await read();
  const counted = await countByShard(table, view, [...before.values()], recounting);
  const after = await read();
  return [...new Set([...before.keys(), ...counted.keys()])].map((number) => ({
    shard: before.get(number) ?? { number, changes: undefined, pairs: new Map() },
    orders: counted.get(number) ?? new Map(),
    isQuiet: before.get(number)?.changes === after.get(number)?.changes,
  }));
}

/** Returns the counts that each counter of a view must have, from the entries of its pairs. */
async function countByShard(
  table: Table,
  { clientId, viewer }: View,
  shards: readonly Shard[],
  { pairs, suspects, suspectsInView }: Recounting,
): Promise<Map<number, Map<string, number>>> {
  const counted = new Map<number, Map<string, number>>();
  const count = (id: number, pair: string) => {
    const shard = chooseShard(viewer, id);
    const counts = counted.get(shard) ?? new Map<string, number>();
    counted.set(shard, counts.set(pair, (counts.get(pair) ?? 0) + 1));
  };
  const countEntries = async (pair: string) => {
    const pk = pairPartition(clientId, viewer, pair);
    for await (const entries of table.pages({ pk, attributes: 'sk', pageSize: ENTRIES_PER_PAGE })) {
      const ids = entries.map(parseOrderId);
      for (const id of ids) if (!suspects.has(id)) count(id, pair);
    }
  };
  const countSuspects = async () => {
    for (const order of await getOrders(table, clientId, suspectsInView)) count(order.id, toPairName(order));
  };
  // A pair that an order has moved to since is in a counter.
  const mentioned = shards.flatMap((shard) => [...shard.pairs.keys()]).filter((pair) => parsePairName(pair));
  await Promise.all([...new Set([...pairs, ...mentioned])].map(countEntries).concat(countSuspects()));
  return counted;
}

/** Returns the differences of a counter, repaired on request; undefined if it has to be counted again. */
async function settleCounter(
  table: Table,
  view: View,
  { shard, orders, isQuiet }: Reading,
  purpose: Purpose,
): Promise<CounterDifference[] | undefined> {
  if (!isQuiet) return undefined;
  const pairs = new Set([...shard.pairs.keys(), ...orders.keys()]);
  const differences = [...pairs].flatMap((pair) => {
    const [counter, right] = [shard.pairs.get(pair) ?? 0, orders.get(pair) ?? 0];
    const statuses = parsePairName(pair);
    if (!statuses || counter === right) return [];
    return [{ ...statuses, viewer: view.viewer, shard: shard.number, orders: right, counter }];
  });
  const isDone = differences.length === 0 || purpose === 'proof' || (await replaceShard(table, view, shard, orders));
  return isDone ? differences : undefined;
}
