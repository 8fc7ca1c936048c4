import { updateShortages } from '../../../shared/catalog/shortages.ts';
import { catalogBucket, table } from '../../../shared/deps.ts';
import { beginContainer } from '../../../shared/runtime/async.ts';
import { setStock } from '../../../shared/stock/keep-stock.ts';
import { readLevels } from '../../../shared/stock/stock.ts';
import { DEMO_CATALOG, openCatalogBucket, publishToTestServer } from '../engines/catalog-bucket.ts';

/** The store that ships, where orders are collected too. */
const STORE = 1;

/** Gives the test a catalog of its own, in which these products are tracked; they have no stock yet. */
export async function openTrackedStock(products: readonly number[]) {
  await openCatalogBucket();
  await publishToTestServer(DEMO_CATALOG);
  await updateShortages(catalogBucket(), (before) => ({ ...before, tracked: products.toSorted((a, b) => a - b) }));
  beginContainer();
  const reservedBefore = new Map<number, number>();
  const read = async (product: number) =>
    (await readLevels(table(), STORE, [product])).get(product) ?? { available: 0, reserved: 0 };

  return {
    /** Makes as many pieces available, whatever is reserved. */
    async refill(pieces: Readonly<Record<number, number>>): Promise<void> {
      for (const product of products) {
        const { reserved } = await read(product);
        reservedBefore.set(product, reserved);
        const quantity = (pieces[product] ?? 0) + reserved;
        await setStock([{ store: STORE, product, quantity }], { operator: 'ana', now: new Date() }, table());
      }
    },
    /** Returns what is available, and what was reserved since the last refill. */
    async sinceRefill(product: number) {
      const { available, reserved } = await read(product);
      return { available, reserved: reserved - (reservedBefore.get(product) ?? 0) };
    },
  };
}
