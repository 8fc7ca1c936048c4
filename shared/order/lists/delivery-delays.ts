import { delaysKey, endOfInstant, FIRST_CREATION, LAST_CREATION } from '../../store/keys.ts';
import type { Item, Table, Write } from '../../store/table.ts';
import type { Order } from '../order.ts';
import type { OrderSelection } from './selection.ts';

/** The first and the last sort key of a part of a view, both included. */
export type CreationRange = { readonly from: string; readonly until: string };
export const WHOLE_VIEW: CreationRange = { from: FIRST_CREATION, until: LAST_CREATION };

/** The shortest and the longest time from an order to a delivery date, in ms; below 0 if an order is due before it was placed. */
export type Delays = { readonly shortestMs: number; readonly longestMs: number };

/** Returns the delays of all orders of a client; `item` is what is stored under delaysKey. */
export const parseDelays = (item: Item | undefined): Delays => ({
  shortestMs: Number(item?.shortestMs ?? 0),
  longestMs: Number(item?.longestMs ?? 0),
});

/** Returns the delays of an order; both are 0 without dates. */
export function measureDelays(order: Pick<Order, 'createdAt' | 'expectedDeliveryDate' | 'maxDeliveryDate'>): Delays {
  const dates = [order.expectedDeliveryDate, order.maxDeliveryDate].filter((date) => date !== null);
  const delays = dates.map((date) => Date.parse(date) - Date.parse(order.createdAt));
  return { shortestMs: Math.min(0, ...delays), longestMs: Math.max(0, ...delays) };
}

/**
 * Records the delays of an order where they exceed those that are `known`. To be called before the order is stored, so
 * that no list can miss it; if it is never stored after all, lists read a little more than they need.
 */
export async function widenDelays(table: Table, clientId: number, known: Delays, order: Delays): Promise<void> {
  const Key = delaysKey(clientId);
  const widen = (attribute: keyof Delays, comparison: '<' | '>') =>
    table.tryUpdate({
      Key,
      UpdateExpression: `SET ${attribute} = :ms`,
      ConditionExpression: `attribute_not_exists(${attribute}) OR ${attribute} ${comparison} :ms`,
      ExpressionAttributeValues: { ':ms': order[attribute] },
    });
  await Promise.all([
    order.longestMs > known.longestMs ? widen('longestMs', '<') : undefined,
    order.shortestMs < known.shortestMs ? widen('shortestMs', '>') : undefined,
  ]);
}

/** Returns the write that records the delays of a new order in its transaction, where they exceed those that are `known`. */
export function widenWrites(clientId: number, known: Delays, order: Delays): Write[] {
  const shortestMs = Math.min(known.shortestMs, order.shortestMs);
  const longestMs = Math.max(known.longestMs, order.longestMs);
  if (shortestMs === known.shortestMs && longestMs === known.longestMs) return [];
  const isWithin =
    '(attribute_not_exists(shortestMs) OR shortestMs >= :shortest) AND (attribute_not_exists(longestMs) OR longestMs <= :longest)';
  const Update = {
    Key: delaysKey(clientId),
    UpdateExpression: 'SET shortestMs = :shortest, longestMs = :longest',
    ConditionExpression: isWithin,
    ExpressionAttributeValues: { ':shortest': shortestMs, ':longest': longestMs },
  };
  return [{ Update }];
}

/** Returns the times of creation that orders within bounds of dates can have. */
export function boundCreation({ dateBounds }: OrderSelection, { shortestMs, longestMs }: Delays): CreationRange {
  const shifted = (comparison: '>=' | '<', ms: number) =>
    dateBounds
      .filter((bound) => bound.comparison === comparison)
      .map(({ field, instant }) => (field === 'createdAt' ? instant : new Date(Date.parse(instant) - ms).toISOString()))
      .sort();
  const from = shifted('>=', longestMs).at(-1);
  const until = shifted('<', shortestMs).at(0);
  return { from: from ?? WHOLE_VIEW.from, until: until ? endOfInstant(until) : WHOLE_VIEW.until };
}
