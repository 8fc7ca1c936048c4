import type { Availability } from '../api/catalog/stores.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Table } from '../store/table.ts';
import { readStores } from './stock.ts';

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
