import {
  COUPON_COUNTERS,
  counterKey,
  counterPartition,
  couponCounterKey,
  couponPartition,
  type Key,
  keyName,
  parseCouponCounter,
  parseKind,
  patientCouponKey,
  type Viewer,
  viewerKind,
} from '../../store/keys.ts';
import { type Item, startingWith, type Table, type Write } from '../../store/table.ts';
import { listViewers, type Order } from '../order.ts';
import type { OrderStatus, PaymentStatus } from '../rules/status.ts';

export type View = { readonly clientId: number; readonly viewer: Viewer };

export type StatusPair = { readonly orderStatus: OrderStatus; readonly paymentStatus: PaymentStatus };

// Pair names are read with each of a client's 16 counters, twice for a page of its list. Written out in full they made up
// more than half of the first page of a long history: 14 read units instead of 8 (npm run bench -- orders).
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

/** Returns two letters for a pair of statuses, which are never given to another pair. */
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

export const parsePairName = (pair: string): StatusPair | undefined => PAIRS.get(pair);

export type StatusCount = StatusPair & { readonly orders: number };

/** `changes` grows with every write to a view: if two readings agree, nothing was written in between. */
export type ViewCounts = { readonly counts: readonly StatusCount[]; readonly changes: number };

// Transactions on one item cancel each other. A patient orders alone, but others order for patients too: of 50
// simultaneous orders for one patient, some ran out of retries with a single shard.
const SHARDS = { client: 16, doctor: 4, patient: 4 } as const;

/** A counter field to which an order adds one; the write fails at `limit`. */
export type Count = { readonly Key: Key; readonly field: string; readonly limit?: number };

/** An order always has the same counters, so that a change of status is one write to each. */
export const countInViews = (order: Order): Count[] =>
  listViewers(order).map((viewer) => ({
    Key: counterKey(order.clientId, viewer, order.id % SHARDS[viewerKind(viewer)]),
    field: toPairName(order),
  }));

export function countWrites(before: readonly Count[], after: readonly Count[]): Write[] {
  const changes = [
    ...without(after, before).map((count) => ({ ...count, by: 1 })),
    ...without(before, after).map((count) => ({ ...count, by: -1 })),
  ];
  return [...Map.groupBy(changes, ({ Key }) => keyName(Key)).values()].map(addWrite);
}

function without(counts: readonly Count[], others: readonly Count[]): readonly Count[] {
  const toName = ({ Key, field }: Count): string => `${keyName(Key)} ${field}`;
  const names = new Set(others.map(toName));
  return counts.filter((count) => !names.has(toName(count)));
}

/** Adds to the fields of one counter; the condition fails if a limit is reached. */
function addWrite(changes: readonly (Count & { readonly by: number })[]): Write {
  const terms = changes.map((_, index) => `#${index} :${index}`);
  const limited = changes.flatMap(({ by, limit }, index) => (by > 0 && limit !== undefined ? [{ index, limit }] : []));
  const conditions = limited.map(({ index }) => `(attribute_not_exists(#${index}) OR #${index} < :limit${index})`);
  return {
    Update: {
      Key: changes[0]?.Key,
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

/** Reads the counts of a view from all its shards in one query, without pairs that no order has. */
export async function readCounts(table: Table, { clientId, viewer }: View): Promise<ViewCounts> {
  const totals = new Map<string, number>();
  let changes = 0;
  const shards = await table.all({ pk: counterPartition(clientId, viewer) });
  for (const { pk: _, sk: __, changes: more = 0, ...pairs } of shards) {
    changes += Number(more);
    for (const [pair, orders] of Object.entries(pairs)) totals.set(pair, (totals.get(pair) ?? 0) + Number(orders));
  }
  const counts = [...totals].flatMap(([pair, orders]) => {
    const statuses = parsePairName(pair);
    return statuses && orders > 0 ? [{ ...statuses, orders }] : [];
  });
  return { changes, counts };
}

export const sumOrders = (counts: readonly StatusCount[]): number =>
  counts.reduce((sum, { orders }) => sum + orders, 0);

export const countOrders = async (table: Table, view: View): Promise<number> =>
  sumOrders((await readCounts(table, view)).counts);

// A limited coupon has a counter for all orders of a client, one for each patient, or both; one without limits writes
// nothing. An order keeps the limits under which it was counted, so that it gives back exactly what it took.

/** Returns the counters of the order's coupon; none if it is cancelled. */
export function countRedemption({ clientId, patient, coupon, orderStatus }: Order): Count[] {
  if (!coupon || orderStatus === 'cancelled') return [];
  const { id, max_redemptions: limit, max_redemptions_per_patient: patientLimit } = coupon;
  const field = 'redemptions';
  return [
    ...(limit === null ? [] : [{ Key: couponCounterKey(clientId, id), field, limit }]),
    ...(patientLimit === null ? [] : [{ Key: patientCouponKey(clientId, id, patient.id), field, limit: patientLimit }]),
  ];
}

export const isRedemption = (write: Write | undefined): boolean =>
  write !== undefined && 'Update' in write && parseKind(String(write.Update.Key?.pk)) === 'COUPON';

/** True if the client's orders have reached the limit of a coupon. One read, for a coupon that has such a limit. */
export async function isCouponSpent(
  table: Table,
  clientId: number,
  coupon: Pick<NonNullable<Order['coupon']>, 'id' | 'max_redemptions'> | undefined,
): Promise<boolean> {
  if (!coupon || coupon.max_redemptions === null) return false;
  const counter = await table.get(couponCounterKey(clientId, coupon.id));
  return readRedemptions(counter) >= coupon.max_redemptions;
}

/** Returns the redemptions of a client's coupons that have a limit over all patients; one query. */
export async function countRedemptions(table: Table, clientId: number): Promise<Map<number, number>> {
  const counters = await table.all({ pk: couponPartition(clientId), ...startingWith(COUPON_COUNTERS) });
  return new Map(counters.map((counter) => [parseCouponCounter(counter), readRedemptions(counter)]));
}

const readRedemptions = (counter: Item | undefined): number => Number(counter?.redemptions ?? 0);
