import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
import { tries } from '../../support/proofs/proof.ts';

const folder = mkdtempSync(join(tmpdir(), 'generated-catalog-'));
generateCatalogFolder(folder, { products: 400, seed: 7 });
const { records, errors } = readCatalogFolder(folder);
if (errors.length > 0) throw new Error(JSON.stringify(errors.slice(0, 3)));
const file = join(folder, 'catalog.sqlite');
compileCatalog({ records, now: new Date('2026-11-21T12:00:00Z') }, file);
const catalog = openCatalog(file, { version: 'v1', imageBaseUrl: 'https://images.example' });

// Of the next version, one product in three is gone, and another has a price of its own.
const nextFile = join(folder, 'next.sqlite');
const nextProducts = records.products
  .filter(({ id }) => id % 3 !== 0)
  .map((product) => (product.id % 3 === 1 ? { ...product, price: `${product.id}.07` } : product));
compileCatalog({ records: { ...records, products: nextProducts }, now: new Date('2026-11-22T12:00:00Z') }, nextFile);
const next = openCatalog(nextFile, { version: 'v2', imageBaseUrl: 'https://images.example' });
afterAll(() => {
  catalog.close();
  next.close();
  rmSync(folder, { recursive: true });
});

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
    id: product.id,
    name: fold(base.name),
    // Found under any length.
    ean: product.ean_key.padStart(14, '0'),
    category: base.category,
    company: base.pharmaceutical_company,
    diseases: base.diseases,
    price: Number(product.price),
    isActive: product.is_active && !['I', 'II', 'III'].includes(base.sanitary_fraction ?? ''),
    hasShortage: product.has_shortage,
    created_at: product.created_at ?? '',
    updated_at: product.updated_at ?? '',
  };
});
type Row = (typeof rows)[number];

const KEYS: Record<string, (row: Row) => string | number> = {
  created_at: (row) => row.created_at,
  updated_at: (row) => row.updated_at,
  base__name: (row) => row.name,
  price: (row) => row.price,
};

type Parameters = Record<string, string>;

// The names are words, numbers without decimals, and units; a letter before a number is no code in them.
const NUMBERS = /\d+/g;
const LETTERS = /[^\s\d.,]+/g;
const stripped = (word: string) => word.replace(/^[/%]+|[/%]+$/g, '');

function matches({ name, ean }: Row, search: string): boolean {
  const [words, numbers] = [
    fold(search).match(LETTERS)?.map(stripped).filter(Boolean) ?? [],
    search.match(NUMBERS) ?? [],
  ];
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
    (!asked.base__category || row.category === Number(asked.base__category)) &&
    (!asked.base__pharmaceutical_company || row.company === Number(asked.base__pharmaceutical_company)) &&
    (!asked.base__diseases || row.diseases.includes(Number(asked.base__diseases))) &&
    (!is_active || row.isActive === (is_active === 'true')) &&
    (!has_shortage || row.hasShortage === (has_shortage === 'true')) &&
    (!min_price || row.price >= Number(min_price)) &&
    (!max_price || row.price <= Number(max_price)) &&
    (!id__in || id__in.split(',').map(Number).includes(row.id)) &&
    (!ean_key__in || ean_key__in.split(',').includes(row.ean))
  );
}

function compare(a: Row, b: Row, ordering: string): number {
  const terms = ordering.split(',');
  for (const term of [...terms, terms[0]?.startsWith('-') ? '-id' : 'id']) {
    const key = KEYS[term.replace('-', '')] ?? ((row: Row) => row.id);
    const [left, right] = [key(a), key(b)];
    if (left !== right) return left < right === term.startsWith('-') ? 1 : -1;
  }
  return 0;
}

const FACETS: Record<
  string,
  { named: readonly { id: number; name: string }[]; has: (row: Row, id: number) => boolean }
> = {
  base__category: { named: records.categories, has: (row, id) => row.category === id },
  base__pharmaceutical_company: { named: records.companies, has: (row, id) => row.company === id },
  base__diseases: { named: records.diseases, has: (row, id) => row.diseases.includes(id) },
};

function countFacet(facet: string, { [facet]: _, ...asked }: Parameters) {
  const found = rows.filter((row) => isIn(row, asked));
  return (FACETS[facet]?.named ?? [])
    .map(({ id, name }) => ({ id, name, count: found.filter((row) => FACETS[facet]?.has(row, id)).length }))
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
  .map(([row, ofBarcode, from, length]) => (ofBarcode ? row.ean : row.name).slice(from, from + length).toUpperCase());
const term = fc.constantFrom(...Object.keys(KEYS).flatMap((field) => [field, `-${field}`]));

const FILTERS = {
  search: fc.array(part, { maxLength: 3 }).map((parts) => parts.join(' ')),
  base__category: idNear(rows.map(({ category }) => category)),
  base__pharmaceutical_company: idNear(rows.map(({ company }) => company)),
  base__diseases: idNear(rows.flatMap(({ diseases }) => diseases)),
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
      const expected = rows
        .filter((row) => isIn(row, asked))
        .sort((a, b) => compare(a, b, asked.ordering ?? '-created_at'));
      const start = (query.page - 1) * query.limit;
      const { count, results } = catalog.products(query);
      expect(count).toBe(expected.length);
      expect(results.map(({ id }) => id)).toEqual(expected.slice(start, start + query.limit).map(({ id }) => id));
    };
    fc.assert(fc.property(parameters, check), { numRuns: tries(100, 3_000) });
  });

  it('count the values of facets as plain filters without their own do', () => {
    const check = (asked: Parameters, chosen: readonly string[]) => {
      const query = productsContract.query.parse({ ...asked, facets: chosen.join(',') });
      const expected = Object.fromEntries(chosen.map((facet) => [facet, countFacet(facet, asked)]));
      expect(catalog.products(query).facets).toEqual(expected);
    };
    const chosen = fc.shuffledSubarray(Object.keys(FACETS), { minLength: 1 });
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
      const expected = rows.filter((row) => isIn(row, asked)).sort((a, b) => compare(a, b, asked.ordering ?? ''));
      expect(readAll(asked, () => catalog)).toEqual(expected.map(({ id }) => id));
    };
    fc.assert(fc.property(parameters, check), { numRuns: tries(25, 2_000) });
  });

  it('skip and repeat none that keeps its place while another version is published', () => {
    const check = (asked: Parameters, publishedAfter: number) => {
      const ids = readAll(asked, (page) => (page <= publishedAfter ? catalog : next));
      const ordersByChange = /price|updated_at/.test(asked.ordering ?? '') || asked.min_price || asked.max_price;
      const keepsPlace = ({ id }: Row) => id % 3 === 2 || (id % 3 === 1 && !ordersByChange);
      const expected = rows
        .filter((row) => isIn(row, asked) && keepsPlace(row))
        .sort((a, b) => compare(a, b, asked.ordering ?? ''));
      const kept = new Set(expected.map(({ id }) => id));
      expect(ids.filter((id) => kept.has(id))).toEqual(expected.map(({ id }) => id));
    };
    fc.assert(fc.property(parameters, fc.nat(4), check), { numRuns: tries(25, 2_000) });
  });
});
