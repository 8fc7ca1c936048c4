import * as z from 'zod';
import type { Availability } from '../api/catalog/stores.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Refusal } from '../domain/refusal.ts';
import { parseKind, parseStockKey, STORE_START, stockKey, stockPartition } from '../store/keys.ts';
import { parseItem } from '../store/parse-item.ts';
import { type Item, PRESENT, type Table, type Write } from '../store/table.ts';
import { toUpdate } from '../store/update.ts';
import { type Level, listStockChanges, type StockChange, type StockedOrder } from './rules/reservation.ts';

const storedLevel = z.object({ available: z.number(), reserved: z.number() });

export const parseLevel = (item: Item): Level => parseItem(storedLevel, item, 'stock');

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

/** Returns the levels of a product by the stores that track it; one query. */
export async function readStores(table: Table, product: number): Promise<ReadonlyMap<number, Level>> {
  const where = { where: 'begins_with(sk, :start)', values: { ':start': STORE_START } };
  const items = await table.all({ pk: stockPartition(product), ...where });
  return new Map(items.map((item) => [parseStockKey(item).store, parseLevel(item)]));
}

/** Returns the stock of a product at every published store, by id. Throws `not_found`. */
export async function listAvailability(
  id: number,
  { catalog, table }: { readonly catalog: Catalog; readonly table: Table },
): Promise<Availability[]> {
  const product = catalog.product(id);
  if (!product) throw new Refusal('not_found');
  const levels = await readStores(table, id);
  return catalog.stores().map(({ id: store }) => {
    const quantity = levels.get(store)?.available ?? null;
    return { store, is_available: !product.has_shortage && quantity !== 0, quantity };
  });
}

/** Returns the writes by which a change of an order reserves, takes out or frees stock. The conditions fail where too little is left. */
export const stockWrites = (before: StockedOrder | null, after: StockedOrder): Write[] =>
  listStockChanges(before, after).map(changeWrite);

/** Adds to a level, of which never less than 0 is available. */
export const changeWrite = ({ store, product, available, reserved }: StockChange): Write => ({
  Update: toUpdate(stockKey(product, store), {
    add: { available, reserved },
    ...(available < 0 ? { where: 'available >= :least', values: { ':least': -available } } : { where: PRESENT }),
  }),
});

/** Returns the product of a write that changes a level; undefined for another write. */
export function getStockProduct(write: Write | undefined): number | undefined {
  const key = write && 'Update' in write ? write.Update.Key : undefined;
  return key && parseKind(String(key.pk)) === 'STOCK' ? parseStockKey(key).product : undefined;
}
