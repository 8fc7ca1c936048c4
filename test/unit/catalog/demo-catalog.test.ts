import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { productsContract } from '../../../shared/api/catalog/products.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { catalogFolder, removeCatalogFolders } from '../../support/catalogs/small-catalog.ts';

// The demonstration is a shop of its own: it delivers to all of Mexico, and sells nothing that the law forbids.

const file = join(catalogFolder({}), 'demo.sqlite');
const build = await buildCatalog('infra/local/demo-catalog', file, { previous: null, now: new Date('2026-11-21') });
if ('errors' in build) throw new Error(JSON.stringify(build.errors, null, 2));
const catalog = openCatalog(file, { version: '0123456789abcdef', imageBaseUrl: 'https://images.example/' });
afterAll(() => {
  catalog.close();
  removeCatalogFolders();
});

const count = (query: Record<string, string>) => catalog.products(productsContract.query.parse(query)).count;
const listMethods = (zipcode: string) =>
  catalog
    .shippingRates(zipcode)
    .map((rate) => rate.shipping_method)
    .toSorted();

// LGS art. 245 III, of a reform of 15 January 2026 tramadol too; art. 251 keeps their prescriptions.
it('has products in stock, publishes controlled substances inactive, and has one product to look at', () => {
  expect([count({}), count({ is_active: 'true', has_shortage: 'false' })]).toEqual([135, 123]);
  const { published_inactive, goods_without_iva, ...review } = build.review;
  expect(published_inactive.map(({ name }) => name)).toEqual([
    'Tramadol 50 mg',
    'Clonazepam 2 mg',
    'Alprazolam 0.25 mg',
  ]);
  expect(goods_without_iva.map(({ id }) => id)).toEqual([135]);
  expect(Object.values(review).flat()).toEqual([]);
});

// One zip code of each of the 32 states, in the alphabetical order of their names.
const STATES =
  '20000 22000 23000 24000 29000 31000 01000 25000 28000 34000 50000 36000 39000 42000 44100 58000 62000 ' +
  '63000 64000 68000 72000 76000 77500 78000 80000 83000 86000 87000 90000 91700 97000 98000';
it('delivers to every state, express and locally in the big cities only, and to no zip code of none', () => {
  for (const zipcode of [...STATES.split(' '), '16999', '99999'])
    expect([zipcode, ...listMethods(zipcode)]).toEqual(expect.arrayContaining([zipcode, 1, 3]));
  expect([listMethods('03100'), listMethods('98000').length]).toEqual([[1, 3, 4, 5], 2]);
  for (const zipcode of ['00000', '00500', '00999', '17000', '18500', '19999'])
    expect([zipcode, listMethods(zipcode)]).toEqual([zipcode, []]);
});

it('knows the page of a shipment by the name of its carrier, and escapes its number', () => {
  expect(catalog.trackingUrl('CORREOS', 'RR 1/2')).toBe('https://correos.example/seguimiento?guia=RR%201%2F2');
  expect(catalog.trackingUrl('paqueteria andariega', '77')).toBe('https://andariega.example/rastreo/77');
  expect(catalog.trackingUrl('Otra', '77')).toBeNull();
});
