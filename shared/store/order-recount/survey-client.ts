import { parseCounterPartition, parseCreationKey, parseKind, parseNameKey, toKey, type Viewer } from '../keys.ts';
import { type Delays, measureDelays } from '../order-lists/delivery-delays.ts';
import { listItems } from '../order-lists/entries.ts';
import { toPairName } from '../order-lists/status-pairs.ts';
import type { Order } from '../orders/order.ts';
import { parseOrder } from '../orders/order-item.ts';
import { listRedemptions } from '../orders/redemptions.ts';
import { listViewers } from '../orders/viewers.ts';
import { nameItems } from '../people/name-index.ts';
import { parseUser } from '../people/users.ts';
import type { Item, Table } from '../table.ts';
import { Balance } from './balance.ts';
import { namesOfOrder, namesOfUser } from './recount-names.ts';
import { scanClient } from './scan-client.ts';

/** The findings of one pass over the items of a client, made while orders are placed and changed. */
export type Survey = {
  readonly orders: number;
  /** Every view that has orders or counters, with the names of the pairs of statuses that its orders had. */
  readonly views: ReadonlyMap<Viewer, ReadonlySet<string>>;
  /** The shortest and the longest delay of all orders. */
  readonly delays: Delays;
  /** How many orders each counter of a coupon must have, by its sort key. */
  readonly redemptions: ReadonlyMap<string, number>;
  /** The ids of the orders that may be listed wrongly; all others are listed as they must be. */
  readonly orderSuspects: ReadonlySet<number>;
  /** The ids of the patients whose names may be indexed wrongly. */
  readonly patientSuspects: ReadonlySet<number>;
};

/** Holds the items of a client against its orders and patients in one pass over the table; `onProgress` receives the orders so far. */
export async function surveyClient(
  table: Table,
  clientId: number,
  onProgress: (orders: number) => void,
): Promise<Survey> {
  const surveyor = new Surveyor(clientId);
  await scanClient(table, clientId, (item) => {
    surveyor.take(item);
    onProgress(surveyor.orders);
  });
  return surveyor.report();
}

class Surveyor {
  readonly #clientId: number;
  readonly #views = new Map<Viewer, Set<string>>([['client', new Set()]]);
  readonly #lists = new Balance();
  readonly #names = new Balance();
  readonly #expectedNames = new Set<string>();
  #delays: Delays = { shortestMs: 0, longestMs: 0 };
  readonly #redemptions = new Map<string, number>();
  orders = 0;

  constructor(clientId: number) {
    this.#clientId = clientId;
  }

  take(item: Item): void {
    const { pk, sk } = toKey(item);
    const kind = parseKind(pk);
    if (kind === 'ORDER') this.#takeOrder(parseOrder(item));
    else if (kind === 'COUNT') this.#addToView(parseCounterPartition(pk), []);
    else if (kind === 'NAME') this.#names.add(parseNameKey(sk), item);
    else if (kind !== 'USER') this.#lists.add(parseCreationKey(sk).order, item);
    else if (parseKind(sk) === 'USER') this.#takeUser(item);
  }

  #takeOrder(order: Order): void {
    this.orders += 1;
    for (const item of listItems(order)) this.#lists.add(order.id, item);
    for (const viewer of listViewers(order)) this.#addToView(viewer, [toPairName(order)]);
    for (const { Key } of listRedemptions(order))
      this.#redemptions.set(Key.sk, (this.#redemptions.get(Key.sk) ?? 0) + 1);
    this.#expectNames(order.patient.id, namesOfOrder(order));
    const { shortestMs, longestMs } = measureDelays(order);
    this.#delays = {
      shortestMs: Math.min(this.#delays.shortestMs, shortestMs),
      longestMs: Math.max(this.#delays.longestMs, longestMs),
    };
  }

  #takeUser(item: Item): void {
    const user = parseUser(item);
    this.#expectNames(user.id, namesOfUser(user));
  }

  #addToView(viewer: Viewer, pairs: readonly string[]): void {
    const known = this.#views.get(viewer) ?? new Set();
    for (const pair of pairs) known.add(pair);
    this.#views.set(viewer, known);
  }

  /** Expects the items of names, once however many orders have them. */
  #expectNames(id: number, names: readonly string[]): void {
    for (const name of names) {
      const expected = `${id} ${name}`;
      if (this.#expectedNames.has(expected)) continue;
      this.#expectedNames.add(expected);
      for (const item of nameItems({ clientId: this.#clientId, id, name })) this.#names.add(id, item);
    }
  }

  report(): Survey {
    return {
      orders: this.orders,
      views: this.#views,
      delays: this.#delays,
      redemptions: this.#redemptions,
      orderSuspects: this.#lists.suspects(),
      patientSuspects: this.#names.suspects(),
    };
  }
}
