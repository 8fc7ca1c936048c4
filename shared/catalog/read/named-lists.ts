import type { Named } from '../../api/catalog/named.ts';
import { foldText } from '../../domain/text.ts';
import type { CatalogPage } from '../catalog.ts';
import { toRanks } from '../file/columns.ts';
import { buildSearchText } from '../file/search-text.ts';
import { createRowList, type ListQuery } from './listing.ts';

type NamedQuery = ListQuery<'updated_at' | 'name'> & { readonly available?: boolean | undefined };

/**
 * Creates a function that lists categories, companies or diseases, which are given by ascending id. `available: true`
 * keeps only those in `availableIds`; false filters nothing.
 */
export function createNamedList<Item extends Named>(
  records: ReadonlyMap<number, Item>,
  availableIds: ReadonlySet<number>,
): (query: NamedQuery) => CatalogPage<Item> {
  const items = [...records.values()];
  const list = createRowList({
    size: items.length,
    ranks: {
      updated_at: toRanks(items.map(({ updated_at }) => updated_at)),
      name: toRanks(items.map(({ name }) => foldText(name))),
    },
    text: buildSearchText(items.map(({ name }) => ({ name, barcode: '' }))),
  });
  const keepAvailable = (mask: Uint8Array) => {
    for (const [row, { id }] of items.entries()) if (!availableIds.has(id)) mask[row] = 0;
  };
  return (query) => {
    const { count, results } = list(query, query.available ? [keepAvailable] : []);
    return { count, results: results.map((row) => items[row]).filter((item) => item !== undefined) };
  };
}
