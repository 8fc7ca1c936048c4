import { toGtin14 } from '../../../domain/gtin.ts';
import { readForm, readPackageUnits, splitIngredients } from '../../../domain/medicines.ts';
import { foldText } from '../../../domain/text.ts';
import { type Columns, type MoreColumns, SPELLING_KINDS, type SpellingColumns, toRanks } from '../../file/columns.ts';
import { readCents } from '../../file/records.ts';
import { buildSearchText, joinBarcodes, listOtherTerms, listStrengthTerms, toStarts } from '../../file/search-text.ts';
import type { CatalogRecords } from '../folder/folder.ts';
import type { Stamped } from './previous.ts';

export type ProductOfBase = { readonly product: Stamped<'products'>; readonly base: Stamped<'bases'> };

/** `rows` must ascend by product id. */
export function toProductColumns(rows: readonly ProductOfBase[]): Columns {
  const pricesCents = rows.map(({ product }) => readCents(product.price));
  const categories = rows.map(({ base }) => base.category);
  const companies = rows.map(({ base }) => base.pharmaceutical_company);
  const diseases = rows.map(({ base }) => base.diseases);
  const listTerms = eachBaseOnce(({ base }) => [...listStrengthTerms(base.name)]);
  const { vocabulary, ...words } = buildSearchText(rows.values().map(listTerms));
  const units = rows.map(({ product }) => readPackageUnits(product.presentation));
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
    unitCounts: Float64Array.from(units, (unit) => unit?.count ?? Number.NaN),
    unitKinds: toRanks(units.map((unit) => unit?.kind ?? '')),
    ...words,
    vocabulary: new TextEncoder().encode(vocabulary),
    barcodes: joinBarcodes(rows.map(({ product }) => toGtin14(product.ean_key))),
  };
}

function eachBaseOnce<Value>(work: (row: ProductOfBase) => Value): (row: ProductOfBase) => Value {
  const values = new Map<number, Value>();
  return (row) => {
    const value = values.get(row.base.id) ?? work(row);
    values.set(row.base.id, value);
    return value;
  };
}

export type SearchedRecords = Pick<CatalogRecords, 'companies' | 'synonyms'>;

/** Returns the additional terms of `search_all`: presentations with their numbers, active ingredients, synonyms and companies. */
export function toMoreColumns(rows: readonly ProductOfBase[], { companies, synonyms }: SearchedRecords): MoreColumns {
  const companyNames = new Map(companies.map(({ id, name }) => [id, name]));
  const synonymsOf = mapSynonyms(synonyms);
  const ofBase = eachBaseOnce(({ base }) => {
    const ingredient = base.medical_information?.active_ingredient ?? '';
    const others = splitIngredients(ingredient).flatMap((part) => synonymsOf.get(part) ?? []);
    const company = companyNames.get(base.pharmaceutical_company) ?? '';
    return [ingredient, ...others, company].flatMap((text) => [...listOtherTerms(text)]);
  });
  const text = buildSearchText(
    rows.values().map((row) => new Set([...ofBase(row), ...listStrengthTerms(row.product.presentation)])),
  );
  return {
    moreVocabulary: new TextEncoder().encode(text.vocabulary),
    moreStarts: text.wordStarts,
    moreRows: text.wordRows,
  };
}

const mapSynonyms = (records: SearchedRecords['synonyms']): ReadonlyMap<string, readonly string[]> =>
  new Map(records.map(({ active_ingredient, synonyms }) => [foldText(active_ingredient), synonyms]));

export function findIdleSynonyms(rows: readonly ProductOfBase[], { synonyms }: SearchedRecords): string[] {
  const texts = new Set(rows.map(({ base }) => base.medical_information?.active_ingredient ?? ''));
  const ingredients = new Set([...texts].flatMap(splitIngredients));
  return synonyms.map((item) => item.active_ingredient).filter((name) => !ingredients.has(foldText(name)));
}

const toDistinctIds = (ids: readonly number[]): Float64Array => Float64Array.from(new Set(ids)).sort();

// Ranks before any other key, so that products without substitutes are in group 0.
const NO_GROUP = '';

/** A group has medicines of the same active ingredients, pharmaceutical form and need of a prescription. */
const toSubstituteGroups = (rows: readonly ProductOfBase[]): Uint32Array =>
  toRanks([NO_GROUP, ...rows.map(toGroup)]).slice(1);

function toGroup({ product, base }: ProductOfBase): string {
  const medical = base.is_medicine ? base.medical_information : null;
  const ingredients = splitIngredients(medical?.active_ingredient ?? '');
  const form = readForm(base.name, product.presentation);
  if (ingredients.length === 0 || form === undefined) return NO_GROUP;
  return JSON.stringify([medical?.requires_prescription, form, ...ingredients]);
}

type Named = { readonly base: Pick<ProductOfBase['base'], 'name' | 'medical_information'> };

/** Names correct searches, companies do not. Ingredients and the first words of names are drug names; digits separate words. */
export function toSpellingColumns(
  rows: readonly Named[],
  companies: readonly { readonly name: string }[],
): SpellingColumns {
  const counts = new Map<string, number>();
  const drugs = new Set<string>();
  for (const { base } of rows) {
    const words = splitIntoWords(base.name);
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const ingredients = splitIntoWords(base.medical_information?.active_ingredient ?? '');
    for (const word of [...words.slice(0, 1), ...ingredients]) drugs.add(word);
  }
  const words = [...new Set([...counts.keys(), ...companies.flatMap(({ name }) => splitIntoWords(name))])].sort();
  const toKind = (word: string): keyof typeof SPELLING_KINDS => {
    if (!counts.has(word)) return 'company';
    return drugs.has(word) ? 'drug' : 'other';
  };
  return {
    spellingWords: new TextEncoder().encode(words.join('\n')),
    spellingCounts: Uint32Array.from(words, (word) => counts.get(word) ?? 0),
    spellingKinds: Uint8Array.from(words, (word) => SPELLING_KINDS[toKind(word)]),
  };
}

const splitIntoWords = (text: string): string[] => foldText(text).match(/\p{L}+/gu) ?? [];
