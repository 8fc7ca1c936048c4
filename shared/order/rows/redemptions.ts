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
  const where = { where: 'begins_with(sk, :start)', values: { ':start': COUPON_COUNTERS } };
  const counters = await table.all({ pk: couponPartition(clientId), ...where });
  return new Map(counters.map((counter) => [parseCouponCounter(counter), readRedemptions(counter)]));
}

const readRedemptions = (counter: Item | undefined): number => Number(counter?.redemptions ?? 0);
