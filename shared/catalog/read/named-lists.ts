import type { Named } from '../../api/named.ts';
import { foldText } from '../../domain/text.ts';
import type { CatalogPage } from '../catalog.ts';
import { ranksOf } from '../file/columns.ts';
import { searchText } from '../file/search-text.ts';
import { type ListQuery, listing } from './listing.ts';

type NamedQuery = ListQuery<'updated_at' | 'name'> & { readonly available?: boolean | undefined };

/**
 * The list of categories, companies or diseases, given by ascending id. `available: true` leaves only those in
 * `availableIds`; false is no filter.
 */
export function namedList<Item extends Named>(
  records: ReadonlyMap<number, Item>,
  availableIds: ReadonlySet<number>,
): (query: NamedQuery) => CatalogPage<Item> {
  const items = [...records.values()];
  const list = listing({
    size: items.length,
    ranks: {
      updated_at: ranksOf(items.map(({ updated_at }) => updated_at)),
      name: ranksOf(items.map(({ name }) => foldText(name))),
    },
    text: searchText(items.map(({ name }) => ({ name, barcode: '' }))),
  });
  const keepAvailable = (mask: Uint8Array) => {
    for (const [row, { id }] of items.entries()) if (!availableIds.has(id)) mask[row] = 0;
  };
  return (query) => {
    const { count, results } = list(query, query.available ? [keepAvailable] : []);
    return { count, results: results.map((row) => items[row]).filter((item) => item !== undefined) };
  };
}
