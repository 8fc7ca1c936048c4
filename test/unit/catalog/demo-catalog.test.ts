import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { ProductQuery } from '../../../shared/catalog/catalog.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';

// The demonstration is a shop of its own: it delivers to all of Mexico, and sells nothing that the law forbids.

const directory = mkdtempSync(join(tmpdir(), 'demo-catalog-'));
const file = join(directory, 'demo.sqlite');
const build = await buildCatalog('infra/local/demo-catalog', file, { previous: null, now: new Date('2026-11-21') });
if ('errors' in build) throw new Error(JSON.stringify(build.errors, null, 2));
const catalog = openCatalog(file, { version: '0123456789abcdef', imageBaseUrl: 'https://images.example/' });
afterAll(() => {
  catalog.close();
  rmSync(directory, { recursive: true });
});

const products = (filters: Partial<ProductQuery> = {}) =>
  catalog.products({
    page: 1,
    limit: 100,
    search: '',
    ordering: [{ field: 'created_at', descending: true }],
    ...filters,
  });
const listMethods = (zipcode: string) =>
  catalog
    .shippingRates(zipcode)
    .map((rate) => rate.shipping_method)
    .toSorted();

it('has products that can be bought and are in stock, each of its own time', () => {
  expect([products().count, products({ is_active: true, has_shortage: false }).count]).toEqual([135, 123]);
  expect(new Set(products().results.map(({ created_at }) => created_at)).size).toBe(100);
});

// LGS art. 245 III, of a reform of 15 January 2026 tramadol too; art. 251 keeps their prescriptions.
it('publishes controlled substances inactive, and has one product to look at', () => {
  for (const name of ['Alprazolam 0.25 mg', 'Clonazepam 2 mg', 'Tramadol 50 mg'])
    expect(products({ search: name }).results.map(({ is_active }) => [name, is_active])).toEqual([[name, false]]);
  const { published_inactive, goods_without_iva, ...review } = build.review;
  expect([published_inactive, goods_without_iva].map((found) => found.map(({ id }) => id))).toEqual([
    [14, 109, 110],
    [135],
  ]);
  expect(Object.values(review).flat()).toEqual([]);
});

// One zip code of each of the 32 states, in the alphabetical order of their names.
const STATES =
  '20000 22000 23000 24000 29000 31000 01000 25000 28000 34000 50000 36000 39000 42000 44100 58000 62000 ' +
  '63000 64000 68000 72000 76000 77500 78000 80000 83000 86000 87000 90000 91700 97000 98000';
it('delivers to every state, express and locally in the big cities only, and to no zip code of none', () => {
  for (const zipcode of [...STATES.split(' '), '16999', '99999'])
    expect([zipcode, ...listMethods(zipcode)]).toEqual(expect.arrayContaining([zipcode, 1, 3]));
  expect([listMethods('03100'), listMethods('98000')]).toEqual([
    [1, 3, 4, 5],
    [1, 3],
  ]);
  for (const zipcode of ['00000', '00500', '00999', '17000', '18500', '19999'])
    expect([zipcode, listMethods(zipcode)]).toEqual([zipcode, []]);
});

it('has the holidays of 2026 and 2027', () => {
  expect([...catalog.holidays].toSorted().join(' ')).toBe(
    '2026-01-01 2026-02-02 2026-03-16 2026-05-01 2026-09-16 2026-11-16 2026-12-25 ' +
      '2027-01-01 2027-02-01 2027-03-15 2027-05-01 2027-09-16 2027-11-15 2027-12-25',
  );
});

it('knows the page of a shipment by the name of its carrier, and escapes its number', () => {
  expect(catalog.trackingUrl('CORREOS', 'RR 1/2')).toBe('https://correos.example/seguimiento?guia=RR%201%2F2');
  expect(catalog.trackingUrl('paqueteria andariega', '77')).toBe('https://andariega.example/rastreo/77');
  expect(catalog.trackingUrl('Otra', '77')).toBeNull();
});
