import { createHash } from 'node:crypto';
import { SingleBar } from 'cli-progress';
import { counterKey, delaysKey, type Viewer } from '../../../shared/store/keys.ts';
import { chooseShard, readCounts } from '../../../shared/store/order-lists/counters.ts';
import { measureDelays } from '../../../shared/store/order-lists/delivery-delays.ts';
import { listItems } from '../../../shared/store/order-lists/entries.ts';
import { toPairName } from '../../../shared/store/order-lists/status-pairs.ts';
import type { Order } from '../../../shared/store/orders/order.ts';
import { toOrderItem } from '../../../shared/store/orders/order-item.ts';
import { listViewers } from '../../../shared/store/orders/viewers.ts';
import { foldName, nameItems } from '../../../shared/store/people/name-index.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import { type History, historicOrder, historicOrders, historicPatients } from './history.ts';
import { type TableFile, writeTableFile } from './table-file.ts';

const PROGRESS_STEP = 1_000;

/** Returns a hash of the stored format, which changes with the items of lists and orders and with the history. */
export function hashHistoryFormat(): string {
  const history = { clientId: 1, orders: 10 };
  const stored = [...historicOrders(history)].map((order) => [
    ...listItems(order),
    ...countedItems(order),
    toOrderItem(historicOrder(history, order.id)),
  ]);
  const items = [stored, [...historicPatients(history)].map((patient) => namesOf(history, patient))];
  return createHash('sha256').update(JSON.stringify(items)).digest('hex').slice(0, 8);
}

const countedItems = (order: Order) => listViewers(order).map((viewer) => shardKey(order, viewer));
const namesOf = ({ clientId }: History, patient: Parameters<typeof foldName>[0] & { id: number }) =>
  nameItems({ clientId, id: patient.id, name: foldName(patient) });

/**
 * Stores everything that lists find the orders of a history by, unless it is there; returns the seconds that it took. The
 * orders themselves are stored by `storeOrdersAsRead`.
 */
export async function storeHistory(table: Table, file: TableFile, history: History): Promise<number | undefined> {
  const { changes } = await readCounts(table, { clientId: history.clientId, viewer: 'client' });
  if (changes > 0) return undefined;
  const start = performance.now();
  const format = `${history.orders} orders {bar} {percentage}%, {eta} s left`;
  const bar = new SingleBar({ format, clearOnComplete: true });
  bar.start(history.orders, 0);
  await writeTableFile(
    file,
    historyItems(history, () => bar.increment(PROGRESS_STEP)),
  );
  bar.stop();
  return (performance.now() - start) / 1_000;
}

function* historyItems(history: History, onProgress: () => void): Generator<Item> {
  for (const patient of historicPatients(history)) yield* namesOf(history, patient);
  const tally = new Tally();
  let orders = 0;
  for (const order of historicOrders(history)) {
    yield* listItems(order);
    tally.add(order);
    orders += 1;
    if (orders % PROGRESS_STEP === 0) onProgress();
  }
  // The counters of the client come last: they say that the history is whole.
  yield* tally.items(history);
}

const shardKey = ({ clientId, id }: Order, viewer: Viewer) => counterKey(clientId, viewer, chooseShard(viewer, id));

/** Counts orders as their transactions would. */
class Tally {
  readonly #counters = new Map<string, Record<string, number | string>>();
  #shortestMs = 0;
  #longestMs = 0;

  add(order: Order): void {
    for (const viewer of listViewers(order)) {
      const key = shardKey(order, viewer);
      const name = `${key.pk} ${key.sk}`;
      const counter = this.#counters.get(name) ?? { ...key };
      for (const counted of ['changes', toPairName(order)]) counter[counted] = Number(counter[counted] ?? 0) + 1;
      this.#counters.set(name, counter);
    }
    const { shortestMs, longestMs } = measureDelays(order);
    this.#shortestMs = Math.min(this.#shortestMs, shortestMs);
    this.#longestMs = Math.max(this.#longestMs, longestMs);
  }

  *items({ clientId }: History): Generator<Item> {
    yield { ...delaysKey(clientId), shortestMs: this.#shortestMs, longestMs: this.#longestMs };
    yield* [...this.#counters.values()].reverse();
  }
}

/**
 * Makes a table store the orders of these histories when a page asks for them: a million whole orders would take hours,
 * and all pages together show some thousand.
 */
export function storeOrdersAsRead(table: Table, histories: readonly History[]): void {
  const getAll = table.getAll.bind(table);
  table.getAll = async (keys) => {
    const items = await getAll(keys);
    const missing = keys.filter((_, index) => items[index] === undefined);
    const orders = missing.flatMap(({ pk, sk }) => {
      const history = histories.find(({ clientId }) => sk === `CLIENT#${clientId}`);
      return history && pk.startsWith('ORDER#') ? [historicOrder(history, Number(pk.split('#')[1]))] : [];
    });
    if (orders.length === 0) return items;
    await table.putAll(orders.map(toOrderItem));
    return getAll(keys);
  };
}
