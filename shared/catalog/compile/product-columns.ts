import { foldText } from '../../domain/text.ts';
import { toCents } from '../file/checked.ts';
import { type Columns, toRanks } from '../file/columns.ts';
import { buildSearchText, toStarts } from '../file/search-text.ts';
import { toSubstituteGroups } from './substitutes.ts';
import type { Stamped } from './timestamps.ts';

/** A product with the base that it belongs to. */
export type ProductOfBase = { readonly product: Stamped<'products'>; readonly base: Stamped<'bases'> };

/** Returns the columns of products that are given in the order of their ids. */
export function toProductColumns(rows: readonly ProductOfBase[]): Columns {
  const pricesCents = rows.map(({ product }) => toCents(product.price));
  const categories = rows.map(({ base }) => base.category);
  const companies = rows.map(({ base }) => base.pharmaceutical_company);
  const diseases = rows.map(({ base }) => base.diseases);
  const { vocabulary, barcodes, ...words } = buildSearchText(
    rows.map(({ product, base }) => ({ name: base.name, barcode: product.ean_key })),
  );
  return {
    ids: Float64Array.from(rows, ({ product }) => product.id),
    categoryIds: toDistinctIds(categories),
    categoryRanks: toRanks(categories),
    companyIds: toDistinctIds(companies),
    companyRanks: toRanks(companies),
    diseaseIds: toDistinctIds(diseases.flat()),
    diseaseStarts: toStarts(diseases),
    diseaseRanks: toRanks(diseases.flat()),
    pricesCents: Int32Array.from(pricesCents),
    isActive: Uint8Array.from(rows, ({ product }) => Number(product.is_active)),
    hasShortage: Uint8Array.from(rows, ({ product }) => Number(product.has_shortage)),
    createdAtRanks: toRanks(rows.map(({ product }) => product.created_at)),
    updatedAtRanks: toRanks(rows.map(({ product }) => product.updated_at)),
    nameRanks: toRanks(rows.map(({ base }) => foldText(base.name))),
    priceRanks: toRanks(pricesCents),
    substituteGroups: toSubstituteGroups(rows),
    ...words,
    vocabulary: new TextEncoder().encode(vocabulary),
    barcodes: new TextEncoder().encode(barcodes),
  };
}

const toDistinctIds = (ids: readonly number[]): Float64Array => Float64Array.from(new Set(ids)).sort();
