import { delaysKey, endOfInstant, FIRST_CREATION, LAST_CREATION } from '../../store/keys.ts';
import type { Item, Table, Write } from '../../store/table.ts';
import { toUpdate } from '../../store/update.ts';
import type { Order } from '../order.ts';

/** The first and the last sort key of a part of a view, both included. */
export type CreationRange = { readonly from: string; readonly until: string };
export const WHOLE_VIEW: CreationRange = { from: FIRST_CREATION, until: LAST_CREATION };

/** A bound of a date, as a UTC instant; orders without that date are outside every bound. */
export type DateBound = {
  readonly field: 'createdAt' | 'expectedDeliveryDate' | 'maxDeliveryDate';
  readonly comparison: '>=' | '<';
  readonly instant: string;
};

/** The shortest and longest time from order to delivery date, in ms; negative if an order is due before it was placed. */
export type Delays = { readonly shortestMs: number; readonly longestMs: number };

/** `item` is stored under delaysKey and covers all orders of a client. */
export const parseDelays = (item: Item | undefined): Delays => ({
  shortestMs: Number(item?.shortestMs ?? 0),
  longestMs: Number(item?.longestMs ?? 0),
});

export function measureDelays(order: Pick<Order, 'createdAt' | 'expectedDeliveryDate' | 'maxDeliveryDate'>): Delays {
  const dates = [order.expectedDeliveryDate, order.maxDeliveryDate].filter((date) => date !== null);
  const delays = dates.map((date) => Date.parse(date) - Date.parse(order.createdAt));
  return { shortestMs: Math.min(0, ...delays), longestMs: Math.max(0, ...delays) };
}

/**
 * Widens the recorded delays of a client to include those of an order. Call it before the order is stored, so that no
 * list misses it; if the order is never stored, lists read slightly more than they need.
 */
export async function widenDelays(table: Table, clientId: number, recorded: Delays, order: Delays): Promise<void> {
  const widen = (attribute: keyof Delays, comparison: '<' | '>') =>
    table.tryUpdate(
      toUpdate(delaysKey(clientId), {
        set: { [attribute]: order[attribute] },
        where: `attribute_not_exists(${attribute}) OR ${attribute} ${comparison} :${attribute}`,
      }),
    );
  await Promise.all([
    order.longestMs > recorded.longestMs ? widen('longestMs', '<') : undefined,
    order.shortestMs < recorded.shortestMs ? widen('shortestMs', '>') : undefined,
  ]);
}

export function widenWrites(clientId: number, recorded: Delays, order: Delays): Write[] {
  const shortestMs = Math.min(recorded.shortestMs, order.shortestMs);
  const longestMs = Math.max(recorded.longestMs, order.longestMs);
  if (shortestMs === recorded.shortestMs && longestMs === recorded.longestMs) return [];
  const isWithin =
    '(attribute_not_exists(shortestMs) OR shortestMs >= :shortestMs) AND (attribute_not_exists(longestMs) OR longestMs <= :longestMs)';
  return [{ Update: toUpdate(delaysKey(clientId), { set: { shortestMs, longestMs }, where: isWithin }) }];
}

/** Returns the creations of orders within the bounds, whose deliveries follow by these delays. */
export function boundCreation(bounds: readonly DateBound[], { shortestMs, longestMs }: Delays): CreationRange {
  const shifted = (comparison: '>=' | '<', ms: number) =>
    bounds
      .filter((bound) => bound.comparison === comparison)
      .map(({ field, instant }) => (field === 'createdAt' ? instant : new Date(Date.parse(instant) - ms).toISOString()))
      .sort();
  const from = shifted('>=', longestMs).at(-1);
  const until = shifted('<', shortestMs).at(0);
  return { from: from ?? FIRST_CREATION, until: until ? endOfInstant(until) : LAST_CREATION };
}
