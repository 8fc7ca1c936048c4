import { foldText } from '../../domain/text.ts';
import { toCents } from '../file/checked.ts';
import { type Columns, ranksOf } from '../file/columns.ts';
import { searchText, startsOf } from '../file/search-text.ts';
import type { Stamped } from './timestamps.ts';

/** A product with the base that it belongs to. */
export type ProductOfBase = { readonly product: Stamped<'products'>; readonly base: Stamped<'bases'> };

/** The columns of products given in the order of their ids. */
export function productColumns(rows: readonly ProductOfBase[]): Columns {
  const pricesCents = rows.map(({ product }) => toCents(product.price));
  const diseases = rows.map(({ base }) => base.diseases);
  const { vocabulary, barcodes, ...words } = searchText(
    rows.map(({ product, base }) => ({ name: base.name, barcode: product.ean_key })),
  );
  return {
    ids: Float64Array.from(rows, ({ product }) => product.id),
    categoryIds: Float64Array.from(rows, ({ base }) => base.category),
    companyIds: Float64Array.from(rows, ({ base }) => base.pharmaceutical_company),
    diseaseStarts: startsOf(diseases),
    diseaseIds: Float64Array.from(diseases.flat()),
    pricesCents: Int32Array.from(pricesCents),
    isActive: Uint8Array.from(rows, ({ product }) => Number(product.is_active)),
    hasShortage: Uint8Array.from(rows, ({ product }) => Number(product.has_shortage)),
    createdAtRanks: ranksOf(rows.map(({ product }) => product.created_at)),
    updatedAtRanks: ranksOf(rows.map(({ product }) => product.updated_at)),
    nameRanks: ranksOf(rows.map(({ base }) => foldText(base.name))),
    priceRanks: ranksOf(pricesCents),
    ...words,
    vocabulary: new TextEncoder().encode(vocabulary),
    barcodes: new TextEncoder().encode(barcodes),
  };
}
