import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { ProductQuery } from '../../../shared/catalog/catalog.ts';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';

// The tests of the routes show the demonstration's records of each kind.
const directory = mkdtempSync(join(tmpdir(), 'demo-catalog-'));
const file = join(directory, 'demo.sqlite');
const build = await buildCatalog('infra/local/demo-catalog', file, { previous: null, now: new Date('2026-11-21') });
if ('errors' in build) throw new Error(JSON.stringify(build.errors, null, 2));
const { notes } = build;
const catalog = openCatalog(file, { version: '0123456789abcdef', imageBaseUrl: 'https://images.example/' });
afterAll(() => {
  catalog.close();
  rmSync(directory, { recursive: true });
});

const products = (filters: Partial<ProductQuery> = {}) => {
  const newestFirst = { field: 'created_at', descending: true } as const;
  return catalog.products({ page: 1, limit: 100, search: '', ordering: [newestFirst], ...filters });
};
const listMethods = (zipcode: string) => catalog.shippingRates(zipcode).map((rate) => rate.shipping_method);

it('has 135 products, of which 129 can be bought and 123 of those are in stock', () => {
  expect(products().count).toBe(135);
  expect(products({ is_active: true }).count).toBe(129);
  expect(products({ is_active: true, has_shortage: false }).count).toBe(123);
});

// LGS art. 245 III, of a reform of 15 January 2026 tramadol too; art. 251 keeps their prescriptions.
it.each(['Alprazolam 0.25 mg', 'Clonazepam 2 mg', 'Tramadol 50 mg'])('publishes %s inactive, with a note', (name) => {
  expect(notes.filter((note) => note.includes(name))).toHaveLength(1);
  expect(products({ search: name }).results.map(({ is_active }) => is_active)).toEqual([false]);
});

it('has no other note than on menstrual products without IVA', () => {
  expect(notes.slice(1)).toEqual([
    'Other goods without IVA, which only food and menstrual products are (LIVA art. 2-A I b and j): 1. 135 (Toallas femeninas nocturnas, Bolsa con 10 piezas).',
  ]);
});

it('has products of distinct times, so that the newest are first', () => {
  const times = products().results.map(({ created_at }) => created_at);
  expect(new Set(times).size).toBe(100);
  expect(times[0]).toBe('2026-05-26T14:26:00.000Z');
});

// One zip code of each of the 32 states, in the alphabetical order of their names.
const STATES =
  '20000 22000 23000 24000 29000 31000 01000 25000 28000 34000 50000 36000 39000 42000 44100 58000 62000 ' +
  '63000 64000 68000 72000 76000 77500 78000 80000 83000 86000 87000 90000 91700 97000 98000';
it.each([...STATES.split(' '), '16999', '99999'])('delivers to the zip code %s by default and standard', (zipcode) => {
  expect(listMethods(zipcode)).toEqual(expect.arrayContaining([1, 3]));
});

it.each(['00000', '00500', '00999', '17000', '18500', '19999'])('does not deliver to %s, in no state', (zipcode) => {
  expect(listMethods(zipcode)).toEqual([]);
});

it('delivers express and local in the big cities only', () => {
  expect([listMethods('03100').toSorted(), listMethods('98000')]).toEqual([
    [1, 3, 4, 5],
    [1, 3],
  ]);
});

it('has the holidays of 2026 and 2027', () => {
  const days = [...catalog.holidays].toSorted();
  expect(days.slice(0, 7).join(' ')).toBe(
    '2026-01-01 2026-02-02 2026-03-16 2026-05-01 2026-09-16 2026-11-16 2026-12-25',
  );
  expect(days.slice(7).join(' ')).toBe('2027-01-01 2027-02-01 2027-03-15 2027-05-01 2027-09-16 2027-11-15 2027-12-25');
});

it('knows the page of a shipment by the name of its carrier, and escapes its number', () => {
  expect(catalog.trackingUrl('CORREOS', 'RR 1/2')).toBe('https://correos.example/seguimiento?guia=RR%201%2F2');
  expect(catalog.trackingUrl('paqueteria andariega', '77')).toBe('https://andariega.example/rastreo/77');
  expect(catalog.trackingUrl('Otra', '77')).toBeNull();
});
