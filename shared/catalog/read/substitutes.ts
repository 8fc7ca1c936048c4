import type { CatalogPage, SubstituteQuery } from '../catalog.ts';
import { type Columns, findRow } from '../file/columns.ts';
import type { ProductList } from './queries.ts';

/** A product that may stand for another, with the price of that one less its own. */
type SubstituteRow = { readonly id: number; readonly savingCents: number };

const CHEAPEST_FIRST = [{ field: 'price', descending: false }] as const;

/**
 * Creates a function that returns a page of the substitutes of a product, cheapest first, with their exact count, or
 * undefined if there is no such product.
 */
export function createSubstituteQueries(list: ProductList, columns: Columns) {
  const { ids, pricesCents } = columns;
  return (id: number, query: SubstituteQuery): CatalogPage<SubstituteRow> | undefined => {
    const own = findRow(ids, id);
    if (ids[own] !== id) return undefined;
    const page = list.page(maskSubstitutes(own, columns), { ...query, search: '', ordering: CHEAPEST_FIRST });
    const toSubstitute = (row: number) => ({
      id: ids[row] ?? 0,
      savingCents: (pricesCents[own] ?? 0) - (pricesCents[row] ?? 0),
    });
    return { ...page, results: page.results.map(toSubstitute) };
  };
}

/** Returns the mask of the others of a product's group that can be bought and are in stock. */
function maskSubstitutes(own: number, { substituteGroups: groups, isActive, hasShortage }: Columns): Uint8Array {
  const mask = new Uint8Array(groups.length);
  const group = groups[own] ?? 0;
  if (group === 0) return mask;
  for (let row = 0; row < mask.length; row++) {
    if (groups[row] === group) mask[row] = (isActive[row] ?? 0) & ~(hasShortage[row] ?? 0);
  }
  mask[own] = 0;
  return mask;
}
