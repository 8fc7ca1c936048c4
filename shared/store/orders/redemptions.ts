import {
  COUPON_COUNTERS,
  couponCounterKey,
  couponPartition,
  type Key,
  keyName,
  parseCouponCounter,
  parseKind,
  patientCouponKey,
} from '../keys.ts';
import type { Item, Table, Write } from '../table.ts';
import type { Order } from './order.ts';

// A coupon with a limit has a counter for all orders of a client, one for each of its patients, or both, as its limits
// ask; a coupon without limits writes nothing. An order remembers the limits that it was counted by, so that it gives back
// what it took, and no more, whatever the catalog says meanwhile.

/** A counter that an order is counted in, and the number of orders that it may count. */
type Redemption = { readonly Key: Key; readonly limit: number };

/** Returns the counters that an order is counted in; a cancelled one is in none. */
export function listRedemptions({ clientId, patient, coupon, orderStatus }: Order): Redemption[] {
  if (!coupon || orderStatus === 'cancelled') return [];
  const { id, max_redemptions: limit, max_redemptions_per_patient: patientLimit } = coupon;
  return [
    ...(limit === null ? [] : [{ Key: couponCounterKey(clientId, id), limit }]),
    ...(patientLimit === null ? [] : [{ Key: patientCouponKey(clientId, id, patient.id), limit: patientLimit }]),
  ];
}

/**
 * Returns the writes that count the coupon of an order and give back the one that it had; `before` is null if it is new.
 * A condition fails if the coupon has no redemption left.
 */
export function redemptionWrites(before: Order | null, after: Order): Write[] {
  const held = before ? listRedemptions(before) : [];
  const wanted = listRedemptions(after);
  return [...without(wanted, held).map(takeRedemption), ...without(held, wanted).map(giveRedemptionBack)];
}

function without(all: readonly Redemption[], others: readonly Redemption[]): Redemption[] {
  const names = new Set(others.map(({ Key }) => keyName(Key)));
  return all.filter(({ Key }) => !names.has(keyName(Key)));
}

// `changes` grows with every write: two equal readings have nothing between them.
const takeRedemption = ({ Key, limit }: Redemption): Write => ({
  Update: {
    Key,
    UpdateExpression: 'ADD redemptions :one, changes :one',
    ConditionExpression: 'attribute_not_exists(redemptions) OR redemptions < :limit',
    ExpressionAttributeValues: { ':one': 1, ':limit': limit },
  },
});

const giveRedemptionBack = ({ Key }: Redemption): Write => ({
  Update: {
    Key,
    UpdateExpression: 'ADD redemptions :less, changes :one',
    ExpressionAttributeValues: { ':less': -1, ':one': 1 },
  },
});

/** True of a write of a coupon's counter. */
export const isRedemption = (write: Write | undefined): boolean =>
  write !== undefined && 'Update' in write && parseKind(String(write.Update.Key?.pk)) === 'COUPON';

/**
 * True if the orders of a client have reached the limit of a coupon, so that no order need try to redeem it. One read for a
 * coupon that has such a limit.
 */
export async function isCouponSpent(
  table: Table,
  clientId: number,
  coupon: Pick<NonNullable<Order['coupon']>, 'id' | 'max_redemptions'> | undefined,
): Promise<boolean> {
  if (!coupon || coupon.max_redemptions === null) return false;
  const counter = await table.get(couponCounterKey(clientId, coupon.id));
  return readRedemptions(counter) >= coupon.max_redemptions;
}

/** Returns the redemptions of the coupons of a client that have a limit over all patients, by coupon; one query. */
export async function countRedemptions(table: Table, clientId: number): Promise<Map<number, number>> {
  const where = { where: 'begins_with(sk, :start)', values: { ':start': COUPON_COUNTERS } };
  const counters = await table.all({ pk: couponPartition(clientId), ...where });
  return new Map(counters.map((counter) => [parseCouponCounter(counter), readRedemptions(counter)]));
}

/** Returns how many orders a counter of a coupon has counted; none if it was never written. */
const readRedemptions = (counter: Item | undefined): number => Number(counter?.redemptions ?? 0);
