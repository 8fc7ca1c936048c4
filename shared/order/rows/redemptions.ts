import {
  COUPON_COUNTERS,
  couponCounterKey,
  couponPartition,
  parseCouponCounter,
  parseKind,
  patientCouponKey,
} from '../../store/keys.ts';
import type { Item, Table, Write } from '../../store/table.ts';
import type { Count } from '../lists/counters.ts';
import type { Order } from '../order.ts';

// A coupon with a limit has a counter for all orders of a client, one for each of its patients, or both, as its limits
// ask; a coupon without limits writes nothing. An order remembers the limits that it was counted by, so that it gives back
// what it took, and no more, whatever the catalog says meanwhile.

/** Returns the counters that the coupon of an order is counted in; a cancelled order is in none. */
export function countRedemption({ clientId, patient, coupon, orderStatus }: Order): Count[] {
  if (!coupon || orderStatus === 'cancelled') return [];
  const { id, max_redemptions: limit, max_redemptions_per_patient: patientLimit } = coupon;
  const field = 'redemptions';
  return [
    ...(limit === null ? [] : [{ Key: couponCounterKey(clientId, id), field, limit }]),
    ...(patientLimit === null ? [] : [{ Key: patientCouponKey(clientId, id, patient.id), field, limit: patientLimit }]),
  ];
}

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
