import { afterAll, describe, expect, it } from 'vitest';
import { categoriesContract } from '../../../shared/api/catalog/named.ts';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import type { Catalog } from '../../../shared/catalog/catalog.ts';
import { openRecords, removeCatalogFolders, smallCatalog, toBarcode } from '../../support/catalogs/small-catalog.ts';

// Examples show the results of searches, bounds of prices and barcodes. `queries.property` compares all filters, orders, pages and
// facets with a plain filter, but knows neither decimals nor codes.

const catalog = await openRecords(smallCatalog());
afterAll(removeCatalogFolders);

const ask = (opened: Catalog, parameters: Record<string, string>) => {
  const { count, results, ...more } = opened.products(productsContract.query.parse(parameters));
  expect(count).toBe(results.length);
  return { ids: results.map(({ id }) => id), ...more };
};
const find = (parameters: Record<string, string>, opened = catalog): number[] => ask(opened, parameters).ids;

describe('filters of products', () => {
  it.each<[Record<string, string>, number[]]>([
    [{}, [105, 104, 103, 102, 106, 101]],
    [{ base__diseases: '9' }, []],
    [{ min_price: '80.01' }, [105, 103, 106]],
    [{ min_price: '8.001e+1' }, [105, 103, 106]],
    [{ min_price: '80.0100000000000000001' }, [105, 103]],
    [{ min_price: '1e400' }, []],
    [{ min_price: '1e-400' }, [105, 104, 103, 102, 106, 101]],
    [{ min_price: '-1e400', max_price: '1e999999999999999999999' }, [105, 104, 103, 102, 106, 101]],
    [{ max_price: '30.50' }, [104, 102]],
    [{ max_price: '30.4999999999999999999999' }, []],
    [{ max_price: '-0' }, []],
    [{ max_price: '1e-400' }, []],
    [{ id__in: '101,103,999, 101' }, [103, 101]],
    [{ id__in: Array.from({ length: 500 }, (_, index) => index + 104).join(',') }, [105, 104, 106]],
    [{ ean_key__in: '7501000000029, 7501000000067,unknown,' }, [102, 106]],
    [{ ean_key__in: '' }, []],
    [{ ean_key__in: '7 501000 000029,750-1000-000067,0 75 02000 00004 0' }, [104, 102, 106]],
  ])('%j gives %j', (parameters, ids) => {
    expect(find(parameters)).toEqual(ids);
  });

  it('leave out free products when the maximum price is below 0', async () => {
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, { price: '0.00' });
    const opened = await openRecords(records);
    expect(['-0.000001', '-0.01', '0'].map((max_price) => find({ max_price }, opened))).toEqual([[], [], [101]]);
  });
});

describe('a search of products', () => {
  it.each<[string, number[]]>([
    ['  mg\t500 ', [104, 102]],
    ['750200', [104]],
    ['000000', [105, 104, 103, 102, 106, 101]],
    ['7502', []],
    ['07502000000040', [104]],
    ['7 502000 000040', [104]],
    ['0 75-02000-00004 0', [104]],
    ['aspirina 750\u00a02000\u2011000040', [104]],
    ['7 502000 000041', []],
    // By chance a GTIN-8, which no product has.
    ['5 5 5 5 5 5 5 5', [106, 101]],
    ['50', [103]],
    ['500,', [104, 102]],
    ['¡zinc!', [103]],
    ['mg7501', []],
    ['´', []],
    ['"(pirin)",', [104]],
    ['   ', [105, 104, 103, 102, 106, 101]],
  ])('%j gives %j', (search, ids) => {
    expect(find({ search })).toEqual(ids);
  });

  it('of signs alone finds nothing among named records either', () => {
    const count = (search: string) => catalog.list('categories', categoriesContract.query.parse({ search })).count;
    expect([count('´'), count('')]).toEqual([0, 3]);
  });

  it('finds a UPC and an EAN-8 under any length', async () => {
    const UPC = '012345678905';
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, { ean_key: UPC });
    Object.assign(records.products[1] ?? {}, { ean_key: '96385074' });
    const opened = await openRecords(records);
    for (const written of [UPC, `0${UPC}`, `00${UPC}`, ` ${UPC} `]) {
      expect([written, find({ ean_key__in: `${written},7501` }, opened)]).toEqual([written, [101]]);
      expect([written, find({ search: written }, opened)]).toEqual([written, [101]]);
    }
    expect(find({ ean_key__in: '0000096385074' }, opened)).toEqual([102]);
    expect(find({ search: '00000096385074' }, opened)).toEqual([102]);
  });
});

describe('the numbers and codes of a search', () => {
  const NAMES = [
    ...['Digoxina 0.25 mg', 'Digoxina 25 mg', 'Metformina 1,000 mg', 'Timolol 0.50% gotas', 'Amoxicilina 250mg/5mL'],
    ...['Vitamina B12 5000 UI', 'Vitamina B-6 100 mg', 'Vitamina D 3 400 UI', 'Gasa 10x15 cm', 'Bisoprolol 12 mg'],
    ...['Omega-3 1 g', 'Norma 1.2.30 gel'],
  ];
  const records = smallCatalog();
  records.bases = NAMES.map((name, at) => ({ ...records.bases[0], id: at + 1, name }));
  const toProduct = (id: number) => ({ ...records.products[0], id, base: id, ean_key: toBarcode(id) });
  records.products = NAMES.map((_, at) => toProduct(at + 1));
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
    ['1.2.30', [12]],
    ['1.2.3', []],
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
    ['OMEGA 3', [11]],
  ])('%j', async (search, ids) => {
    expect(find({ search, ordering: 'price' }, await opened)).toEqual(ids);
  });
});

describe('a search of more than names', () => {
  const records = smallCatalog();
  const ASPIRIN = { active_ingredient: 'Ácido acetilsalicílico', is_generic: true, group_number: 6 };
  Object.assign(records.bases[3] ?? {}, { medical_information: { ...ASPIRIN, requires_prescription: false } });
  Object.assign(records.products[3] ?? {}, { presentation: 'Caja con 20 tabletas de 500 mg' });
  records.synonyms.push(
    { active_ingredient: 'acido  ACETILSALICILICO', synonyms: ['AAS 100', 'Analgésico', 'Vitamina K 9'] },
    { active_ingredient: 'Clonazepam', synonyms: ['Ansiolítico'] },
  );
  const opened = openRecords(records);

  it.each<[string, all: number[], names: number[]]>([
    ['tabletas', [104], []],
    ['aspirina 20tabletas', [104], []],
    ['aspirina 2', [], []],
    ['aspirina 100', [], []],
    ['acetilsalicilico', [104, 102], [102]],
    ['analgesico', [104], []],
    ['ANSIOLÍTICO', [105], []],
    ['k9', [104], []],
    ['aspirina 9', [], []],
    ['pharma acido', [102], []],
    ['zeta', [105, 104, 103], []],
    ['750200', [104], [104]],
    ['+', [], []],
  ])('%j', async (search, all, names) => {
    const catalogs = [{ search_all: 'true' }, { search_all: 'false' }, {}];
    const found = await opened.then((one) => catalogs.map((more) => find({ search, ...more } as never, one)));
    expect(found).toEqual([all, names, names]);
  });

  it('is corrected by words of names alone, and never to the name of a company', async () => {
    const one = await opened;
    const suggest = (search: string, more = {}) => ask(one, { search, spelling: 'true', ...more }).did_you_mean;
    const all = { search_all: 'true' };
    expect([suggest('acidoo'), suggest('acidoo', all)]).toEqual(['acido', 'acido']);
    expect([suggest('labratorios'), suggest('labratorios', all), suggest('acido')]).toEqual([null, null, null]);
    expect(suggest('acidoo', { base__category: '3' })).toBeNull();
  });
});
