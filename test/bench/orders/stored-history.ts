import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { convertToAttr } from '@aws-sdk/util-dynamodb';
import { table } from '../../../shared/deps.ts';
import { readCounts } from '../../../shared/order/lists/counters.ts';
import { listItems } from '../../../shared/order/lists/entries.ts';
import { toOrderItem } from '../../../shared/order/orders.ts';
import { nameItems, packName } from '../../../shared/people/name-index.ts';
import { tableConfig } from '../../../shared/runtime/config.ts';
import type { Item, Table } from '../../../shared/store/table.ts';
import { OrderTally } from '../../support/orders/order-tally.ts';
import { type History, historicOrder, historicOrders, historicPatients } from './history.ts';
import { type Item as Attributes, measureMap } from './item-units.ts';

/** Returns a hash of the stored format, which changes with the items of lists and orders and with the history. */
export function hashHistoryFormat(): string {
  const history = { clientId: 1, orders: 10 };
  const orders = [...historicOrders(history)].map(({ id }) => toOrderItem(historicOrder(history, id)));
  const items = [...historyItems(history), ...orders];
  return createHash('sha256').update(JSON.stringify(items)).digest('hex').slice(0, 8);
}

/**
 * Stores everything that lists find the orders of a history by, unless it is there. The orders themselves are stored by
 * `storeOrdersAsRead`.
 */
export async function storeHistory({ directory }: { readonly directory: string }, history: History): Promise<void> {
  const { changes } = await readCounts(table(), { clientId: history.clientId, viewer: 'client' });
  if (changes > 0) return;
  console.log(`Storing ${history.orders} orders.`);
  writeTableFile(directory, historyItems(history));
}

function* historyItems(history: History): Generator<Item> {
  const { clientId } = history;
  for (const patient of historicPatients(history))
    yield* nameItems({ clientId, id: patient.id, name: packName(patient) });
  const tally = new OrderTally();
  for (const order of historicOrders(history)) {
    yield* listItems(order);
    tally.add(order);
  }
  // The counters of the client come last: they say that the history is whole.
  yield* tally.items();
}

const COMMITTED_EVERY = 500_000;

/**
 * Writes items into the file of the local engine (Dynoxide) in their order, while the engine is idle. Through the engine the
 * million orders would take hours; the file takes some 100,000 items a second.
 */
function writeTableFile(directory: string, items: Iterable<Item>): void {
  const database = new DatabaseSync(join(directory, 'dynamodb', 'dynoxide.db'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN IMMEDIATE');
  const insert = database.prepare(
    `INSERT OR REPLACE INTO "${tableConfig().TABLE_NAME}" (pk, sk, item_json, item_size) VALUES (?, ?, ?, ?)`,
  );
  let written = 0;
  for (const item of items) {
    const attributes: Attributes = Object.fromEntries(
      Object.entries(item).map(([name, value]) => [name, toAttribute(value)]),
    );
    insert.run(`S:${item.pk}`, `S:${item.sk}`, JSON.stringify(attributes), measureMap(attributes));
    written += 1;
    if (written % COMMITTED_EVERY === 0) database.exec('COMMIT; BEGIN IMMEDIATE');
  }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

// Nearly all attributes of lists are texts, for which the SDK's conversion would only take longer.
const toAttribute = (value: unknown): Attributes[string] =>
  typeof value === 'string' ? { S: value } : { ...convertToAttr(value) };

/**
 * Makes a table store the orders of these histories when a page asks for them: a million whole orders would take hours,
 * and all pages together show some thousand.
 */
export function storeOrdersAsRead(stored: Table, histories: readonly History[]): void {
  const getAll = stored.getAll.bind(stored);
  stored.getAll = async (keys) => {
    const items = await getAll(keys);
    const missing = keys.filter((_, index) => items[index] === undefined);
    const orders = missing.flatMap(({ pk, sk }) => {
      const history = histories.find(({ clientId }) => sk === `CLIENT#${clientId}`);
      return history && pk.startsWith('ORDER#') ? [historicOrder(history, Number(pk.split('#')[1]))] : [];
    });
    if (orders.length === 0) return items;
    await stored.putAll(orders.map(toOrderItem));
    return getAll(keys);
  };
}
