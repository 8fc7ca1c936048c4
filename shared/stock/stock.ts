import * as z from 'zod';
import { sideBySide } from '../runtime/async.ts';
import { type Key, keyName, parseKind, parseStockKey, STORE_START, stockKey, stockPartition } from '../store/keys.ts';
import { parseItem } from '../store/parse-item.ts';
import { batches, type Item, PRESENT, type Table, type Write } from '../store/table.ts';
import { type Level, listStockChanges, type StockChange, type StockedOrder } from './rules/reservation.ts';

const storedLevel = z.object({ available: z.number(), reserved: z.number() });

const parseLevel = (item: Item): Level => parseItem(storedLevel, item, 'stock');

/** Returns the levels of the products that a store tracks; one round trip for each 100, none without products. */
export async function readLevels(
  table: Table,
  store: number | null,
  products: Iterable<number>,
): Promise<ReadonlyMap<number, Level>> {
  if (store === null) return new Map();
  const ids = [...new Set(products)];
  const items = await table.getAll(ids.map((product) => stockKey(product, store)));
  return new Map(items.flatMap((item) => (item ? [[parseStockKey(item).product, parseLevel(item)] as const] : [])));
}

const BATCHES_AT_ONCE = 10;

/** Returns levels by the names of their keys, many at once. */
export async function readKeyedLevels(table: Table, keys: readonly Key[]): Promise<ReadonlyMap<string, Level>> {
  const parts = await sideBySide([...batches(keys)], { atOnce: BATCHES_AT_ONCE }, (part) => table.getAll(part));
  return new Map(parts.flat().flatMap((item) => (item ? [[keyName(item), parseLevel(item)] as const] : [])));
}

/** Returns the levels of a product by the stores that track it; one query. */
export async function readStores(table: Table, product: number): Promise<ReadonlyMap<number, Level>> {
  const where = { where: 'begins_with(sk, :start)', values: { ':start': STORE_START } };
  const items = await table.all({ pk: stockPartition(product), ...where });
  return new Map(items.map((item) => [parseStockKey(item).store, parseLevel(item)]));
}

/** Returns the writes by which a change of an order reserves, takes out or frees stock. The conditions fail where too little is left. */
export const stockWrites = (before: StockedOrder | null, after: StockedOrder): Write[] =>
  listStockChanges(before, after).map(changeWrite);

/** Adds to a level, of which never less than 0 is available. */
export const changeWrite = ({ store, product, available, reserved }: StockChange): Write => ({
  Update: {
    Key: stockKey(product, store),
    UpdateExpression: 'ADD available :available, reserved :reserved',
    ConditionExpression: available < 0 ? 'available >= :least' : PRESENT,
    ExpressionAttributeValues: {
      ':available': available,
      ':reserved': reserved,
      ...(available < 0 && { ':least': -available }),
    },
  },
});

/** Returns the product of a write that changes a level; undefined for another write. */
export function getStockProduct(write: Write | undefined): number | undefined {
  const key = write && 'Update' in write ? write.Update.Key : undefined;
  return key && parseKind(String(key.pk)) === 'STOCK' ? parseStockKey(key).product : undefined;
}
