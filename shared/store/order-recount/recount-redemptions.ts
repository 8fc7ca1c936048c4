import { couponPartition } from '../keys.ts';
import type { Item, Table } from '../table.ts';
import type { Findings, Purpose } from './differences.ts';

/** A counter of a coupon, by its sort key, that has another number than the orders that it counts, which are `orders`. */
export type RedemptionDifference = { readonly counter: string; readonly orders: number; readonly redemptions: number };

type Counters = ReadonlyMap<string, Item>;

/** Reads the counters of the coupons of a client, over all patients and by patient. */
export async function readCouponCounters(table: Table, clientId: number): Promise<Counters> {
  const items = await table.all({ pk: couponPartition(clientId) });
  return new Map(items.map((item) => [String(item.sk), item]));
}

/**
 * Holds the counters of the coupons of a client against its orders, which were counted by counter after `before` was read,
 * and with the purpose of repair replaces those that differ. A counter that was written meanwhile is `unsettled` unless it
 * agrees all the same. One query, and a write for each repair.
 */
export async function recountRedemptions(
  table: Table,
  { clientId, before, orders }: { clientId: number; before: Counters; orders: ReadonlyMap<string, number> },
  purpose: Purpose,
): Promise<Findings<RedemptionDifference, string>> {
  const after = await readCouponCounters(table, clientId);
  const differences: RedemptionDifference[] = [];
  const unsettled: string[] = [];
  for (const counter of new Set([...after.keys(), ...orders.keys()])) {
    const item = after.get(counter);
    const found = { counter, orders: orders.get(counter) ?? 0, redemptions: Number(item?.redemptions ?? 0) };
    if (found.orders === found.redemptions) continue;
    const isQuiet = before.get(counter)?.changes === item?.changes;
    const isDone = isQuiet && (purpose === 'proof' || (await replaceCounter(table, clientId, found, item)));
    if (isDone) differences.push(found);
    else unsettled.push(counter);
  }
  return { differences, unsettled };
}

/** Puts the right number in a counter, as one more change; false if it was written since it was read. */
function replaceCounter(
  table: Table,
  clientId: number,
  { counter, orders }: RedemptionDifference,
  item: Item | undefined,
): Promise<boolean> {
  const changes = Number(item?.changes ?? 0);
  const Item = { pk: couponPartition(clientId), sk: counter, redemptions: orders, changes: changes + 1 };
  const ConditionExpression = item ? 'changes = :changes' : 'attribute_not_exists(changes)';
  const values = item ? { ExpressionAttributeValues: { ':changes': changes } } : {};
  return table.tryTransact([{ Put: { Item, ConditionExpression, ...values } }]);
}
