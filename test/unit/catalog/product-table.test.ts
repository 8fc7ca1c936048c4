import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import type { Prices } from '../../../shared/catalog/publishing/import/headings.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

// A CSV file changes or adds products, however a spreadsheet has written it, and its errors are reported in its own lines.
afterAll(removeCatalogFolders);

/** Reads the small catalog with a CSV file; an error's place has the name of another file. */
async function readWith(csv: string | Uint8Array, catalog = smallCatalog(), prices?: Prices) {
  const folder = catalogFolder(catalog);
  const path = join(folder, 'precios.csv');
  writeFileSync(path, csv);
  const { records, errors } = readCatalogFolder(folder, { ...(await readSheet(path)), prices });
  return {
    products: new Map(records.products.map((product) => [product.id, product])),
    places: errors.map(({ file, line, field }) => `${file.replace('precios.csv', '')}${line} ${field}`.trim()),
  };
}

describe('a CSV file of products', () => {
  it.each<[string, string | Uint8Array]>([
    ['with commas', 'id,price\n101,51.00\n102,31.5\n'],
    ['with semicolons, as Excel writes it where the comma is the decimal sign', 'id;price\r\n101;51\r\n102;31.50\r\n'],
    ['with quotes, blanks and lines without text', '"id"," price "\r\n"101"," 51.00"\r\n,\r\n\r\n102,"31.50"\r\n'],
    ['with its columns and rows in any order', 'price,id\n31.50,102\n51.00,101\n'],
    ['with a title, amounts as a bank writes them and empty columns', 'Lista;;;\nid;price;;\n101;$ 51;;\n102;31,5;;\n'],
    ['by barcode', 'ean_key,price\n7501000000012,51\n7501000000029,31.50\n'],
    ['by the headings of an import', 'EAN;Nombre;Precio sin IVA\n7501000000012;x;51\n7501000000029;x;31,5\n'],
  ])('changes prices: %s', async (_, csv) => {
    const { products, places } = await readWith(csv);
    expect(places).toEqual([]);
    expect([101, 102, 103].map((id) => products.get(id)?.price)).toEqual(['51.00', '31.50', '120.00']);
  });

  it('leaves fields as they are whose cells are empty, and all that have no column', async () => {
    const columns = 'id,price,partner_description,has_shortage,max_quantity';
    const { products, places } = await readWith(`${columns}\n101,,"Caja, con ""10""\ntabletas",VERDADERO,4\n`);
    expect(places).toEqual([]);
    expect(products.get(101)).toMatchObject({
      ...{ price: '50.00', partner_description: 'Caja, con "10"\ntabletas', has_shortage: true, max_quantity: 4 },
      ean_key: '7501000000012',
    });
    expect(products.size).toBe(6);
  });

  it.each([
    ['id,price\n104,30.50\n', '2026-02-01T00:00:00.000Z'],
    ['id,price\n104,31\n', undefined],
    ['id,price,updated_at\n104,31,2026-12-01T00:00:00Z\n', '2026-12-01T00:00:00.000Z'],
  ])('takes the updated_at of a product that it changes, unless it has one: %j', async (csv, updated) => {
    expect((await readWith(csv)).products.get(104)?.updated_at).toBe(updated);
  });

  it('adds a product as a folder has it, field by field in the same order', async () => {
    const catalog = smallCatalog();
    const product = { id: 107, base: 12, presentation: 'Frasco', price: '75.00', has_iva: false };
    const added = { ...product, sat_key: '51142001', sat_unit: 'H87', ean_key: '7501000000074' };
    const columns = 'ean_key,id,base,presentation,price,has_iva,sat_key,sat_unit';
    const { products, places } = await readWith(`${columns}\n7501000000074,107,12,Frasco,75,FALSO,51142001,H87\n`);
    const folder = await readWith('id\n', { ...catalog, products: [...catalog.products, added] });
    expect(places).toEqual([]);
    expect(products.get(107)).toMatchObject({ price: '75.00', has_iva: false, is_active: true, album: null });
    expect(JSON.stringify(products.get(107))).toBe(JSON.stringify(folder.products.get(107)));
  });

  const NEW = 'has_iva,sat_key,sat_unit,ean_key';
  it.each<[string, string, ...places: string[]]>([
    ['cells that do not fit their fields', 'id,price,has_iva\n101,1.005,8 %\n', '2 price', '2 has_iva'],
    ['a SAT key of 9 digits', 'id,sat_key\n101,051142001\n', '2 sat_key'],
    ['a decimal comma between commas', 'id,price\n101,51,50\n', '2'],
    ['a line that is cut', 'id,price\n101,51\n102', '3'],
    ['no id', 'id,price\n,51\n', '2 id'],
    ['an id that is none', 'id,price\nA7,51\n', '2 id'],
    ['an id twice', 'id,price\n101,51\n"101",52\n', '3 id'],
    ['an unknown id', 'id,price\n999,51\n', '2 id'],
    ['a new product without a field', `id,base,price,${NEW}\n107,12,,true,51142001,H87,7501000000074\n`, '2 price'],
    ['an unknown column', 'id,prize\n101,51\n', '1 prize'],
    ['a column twice', 'id,price,price\n101,51,52\n', '1 price'],
    ['a column without a name', 'id,price,\n101,51,52\n', '2'],
    ['a column of records', 'id,album\n101,x\n', '1 album'],
    ['no column of ids', 'price\n51\n', '1 id'],
    ['no header', '\n\n', '1'],
    ['an open quotation mark', 'id,price\n101,50\n102,"51\n103,52\n', '3'],
    ['errors above an open quotation mark', 'id,price\n101,barato\n102\n103,"51\n104,52\n', '2 price', '3', '4'],
    ['one below two lines', 'id,presentation,price\n101,"Caja\ncon",50\n102,Caja,x\n', '2 presentation', '4 price'],
    ['an open quotation mark in the header', 'id,"price\n101,50\n', '1'],
    ['a barcode of no product', 'ean_key,price\n7501000000012,51\n7501000000999,52\n', '3 ean_key'],
    ['a barcode twice', 'ean_key,price\n7501000000012,51\n07501000000012,52\n', '3 ean_key'],
    ['prices that may include IVA', 'Código de barras,Precio\n7501000000012,51\n', '1 price'],
    ['a barcode of another product', 'id,ean_key\n102,7501000000012\n', '2 ean_key'],
    ['a base that is not there', 'id,base\n101,99\n', '2 base'],
  ])('is refused with %s', async (_, csv, ...places) => {
    expect((await readWith(csv)).places).toEqual(places);
  });

  it('parts the IVA from prices that include it, of products that have IVA', async () => {
    const { products } = await readWith('id,price,has_iva\n101,116.00,si\n102,116.00,\n', smallCatalog(), 'with-iva');
    expect([101, 102].map((id) => products.get(id)?.price)).toEqual(['100.00', '116.00']);
  });

  it('is refused when it cannot be read, and leaves errors of the folder where they are', async () => {
    const { errors } = readCatalogFolder(catalogFolder(smallCatalog()), await readSheet('/no/such/precios.csv'));
    expect(errors).toMatchObject([{ file: 'precios.csv', line: 0, field: '' }]);
    const catalog = smallCatalog();
    Object.assign(catalog.products[0] ?? {}, { base: 99 });
    expect((await readWith('id,price\n101,51\n', catalog)).places).toEqual(['products.jsonl1 base']);
    catalog.products[0] = { ...smallCatalog().products[0], base: 10, price: '-1' };
    expect((await readWith('id,has_shortage\n101,true\n', catalog)).products.has(101)).toBe(false);
  });
});
