import { counterKey, delaysKey, keyName } from '../../../shared/store/keys.ts';
import { chooseShard } from '../../../shared/store/order-lists/counters.ts';
import { type Delays, measureDelays } from '../../../shared/store/order-lists/delivery-delays.ts';
import { toPairName } from '../../../shared/store/order-lists/status-pairs.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { listViewers } from '../../../shared/store/orders/viewers.ts';
import type { Item } from '../../../shared/store/table.ts';

/** Counts new orders, and measures the times to their delivery, as their transactions would. */
export class OrderTally {
  readonly #counters = new Map<string, Record<string, number | string>>();
  readonly #delays = new Map<number, Delays>();

  add(order: Order): void {
    for (const viewer of listViewers(order)) this.#count(order, viewer);
    const { shortestMs, longestMs } = measureDelays(order);
    const known = this.#delays.get(order.clientId) ?? { shortestMs, longestMs };
    this.#delays.set(order.clientId, {
      shortestMs: Math.min(known.shortestMs, shortestMs),
      longestMs: Math.max(known.longestMs, longestMs),
    });
  }

  #count(order: Order, viewer: ReturnType<typeof listViewers>[number]): void {
    const key = counterKey(order.clientId, viewer, chooseShard(viewer, order.id));
    const counter = this.#counters.get(keyName(key)) ?? { ...key };
    for (const counted of ['changes', toPairName(order)]) counter[counted] = Number(counter[counted] ?? 0) + 1;
    this.#counters.set(keyName(key), counter);
  }

  /** Yields the items of delays and counters; the counters of the client, which the first order began, come last. */
  *items(): Generator<Item> {
    for (const [clientId, delays] of this.#delays) yield { ...delaysKey(clientId), ...delays };
    yield* [...this.#counters.values()].reverse();
  }
}
