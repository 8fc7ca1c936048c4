import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { categoriesContract, companiesContract, diseasesContract } from '../../../shared/api/catalog/named.ts';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { toBarcode } from '../../support/catalogs/barcodes.ts';
import {
  catalogFolder,
  openRecords,
  removeCatalogFolders,
  smallCatalog,
} from '../../support/catalogs/small-catalog.ts';

const now = new Date('2026-11-21T12:00:00Z');
const folder = catalogFolder(smallCatalog());
const file = join(folder, 'catalog.sqlite');
await buildCatalog(folder, file, { previous: null, now });
afterAll(removeCatalogFolders);

// Lists are created once per catalog, so each test opens its own.
let catalog: Catalog;
beforeEach(() => {
  catalog = openCatalog(file, { version: 'v1', imageBaseUrl: 'https://images.example' });
});
afterEach(() => catalog.close());

function find(parameters: Record<string, string>) {
  const { count, results } = catalog.products(productsContract.query.parse(parameters));
  return { count, ids: results.map(({ id }) => id) };
}

describe('product filters', () => {
  it.each<[Record<string, string>, number[]]>([
    [{}, [105, 104, 103, 102, 106, 101]],
    [{ base__diseases: '1' }, [102, 106, 101]],
    [{ base__diseases: '3' }, [104, 102]],
    [{ base__diseases: '9' }, []],
    [{ base__category: '1' }, [105, 102]],
    [{ base__pharmaceutical_company: '1' }, [106, 101]],
    [{ is_active: 'true' }, [103, 102, 106, 101]],
    [{ is_active: '0' }, [105, 104]],
    [{ has_shortage: 'true' }, [103]],
    [{ has_shortage: 'False' }, [105, 104, 102, 106, 101]],
    [{ min_price: '80.01' }, [105, 103, 106]],
    [{ min_price: '80.010001' }, [105, 103]],
    [{ max_price: '30.50' }, [104, 102]],
    [{ max_price: '30.499999' }, []],
    [{ max_price: '50.009' }, [104, 102, 101]],
    [{ min_price: '50', max_price: '99.99' }, [105, 106, 101]],
    [{ max_price: '-0.000001' }, []],
    [{ max_price: '-0' }, []],
    [{ max_price: '3.05e1' }, [104, 102]],
    [{ max_price: '30.4999999999999999999999' }, []],
    [{ min_price: '8.001e+1' }, [105, 103, 106]],
    [{ min_price: '80.0100000000000000001' }, [105, 103]],
    [{ min_price: '1e400' }, []],
    [{ min_price: '-1e400', max_price: '1e999999999999999999999' }, [105, 104, 103, 102, 106, 101]],
    [{ max_price: '1e-400' }, []],
    [{ min_price: '1e-400' }, [105, 104, 103, 102, 106, 101]],
    [{ id__in: '101,103,999, 101' }, [103, 101]],
    [{ ean_key__in: '7501000000029, 7501000000067,unknown,' }, [102, 106]],
    [{ ean_key__in: '' }, []],
    [{ ean_key__in: '7 501000 000029,750-1000-000067,0 75 02000 00004 0' }, [104, 102, 106]],
    [{ id__in: '101,102', ean_key__in: '7501000000029' }, [102]],
    [{ base__diseases: '1', base__category: '2', is_active: 'true', min_price: '60' }, [106]],
    [{ base__category: '2', has_shortage: 'false', search: 'zinc' }, []],
  ])('%j gives %j', (parameters, ids) => {
    expect(find(parameters)).toEqual({ count: ids.length, ids });
  });

  it('leave out free products when the maximum price is below 0', async () => {
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, { price: '0.00' });
    const opened = await openRecords(records);
    const count = (max_price: string) => opened.products(productsContract.query.parse({ max_price })).count;
    expect([count('-0.000001'), count('-0.01'), count('0')]).toEqual([0, 0, 1]);
  });

  it('take lists of 500 values', () => {
    const ids = Array.from({ length: 500 }, (_, index) => index + 104).join(',');
    expect(find({ id__in: ids }).ids).toEqual([105, 104, 106]);
  });
});

describe('product search', () => {
  it.each<[string, number[]]>([
    ['ACIDO', [102, 106, 101]],
    ['500 mg', [104, 102]],
    ['  mg\t500 ', [104, 102]],
    ['mg mg mg 500', [104, 102]],
    ['folico acido', [106, 101]],
    ['acido zinc', []],
    ['750200', [104]],
    ['000000', [105, 104, 103, 102, 106, 101]],
    ['acido 000029', [102]],
    ['7502', []],
    ['07502000000040', [104]],
    ['7 502000 000040', [104]],
    ['0 75-02000-00004 0', [104]],
    ['aspirina 750\u00a02000\u2011000040', [104]],
    ['7 502000 000041', []],
    // By chance a GTIN-8, which no product has.
    ['5 5 5 5 5 5 5 5', [106, 101]],
    ['500mg', [104, 102]],
    ['mg500', [104, 102]],
    ['500.00 MG', [104, 102]],
    ['5', [106, 101]],
    ['50', [103]],
    ['0.5', []],
    ['500,', [104, 102]],
    ['(aspirina) + "500"', [104]],
    ['¡zinc!', [103]],
    ['acidofolico', []],
    ['mg7501', []],
    ['110', []],
    ['´', []],
    ['"(pirin)",', [104]],
    [' + ', []],
    ['…', []],
    ['   ', [105, 104, 103, 102, 106, 101]],
    ['caja', []],
    ['日本', []],
  ])('%j gives %j', (search, ids) => {
    expect(find({ search })).toEqual({ count: ids.length, ids });
  });
});

describe('the numbers and codes of a search', () => {
  const NAMES = [
    'Digoxina 0.25 mg',
    'Digoxina 25 mg',
    'Metformina 1,000 mg',
    'Timolol 0.50% gotas',
    'Amoxicilina 250mg/5mL',
    'Vitamina B12 5000 UI',
    'Vitamina B-6 100 mg',
    'Vitamina D 3 400 UI',
    'Gasa 10x15 cm',
    'Bisoprolol 12 mg',
    'Omega-3 1 g',
  ];
  const records = smallCatalog();
  records.bases = NAMES.map((name, at) => ({ ...records.bases[0], id: at + 1, name }));
  records.products = NAMES.map((_, at) => ({
    ...records.products[0],
    id: at + 1,
    base: at + 1,
    ean_key: toBarcode(at + 1),
  }));
  const opened = openRecords(records);

  it.each<[string, number[]]>([
    ['digoxina 25', [2]],
    ['digoxina 0.25', [1]],
    ['digoxina .25mg', [1]],
    ['digoxina 0,250', [1]],
    ['digoxina 2', []],
    ['1000', [3]],
    ['1,000', [3]],
    ['1', [11]],
    ['000', []],
    ['timolol .5%', [4]],
    ['timolol 5', []],
    ['250 mg/5 ml', [5]],
    ['250mg/5ml', [5]],
    ['b12', [6]],
    ['vitamina b-12', [6]],
    ['vitamina b 12', [6]],
    ['b6', [7]],
    ['d3', [8]],
    ['12', [6, 10]],
    ['10x15', [9]],
    ['10 x 15cm', [9]],
    ['omega3', [11]],
    ['OMEGA 3', [11]],
  ])('%j', async (search, ids) => {
    const { results } = (await opened).products(productsContract.query.parse({ search, ordering: 'price' }));
    expect(results.map(({ id }) => id)).toEqual(ids);
  });
});

describe('a search of more than names', () => {
  let opened: Catalog;
  beforeEach(async () => {
    const records = smallCatalog();
    const medical_information = {
      active_ingredient: 'Ácido acetilsalicílico',
      is_generic: true,
      group_number: 6,
      requires_prescription: false,
    };
    Object.assign(records.bases[3] ?? {}, { medical_information });
    Object.assign(records.products[3] ?? {}, { presentation: 'Caja con 20 tabletas de 500 mg' });
    records.synonyms.push(
      { active_ingredient: 'acido  ACETILSALICILICO', synonyms: ['AAS 100', 'Analgésico', 'Vitamina K 9'] },
      { active_ingredient: 'Clonazepam', synonyms: ['Ansiolítico'] },
    );
    opened = await openRecords(records);
  });

  it.each<[string, number[], number[]]>([
    // With `search_all`, and without it.
    ['tabletas', [104], []],
    ['aspirina 20tabletas', [104], []],
    ['aspirina 2', [], []],
    ['aspirina 100', [], []],
    ['acetilsalicilico', [104, 102], [102]],
    ['analgesico', [104], []],
    ['ANSIOLÍTICO', [105], []],
    ['aas', [104], []],
    ['k9', [104], []],
    ['aspirina 9', [], []],
    ['zeta 500', [104], []],
    ['pharma acido', [102], []],
    ['zeta', [105, 104, 103], []],
    ['750200', [104], [104]],
    ['+', [], []],
    ['aspirina', [104], [104]],
  ])('%j', (search, all, names) => {
    const found = [{ search_all: 'true' }, { search_all: 'false' }, {}].map((more) => {
      const { count, results } = opened.products(productsContract.query.parse({ search, ...more }));
      expect(count).toBe(results.length);
      return results.map(({ id }) => id);
    });
    expect(found).toEqual([all, names, names]);
  });

  it('is corrected by words of names alone, and never to the name of a company', () => {
    const suggest = (search: string, more = {}) =>
      opened.products(productsContract.query.parse({ search, spelling: 'true', ...more })).did_you_mean;
    expect(suggest('acidoo')).toBe('acido');
    expect(suggest('acidoo', { search_all: 'true' })).toBe('acido');
    expect([suggest('labratorios'), suggest('labratorios', { search_all: 'true' })]).toEqual([null, null]);
  });
});

describe('a barcode in a filter', () => {
  const UPC = '012345678905';
  it.each([UPC, `0${UPC}`, `00${UPC}`, ` ${UPC} ,7501`])('is found of a UPC and an EAN-8: %j', async (written) => {
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, { ean_key: UPC });
    Object.assign(records.products[1] ?? {}, { ean_key: '96385074' });
    const opened = await openRecords(records);
    const ask = (parameters: Record<string, string>) =>
      opened.products(productsContract.query.parse(parameters)).results.map((one) => [one.id, one.ean_key]);
    expect(ask({ ean_key__in: written })).toEqual([[101, UPC]]);
    expect(ask({ search: written.trim().replace(' ,7501', '') })).toEqual([[101, UPC]]);
    expect(ask({ ean_key__in: '0000096385074' })).toEqual([[102, '96385074']]);
    expect(ask({ search: '00000096385074' })).toEqual([[102, '96385074']]);
  });
});

describe('product ordering', () => {
  it.each<[string, number[]]>([
    ['created_at', [101, 106, 102, 103, 104, 105]],
    ['-created_at', [105, 104, 103, 102, 106, 101]],
    ['base__name', [102, 101, 106, 104, 105, 103]],
    ['-base__name', [103, 105, 104, 106, 101, 102]],
    ['price', [102, 104, 101, 106, 105, 103]],
    ['-price', [103, 105, 106, 101, 104, 102]],
    ['price,-base__name', [104, 102, 101, 106, 105, 103]],
    ['-price,base__name', [103, 105, 106, 101, 102, 104]],
    ['updated_at', [104, 101, 102, 103, 105, 106]],
    ['-updated_at', [106, 105, 103, 102, 101, 104]],
    ['updated_at,-price', [104, 103, 105, 106, 101, 102]],
    ['-updated_at,-price', [103, 105, 106, 101, 102, 104]],
    ['created_at,price,created_at', [101, 106, 102, 103, 104, 105]],
    ['created_at,-price', [106, 101, 103, 102, 104, 105]],
  ])('%s gives %j', (ordering, ids) => {
    expect(find({ ordering }).ids).toEqual(ids);
  });

  it('does not depend on earlier queries', () => {
    expect(find({ ordering: '-price' }).ids).toEqual([103, 105, 106, 101, 104, 102]);
    expect(find({ ordering: '-updated_at' }).ids).toEqual([106, 105, 103, 102, 101, 104]);
    expect(find({ ordering: 'price' }).ids).toEqual([102, 104, 101, 106, 105, 103]);
  });
});

describe('facets', () => {
  const ALL = 'base__category,base__pharmaceutical_company,base__diseases';
  /** Counts values as `id: count`, in their order. */
  const count = (parameters: Record<string, string>, opened = catalog) => {
    const { facets = {} } = opened.products(productsContract.query.parse({ facets: ALL, ...parameters }));
    return Object.values(facets).map((values = []) => values.map((value) => `${value.id}: ${value.count}`));
  };

  it.each<[Record<string, string>, string[], string[], string[]]>([
    [{}, ['2: 3', '1: 2', '3: 1'], ['3: 3', '1: 2', '2: 1'], ['1: 3', '3: 2', '2: 1']],
    [{ base__category: '2' }, ['2: 3', '1: 2', '3: 1'], ['1: 2', '3: 1'], ['1: 2']],
    [{ base__category: '2', is_active: 'true', has_shortage: 'false' }, ['2: 2', '1: 1'], ['1: 2'], ['1: 2']],
    [{ search: 'acido' }, ['2: 2', '1: 1'], ['1: 2', '2: 1'], ['1: 3', '3: 1']],
    [{ base__category: '1', base__pharmaceutical_company: '3' }, ['1: 1', '3: 1', '2: 1'], ['2: 1', '3: 1'], ['2: 1']],
    [{ base__diseases: '3', search: 'aspirina' }, ['3: 1'], ['3: 1'], ['3: 1']],
    [{ base__category: '9' }, ['2: 3', '1: 2', '3: 1'], [], []],
    [{ search: 'nothing' }, [], [], []],
    [{ limit: '1', page: '6' }, ['2: 3', '1: 2', '3: 1'], ['3: 3', '1: 2', '2: 1'], ['1: 3', '3: 2', '2: 1']],
  ])('of %j are counted without their own filter', (parameters, categories, companies, diseases) => {
    expect(count(parameters)).toEqual([categories, companies, diseases]);
  });

  it('are those that are asked for, with names, and none by default', () => {
    const ask = (parameters: Record<string, string>) =>
      catalog.products(productsContract.query.parse({ id__in: '102', ...parameters }));
    expect(ask({ facets: 'base__diseases,base__category' }).facets).toEqual({
      base__diseases: [
        { id: 1, name: 'Fiebre', count: 1 },
        { id: 3, name: 'Gripe', count: 1 },
      ],
      base__category: [{ id: 1, name: 'Analgésicos', count: 1 }],
    });
    expect(Object.keys(ask({}))).not.toContain('facets');
    expect(Object.keys(ask({ facets: ' ' }))).not.toContain('facets');
  });

  it('have equal counts by name without regard to case and accents, then by id', async () => {
    const records = smallCatalog();
    for (const [index, name] of ['ZETA', 'zéta', 'Zeta'].entries())
      Object.assign(records.companies[index] ?? {}, { name });
    const opened = await openRecords(records);
    expect(count({ id__in: '101,102,103' }, opened)[1]).toEqual(['1: 1', '2: 1', '3: 1']);
  });

  it('have 100 values at most', async () => {
    const records = smallCatalog();
    records.companies = Array.from({ length: 101 }, (_, index) => ({ id: 200 - index, name: `${100 + index}` }));
    records.bases = records.companies.map(({ id }) => ({ ...records.bases[2], id, pharmaceutical_company: id }));
    records.products = records.bases.map(({ id }) => ({
      ...records.products[0],
      id,
      base: id,
      ean_key: toBarcode(Number(id)),
    }));
    records.products.push({ ...records.products[0], id: 1, base: 100, ean_key: toBarcode(1) });
    const opened = await openRecords(records);
    // 100 has two products and comes first; 101 has one and the last name of the rest.
    const companies = count({}, opened)[1];
    expect([companies?.length, companies?.slice(0, 2), companies?.at(-1)]).toEqual([
      100,
      ['100: 2', '200: 1'],
      '102: 1',
    ]);
  });
});

it.each<[Record<string, string>, number, number[]]>([
  [{ limit: '4' }, 6, [105, 104, 103, 102]],
  [{ limit: '4', page: '2' }, 6, [106, 101]],
  [{ limit: '3', page: '3' }, 6, []],
  [{ page: '999999999999999' }, 6, []],
  [{ is_active: 'true', limit: '3', page: '2' }, 4, [101]],
])('a page of products with %j has the exact count %i and the products %j', (parameters, count, ids) => {
  expect(find(parameters)).toEqual({ count, ids });
});

describe('named records', () => {
  const contracts = { categories: categoriesContract, companies: companiesContract, diseases: diseasesContract };
  const list = (kind: keyof typeof contracts, parameters: Record<string, string>) =>
    catalog.list(kind, contracts[kind].query.parse(parameters));

  it.each<[keyof typeof contracts, Record<string, string>, number, number[]]>([
    ['categories', {}, 3, [3, 2, 1]],
    // Those with a product of their own, or below them, that can be bought and is in stock.
    ['categories', { available: 'true' }, 2, [2, 1]],
    ['categories', { available: 'false' }, 3, [3, 2, 1]],
    ['categories', { ordering: 'name' }, 3, [1, 3, 2]],
    ['categories', { search: 'NINOS analg' }, 1, [3]],
    ['categories', { search: 'w' }, 0, []],
    ['categories', { limit: '1', page: '2' }, 3, [2]],
    ['companies', {}, 3, [2, 3, 1]],
    ['companies', { ordering: 'name' }, 3, [2, 1, 3]],
    ['companies', { search: 'anfora' }, 1, [1]],
    ['companies', { available: '1', ordering: 'name' }, 2, [2, 1]],
    ['diseases', { ordering: '-name' }, 3, [3, 1, 2]],
  ])('of %s with %j are %i: %j', (kind, parameters, count, ids) => {
    const found = list(kind, parameters);
    expect([found.count, found.results.map(({ id }) => id)]).toEqual([count, ids]);
  });

  it('show the parent of a category, and whether a disease is chronic', () => {
    expect(list('categories', { search: 'niños' }).results).toEqual([
      {
        id: 3,
        name: 'Analgésicos para niños',
        parent: 1,
        created_at: '2026-11-21T12:00:00.000Z',
        updated_at: '2026-03-02T00:00:00.000Z',
      },
    ]);
    const diseases = catalog.list('diseases', diseasesContract.query.parse({ ordering: '-name' })).results;
    expect(diseases.map(({ is_chronic }) => is_chronic)).toEqual([false, false, true]);
  });
});
