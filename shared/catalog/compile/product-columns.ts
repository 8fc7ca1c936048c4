import { splitIngredients } from '../../domain/medicines.ts';
import { foldText } from '../../domain/text.ts';
import { type Columns, type SpellingColumns, toRanks } from '../file/columns.ts';
import { readCents } from '../file/records.ts';
import { buildSearchText, toStarts } from '../file/search-text.ts';
import type { Stamped } from './previous.ts';

/** A product with the base that it belongs to. */
export type ProductOfBase = { readonly product: Stamped<'products'>; readonly base: Stamped<'bases'> };

/** Returns the columns of products that are given in the order of their ids. */
export function toProductColumns(rows: readonly ProductOfBase[]): Columns {
  const pricesCents = rows.map(({ product }) => readCents(product.price));
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

// It ranks before any other key, so that products without substitutes are in group 0.
const NO_GROUP = '';

/** Returns the group of each product: medicines with the same active ingredients and the same need of a prescription. */
function toSubstituteGroups(rows: readonly ProductOfBase[]): Uint32Array {
  return toRanks([NO_GROUP, ...rows.map(toGroup)]).slice(1);
}

function toGroup({ base }: ProductOfBase): string {
  const medical = base.is_medicine ? base.medical_information : null;
  const ingredients = splitIngredients(medical?.active_ingredient ?? '');
  if (ingredients.length === 0) return NO_GROUP;
  return JSON.stringify([medical?.requires_prescription, ...ingredients]);
}

type Named = { readonly base: Pick<ProductOfBase['base'], 'name' | 'medical_information'> };

/**
 * Returns the words of the names of products, which searches are corrected by. The words of active ingredients, and each
 * word that a name begins with, are drug names; a word with digits is two words or none.
 */
export function toSpellingColumns(rows: readonly Named[]): SpellingColumns {
  const counts = new Map<string, number>();
  const drugs = new Set<string>();
  for (const { base } of rows) {
    const named = splitIntoWords(base.name);
    for (const word of new Set(named)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const ingredients = splitIntoWords(base.medical_information?.active_ingredient ?? '');
    for (const word of [...named.slice(0, 1), ...ingredients]) drugs.add(word);
  }
  const words = [...counts.keys()].sort();
  return {
    spellingWords: new TextEncoder().encode(words.join('\n')),
    spellingCounts: Uint32Array.from(words, (word) => counts.get(word) ?? 0),
    spellingDrugs: Uint8Array.from(words, (word) => Number(drugs.has(word))),
  };
}

const splitIntoWords = (text: string): string[] => foldText(text).match(/\p{L}+/gu) ?? [];
