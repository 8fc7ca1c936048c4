import { setTimeout as pause } from 'node:timers/promises';
import { entryPartition, type Viewer } from '../keys.ts';
import type { Order } from '../orders/order.ts';
import { listViewers } from '../orders/orders.ts';
import type { Table } from '../table.ts';
import { chooseShard, readShards, replaceShard, type Shard, type StatusCount } from './order-counters.ts';
import { entryPages } from './order-entries.ts';
import { ordersByIds } from './order-search.ts';
import { parsePairName, toPairName } from './status-pairs.ts';

export type View = { readonly clientId: number; readonly viewer: Viewer };

/** A pair of statuses that a counter has another number of than the orders that it counts, which are `orders`. */
export type CounterDifference = StatusCount & {
  readonly viewer: Viewer;
  readonly shard: number;
  readonly counter: number;
};

/** `unsettled` are the counters that were written during every try, of which nothing is known. */
export type Recounted = {
  readonly differences: readonly CounterDifference[];
  readonly unsettled: readonly { readonly viewer: Viewer; readonly shard: number }[];
};

export type Recounting = {
  /** The orders that the lists may be wrong about: they are counted by themselves. */
  readonly suspects: ReadonlySet<number>;
  readonly purpose: 'proof' | 'repair';
  /** The longest pause before the next try; a random part of it is waited. */
  readonly longestPauseMs?: number;
};

// Counting a view takes some milliseconds, or seconds if it is long, and each try settles the counters that were not
// written during it.
const TRIES = 30;
const LONGEST_PAUSE_MS = 500;

/**
 * Holds the counters of a view against its orders, and with the purpose of repair puts right those that differ.
 *
 * It need not stop anybody from placing orders. Whatever is placed or changed adds to `changes` of the counter of that
 * order in the same transaction. So orders that were counted between two equal readings of `changes` are those that this
 * counter has to have; if the readings differ, they are counted again. A repair is written on the condition that `changes`
 * is still what it was before the counting, and adds to it as well: it replaces nothing that it has not seen, whether an
 * order or another repair was quicker.
 */
export async function recountView(table: Table, view: View, recounting: Recounting): Promise<Recounted> {
  const settled = new Map<number, CounterDifference[]>();
  let unsettled: number[] = [];
  for (let tries = 1; tries <= TRIES; tries++) {
    unsettled = [];
    for (const reading of await readings(table, view, recounting.suspects)) {
      const { number } = reading.shard;
      if (settled.has(number)) continue;
      const found = await settleCounter(table, view, reading, recounting.purpose);
      if (found) settled.set(number, found);
      else unsettled.push(number);
    }
    if (unsettled.length === 0) break;
    await pause(Math.random() * (recounting.longestPauseMs ?? LONGEST_PAUSE_MS));
  }
  const { viewer } = view;
  return { differences: [...settled.values()].flat(), unsettled: unsettled.map((shard) => ({ viewer, shard })) };
}

/** A counter as it was before its orders were counted, and whether it was the same afterwards. */
type Reading = { readonly shard: Shard; readonly orders: Shard['pairs']; readonly isQuiet: boolean };

async function readings(table: Table, view: View, suspects: Recounting['suspects']): Promise<Reading[]> {
  const shards = async () => {
    const read = await readShards(table, view.clientId, view.viewer);
    return new Map(read.map((shard) => [shard.number, shard]));
  };
  const before = await shards();
  const counted = await countByShard(table, view, suspects);
  const after = await shards();
  return [...new Set([...before.keys(), ...counted.keys()])].map((number) => ({
    shard: before.get(number) ?? { number, changes: undefined, pairs: new Map() },
    orders: counted.get(number) ?? new Map(),
    isQuiet: before.get(number)?.changes === after.get(number)?.changes,
  }));
}

/** Returns the counts that each counter of a view must have. */
async function countByShard(table: Table, { clientId, viewer }: View, suspects: Recounting['suspects']) {
  const counted = new Map<number, Map<string, number>>();
  const count = (order: Pick<Order, 'id' | 'orderStatus' | 'paymentStatus'>) => {
    const shard = chooseShard(viewer, order.id);
    const pairs = counted.get(shard) ?? new Map<string, number>();
    counted.set(shard, pairs.set(toPairName(order), (pairs.get(toPairName(order)) ?? 0) + 1));
  };
  for await (const page of entryPages(table, entryPartition(clientId, viewer), { isForward: false })) {
    for (const entry of page) if (!suspects.has(entry.id)) count(entry);
  }
  for (const order of await ordersByIds(table, clientId, [...suspects])) {
    if (listViewers(order).includes(viewer)) count(order);
  }
  return counted;
}

/** Returns the differences of a counter, repaired on request; undefined if it has to be counted again. */
async function settleCounter(
  table: Table,
  view: View,
  { shard, orders, isQuiet }: Reading,
  purpose: Recounting['purpose'],
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
