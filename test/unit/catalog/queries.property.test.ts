import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Position } from '../../../shared/api/lists.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { compileCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import { generateCatalogFolder } from '../../support/catalogs/generated-catalog.ts';
import { catalogFolder, removeCatalogFolders } from '../../support/catalogs/small-catalog.ts';
import { tries } from '../../support/proofs/proof.ts';

// Filters, orders, pages and facets of products give what a plain filter, sort and slice of the records gives.
afterAll(removeCatalogFolders);

const folder = catalogFolder({});
generateCatalogFolder(folder, { products: 400, seed: 7 });
const { records, errors } = readCatalogFolder(folder);
if (errors.length > 0) throw new Error(JSON.stringify(errors.slice(0, 3)));
type Products = typeof records.products;

function open(products: Products, version: string): Catalog {
  const file = join(folder, `${version}.sqlite`);
  compileCatalog({ records: { ...records, products }, now: new Date('2026-11-22T12:00:00Z') }, file);
  const catalog = openCatalog(file, { version, imageBaseUrl: 'https://images.example' });
  afterAll(() => catalog.close());
  return catalog;
}
const catalog = open(records.products, 'v1');
// Of the next version, one product in three is gone, and another has a price of its own.
const nextProducts = records.products
  .filter(({ id }) => id % 3 !== 0)
  .map((product) => (product.id % 3 === 1 ? { ...product, price: `${product.id}.07` } : product));
const next = open(nextProducts, 'v2');

const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();

// This model answers the same queries from the records, without columns, ranks and words.
const rows = records.products.map((product) => {
  const base = records.bases.find(({ id }) => id === product.base);
  if (!base) throw new Error(`no base ${product.base}`);
  return {
    ...{ id: product.id, created_at: product.created_at ?? '', updated_at: product.updated_at ?? '' },
    ...{ base__name: fold(base.name), price: Number(product.price), hasShortage: product.has_shortage },
    // Found under any length.
    ean: product.ean_key.padStart(14, '0'),
    isActive: product.is_active && !['I', 'II', 'III'].includes(base.sanitary_fraction ?? ''),
    ...{ base__category: [base.category], base__pharmaceutical_company: [base.pharmaceutical_company] },
    base__diseases: base.diseases,
  };
});
type Row = (typeof rows)[number];
type Facet = keyof typeof FACETS;
type Parameters = Record<string, string>;

const FACETS = {
  base__category: records.categories,
  base__pharmaceutical_company: records.companies,
  base__diseases: records.diseases,
};
const FACET_NAMES = Object.keys(FACETS) as Facet[];
const ORDERINGS = ['created_at', 'updated_at', 'base__name', 'price'] as const;

// The names are words, numbers without decimals, and units; a letter before a number is no code in them.
const NUMBERS = /\d+/g;
const LETTERS = /[^\s\d.,]+/g;

function matches({ base__name: name, ean }: Row, search: string): boolean {
  const words = (fold(search).match(LETTERS) ?? []).map((word) => word.replace(/^[/%]+|[/%]+$/g, '')).filter(Boolean);
  const numbers = search.match(NUMBERS) ?? [];
  if (search.trim() !== '' && words.length + numbers.length === 0) return false;
  const strengths = (name.match(NUMBERS) ?? []).map(Number);
  return (
    words.every((word) => name.includes(word)) &&
    numbers.every((digits) => strengths.includes(Number(digits)) || (digits.length >= 6 && ean.includes(digits)))
  );
}

function isIn(row: Row, asked: Parameters): boolean {
  const { search = '', id__in, ean_key__in, min_price, max_price, is_active, has_shortage } = asked;
  return (
    matches(row, search) &&
    FACET_NAMES.every((name) => !asked[name] || row[name].includes(Number(asked[name]))) &&
    (!is_active || row.isActive === (is_active === 'true')) &&
    (!has_shortage || row.hasShortage === (has_shortage === 'true')) &&
    (!min_price || row.price >= Number(min_price)) &&
    (!max_price || row.price <= Number(max_price)) &&
    (!id__in || id__in.split(',').map(Number).includes(row.id)) &&
    (!ean_key__in || ean_key__in.split(',').includes(row.ean))
  );
}

/** Returns the rows that are found, in their order. */
function find(asked: Parameters): Row[] {
  const terms = (asked.ordering ?? '').split(',');
  const compare = (a: Row, b: Row): number => {
    for (const term of [...terms, terms[0]?.startsWith('-') ? '-id' : 'id']) {
      const key = term.replace('-', '') as (typeof ORDERINGS)[number] | 'id';
      if (a[key] !== b[key]) return a[key] < b[key] === term.startsWith('-') ? 1 : -1;
    }
    return 0;
  };
  return rows.filter((row) => isIn(row, asked)).sort(compare);
}

function countFacet(facet: Facet, { [facet]: _, ...asked }: Parameters) {
  const found = find(asked);
  return FACETS[facet]
    .map(({ id, name }) => ({ id, name, count: found.filter((row) => row[facet].includes(id)).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (fold(a.name) < fold(b.name) ? -1 : 1) || a.id - b.id)
    .slice(0, 100);
}

const anyRow = fc.constantFrom(...rows);
const idNear = (ids: readonly number[]) => fc.constantFrom(...ids, 1).map(String);
const flag = fc.constantFrom('true', 'false');
const price = fc.tuple(anyRow, fc.constantFrom('', '001', '999')).map(([row, more]) => row.price.toFixed(2) + more);
const part = fc
  .tuple(anyRow, fc.boolean(), fc.nat(12), fc.integer({ min: 1, max: 9 }))
  .map(([row, ofBarcode, from, length]) =>
    (ofBarcode ? row.ean : row.base__name).slice(from, from + length).toUpperCase(),
  );
const term = fc.constantFrom(...ORDERINGS.flatMap((field) => [field, `-${field}`]));

const FILTERS = {
  search: fc.array(part, { maxLength: 3 }).map((parts) => parts.join(' ')),
  base__category: idNear(rows.flatMap((row) => row.base__category)),
  base__pharmaceutical_company: idNear(rows.flatMap((row) => row.base__pharmaceutical_company)),
  base__diseases: idNear(rows.flatMap((row) => row.base__diseases)),
  is_active: flag,
  has_shortage: flag,
  min_price: price,
  max_price: price,
  id__in: fc.array(anyRow, { minLength: 1, maxLength: 40 }).map((some) => some.map(({ id }) => id).join(',')),
  ean_key__in: fc.array(anyRow, { minLength: 1, maxLength: 40 }).map((some) => some.map(({ ean }) => ean).join(',')),
};
const view = fc.record({
  ordering: fc.array(term, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(',')),
  page: fc.integer({ min: 1, max: 4 }).map(String),
  limit: fc.integer({ min: 1, max: 100 }).map(String),
});
// A query has three filters at most, because all of them at once match nothing.
const parameters = fc.tuple(fc.record(FILTERS), view, fc.subarray(Object.keys(FILTERS), { maxLength: 3 })).map(
  ([all, rest, chosen]): Parameters => ({
    ...Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name))),
    ...rest,
  }),
);

describe('product queries', () => {
  it('give the same results as a plain filter, sort and slice', () => {
    const check = (asked: Parameters) => {
      const query = productsContract.query.parse(asked);
      const expected = find(asked);
      const start = (query.page - 1) * query.limit;
      const { count, results } = catalog.products(query);
      expect(count).toBe(expected.length);
      expect(results.map(({ id }) => id)).toEqual(expected.slice(start, start + query.limit).map(({ id }) => id));
    };
    fc.assert(fc.property(parameters, check), { numRuns: tries(100, 3_000) });
  });

  it('count the values of facets as plain filters without their own do', () => {
    const check = (asked: Parameters, chosen: readonly Facet[]) => {
      const query = productsContract.query.parse({ ...asked, facets: chosen.join(',') });
      const expected = Object.fromEntries(chosen.map((facet) => [facet, countFacet(facet, asked)]));
      expect(catalog.products(query).facets).toEqual(expected);
    };
    const chosen = fc.shuffledSubarray(FACET_NAMES, { minLength: 1 });
    fc.assert(fc.property(parameters, chosen, check), { numRuns: tries(100, 3_000) });
  });

  /** Reads a list by positions, of which each page is read of the version that `versionOf` gives for its number. */
  const readAll = (asked: Parameters, versionOf: (page: number) => Catalog): number[] => {
    const query = productsContract.query.parse(asked);
    const ids: number[] = [];
    for (let after: Position | undefined = [], page = 0; after; page++) {
      const { results, last } = versionOf(page).products({ ...query, after });
      expect(results.length).toBeLessThanOrEqual(query.limit);
      if (last) expect(results.length).toBe(query.limit);
      ids.push(...results.map(({ id }) => id));
      after = last;
    }
    return ids;
  };

  it('give each result once, in the same order, when they are read by positions', () => {
    const check = (asked: Parameters) => {
      expect(readAll(asked, () => catalog)).toEqual(find(asked).map(({ id }) => id));
    };
    fc.assert(fc.property(parameters, check), { numRuns: tries(25, 2_000) });
  });

  it('skip and repeat none that keeps its place while another version is published', () => {
    const check = (asked: Parameters, publishedAfter: number) => {
      const ids = readAll(asked, (page) => (page <= publishedAfter ? catalog : next));
      const ordersByChange = /price|updated_at/.test(asked.ordering ?? '') || asked.min_price || asked.max_price;
      const keepsPlace = ({ id }: Row) => id % 3 === 2 || (id % 3 === 1 && !ordersByChange);
      const kept = find(asked).filter(keepsPlace);
      expect(ids.filter((id) => kept.some((row) => row.id === id))).toEqual(kept.map(({ id }) => id));
    };
    fc.assert(fc.property(parameters, fc.nat(4), check), { numRuns: tries(25, 2_000) });
  });
});
