import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

/** Reads the small catalog with a CSV file of these bytes. */
function readWith(csv: string | Uint8Array, catalog = smallCatalog()) {
  const folder = catalogFolder(catalog);
  const file = join(folder, 'precios.csv');
  writeFileSync(file, csv);
  const { records, errors } = readCatalogFolder(folder, file);
  return {
    products: new Map(records.products.map((product) => [product.id, product])),
    // Of another file its name too.
    errors: errors.map(({ file: at, line, field, message }) => {
      const place = `${at === 'precios.csv' ? '' : `${at}:`}${line} ${field}`.trim();
      return `${place}: ${message}`;
    }),
  };
}
const pricesWith = (csv: string | Uint8Array) => {
  const { products, errors } = readWith(csv);
  expect(errors).toEqual([]);
  return [101, 102, 103].map((id) => products.get(id)?.price);
};

describe('a CSV file of products', () => {
  it.each<[string, string | Uint8Array]>([
    ['with commas', 'id,price\n101,51.00\n102,31.5\n'],
    ['with semicolons, as Excel writes it where the comma is the decimal sign', 'id;price\r\n101;51\r\n102;31.50\r\n'],
    ['with a byte order mark', '\ufeffid,price\n101,51.00\n102,31.50'],
    [
      'with quotes, blanks and lines without text',
      '"id"," price "\r\n"101"," 51.00"\r\n,\r\n\r\n102,"31.50"\r\n;'.slice(0, -1),
    ],
    ['with CR alone, as some spreadsheets end lines', 'id,price\r101,51.00\r102,31.50\r'],
    ['with its columns and rows in any order', 'price,id\n31.50,102\n51.00,101\n'],
  ])('changes prices: %s', (_, csv) => {
    expect(pricesWith(csv)).toEqual(['51.00', '31.50', '120.00']);
  });

  it('leaves fields as they are whose cells are empty, and all that have no column', () => {
    const { products, errors } = readWith(
      'id,price,partner_description,has_shortage,max_quantity\n101,,"Caja, con ""10""\ntabletas",VERDADERO,4\n',
    );
    expect(errors).toEqual([]);
    expect(products.get(101)).toMatchObject({
      price: '50.00',
      partner_description: 'Caja, con "10"\ntabletas',
      has_shortage: true,
      max_quantity: 4,
      ean_key: '7501000000012',
    });
    expect(products.size).toBe(6);
  });

  it('takes the updated_at of a product that it changes, and only of such a one', () => {
    const { products } = readWith('id,price\n104,30.50\n');
    expect(products.get(104)?.updated_at).toBe('2026-02-01T00:00:00.000Z');
    expect(readWith('id,price\n104,31\n').products.get(104)?.updated_at).toBeUndefined();
    const stated = readWith('id,price,updated_at\n104,31,2026-12-01T00:00:00Z\n');
    expect(stated.products.get(104)?.updated_at).toBe('2026-12-01T00:00:00.000Z');
  });

  it('adds a product', () => {
    const { products, errors } = readWith(
      'id,base,presentation,price,has_iva,sat_key,sat_unit,ean_key\n107,12,Frasco,75,FALSO,51142001,H87,7501000000074\n',
    );
    expect(errors).toEqual([]);
    expect(products.get(107)).toMatchObject({ base: 12, price: '75.00', has_iva: false, is_active: true, album: null });
  });

  it('adds a product as a folder has it, field by field in the same order', () => {
    const cells =
      '{"id":107,"base":12,"presentation":"Frasco","price":"75.00","has_iva":false,"sat_key":"51142001","sat_unit":"H87","ean_key":"7501000000074"}';
    const catalog = smallCatalog();
    const written = readWith('id\n', { ...catalog, products: [...catalog.products, JSON.parse(cells)] }).products.get(
      107,
    );
    const added = readWith(
      'ean_key,id,base,presentation,price,has_iva,sat_key,sat_unit\n7501000000074,107,12,Frasco,75,FALSO,51142001,H87\n',
    ).products.get(107);
    expect(written).toBeDefined();
    expect(JSON.stringify(added)).toBe(JSON.stringify(written));
  });

  it.each<[string, string | Uint8Array, ...errors: string[]]>([
    [
      'a cell that does not fit its field',
      'id,price,has_iva\n101,1.005,no\n',
      '2 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.',
      '2 has_iva: It must be true or false.',
    ],
    [
      'a decimal comma',
      'id;price\n101;51,50\n',
      '2 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals, whose decimal sign is the point.',
    ],
    [
      'a SAT key of another form, all of digits',
      'id,sat_key\n101,051142001\n',
      '2 sat_key: It must be a key of 8 digits.',
    ],
    ['a decimal comma between commas', 'id,price\n101,51,50\n', '2: The line has 3 cells, and the header 2.'],
    ['a line that is cut', 'id,price\n101,51\n102', '3: The line has 1 cell, and the header 2.'],
    ['no id', 'id,price\n,51\n', '2 id: It is required.'],
    ['an id that is none', 'id,price\nA7,51\n', '2 id: It must be a whole number.'],
    ['an id twice', 'id,price\n101,51\n"101",52\n', '3 id: It is the same as in line 2.'],
    [
      'an unknown id',
      'id,price\n999,51\n',
      '2 id: There is no such product in products.jsonl, and a new one needs the columns base, has_iva, sat_key, sat_unit, ean_key.',
    ],
    [
      'a new product without a field',
      'id,base,price,has_iva,sat_key,sat_unit,ean_key\n107,12,,true,51142001,H87,7501000000074\n',
      '2 price: It is required.',
    ],
    ['an unknown column', 'id,prize\n101,51\n', '1 prize: There is no such field.'],
    ['a column twice', 'id,price,price\n101,51,52\n', '1 price: The header has this column twice.'],
    ['a column without a name', 'id,price,\n101,51,52\n', '1: The header has a column without a name.'],
    ['a column of records', 'id,album\n101,x\n', '1 album: It does not fit a cell: write it in products.jsonl.'],
    ['no column of ids', 'price\n51\n', '1 id: The header lacks this column, which says which product a row is about.'],
    ['no header', '\n\n', '1: The file has no header with the names of fields.'],
    [
      'a quotation mark that is not closed',
      'id,price\n101,50\n102,"51\n103,52\n',
      '3 price: The cell begins with a quotation mark that is not closed.',
    ],
    [
      'other errors above a quotation mark that is not closed',
      'id,price\n101,barato\n102\n103,"51\n104,52\n',
      '2 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.',
      '3: The line has 1 cell, and the header 2.',
      '4 price: The cell begins with a quotation mark that is not closed.',
    ],
    [
      'a quotation mark in the header that is not closed',
      'id,"price\n101,50\n',
      '1: The cell begins with a quotation mark that is not closed.',
    ],
    [
      'a quotation mark inside',
      'id,presentation\n101,Caja 5" x 4\n',
      '2 presentation: The cell has a quotation mark inside, which must be doubled in a cell in quotes.',
    ],
    [
      'another encoding',
      Buffer.from('id,presentation\n101,Caja\n102,Cápsulas\n', 'latin1'),
      '3: The file is not UTF-8: save it as "CSV UTF-8".',
    ],
    [
      'a barcode that keeps its zeros by a formula',
      'id,ean_key\n101,="0012345678905"\n',
      '2 ean_key: The cell is a formula of a spreadsheet: write its value alone, without = and quotation marks.',
    ],
    [
      'a barcode of another product',
      'id,ean_key\n102,7501000000012\n',
      '2 ean_key: It is the same as in line 1 of products.jsonl.',
    ],
    ['a base that is not there', 'id,base\n101,99\n', '2 base: There is no record 99 in bases.jsonl.'],
  ])('is refused with %s', (_, csv, ...errors) => {
    expect(readWith(csv).errors).toEqual(errors);
  });

  it('is refused when it cannot be read', () => {
    const { errors } = readCatalogFolder(catalogFolder(smallCatalog()), '/no/such/precios.csv');
    expect(errors).toEqual([{ file: 'precios.csv', line: 0, field: '', message: 'The file cannot be read.' }]);
  });

  it('leaves errors of the folder where they are', () => {
    const catalog = smallCatalog();
    Object.assign(catalog.products[0] ?? {}, { base: 99 });
    expect(readWith('id,price\n101,51\n', catalog).errors).toEqual([
      'products.jsonl:1 base: There is no record 99 in bases.jsonl.',
    ]);
  });
});
