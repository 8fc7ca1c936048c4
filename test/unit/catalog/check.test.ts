import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FolderError, readCatalogFolder } from '../../../shared/catalog/folder/check.ts';
import {
  CATALOG_FILES,
  type CatalogFile,
  catalogFileNames,
  catalogSchemas,
} from '../../../shared/catalog/folder/folder.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

type Change = (fields: Record<string, unknown>) => void;

/** Returns the errors of the small catalog after a change to one of its lines (counted from 1), as `file:line field`. */
function findErrorsAfter(file: CatalogFile, line: number, change: Change): string[] {
  const records = smallCatalog();
  const record = records[file][line - 1];
  if (record) change(record);
  return findErrorsIn(catalogFolder(records));
}

/** Returns the errors after a line is added to a file. */
function findErrorsWith(file: CatalogFile, record: Record<string, unknown>): string[] {
  const records = smallCatalog();
  records[file].push(record);
  return findErrorsIn(catalogFolder(records));
}

function findErrorsIn(folder: string): string[] {
  return readCatalogFolder(folder).errors.map(({ file, line, field }) => `${file}:${line} ${field}`.trim());
}

/** Returns the errors that somebody finds for whom permissions count, which they do not for root. */
function findErrorsAsNobody(...folders: readonly string[]): FolderError[][] {
  const check = new URL('../../../shared/catalog/folder/check.ts', import.meta.url);
  // The first call reads the lists of this program, whose folder may be closed to others.
  const script = `const { readCatalogFolder } = await import('${check}');
    readCatalogFolder('${catalogFolder(smallCatalog())}');
    if (process.getuid() === 0) process.setuid(65534);
    const found = ${JSON.stringify(folders)}.map((folder) => readCatalogFolder(folder).errors);
    console.log(JSON.stringify(found));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const set =
  (more: Record<string, unknown>): Change =>
  (fields) =>
    Object.assign(fields, more);
const drop =
  (field: string): Change =>
  (fields) => {
    delete fields[field];
  };

describe('a folder without errors', () => {
  it('gives its records with defaults, amounts as text and times in UTC', () => {
    const { records, errors } = readCatalogFolder(catalogFolder(smallCatalog()));
    expect(errors).toEqual([]);
    expect(records.products[1]).toEqual({
      id: 102,
      base: 11,
      presentation: 'Caja',
      price: '30.50',
      cost: null,
      public_price: null,
      average_cost: null,
      has_iva: false,
      is_active: true,
      has_shortage: false,
      should_calculate_price: false,
      sat_key: '51142001',
      sat_unit: 'H87',
      ean_key: '7501000000029',
      partner_description: '',
      image: '',
      album: null,
      current_supplier: null,
      supplier_products: [],
      product_variants: [],
      created_at: '2026-01-02T00:00:00.000Z',
      updated_at: undefined,
    });
    expect(records.bases[2]).toMatchObject({ description: '', is_medicine: true, diseases: [], tags: [] });
    expect(records.coupons[0]).toMatchObject({
      value: '0.10',
      description: '',
      valid_from: '2026-01-01T06:00:00.000Z',
    });
    expect(records.stores[0]).toMatchObject({ latitude: '19.043609', longitude: null, name: '', interior_number: '' });
    expect(records.stores[0]?.is_sat_branch).toBe(false);
    expect(records.payment_methods[0]).toMatchObject({ fee: '0.0360', fixed_fee: '3.00' });
  });

  it('may have payment methods without a fixed fee', () => {
    const changed = smallCatalog();
    delete changed.payment_methods[0]?.fixed_fee;
    expect(readCatalogFolder(catalogFolder(changed)).records.payment_methods[0]?.fixed_fee).toBe('0.00');
  });

  it('is read without the blanks around texts', () => {
    const changed = smallCatalog();
    Object.assign(changed.bases[0] ?? {}, { name: ' Ácido fólico ', description: '  Con agua ' });
    Object.assign(changed.bases[4]?.medical_information ?? {}, { active_ingredient: ' Clonazepam ' });
    Object.assign(changed.stores[0] ?? {}, { city: ' Puebla ' });
    const { records } = readCatalogFolder(catalogFolder(changed));
    expect(records.bases[0]).toMatchObject({ name: 'Ácido fólico', description: 'Con agua' });
    expect(records.bases[4]?.medical_information?.active_ingredient).toBe('Clonazepam');
    expect(records.stores[0]?.city).toBe('Puebla');
  });

  it('may write whether a base is a medicine as a text', () => {
    const written = [true, 'true', false, 'false'];
    const changed = smallCatalog();
    for (const [index, is_medicine] of written.entries()) {
      Object.assign(changed.bases[index] ?? {}, { is_medicine, ...(index > 1 && { sanitary_fraction: null }) });
    }
    const { records } = readCatalogFolder(catalogFolder(changed));
    expect(records.bases.map(({ is_medicine }) => is_medicine)).toEqual([true, true, false, false, true]);
  });

  it('may have a byte order mark, CRLF and blank lines', () => {
    const folder = catalogFolder(smallCatalog());
    writeFileSync(join(folder, 'tags.jsonl'), '\uFEFF\r\n{"id":1,"name":"Nuevo"}\r\n  \r\n{"id":2,"name":"Otro"}');
    const { records, errors } = readCatalogFolder(folder);
    expect(errors).toEqual([]);
    expect(records.tags.map(({ name }) => name)).toEqual(['Nuevo', 'Otro']);
  });

  it('may contain other files', () => {
    const folder = catalogFolder(smallCatalog());
    writeFileSync(join(folder, 'README.md'), 'x');
    expect(findErrorsIn(folder)).toEqual([]);
  });
});

describe('files and lines', () => {
  it('refuses a path that is no folder', () => {
    const { records, errors } = readCatalogFolder('/no/such/folder');
    expect(errors).toEqual([{ file: '', line: 0, field: '', message: '/no/such/folder is no folder.' }]);
    expect(Object.values(records).flat()).toEqual([]);
  });

  it('tells what one has no permission to read, beside all other errors', () => {
    const folder = catalogFolder(smallCatalog());
    appendFileSync(join(folder, 'tags.jsonl'), '{"id":"dos","name":"Otro"}\n');
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'coupons.jsonl'), 0o000);
    const closed = catalogFolder(smallCatalog());
    chmodSync(closed, 0o000);
    expect(findErrorsAsNobody(folder, closed)).toEqual([
      [
        { file: 'tags.jsonl', line: 2, field: 'id', message: 'It must be a whole number.' },
        { file: 'coupons.jsonl', line: 0, field: '', message: 'You have no permission to read the file.' },
      ],
      [{ file: '', line: 0, field: '', message: `You have no permission to read the folder ${closed}.` }],
    ]);
    chmodSync(closed, 0o700);
  });

  it.each(catalogFileNames.filter((file) => !['synonyms', 'carriers', 'sat_product_keys'].includes(file)))(
    'refuses a missing %s.jsonl, and nothing that refers to it',
    (file) => {
      const folder = catalogFolder(smallCatalog());
      rmSync(join(folder, `${file}.jsonl`));
      const { records, errors } = readCatalogFolder(folder);
      expect(errors).toEqual([{ file: `${file}.jsonl`, line: 0, field: '', message: 'The file is missing.' }]);
      expect(records[file]).toEqual([]);
    },
  );

  it('distinguishes an unreadable file from a missing one', () => {
    const folder = catalogFolder(smallCatalog());
    rmSync(join(folder, 'tags.jsonl'));
    mkdirSync(join(folder, 'tags.jsonl'));
    expect(readCatalogFolder(folder).errors).toEqual([
      { file: 'tags.jsonl', line: 0, field: '', message: 'It is a folder and not a file.' },
    ]);
  });

  it('refuses an unknown file', () => {
    const folder = catalogFolder(smallCatalog());
    writeFileSync(join(folder, 'product.jsonl'), '');
    expect(readCatalogFolder(folder).errors).toEqual([
      { file: 'product.jsonl', line: 0, field: '', message: 'There is no such file in a catalog.' },
    ]);
  });

  it.each([
    ['{"id":13,"name":', 'The line is not valid JSON (Unexpected end of JSON input).'],
    ['{"id":13,,}', 'The line is not valid JSON (Expected double-quoted property name in column 10).'],
    ['{"a":[1,{"b":null}],"c":tru}', 'The line is not valid JSON (Unexpected token \'}\', ..."}],"c":tru}").'],
    ['{"a":01}', 'The line is not valid JSON (Unexpected number in column 7).'],
    ['{"a":"x\\q"}', 'The line is not valid JSON (Bad escaped character in column 9).'],
    ['{"a":1}}', 'The line is not valid JSON (Unexpected non-whitespace character after JSON in column 8).'],
    ['{"a":[1}', "The line is not valid JSON (Expected ',' or ']' after array element in column 8)."],
    ['hello', 'The line is not valid JSON (Unexpected token \'h\', "hello").'],
    ['[1]', 'The line is not a JSON object.'],
    ['null', 'The line is not a JSON object.'],
    ['5', 'The line is not a JSON object.'],
  ])('refuses the line %s', (text, message) => {
    const folder = catalogFolder(smallCatalog());
    appendFileSync(join(folder, 'bases.jsonl'), `\n${text}`);
    const { records, errors } = readCatalogFolder(folder);
    expect(errors).toEqual([{ file: 'bases.jsonl', line: 7, field: '', message }]);
    expect(records.bases).toHaveLength(5);
  });

  it('refuses a line of another encoding', () => {
    const folder = catalogFolder(smallCatalog());
    writeFileSync(join(folder, 'tags.jsonl'), Buffer.from('{"id":1,"name":"Niños"}\n', 'latin1'));
    expect(readCatalogFolder(folder).errors).toEqual([
      { file: 'tags.jsonl', line: 1, field: '', message: 'The line is not UTF-8.' },
    ]);
  });

  it('refuses unknown fields, nested ones too', () => {
    expect(findErrorsAfter('products', 1, set({ prize: 1 }))).toEqual(['products.jsonl:1 prize']);
    expect(findErrorsAfter('products', 1, set({ album: { id: 1, images: [], x: 1, y: 2 } }))).toEqual([
      'products.jsonl:1 album.x',
      'products.jsonl:1 album.y',
    ]);
  });

  it('reports a missing field as required', () => {
    const records = smallCatalog();
    delete records.products[0]?.sat_key;
    expect(readCatalogFolder(catalogFolder(records)).errors).toEqual([
      { file: 'products.jsonl', line: 1, field: 'sat_key', message: 'It is required.' },
    ]);
  });
});

describe('a text of a folder', () => {
  const HIDDEN = 'It has a character that does not show (U+200B).';
  const TWICE = 'It is encoded twice, as `Ã³` for `ó`: open its source as UTF-8 and save it anew.';
  it.each<[CatalogFile, Record<string, unknown>, string, string]>([
    ['tags', { name: 'Ni\u200bños' }, 'name', HIDDEN],
    ['tags', { name: 'NiÃ±os' }, 'name', TWICE],
    ['tags', { name: 'Niños\u0007' }, 'name', 'It has a control character.'],
    ['tags', { name: 'Niños\nniñas' }, 'name', 'It has a control character.'],
    ['tags', { name: '\u3164' }, 'name', 'It must have something to read.'],
    ['tags', { name: '\ud83d' }, 'name', 'It has half of a character.'],
    [
      'products',
      { presentation: 'Caja\u00adcon 20' },
      'presentation',
      'It has a character that does not show (U+00AD).',
    ],
    ['products', { album: { id: 1, images: [{ id: 1, image: 'a\u200b.png' }] } }, 'album.images[0].image', HIDDEN],
    ['bases', { description: 'SuspensiÃ³n' }, 'description', TWICE],
    ['bases', { description: 'a\u0000b' }, 'description', 'It has a control character beside line ends and tabs.'],
    ['coupons', { code: 'SALUD\u200b10' }, 'code', HIDDEN],
    ['stores', { business_hours: 'Lunes a sábado â€“ 9 a 18' }, 'business_hours', TWICE],
    ['holidays', { name: 'RevoluciÃ³n' }, 'name', TWICE],
  ])('of %s is refused with %j', (file, fields, field, message) => {
    const records = smallCatalog();
    const [first] = records[file] as Record<string, unknown>[];
    Object.assign(first ?? {}, fields);
    // JSON would write half of a pair as an escape, which is read as it is.
    expect(readCatalogFolder(catalogFolder(records)).errors).toContainEqual({
      file: `${file}.jsonl`,
      line: 1,
      field,
      message,
    });
  });

  it('is read in one form, whatever the editor has written', () => {
    const records = smallCatalog();
    Object.assign(records.tags[0] ?? {}, { name: ' Nin\u0303os 👨\u200d👩 ' });
    Object.assign(records.bases[0] ?? {}, { description: 'Uno.\r\n\tDos – “tres”.' });
    Object.assign(records.coupons[0] ?? {}, { description: 'e\u0301'.repeat(150) });
    const { records: read, errors } = readCatalogFolder(catalogFolder(records));
    expect(errors).toEqual([]);
    expect(read.tags[0]?.name).toBe('Niños 👨\u200d👩');
    expect(read.bases[0]?.description).toBe('Uno.\r\n\tDos – “tres”.');
    expect(read.coupons[0]?.description).toBe('é'.repeat(150));
  });

  it.each(['verano', 'VER\u0041NO', ' Verano', 'ＶＥＲＡＮＯ'])(
    'as the code of a coupon looks like no other: %j',
    (code) => {
      const records = smallCatalog();
      const [first] = records.coupons;
      const more = [
        { ...first, id: 901, code: 'VERANO' },
        { ...first, id: 902, code },
      ] as typeof records.coupons;
      const { errors } = readCatalogFolder(catalogFolder({ ...records, coupons: [...records.coupons, ...more] }));
      const line = records.coupons.length + 1;
      expect(errors).toEqual([
        { file: 'coupons.jsonl', line: line + 1, field: 'code', message: `It is the same as in line ${line}.` },
      ]);
    },
  );
});

describe('fields that are refused', () => {
  it.each<[CatalogFile, number, Record<string, unknown>, string]>([
    ['products', 1, { price: '1.005' }, 'price'],
    ['products', 1, { price: 1.005 }, 'price'],
    ['products', 1, { price: -1 }, 'price'],
    ['products', 1, { price: '1e2' }, 'price'],
    ['products', 1, { price: true }, 'price'],
    ['products', 1, { price: 10_000_000 }, 'price'],
    ['products', 1, { id: 0 }, 'id'],
    ['products', 1, { id: '101' }, 'id'],
    ['products', 1, { id: 1_000_000_000_000_000 }, 'id'],
    ['products', 1, { has_iva: 'false' }, 'has_iva'],
    ['products', 1, { sat_key: '1234567' }, 'sat_key'],
    ['products', 1, { sat_unit: 'h87' }, 'sat_unit'],
    ['products', 1, { ean_key: '' }, 'ean_key'],
    ['products', 1, { ean_key: '750,1' }, 'ean_key'],
    ['products', 1, { ean_key: '750 1' }, 'ean_key'],
    ['products', 1, { image: 'ftp://x/a.png' }, 'image'],
    ['products', 1, { image: '//x/a.png' }, 'image'],
    ['products', 1, { image: 's3://x/a.png' }, 'image'],
    ['products', 1, { image: '../a.png' }, 'image'],
    ['products', 1, { image: 'fotos/../../a.png' }, 'image'],
    ['products', 1, { image: 'https://x/fotos/..' }, 'image'],
    ['products', 1, { image: 'fotos\\a.png' }, 'image'],
    ['products', 1, { image: 'a\u0000.png' }, 'image'],
    ['products', 1, { image: 'a\ud800.png' }, 'image'],
    ['products', 1, { image: 'http://' }, 'image'],
    ['products', 1, { image: 'https://x/a b.png' }, 'image'],
    ['products', 1, { image: ' a.png' }, 'image'],
    ['products', 1, { sat_key: '123456789' }, 'sat_key'],
    ['products', 1, { sat_unit: 'H877' }, 'sat_unit'],
    ['products', 1, { sat_unit: '' }, 'sat_unit'],
    ['products', 1, { ean_key: 'niño' }, 'ean_key'],
    ['products', 1, { supplier_products: 'x' }, 'supplier_products'],
    ['products', 1, { product_variants: 'x' }, 'product_variants'],
    ['products', 1, { price: '01' }, 'price'],
    ['products', 1, { price: '1.' }, 'price'],
    ['products', 1, { album: { id: 1, images: [{ id: 1, image: '' }] } }, 'album.images[0].image'],
    ['products', 1, { created_at: '2026-01-01' }, 'created_at'],
    ['bases', 1, { name: '  ' }, 'name'],
    ['bases', 1, { is_medicine: 'yes' }, 'is_medicine'],
    ['bases', 1, { diseases: [1, 1] }, 'diseases'],
    ['bases', 1, { diseases: ['1'] }, 'diseases[0]'],
    ['bases', 1, { diseases: 1 }, 'diseases'],
    ['bases', 1, { tags: [1, 1] }, 'tags'],
    ['bases', 1, { sanitary_fraction: 'VII' }, 'sanitary_fraction'],
    ['bases', 1, { is_antibiotic: 'true' }, 'is_antibiotic'],
    [
      'bases',
      1,
      { medical_information: { active_ingredient: 'x', group_number: 1, requires_prescription: true } },
      'medical_information.is_generic',
    ],
    ['stores', 1, { street: 'x'.repeat(251) }, 'street'],
    ['stores', 1, { zipcode: '7200' }, 'zipcode'],
    ['stores', 1, { is_sat_branch: 'yes' }, 'is_sat_branch'],
    ['stores', 1, { time_zone: 'Baja California' }, 'time_zone'],
    ['stores', 1, { latitude: 90.1 }, 'latitude'],
    ['stores', 1, { longitude: 'x' }, 'longitude'],
    ['shipping_methods', 1, { method: 'air' }, 'method'],
    ['shipping_methods', 1, { max_delivery_days: 32_768 }, 'max_delivery_days'],
    ['shipping_rates', 2, { zip_from: 72000 }, 'zip_from'],
    ['shipping_rates', 2, { zip_from: '7200' }, 'zip_from'],
    ['shipping_rates', 2, { zip_to: '729990' }, 'zip_to'],
    ['shipping_rates', 2, { zip_from: 'x72000' }, 'zip_from'],
    ['shipping_rates', 2, { discount_from: '2026-02-30T00:00:00Z' }, 'discount_from'],
    ['payment_methods', 1, { name: 'x'.repeat(31) }, 'name'],
    ['payment_methods', 1, { initial_payment_status: 'paid' }, 'initial_payment_status'],
    ['payment_methods', 1, { sat_payment_form: '07' }, 'sat_payment_form'],
    ['payment_methods', 1, { collection: 'cash' }, 'collection'],
    ['payment_methods', 1, { initial_payment_status: 'credit', collection: 'oxxo' }, 'collection'],
    ['payment_methods', 1, { fee: '0.0000001' }, 'fee'],
    ['coupons', 1, { code: 'x'.repeat(17) }, 'code'],
    ['coupons', 1, { value: -0.1 }, 'value'],
    ['coupons', 1, { max_redemptions: 0 }, 'max_redemptions'],
    ['coupons', 1, { max_redemptions: 1.5 }, 'max_redemptions'],
    ['coupons', 1, { max_redemptions_per_patient: '1' }, 'max_redemptions_per_patient'],
    ['holidays', 1, { date: '2026-02-29' }, 'date'],
  ])('%s, line %i: %j', (file, line, fields, field) => {
    expect(findErrorsAfter(file, line, set(fields))).toEqual([`${file}.jsonl:${line} ${field}`]);
  });
});

describe('fields that are accepted', () => {
  it.each<[CatalogFile, number, Record<string, unknown>]>([
    ['products', 1, { price: 9_999_999.99, cost: '0', public_price: 1, average_cost: '1.5' }],
    ['products', 1, { image: 'http://x/a.png', ean_key: '96385074' }],
    ['products', 1, { image: 'fotos/niño 50% #1?.png', ean_key: '012345678905' }],
    ['products', 1, { image: 'a..b/c...png', ean_key: '17501000000019' }],
    ['products', 1, { sat_unit: 'C62', image: '' }],
    ['bases', 1, { sanitary_fraction: 'V' }],
    ['bases', 1, { is_antibiotic: null }],
    ['shipping_methods', 1, { method: 'standard' }],
    ['shipping_methods', 1, { method: 'express' }],
    ['payment_methods', 1, { initial_payment_status: 'credit' }],
    ['payment_methods', 1, { collection: 'oxxo' }],
    ['products', 1, { image: 'https://x/a.png', ean_key: '0012345678905' }],
    [
      'products',
      1,
      {
        album: {
          id: 1,
          images: [
            { id: 1, image: 'a.png' },
            { id: 2, image: '/b.png', is_default: true },
          ],
        },
      },
    ],
    ['products', 1, { current_supplier: 1, supplier_products: [{ id: 5, supplier: 1, cost: 1 }] }],
    ['products', 1, { product_variants: [{ id: 5, value: 'Fresa', variant: 1 }] }],
    ['products', 1, { created_at: '2026-01-01T00:00:00.123456-06:00' }],
    ['bases', 1, { is_medicine: 'false', sanitary_fraction: null, created_by: 7, updated_by: null }],
    ['shipping_methods', 1, { min_delivery_days: null, max_delivery_days: 32_767 }],
    ['coupons', 1, { value: '0.123456', has_free_shipping: true, minimum_subtotal: 100 }],
    ['coupons', 1, { max_redemptions: 1, max_redemptions_per_patient: null }],
    ['holidays', 1, { date: '2028-02-29' }],
  ])('%s, line %i: %j', (file, line, fields) => {
    expect(findErrorsAfter(file, line, set(fields))).toEqual([]);
  });
});

describe('a carrier', () => {
  it.each([
    ['https://correos.example/{tracking}', []],
    ['http://correos.example/{tracking}', ['carriers.jsonl:1 tracking_url']],
    ['https://correos.example/', ['carriers.jsonl:1 tracking_url']],
    ['correos', ['carriers.jsonl:1 tracking_url']],
  ])('with the address %s', (tracking_url, errors) => {
    expect(findErrorsWith('carriers', { id: 1, name: 'Correos', tracking_url })).toEqual(errors);
  });
});

describe('rules across fields and records', () => {
  it.each<[string, CatalogFile, number, Record<string, unknown>, string]>([
    ['a category that is missing', 'bases', 1, { category: 9 }, 'category'],
    ['a company that is missing', 'bases', 1, { pharmaceutical_company: 9 }, 'pharmaceutical_company'],
    ['a disease that is missing', 'bases', 2, { diseases: [1, 9] }, 'diseases[1]'],
    ['a tag that is missing', 'bases', 1, { tags: [9] }, 'tags[0]'],
    ['a base that is missing', 'products', 1, { base: 9 }, 'base'],
    ['a supplier that is missing', 'products', 1, { current_supplier: 9 }, 'current_supplier'],
    [
      'a supplier of a product that is missing',
      'products',
      1,
      { supplier_products: [{ id: 1, supplier: 9, cost: 1 }] },
      'supplier_products[0].supplier',
    ],
    [
      'a variant that is missing',
      'products',
      1,
      { product_variants: [{ id: 1, value: 'x', variant: 9 }] },
      'product_variants[0].variant',
    ],
    ['a parent that is missing', 'categories', 3, { parent: 9 }, 'parent'],
    ['a shipping method that is missing', 'shipping_rates', 2, { shipping_method: 9 }, 'shipping_method'],
    ['a category under itself', 'categories', 2, { parent: 2 }, 'parent'],
    ['a cycle of categories, once', 'categories', 1, { parent: 3 }, 'parent'],
    ['the barcode of another product', 'products', 2, { ean_key: '7501000000012' }, 'ean_key'],
    ['more days at least than at most', 'shipping_methods', 1, { min_delivery_days: 5 }, 'min_delivery_days'],
    ['a range that ends before it starts', 'shipping_rates', 2, { zip_to: '71999' }, 'zip_from'],
    ['a range that the method has', 'shipping_rates', 2, { zip_from: '00000', zip_to: '99999' }, 'zip_from'],
    ['a discount above the price', 'shipping_rates', 1, { discount: '99.01' }, 'discount'],
    [
      'a discount that ends before it starts',
      'shipping_rates',
      1,
      { discount_from: '2026-02-01T00:00:00Z', discount_until: '2026-02-01T00:59:59+01:00' },
      'discount_from',
    ],
    [
      'more redemptions for each patient than for all',
      'coupons',
      1,
      { max_redemptions: 2, max_redemptions_per_patient: 3 },
      'max_redemptions_per_patient',
    ],
    ['a coupon that ends before it starts', 'coupons', 1, { valid_until: '2026-01-01T05:59:59Z' }, 'valid_from'],
    [
      'two default images',
      'products',
      1,
      {
        album: {
          id: 1,
          images: [
            { id: 1, image: 'a', is_default: true },
            { id: 2, image: 'b', is_default: true },
          ],
        },
      },
      'album.images',
    ],
    ['a second method for pickup', 'shipping_methods', 1, { pickup: true }, 'pickup'],
  ])('refuse %s', (_, file, line, fields, field) => {
    const at = field === 'pickup' ? 2 : line;
    expect(findErrorsAfter(file, line, set(fields))).toEqual([`${file}.jsonl:${at} ${field}`]);
  });

  it.each<[string, CatalogFile, number, Record<string, unknown>]>([
    ['as many days at least as at most', 'shipping_methods', 1, { min_delivery_days: 4 }],
    ['a range of one zip code', 'shipping_rates', 2, { zip_from: '72000', zip_to: '72000' }],
    ['a discount of the whole price', 'shipping_rates', 1, { discount: 99 }],
    [
      'as many redemptions for each patient as for all',
      'coupons',
      1,
      { max_redemptions: 2, max_redemptions_per_patient: 2 },
    ],
    ['redemptions for each patient without a limit for all', 'coupons', 1, { max_redemptions_per_patient: 3 }],
    ['a coupon of one instant', 'coupons', 1, { valid_until: '2026-01-01T06:00:00Z' }],
    ['a category two levels down', 'categories', 2, { parent: 3 }],
    ['days at least without days at most', 'shipping_methods', 1, { max_delivery_days: null }],
    ['days at most without days at least', 'shipping_methods', 1, { min_delivery_days: null }],
    ['a discount without an end', 'shipping_rates', 1, { discount_from: '2026-02-01T00:00:00Z' }],
    ['a coupon without a start', 'coupons', 1, { valid_from: null, valid_until: '2026-01-01T06:00:00Z' }],
  ])('accept %s', (_, file, line, fields) => {
    expect(findErrorsAfter(file, line, set(fields))).toEqual([]);
  });

  it('refuse a catalog without a method for pickup', () => {
    expect(findErrorsAfter('shipping_methods', 2, drop('pickup'))).toEqual(['shipping_methods.jsonl:0 pickup']);
  });

  it.each<[CatalogFile, Record<string, unknown>, string]>([
    ['coupons', { id: 2, code: ' AHORRA10', value: 1 }, 'coupons.jsonl:2 code'],
    ['holidays', { date: '2026-12-25', name: 'Otra' }, 'holidays.jsonl:2 date'],
    ['companies', { id: 3, name: 'Otra' }, 'companies.jsonl:4 id'],
    ['stores', { ...smallCatalog().stores[0] }, 'stores.jsonl:2 id'],
  ])('refuse a second record of the same key in %s', (file, record, error) => {
    expect(findErrorsWith(file, record)).toEqual([error]);
  });

  it('refuse medical information with the id of another', () => {
    const records = smallCatalog();
    const medical = { active_ingredient: 'x', is_generic: false, group_number: 6, requires_prescription: false };
    Object.assign(records.bases[0] ?? {}, { medical_information: { id: 14, ...medical } });
    expect(findErrorsIn(catalogFolder(records))).toEqual(['bases.jsonl:5 medical_information.id']);
  });

  it('refuse two ranges of a method that overlap and are as wide, and accept one within another', () => {
    const rates = (ranges: readonly (readonly [string, string])[]) => {
      const records = smallCatalog();
      const [rate] = records.shipping_rates;
      records.shipping_rates = ranges.map(([zip_from, zip_to], at) => ({ ...rate, id: at + 1, zip_from, zip_to }));
      return readCatalogFolder(catalogFolder(records)).errors;
    };
    const message = 'It overlaps with the range in line 1, which is as wide: neither is the narrowest.';
    expect(
      rates([
        ['10000', '19999'],
        ['15000', '24999'],
      ]),
    ).toEqual([{ file: 'shipping_rates.jsonl', line: 2, field: 'zip_from', message }]);
    expect(
      rates([
        ['10000', '19999'],
        ['20000', '29999'],
        ['15000', '15999'],
      ]),
    ).toEqual([]);
  });

  it('accept the same range for another method', () => {
    const rate = { id: 3, shipping_method: 2, zip_from: '00000', zip_to: '99999', price: 1 };
    expect(findErrorsWith('shipping_rates', rate)).toEqual([]);
  });
});

describe('sanitary fractions (LGS art. 226)', () => {
  const medical = (group_number: number, requires_prescription: boolean) => ({
    medical_information: { active_ingredient: 'x', is_generic: false, group_number, requires_prescription },
  });
  const describeErrors = (fields: Record<string, unknown>) => {
    const records = smallCatalog();
    Object.assign(records.bases[0] ?? {}, fields);
    return readCatalogFolder(catalogFolder(records)).errors.map(({ file, line, field, message }) => {
      expect([file, line]).toEqual(['bases.jsonl', 1]);
      return `${field}: ${message}`;
    });
  };

  it.each<[string, number, boolean]>([
    ['I', 1, true],
    ['II', 2, true],
    ['III', 3, true],
    ['IV', 4, true],
    ['V', 5, false],
    ['VI', 6, false],
  ])('%s is group %i, and whether it needs a prescription is %s', (sanitary_fraction, group, isPrescribed) => {
    expect(describeErrors({ sanitary_fraction, ...medical(group, isPrescribed) })).toEqual([]);
    expect(describeErrors({ sanitary_fraction, ...medical(group, !isPrescribed) })).toEqual([
      `medical_information.requires_prescription: It must be ${isPrescribed} for sanitary fraction ${sanitary_fraction} (LGS art. 226).`,
    ]);
    expect(describeErrors({ sanitary_fraction, ...medical(0, isPrescribed) })).toEqual([
      `medical_information.group_number: It must be ${group}, as the sanitary fraction is ${sanitary_fraction}.`,
    ]);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    [
      'a medicine without one',
      { sanitary_fraction: null },
      [
        'sanitary_fraction: It is required for a medicine (LGS art. 226), which every base is whose is_medicine is not false.',
      ],
    ],
    [
      'one of what is no medicine',
      { is_medicine: false },
      ['sanitary_fraction: It is for medicines only: is_medicine is false.'],
    ],
    [
      'a prescription without medical information',
      { sanitary_fraction: 'IV' },
      ['medical_information: It is required for sanitary fraction IV, with its prescription.'],
    ],
    [
      'another group and another prescription',
      { sanitary_fraction: 'IV', ...medical(6, false) },
      [
        'medical_information.requires_prescription: It must be true for sanitary fraction IV (LGS art. 226).',
        'medical_information.group_number: It must be 4, as the sanitary fraction is IV.',
      ],
    ],
    [
      'an antibiotic without a prescription',
      { is_antibiotic: true, ...medical(6, false) },
      ['is_antibiotic: It must not be true for sanitary fraction VI: antibiotics are sold on a prescription.'],
    ],
    [
      'an antibiotic that is no medicine',
      { is_medicine: false, sanitary_fraction: null, is_antibiotic: true },
      ['is_antibiotic: It is for medicines only: is_medicine is false.'],
    ],
  ])('refuse %s', (_, fields, errors) => {
    expect(describeErrors(fields)).toEqual(errors);
  });

  it('accept an antibiotic on a prescription, and one that is said to be none', () => {
    expect(describeErrors({ sanitary_fraction: 'IV', is_antibiotic: true, ...medical(4, true) })).toEqual([]);
    expect(describeErrors({ is_antibiotic: false, ...medical(6, false) })).toEqual([]);
  });

  it('say nothing of what depends on a field that cannot be read', () => {
    expect(findErrorsAfter('bases', 1, set({ is_medicine: 'yes', sanitary_fraction: null }))).toEqual([
      'bases.jsonl:1 is_medicine',
    ]);
    expect(findErrorsAfter('bases', 5, set({ sanitary_fraction: 'VII' }))).toEqual(['bases.jsonl:5 sanitary_fraction']);
    expect(findErrorsAfter('bases', 5, set({ medical_information: 'x' }))).toEqual([
      'bases.jsonl:5 medical_information',
    ]);
  });
});

describe("keys and units of SAT's catalogs", () => {
  const describeErrors = (fields: Record<string, unknown>, own: Record<string, unknown>[] = []) => {
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, fields);
    records.sat_product_keys.push(...own);
    return readCatalogFolder(catalogFolder(records)).errors.map(
      ({ file, line, field, message }) => `${file}:${line} ${field}: ${message}`,
    );
  };

  // Medicines, equipment, personal care, a mask, a parcel; pieces, boxes, services.
  it.each([
    ...['51142001', '51101500', '42182201', '53131609', '42131606', '78102203'].map((sat_key) => ({ sat_key })),
    ...['H87', 'XBX', 'E48', 'KT', 'MLT', '06'].map((sat_unit) => ({ sat_unit })),
  ])('accept %j', (fields) => {
    expect(describeErrors(fields)).toEqual([]);
  });

  it("pass a key that is not among them without a list of the shop's own", () => {
    expect(describeErrors({ sat_key: '51142099' })).toEqual([]);
  });

  it("refuse a key that is neither among them nor in the shop's list, and name its class", () => {
    const list = [{ key: '51142098', name: 'De la contadora' }];
    expect(describeErrors({ sat_key: '51142099' }, list)).toEqual([
      "products.jsonl:1 sat_key: It is not among SAT's keys as shipped. Its class 51142000 (Analgésicos no narcóticos) is. `npm run sat:keys` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.",
    ]);
    expect(describeErrors({ sat_key: '01010101' }, list)).toEqual([
      "products.jsonl:1 sat_key: It is not among SAT's keys as shipped. `npm run sat:keys` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.",
    ]);
  });

  it('refuse a unit that is not among them', () => {
    expect(describeErrors({ sat_unit: 'ZZ' })).toEqual([
      "products.jsonl:1 sat_unit: It must be one of SAT's units for a pharmacy, such as H87 (Pieza): `catalog schema products` lists them.",
    ]);
  });

  it("accept a key of the folder's own, and a folder without the file of such keys", () => {
    expect(describeErrors({ sat_key: '01010101' }, [{ key: '01010101', name: 'No existe en el catálogo' }])).toEqual(
      [],
    );
    const folder = catalogFolder(smallCatalog());
    rmSync(join(folder, 'sat_product_keys.jsonl'));
    expect(readCatalogFolder(folder).errors).toEqual([]);
  });

  it("refuse a key of the folder's own twice, and one that is none, without more", () => {
    const key = { key: '01010101', name: 'x' };
    expect(describeErrors({}, [key, key])).toEqual(['sat_product_keys.jsonl:2 key: It is the same as in line 1.']);
    expect(describeErrors({ sat_key: '01010101' }, [{ key: '0101', name: 'x' }])).toEqual([
      'sat_product_keys.jsonl:1 key: It must be a key of 8 digits.',
    ]);
  });

  it('are shipped in order, each once, with its name', () => {
    const lines = readFileSync('shared/catalog/folder/sat-product-keys.tsv', 'utf8').trimEnd().split('\n');
    const records = lines.filter((line) => !line.startsWith('#'));
    expect(records).toHaveLength(153);
    expect(records.filter((line) => !/^\d{8}\t\S.*$/.test(line))).toEqual([]);
    const keys = records.map((line) => line.slice(0, 8));
    expect(keys).toEqual([...new Set(keys)].toSorted());
  });
});

describe('one planted error is reported once', () => {
  it('for a repeated line', () => {
    expect(findErrorsWith('products', { ...smallCatalog().products[0] })).toEqual(['products.jsonl:7 id']);
    expect(findErrorsWith('shipping_methods', { ...smallCatalog().shipping_methods[1] })).toEqual([
      'shipping_methods.jsonl:3 id',
    ]);
  });

  it('for a record that others refer to', () => {
    expect(findErrorsAfter('companies', 1, drop('name'))).toEqual(['companies.jsonl:1 name']);
    expect(findErrorsAfter('companies', 1, set({ id: '1' }))).toEqual(['companies.jsonl:1 id']);
  });

  it.each([
    ['{"id":10,', ['bases.jsonl:1', 'products.jsonl:3 base']],
    ['{"name":"x","id" : 10,', ['bases.jsonl:1', 'products.jsonl:3 base']],
    ['{"id":"10","name', ['bases.jsonl:1', 'products.jsonl:3 base']],
    // The id of the broken line is unknown, and hides no reference to a record that is missing.
    ['{"id":', ['bases.jsonl:1', 'products.jsonl:1 base', 'products.jsonl:3 base', 'products.jsonl:6 base']],
  ])('for a broken line that others refer to: %s', (text, errors) => {
    const records = smallCatalog();
    Object.assign(records.products[2] ?? {}, { base: 99 });
    const folder = catalogFolder(records);
    const path = join(folder, 'bases.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/.*/, text));
    expect(findErrorsIn(folder)).toEqual(errors);
  });

  it.each(['shipping_method', 'zip_from', 'zip_to'])('for each %s of two rates that cannot be read', (field) => {
    const records = smallCatalog();
    const [rate] = records.shipping_rates;
    records.shipping_rates = [7, 8].map((id) => ({ ...rate, id, [field]: 'x' }));
    expect(findErrorsIn(catalogFolder(records))).toEqual([
      `shipping_rates.jsonl:1 ${field}`,
      `shipping_rates.jsonl:2 ${field}`,
    ]);
  });

  it('for each key of two records that is missing', () => {
    const records = smallCatalog();
    for (const product of records.products.slice(0, 2)) delete product.ean_key;
    expect(findErrorsIn(catalogFolder(records))).toEqual(['products.jsonl:1 ean_key', 'products.jsonl:2 ean_key']);
  });

  it('for a cycle of categories, without those that lead into it', () => {
    const records = smallCatalog();
    for (const [index, parent] of [2, 3, 2].entries()) Object.assign(records.categories[index] ?? {}, { parent });
    expect(readCatalogFolder(catalogFolder(records)).errors).toEqual([
      { file: 'categories.jsonl', line: 2, field: 'parent', message: 'It is in a cycle: 2, 3.' },
    ]);
  });

  it('for the method for pickup itself', () => {
    expect(findErrorsAfter('shipping_methods', 2, set({ pickup: 'yes' }))).toEqual(['shipping_methods.jsonl:2 pickup']);
  });

  it('so that five errors in one folder are five reports', () => {
    const records = smallCatalog();
    Object.assign(records.products[0] ?? {}, { ean_key: '7501000000029' });
    Object.assign(records.products[2] ?? {}, { price: '-1' });
    Object.assign(records.bases[0] ?? {}, { category: 77 });
    Object.assign(records.shipping_rates[1] ?? {}, { zip_from: '73000' });
    const folder = catalogFolder(records);
    appendFileSync(join(folder, 'coupons.jsonl'), '{"code":');
    expect(findErrorsIn(folder)).toEqual([
      'bases.jsonl:1 category',
      'products.jsonl:2 ean_key',
      'products.jsonl:3 price',
      'shipping_rates.jsonl:2 zip_from',
      'coupons.jsonl:2',
    ]);
  });
});

describe('the message to the operator about a field', () => {
  const twice = (entry: Record<string, unknown>) => [entry, entry];
  const album = (...images: Record<string, unknown>[]) => ({ album: { id: 1, images } });
  const date = 'It must be a date-time with its offset, such as 2026-11-21T23:00:00Z.';
  it.each<[CatalogFile, number, Record<string, unknown>, string]>([
    ['products', 1, { price: '1.005' }, 'It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
    ['products', 1, { price: 1.005 }, 'It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
    ['products', 1, { price: true }, 'It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
    ['payment_methods', 1, { fee: '1e2' }, 'It must be a decimal number from 0 with up to 7 digits and 6 decimals.'],
    ['products', 1, { sat_key: '1' }, 'It must be a key of 8 digits.'],
    [
      'products',
      1,
      { sat_unit: 'h' },
      "It must be one of SAT's units for a pharmacy, such as H87 (Pieza): `catalog schema products` lists them.",
    ],
    ['products', 1, { ean_key: '' }, 'It must be digits alone, without blanks and other signs.'],
    ['products', 1, { ean_key: '7501-000-00001-2' }, 'It must be digits alone, without blanks and other signs.'],
    ['products', 1, { ean_key: 7501000000012 }, 'It must be a text in quotation marks, as a number loses its zeros.'],
    [
      'products',
      1,
      { ean_key: "'0012345678905" },
      'It begins with the apostrophe by which a spreadsheet keeps zeros: write the digits alone.',
    ],
    [
      'products',
      1,
      { ean_key: '="0012345678905"' },
      'It is a formula of a spreadsheet: write the digits alone, without = and quotation marks.',
    ],
    ...['7.51E+12', '7,51E+12', '7.501e12'].map((ean_key): [CatalogFile, number, Record<string, unknown>, string] => [
      'products',
      1,
      { ean_key },
      'A spreadsheet has shortened it and lost digits: format the column as text before it is filled.',
    ]),
    [
      'products',
      1,
      { ean_key: '7510000000000' },
      'A spreadsheet has put zeros for its last digits: format the column as text before it is filled.',
    ],
    [
      'products',
      1,
      { ean_key: '7501000000012.0' },
      'A spreadsheet has made a number with decimals of it: format the column as text before it is filled.',
    ],
    [
      'products',
      1,
      { ean_key: '7,501,000,000,012' },
      'A spreadsheet has separated its thousands: format the column as text before it is filled.',
    ],
    [
      'products',
      1,
      { ean_key: '12345678905' },
      'It must have 8, 12, 13 or 14 digits: it has 11, and lacks zeros in front: 012345678905.',
    ],
    ['products', 1, { ean_key: '12345678901' }, 'It must have 8, 12, 13 or 14 digits: it has 11.'],
    ['products', 1, { ean_key: '750100000001200' }, 'It must have 8, 12, 13 or 14 digits: it has 15.'],
    ['products', 1, { ean_key: '00000000' }, 'It must not be zeros alone.'],
    [
      'products',
      1,
      { ean_key: '7501000000011' },
      'Its check digit is wrong: after 750100000001 it is 2, unless another digit is wrong.',
    ],
    ['products', 2, { ean_key: '07501000000012' }, 'It is the same as in line 1.'],
    ['products', 1, { image: 5 }, 'It must be a text.'],
    ['products', 1, { image: '../a.png' }, 'It must have neither .. nor a backslash.'],
    ['products', 1, { has_iva: 1 }, 'It must be true or false.'],
    ['products', 1, { created_at: 'x' }, date],
    ['products', 1, { prize: 1 }, 'There is no such field.'],
    [
      'products',
      1,
      album({ id: 1, image: '' }),
      'It must be a relative path or an http(s) address, without blanks around it.',
    ],
    ['products', 1, album({ id: 1 }), 'It is required.'],
    ['products', 1, album(...twice({ id: 1, image: 'a' })), 'It must not hold the same id twice.'],
    [
      'products',
      1,
      album({ id: 1, image: 'a', is_default: true }, { id: 2, image: 'b', is_default: true }),
      'It must have one default image at most.',
    ],
    [
      'products',
      1,
      { supplier_products: twice({ id: 1, supplier: 1, cost: 1 }) },
      'It must not hold the same id twice.',
    ],
    [
      'products',
      1,
      { product_variants: twice({ id: 1, value: 'x', variant: 1 }) },
      'It must not hold the same id twice.',
    ],
    ['products', 2, { ean_key: '7501000000012' }, 'It is the same as in line 1.'],
    ['products', 1, { base: 9 }, 'There is no record 9 in bases.jsonl.'],
    ['bases', 1, { diseases: [1, 1] }, 'It must not name the same id twice.'],
    ['stores', 1, { latitude: 90.1 }, 'It must be a decimal number from -90 to 90.'],
    ['stores', 1, { longitude: true }, 'It must be a decimal number from -180 to 180.'],
    ['shipping_methods', 1, { min_delivery_days: 5 }, 'It must not be above max_delivery_days.'],
    ['shipping_methods', 2, { pickup: false }, 'It must be true for one method.'],
    ['shipping_methods', 1, { pickup: true }, 'It is true for the method in line 1 already.'],
    ['shipping_rates', 2, { zip_from: '1' }, 'It must be a zip code of 5 digits.'],
    ['shipping_rates', 2, { zip_to: '71999' }, 'It must not be above zip_to.'],
    ['shipping_rates', 1, { discount: '99.01' }, 'It must not be above the price.'],
    [
      'shipping_rates',
      1,
      { discount_from: '2026-02-02T00:00:00Z', discount_until: '2026-02-01T00:00:00Z' },
      'It must not be after discount_until.',
    ],
    ['coupons', 1, { valid_until: '2026-01-01T05:59:59Z' }, 'It must not be after valid_until.'],
    ['payment_methods', 1, { sat_payment_form: '07' }, 'It must be a code of c_FormaPago.'],
    ['holidays', 1, { date: 'x' }, 'It must be a date, such as 2026-12-25.'],
  ])('%s, line %i: %j', (file, line, fields, message) => {
    const records = smallCatalog();
    Object.assign(records[file][line - 1] ?? {}, fields);
    expect(readCatalogFolder(catalogFolder(records)).errors.map((error) => error.message)).toEqual([message]);
  });
});

describe('catalogSchemas', () => {
  it('describe fields whose names do not explain them', () => {
    const { properties } = catalogSchemas().bases as { properties: Record<string, { description?: string }> };
    expect(properties.name?.description).toBeUndefined();
    expect(properties.category?.description).toBe('Id of a record of categories');
    expect(properties.created_at?.description).toBe(
      'Without it: as in the published version while the record is unchanged, else the time of publishing',
    );
    expect(JSON.stringify(catalogSchemas())).not.toContain('"description":""');
  });

  it('gives the JSON Schema of every file', () => {
    const schemas = catalogSchemas();
    expect(Object.keys(schemas)).toEqual(Object.keys(CATALOG_FILES));
    expect(schemas.holidays).toMatchObject({
      type: 'object',
      required: ['date', 'name'],
      additionalProperties: false,
    });
  });
});
