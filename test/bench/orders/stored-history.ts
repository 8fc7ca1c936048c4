import { createHash } from 'node:crypto';
import { SingleBar } from 'cli-progress';
import { readCounts } from '../../../shared/order/lists/counters.ts';
import { listItems } from '../../../shared/order/lists/entries.ts';
import { toOrderItem } from '../../../shared/order/order-item.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import { OrderTally } from '../../support/orders/order-tally.ts';
import { type History, historicOrder, historicOrders, historicPatients } from './history.ts';
import { type TableFile, writeTableFile } from './table-file.ts';

const PROGRESS_STEP = 1_000;

/** Returns a hash of the stored format, which changes with the items of lists and orders and with the history. */
export function hashHistoryFormat(): string {
  const history = { clientId: 1, orders: 10 };
  const orders = [...historicOrders(history)].map(({ id }) => toOrderItem(historicOrder(history, id)));
  const items = [...historyItems(history, () => undefined), ...orders];
  return createHash('sha256').update(JSON.stringify(items)).digest('hex').slice(0, 8);
}

const namesOf = ({ clientId }: History, patient: Parameters<typeof packName>[0] & { id: number }) =>
  nameItems({ clientId, id: patient.id, name: packName(patient) });

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
  const tally = new OrderTally();
  let orders = 0;
  for (const order of historicOrders(history)) {
    yield* listItems(order);
    tally.add(order);
    orders += 1;
    if (orders % PROGRESS_STEP === 0) onProgress();
  }
  // The counters of the client come last: they say that the history is whole.
  yield* tally.items();
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
