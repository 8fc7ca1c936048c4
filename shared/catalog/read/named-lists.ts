import type { Named } from '../../api/catalog/named.ts';
import { foldText } from '../../domain/text.ts';
import type { CatalogPage } from '../catalog.ts';
import { toRanks } from '../file/columns.ts';
import { buildSearchText } from '../file/search-text.ts';
import { createRowList, type ListQuery } from './listing.ts';

export type NamedQuery = ListQuery<'updated_at' | 'name'> & { readonly available?: boolean | undefined };

/**
 * Creates a function that lists records with names, such as categories, which are given by ascending id. `available: true`
 * keeps only those in `availableIds`; false filters nothing.
 */
export function createNamedList<Item extends Named>(
  records: ReadonlyMap<number, Item>,
  availableIds: ReadonlySet<number>,
): (query: NamedQuery) => CatalogPage<Item> {
  const items = [...records.values()];
  const names = items.map(({ name }) => foldText(name));
  const times = items.map(({ updated_at }) => updated_at);
  const list = createRowList({
    size: items.length,
    ranks: { updated_at: toRanks(times), name: toRanks(names) },
    idOf: (row) => items[row]?.id ?? 0,
    sortValues: (row) => ({ updated_at: times[row] ?? '', name: names[row] ?? '' }),
    text: buildSearchText(items.map(({ name }) => ({ name, barcode: '' }))),
  });
  const keepAvailable = (mask: Uint8Array) => {
    for (const [row, { id }] of items.entries()) if (!availableIds.has(id)) mask[row] = 0;
  };
  return (query) => {
    const mask = list.match(query.search, query.available ? [keepAvailable] : []);
    const { results, ...page } = list.page(mask, query);
    return { ...page, results: results.map((row) => items[row]).filter((item) => item !== undefined) };
  };
}
