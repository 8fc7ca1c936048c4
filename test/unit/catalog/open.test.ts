import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { openCatalog } from '../../../shared/catalog/open.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import {
  catalogFolder,
  openRecords,
  removeCatalogFolders,
  smallCatalog,
} from '../../support/catalogs/small-catalog.ts';

// A published file gives a product as `routes/products` shows it, and more; a file that is no whole catalog gives nothing.

const NOW = '2026-11-21T12:00:00.000Z';
const OPTIONS = { version: 'v1', imageBaseUrl: 'https://images.example/shop//' };

const images = (id: number, ...some: object[]) => ({ image: 'main.png', album: { id, images: some } });
const records = smallCatalog();
const change = (file: 'bases' | 'products', line: number, fields: object) =>
  Object.assign(records[file][line] ?? {}, fields);
change('products', 0, {
  ...images(8, { id: 1, image: '/a.png' }, { id: 2, image: 'https://cdn.example/b.png', is_default: true }),
});
change('products', 1, images(9, { id: 1, image: '/c.png' }));
change('products', 2, images(10));
change('products', 4, { has_iva: true, max_quantity: 3 });
change('bases', 1, { is_medicine: false, sanitary_fraction: null });
const OWN = { id: 99, created_at: '2026-02-01T00:00:00Z', updated_at: '2026-02-02T00:00:00Z' };
const ASPIRIN = { active_ingredient: 'Ácido acetilsalicílico', is_generic: false, group_number: 6 };
change('bases', 3, { medical_information: { ...OWN, ...ASPIRIN, requires_prescription: false } });
const catalog = await openRecords(records, OPTIONS.imageBaseUrl);
afterAll(removeCatalogFolders);

describe('a product', () => {
  it('has medical information with the id and times of its base, or its own', () => {
    const medical = (id: number) => catalog.productDetail(id)?.base?.medical_information;
    expect(medical(105)).toMatchObject({ id: 14, base_product: 14, created_at: NOW, updated_at: NOW });
    const times = { created_at: '2026-02-01T00:00:00.000Z', updated_at: '2026-02-02T00:00:00.000Z' };
    expect(medical(104)).toMatchObject({ id: 99, base_product: 13, ...times });
    expect(catalog.productDetail(104)).toMatchObject({ medical_information: 99, is_generic: false, group_number: 6 });
    expect(catalog.productDetail(101)).toMatchObject({ medical_information: null, group_number: null });
  });

  it('is read for pricing', () => {
    expect(catalog.product(105)).toEqual({
      ...{ id: 105, name: 'Clonazepam 2 mg', presentation: 'Caja', ean_key: '7503000000054' },
      ...{ sat_key: '51142001', sat_unit: 'H87', priceCents: 9_999, maxQuantity: 3 },
      ...{ has_iva: true, is_active: false, has_shortage: false, requires_prescription: true },
      ...{ sanitaryFraction: 'II', isAntibiotic: false, default_image: null },
    });
    expect(catalog.product(103)).toMatchObject({ maxQuantity: null, has_shortage: true, requires_prescription: false });
    expect([104, 101, 102].map((id) => catalog.product(id)?.sanitaryFraction)).toEqual(['VI', 'VI', null]);
  });

  it('has no sanitary fraction if it is no medicine, whatever its group number', async () => {
    const changed = smallCatalog();
    Object.assign(changed.bases[4] ?? {}, { is_medicine: false, sanitary_fraction: null });
    const other = await openRecords(changed);
    expect(other.productDetail(105)).toMatchObject({ group_number: 2, base: { is_medicine: 'false' } });
    expect(other.product(105)?.sanitaryFraction).toBeNull();
  });

  it.each([
    [101, 'https://cdn.example/b.png'],
    [102, 'https://images.example/shop/c.png'],
    [103, 'https://images.example/shop/main.png'],
    [104, null],
  ])('%i has the default image %s', (id, image) => {
    expect(catalog.product(id)?.default_image).toBe(image);
  });

  it('has images at the base address, percent-encoded, or at their own', async () => {
    const addresses = {
      'fotos/a.png': 'https://images.example/shop/fotos/a.png',
      '/fotos/a.png': 'https://images.example/shop/fotos/a.png',
      'http://cdn.example/a.png': 'http://cdn.example/a.png',
      'small/https://cdn.example/a.png': 'https://images.example/shop/small/https%3A//cdn.example/a.png',
      'fotos/niño 50% #1?.png': 'https://images.example/shop/fotos/ni%C3%B1o%2050%25%20%231%3F.png',
      'a+b & c=d@2x,ñ.webp': 'https://images.example/shop/a%2Bb%20%26%20c%3Dd%402x%2C%C3%B1.webp',
      '%2e%2e/a.png': 'https://images.example/shop/%252e%252e/a.png',
    };
    const changed = smallCatalog();
    const shots = Object.keys(addresses).map((image, at) => ({ id: at + 1, image }));
    Object.assign(changed.products[0] ?? {}, { image: 'a.png', album: { id: 1, images: shots } });
    const shown = (await openRecords(changed, OPTIONS.imageBaseUrl)).productDetail(101);
    expect(shown?.image).toBe('https://images.example/shop/a.png');
    expect(shown?.album?.images.map(({ image }) => image)).toEqual(Object.values(addresses));
  });

  it.each([0, 100, 999_999_999_999_999])('is undefined if there is none: %i', (id) => {
    expect([catalog.product(id), catalog.productDetail(id)]).toEqual([undefined, undefined]);
  });
});

describe('a file is not opened', () => {
  async function built(): Promise<string> {
    const folder = catalogFolder(smallCatalog());
    await buildCatalog(folder, join(folder, 'catalog.sqlite'), { previous: null, now: new Date(NOW) });
    return join(folder, 'catalog.sqlite');
  }

  it('that is no database or no catalog, has another format, or is cut short', async () => {
    const file = await built();
    writeFileSync(`${file}.text`, 'This is not a database. '.repeat(100));
    new DatabaseSync(`${file}.other`).exec('CREATE TABLE t (x)');
    writeFileSync(`${file}.next`, readFileSync(file));
    new DatabaseSync(`${file}.next`).exec('PRAGMA user_version = 99');
    expect(() => openCatalog(`${file}.text`, OPTIONS)).toThrow('no catalog');
    expect(() => openCatalog(`${file}.other`, OPTIONS)).toThrow('no catalog');
    expect(() => openCatalog(`${file}.next`, OPTIONS)).toThrow('format 99');
    for (const bytes of [statSync(file).size - 1, 8_192, 0]) {
      truncateSync(file, bytes);
      expect(() => openCatalog(file, OPTIONS)).toThrow('not a whole one');
    }
  });

  it.each([
    ["DELETE FROM columns WHERE name = 'barcodes'", 'column barcodes'],
    ["DELETE FROM records WHERE key = 2 AND kind = 'shipping_methods'", 'pickup'],
  ])('after %s', async (sql, message) => {
    const file = await built();
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    expect(() => openCatalog(file, OPTIONS)).toThrow(message);
  });
});
