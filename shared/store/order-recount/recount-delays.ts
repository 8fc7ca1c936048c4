import { delaysKey } from '../keys.ts';
import { type Delays, parseDelays, widenDelays } from '../order-lists/delivery-delays.ts';
import type { Table } from '../table.ts';
import type { Problem, Purpose } from './differences.ts';

/** A recorded bound of the delivery delays that some order exceeds. */
export type DelayDifference = {
  readonly bound: keyof Delays;
  readonly problem: Exclude<Problem, 'stray'>;
  readonly recordedMs: number;
  readonly ordersMs: number;
};

/**
 * Holds the record of delivery delays against those that orders have, and with the purpose of repair widens it. It may
 * be wider: an order that was never stored after all has widened it, too. One read.
 */
export async function recountDelays(
  table: Table,
  { clientId, delays }: { readonly clientId: number; readonly delays: Delays },
  purpose: Purpose,
): Promise<DelayDifference[]> {
  const item = await table.get(delaysKey(clientId));
  const recorded = parseDelays(item);
  const exceeded: (keyof Delays)[] = [
    ...(delays.shortestMs < recorded.shortestMs ? (['shortestMs'] as const) : []),
    ...(delays.longestMs > recorded.longestMs ? (['longestMs'] as const) : []),
  ];
  if (purpose === 'repair') await widenDelays(table, clientId, recorded, delays);
  return exceeded.map((bound) => ({
    bound,
    problem: item?.[bound] === undefined ? 'missing' : 'different',
    recordedMs: recorded[bound],
    ordersMs: delays[bound],
  }));
}
