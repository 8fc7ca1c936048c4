import { type Count, countInViews } from '../../../shared/order/lists/counters.ts';
import { type Delays, measureDelays } from '../../../shared/order/lists/delivery-delays.ts';
import type { Order } from '../../../shared/order/order.ts';
import { delaysKey, keyName } from '../../../shared/store/keys.ts';
import type { Item } from '../../../shared/store/table.ts';

/** Counts new orders, and measures the times to their delivery, as their transactions would. */
export class OrderTally {
  readonly #counters = new Map<string, Record<string, number | string>>();
  readonly #delays = new Map<number, Delays>();

  add(order: Order): void {
    for (const count of countInViews(order)) this.#count(count);
    const { shortestMs, longestMs } = measureDelays(order);
    const known = this.#delays.get(order.clientId) ?? { shortestMs, longestMs };
    this.#delays.set(order.clientId, {
      shortestMs: Math.min(known.shortestMs, shortestMs),
      longestMs: Math.max(known.longestMs, longestMs),
    });
  }

  #count({ Key, field }: Count): void {
    const counter = this.#counters.get(keyName(Key)) ?? { ...Key };
    for (const counted of ['changes', field]) counter[counted] = Number(counter[counted] ?? 0) + 1;
    this.#counters.set(keyName(Key), counter);
  }

  /** Yields the items of delays and counters; the counters of the client, which the first order began, come last. */
  *items(): Generator<Item> {
    for (const [clientId, delays] of this.#delays) yield { ...delaysKey(clientId), ...delays };
    yield* [...this.#counters.values()].reverse();
  }
}
