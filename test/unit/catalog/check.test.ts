import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FolderError, readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import {
  type CatalogFile,
  catalogFileNames,
  OPTIONAL_FILES,
} from '../../../shared/catalog/publishing/folder/folder.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

// A catalog folder is read whole: every wrong record is reported once, where it is, and every right one is accepted.
afterAll(removeCatalogFolders);

type Records = ReturnType<typeof smallCatalog>;
type Fields = Readonly<Record<string, unknown>>;

/** Returns an error's place: `file:line field`, without the line of a whole file and the field of a whole line. */
const toPlace = ({ file, line, field }: FolderError): string =>
  `${file.replace('.jsonl', '')}${line > 0 ? `:${line}` : ''} ${field}`.trim();
const placesIn = (folder: string): string[] => readCatalogFolder(folder).errors.map(toPlace);

/** Returns the errors of the small catalog after a change, by their places. */
function placesAfter(change: (records: Records) => void): string[] {
  const records = smallCatalog();
  change(records);
  return placesIn(catalogFolder(records));
}

/** Changes the first line of a file, or the one that the place names, as `file:line`. */
const set = (place: string, fields: Fields) => (records: Records) => {
  const [file = '', line = 1] = place.split(':');
  Object.assign(records[file as CatalogFile][Number(line) - 1] ?? {}, fields);
};
const add = (file: CatalogFile, record: Fields) => (records: Records) => void records[file].push(record);

describe('a folder without errors', () => {
  it('gives its records with defaults, amounts as text and times in UTC', () => {
    const { records, errors } = readCatalogFolder(catalogFolder(smallCatalog()));
    expect(errors).toEqual([]);
    expect(records.products[1]).toMatchObject({
      ...{ id: 102, price: '30.50', cost: null, is_active: true, has_shortage: false, image: '', album: null },
      ...{ supplier_products: [], created_at: '2026-01-02T00:00:00.000Z', updated_at: undefined },
    });
    expect(records.bases[2]).toMatchObject({ description: '', is_medicine: true, diseases: [], tags: [] });
    expect(records.coupons[0]).toMatchObject({ value: '0.10', valid_from: '2026-01-01T06:00:00.000Z' });
    expect(records.stores[0]).toMatchObject({ latitude: '19.043609', longitude: null, name: '', is_sat_branch: false });
    expect(records.payment_methods[0]).toMatchObject({ fee: '0.0360', fixed_fee: '3.00' });
  });

  it('is read in one form, whatever the editor has written', () => {
    const written = smallCatalog();
    set('tags', { name: ' Nin\u0303os 👨\u200d👩 ' })(written);
    set('bases', { name: ' Ácido fólico ', description: '  Uno.\r\n\tDos – “tres”. ' })(written);
    set('bases:2', { is_medicine: 'true' })(written);
    set('bases:3', { is_medicine: 'false', sanitary_fraction: null })(written);
    set('coupons', { description: 'e\u0301'.repeat(150) })(written);
    set('payment_methods', { fixed_fee: undefined })(written);
    const { records, errors } = readCatalogFolder(catalogFolder(written));
    expect(errors).toEqual([]);
    expect(records.tags[0]?.name).toBe('Niños 👨\u200d👩');
    expect(records.bases[0]).toMatchObject({ name: 'Ácido fólico', description: 'Uno.\r\n\tDos – “tres”.' });
    expect(records.bases.map(({ is_medicine }) => is_medicine)).toEqual([true, true, false, true, true]);
    expect(records.coupons[0]?.description).toBe('é'.repeat(150));
    expect(records.payment_methods[0]?.fixed_fee).toBe('0.00');
  });

  it('may have a byte order mark, CRLF, blank lines and other files', () => {
    const folder = catalogFolder(smallCatalog());
    writeFileSync(join(folder, 'tags.jsonl'), '\uFEFF\r\n{"id":1,"name":"Nuevo"}\r\n  \r\n{"id":2,"name":"Otro"}');
    for (const other of ['README.md', 'tags.json']) writeFileSync(join(folder, other), 'x');
    const { records, errors } = readCatalogFolder(folder);
    expect([errors, records.tags.map(({ name }) => name)]).toEqual([[], ['Nuevo', 'Otro']]);
  });

  it('of products alone has ways to pay, pickup and the holidays of the law', () => {
    const catalog = smallCatalog();
    for (const base of catalog.bases) Object.assign(base, { diseases: [], tags: [] });
    const folder = catalogFolder(catalog);
    for (const file of OPTIONAL_FILES) rmSync(join(folder, `${file}.jsonl`));
    const { records, errors } = readCatalogFolder(folder);
    expect(errors).toEqual([]);
    expect(records.payment_methods.map((method) => method.sat_payment_form)).toEqual(['01', '04', '03']);
    expect(records.shipping_methods.map(({ pickup }) => pickup)).toEqual([true]);
    expect(records.holidays).toContainEqual({ date: '2027-06-06', name: 'Jornada electoral' });
    expect([records.shipping_rates, records.stores]).toEqual([[], []]);
  });
});

describe('files and lines', () => {
  it('are all missing of a path that is no folder', () => {
    const { records, errors } = readCatalogFolder('/no/such/folder');
    expect(errors.map(toPlace)).toEqual(['']);
    expect(Object.values(records).flat()).toEqual([]);
  });

  it.each(catalogFileNames.filter((file) => !OPTIONAL_FILES.includes(file)))(
    'are refused without %s.jsonl, and nothing that refers to it',
    (file) => {
      const folder = catalogFolder(smallCatalog());
      rmSync(join(folder, `${file}.jsonl`));
      expect(placesIn(folder)).toEqual([file]);
    },
  );

  it.each<[string, (tags: string) => unknown, ...places: string[]]>([
    ['with a wrong ending', (tags) => renameSync(tags, tags.slice(0, -1)), 'tags.json', 'bases:1 tags[0]'],
    ['in capitals', (tags) => renameSync(tags, `${tags.replace('tags.', 'Tags.')}.txt`), 'Tags.txt', 'bases:1 tags[0]'],
    ['of an unknown name', (tags) => writeFileSync(tags.replace('tags.jsonl', 'product.jsonl'), ''), 'product'],
    ['that is a folder', (tags) => [rmSync(tags), mkdirSync(tags)], 'tags'],
    ['without the record that others refer to', (tags) => writeFileSync(tags, ''), 'bases:1 tags[0]'],
    ['in Latin-1', (tags) => writeFileSync(tags, Buffer.from('{"id":1,"name":"Niños"}\n', 'latin1')), 'tags:1'],
    ['in UTF-16', (tags) => writeFileSync(tags, Buffer.from('\ufeff{"id":1}\n', 'utf16le')), 'tags'],
    ['with a record on two lines', (tags) => writeFileSync(tags, '{\n "id": 1}\n'), 'tags:1', 'tags:2'],
  ])('are refused of a file %s', (_, spoil, ...places) => {
    const folder = catalogFolder(smallCatalog());
    spoil(join(folder, 'tags.jsonl'));
    expect(placesIn(folder)).toEqual(places);
  });

  it.each(['{"id":13,"name":', '{"a":1}}', '\ufeff{"id":2}', 'hello', '[1]', 'null', '5'])(
    'refuse the line %s',
    (text) => {
      const folder = catalogFolder(smallCatalog());
      appendFileSync(join(folder, 'bases.jsonl'), `\n${text}`);
      const { records, errors } = readCatalogFolder(folder);
      expect(errors.map(toPlace)).toEqual(['bases:7']);
      expect(records.bases).toHaveLength(5);
    },
  );

  it.each([
    ['{"id":10,', ['bases:1', 'products:3 base']],
    ['{"name":"x","id" : 10,', ['bases:1', 'products:3 base']],
    ["{'name':'x','id':'10',", ['bases:1', 'products:3 base']],
    // A line that is cut at 2 MB is read in time.
    [`{"id":10,"name":"${'x'.repeat(2_000_000)}`, ['bases:1', 'products:3 base']],
    // The id of the broken line is unknown, and hides no reference to a record that is missing.
    ['{"id":', ['bases:1', 'products:1 base', 'products:3 base', 'products:6 base']],
  ])('give the record of a broken line by its id: %#', (text, places) => {
    const records = smallCatalog();
    set('products:3', { base: 99 })(records);
    const folder = catalogFolder(records);
    const path = join(folder, 'bases.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/.*/, text));
    expect(placesIn(folder)).toEqual(places);
  });
});

/** Wrong values by the field that is reported. */
const WRONG_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  'tags name': ['  ', 'Ni\u200bños', 'NiÃ±os', 'Niños\u0007', 'Niños\nniñas', '\u3164', '\ud83d', 'x'.repeat(256)],
  'products presentation': ['x'.repeat(256), 'Caja\tcon 20', 'Caja\u00adcon 20'],
  'bases description': ['x'.repeat(10_001), 'SuspensiÃ³n', 'a\u0000b'],
  'coupons code': ['SALUD\u200b10', 'x'.repeat(17)],
  'stores business_hours': ['Lunes a sábado â€“ 9 a 18'],
  'stores street': ['x'.repeat(251)],
  'stores phone': ['ext', '+522221234567 ext 1'],
  'stores country': ['Guatemala'],
  'stores state': ['Jal.'],
  'stores zipcode': ['7200'],
  'stores time_zone': ['Baja California'],
  'stores latitude': [90.1],
  'stores longitude': ['x', true],
  'stores is_sat_branch': [1],
  'payment_methods name': ['x'.repeat(31)],
  'payment_methods fee': ['0.0000001', '1e2'],
  'payment_methods initial_payment_status': ['paid'],
  'payment_methods collection': ['cash'],
  'payment_methods sat_payment_form': ['07'],
  'holidays name': ['RevoluciÃ³n'],
  'holidays date': ['2026-02-29'],
  'products price': ['1.005', 1.005, -1, '1e2', true, 10_000_000, '10000000', '1,250.00', '01', '1.'],
  'products id': [0, '999', 1.5, 1_000_000_000_000_000],
  'products base': [null, 9],
  'products max_quantity': [0, 1.5],
  'products sat_key': ['1234567', '123456789', undefined],
  'products sat_unit': ['h87', 'H877', 'ZZ', ''],
  'products has_iva': ['false'],
  'products prize': [1],
  'products created_at': ['2026-01-01', '2026-01-01T00:00:00'],
  'products current_supplier': [9],
  'products ean_key': [
    ...[
      '',
      '750,1',
      '750 1',
      'niño',
      '7501-000-00001-2',
      '12345678901',
      '750100000001200',
      '00000000',
      '7501000000011',
    ],
    // Spreadsheets write them so.
    ...["'0012345678905", '="0012345678905"', '7.51E+12', '7,51E+12', '7.501e12', '7510000000000', '7501234500000'],
    ...['7501000000012.0', '7,501,000,000,012', '12345678905', 7501000000012],
  ],
  'products image': [
    ...[5, 'x'.repeat(501), 'ftp://x/a.png', '//x/a.png', 's3://x/a.png', 'http://', 'https://x/a b.png', ' a.png'],
    ...['../a.png', 'fotos/../../a.png', 'https://x/fotos/..', 'fotos\\a.png', 'a\u0000.png', 'a\ud800.png'],
  ],
  'products supplier_products': ['x', [1, 1].map((id) => ({ id, supplier: 1, cost: 1 }))],
  'products product_variants': ['x', [1, 1].map((id) => ({ id, value: 'x', variant: 1 }))],
  'products album.images': [
    { id: 1, images: [1, 1].map((id) => ({ id, image: 'a' })) },
    { id: 1, images: [1, 2].map((id) => ({ id, image: 'a.png', is_default: true })) },
  ],
  'products album.images[0].image': ['', undefined, 'a\u200b.png'].map((image) => ({
    id: 1,
    images: [{ id: 1, image }],
  })),
  'products supplier_products[0].supplier': [[{ id: 1, supplier: 9, cost: 1 }]],
  'products product_variants[0].variant': [[{ id: 1, value: 'x', variant: 9 }]],
  'coupons value': [-0.1],
  'coupons max_redemptions': [0, 1.5],
  'coupons max_redemptions_per_patient': ['1'],
  'coupons valid_from': ['2026-01-01T00:00:00'],
  'shipping_methods method': ['air'],
  'shipping_methods max_delivery_days': [32_768],
  'shipping_methods min_delivery_days': [5],
  'shipping_rates:2 zip_from': [72_000, '7200', 'x72000', '73000'],
  'shipping_rates:2 zip_to': ['729990'],
  'shipping_rates:2 shipping_method': [9],
  'shipping_rates:2 discount_from': ['2026-02-30T00:00:00Z'],
  'shipping_rates discount': ['99.01'],
  'bases is_antibiotic': ['true'],
  'bases is_medicine': ['yes'],
  'bases sanitary_fraction': ['VII'],
  'bases category': [9],
  'bases pharmaceutical_company': [9],
  'bases diseases': [[1, 1], 1],
  'bases diseases[0]': [['1']],
  'bases:2 diseases[1]': [[1, 9]],
  'bases tags': [[1, 1]],
  'bases tags[0]': [[9]],
  'bases medical_information': ['x'],
  'bases medical_information.is_generic': [{ active_ingredient: 'x', group_number: 6, requires_prescription: false }],
  'categories:3 parent': [9],
  'categories:2 parent': [2],
};

describe('a wrong value is reported once, at its field', () => {
  const cases = Object.entries(WRONG_VALUES).flatMap(([place, values]) => values.map((value) => ({ place, value })));
  it.each(cases)('$place: $value', ({ place, value }) => {
    const [at = '', path = ''] = place.split(' ');
    const field = path.replace(/[.[].*/, '');
    const reported = at.includes(':') ? place : `${at}:1 ${path}`;
    expect(placesAfter(set(at, { [field]: value }))).toEqual([reported]);
  });
});

const album = (...images: Fields[]) => ({
  album: { id: 1, images: images.map((one, at) => ({ id: at + 1, ...one })) },
});

it('a catalog is accepted that has every value at its bounds', () => {
  const changes: readonly (readonly [place: string, fields: Fields])[] = [
    ['products', { price: 9_999_999.99, cost: '0', public_price: 1, average_cost: '1.5', image: 'http://x/a.png' }],
    ['products:2', { image: 'fotos/niño 50% #1?.png', ean_key: '012345678905', sat_unit: 'C62' }],
    ['products:3', { image: 'a..b/c...png', ean_key: '17501000000019', max_quantity: 1, ...album({ image: 'a.png' }) }],
    ['products:4', { image: 'https://x/a.png', ean_key: '96385074', partner_description: 'x'.repeat(10_000) }],
    ['products:4', album({ image: 'a.png' }, { image: '/b.png', is_default: true })],
    ['products:5', { current_supplier: 1, supplier_products: [{ id: 5, supplier: 1, cost: 1 }] }],
    ['products:5', { product_variants: [{ id: 5, value: 'Fresa', variant: 1 }], presentation: 'x'.repeat(255) }],
    ['products:6', { created_at: '2026-01-01T00:00:00.123456-06:00', image: 'x'.repeat(500) }],
    ['stores', { country: 'mx', state: 'PUE', phone: '222 123 4567' }],
    ['bases', { sanitary_fraction: 'V', is_antibiotic: null }],
    ['bases:2', { is_medicine: 'false', sanitary_fraction: null, created_by: 7, updated_by: null }],
    ['categories:2', { parent: 3 }],
    ['shipping_methods', { method: 'standard', min_delivery_days: 4 }],
    ['shipping_methods:2', { method: 'express', min_delivery_days: null, max_delivery_days: 32_767 }],
    ['shipping_rates', { discount: 99, discount_from: '2026-02-01T00:00:00Z' }],
    ['shipping_rates:2', { zip_from: '72000', zip_to: '72000' }],
    ['payment_methods', { initial_payment_status: 'unpaid', collection: 'oxxo' }],
    ['coupons', { value: '0.123456', has_free_shipping: true, valid_until: '2026-01-01T06:00:00Z' }],
    ['coupons', { max_redemptions: 2, max_redemptions_per_patient: 2, minimum_subtotal: 100 }],
    ['holidays', { date: '2028-02-29' }],
  ];
  const change = (records: Records) => {
    for (const [place, fields] of changes) set(place, fields)(records);
    add('coupons', { id: 2, code: 'B', value: 1, max_redemptions_per_patient: 3 })(records);
    add('coupons', { id: 3, code: 'C', value: 1, max_redemptions: 1, max_redemptions_per_patient: null })(records);
  };
  expect(placesAfter(change)).toEqual([]);
});

describe('the rules across fields, records and files', () => {
  /** Makes rates of ranges such as `1 10000-19999`, the first number of which is the method. */
  const rates =
    (...ranges: string[]) =>
    (records: Records) => {
      records.shipping_rates = ranges.map((range, at) => {
        const [shipping_method = '', zip_from, zip_to] = range.split(/[ -]/);
        return { id: at + 1, price: 1, shipping_method: Number(shipping_method), zip_from, zip_to };
      });
    };
  const setParents =
    (...parents: number[]) =>
    (records: Records) => {
      for (const [at, parent] of parents.entries()) set(`categories:${at + 1}`, { parent })(records);
    };
  const MEDICAL = { id: 14, active_ingredient: 'x', is_generic: false, group_number: 6, requires_prescription: false };
  const ALBUM = { id: 1, images: [], x: 1, y: 2 };
  const DISCOUNT = { discount_from: '2026-02-01T00:00:00Z', discount_until: '2026-02-01T00:59:59+01:00' };
  const REDEMPTIONS = { max_redemptions_per_patient: 3, max_redemptions: 2 };
  const CREDIT = { collection: 'oxxo', initial_payment_status: 'credit' };
  const carrier = (tracking_url: string) => add('carriers', { id: 1, name: 'Correos', tracking_url });

  const SEVERAL = (records: Records) => {
    set('products', { ean_key: '7501000000029' })(records);
    set('products:3', { price: '-1' })(records);
    set('bases', { category: 77 })(records);
  };

  it.each<[string, (records: Records) => void, ...places: string[]]>([
    ['a holiday twice', add('holidays', { date: '2026-12-25', name: 'Otra' }), 'holidays:2 date'],
    ['an id twice', add('companies', { id: 1, name: 'Otra' }), 'companies:4 id'],
    ['a line twice', (records) => add('products', { ...records.products[0] })(records), 'products:7 id'],
    ['a barcode twice', set('products:2', { ean_key: '7501000000012' }), 'products:2 ean_key'],
    ['a barcode twice in two lengths', set('products:2', { ean_key: '07501000000012' }), 'products:2 ean_key'],
    ['a code in lower case', add('coupons', { id: 2, code: ' ahorra10', value: 1 }), 'coupons:2 code'],
    ['a code in wide letters', add('coupons', { id: 2, code: 'ＡＨＯＲＲＡ１０', value: 1 }), 'coupons:2 code'],
    ['an own id of another base', set('bases', { medical_information: MEDICAL }), 'bases:5 medical_information.id'],
    ['a second method for pickup', set('shipping_methods', { pickup: true }), 'shipping_methods:2 pickup'],
    ['no method for pickup', set('shipping_methods:2', { pickup: undefined }), 'shipping_methods pickup'],
    ['a pickup that cannot be read', set('shipping_methods:2', { pickup: 'yes' }), 'shipping_methods:2 pickup'],
    ['unknown fields in another', set('products', { album: ALBUM }), 'products:1 album.x', 'products:1 album.y'],
    ['an id that is a text', set('tags', { id: 'uno' }), 'tags:1 id', 'bases:1 tags[0]'],
    ['the text of a number as an id', set('companies', { id: '1' }), 'companies:1 id'],
    ['an error in a record that others name', set('companies', { name: undefined }), 'companies:1 name'],
    ['a cycle of categories', set('categories', { parent: 3 }), 'categories:1 parent'],
    ['a cycle into which others lead', setParents(2, 3, 2), 'categories:2 parent'],
    ['a range twice', rates('1 10000-19999', '1 10000-19999'), 'shipping_rates:2 zip_from'],
    ['ranges that overlap and are as wide', rates('1 10000-19999', '1 15000-24999'), 'shipping_rates:2 zip_from'],
    ['ranges that share one zip code', rates('1 10000-19999', '1 19999-29998'), 'shipping_rates:2 zip_from'],
    ['a range within another', rates('1 10000-19999', '1 10500-10599')],
    ['ranges as wide, side by side', rates('1 10000-19999', '1 20000-29999')],
    ['ranges of two methods that overlap', rates('1 10000-19999', '2 15000-24999')],
    ['a discount upside down', set('shipping_rates', DISCOUNT), 'shipping_rates:1 discount_from'],
    ['a coupon upside down', set('coupons', { valid_until: '2026-01-01T05:59:59Z' }), 'coupons:1 valid_from'],
    ['more redemptions of a patient than of all', set('coupons', REDEMPTIONS), 'coupons:1 max_redemptions_per_patient'],
    ['a collection on credit', set('payment_methods', CREDIT), 'payment_methods:1 collection'],
    ['a carrier', carrier('https://correos.example/{tracking}')],
    ['a carrier without TLS', carrier('http://correos.example/{tracking}'), 'carriers:1 tracking_url'],
    ['a carrier without the number', carrier('https://correos.example/'), 'carriers:1 tracking_url'],
    ['keys that are missing', ({ products }) => void delete products[0]?.ean_key, 'products:1 ean_key'],
    ['several, in the order of files and lines', SEVERAL, 'bases:1 category', 'products:2 ean_key', 'products:3 price'],
  ])('report each error once: %s', (_, change, ...places) => {
    expect(placesAfter(change)).toEqual(places);
  });

  it.each(['shipping_method', 'zip_from', 'zip_to'])('compare no rates whose %s cannot be read', (field) => {
    const spoil = (records: Records) => {
      records.shipping_rates = [7, 8].map((id) => ({ ...records.shipping_rates[0], id, [field]: 'x' }));
    };
    expect(placesAfter(spoil)).toEqual([`shipping_rates:1 ${field}`, `shipping_rates:2 ${field}`]);
  });
});

describe('sanitary fractions (LGS art. 226)', () => {
  const medical = (group_number: number, requires_prescription: boolean) => ({
    medical_information: { active_ingredient: 'x', is_generic: false, group_number, requires_prescription },
  });
  const placesOf = (fields: Fields) => placesAfter(set('bases', fields)).map((place) => place.replace('bases:1 ', ''));

  const NO_MEDICINE = { is_medicine: false, sanitary_fraction: null };

  it.each<[string, number, boolean]>([
    ['I', 1, true],
    ['II', 2, true],
    ['III', 3, true],
    ['IV', 4, true],
    ['V', 5, false],
    ['VI', 6, false],
  ])('%s is group %i, and whether it needs a prescription is %s', (sanitary_fraction, group, isPrescribed) => {
    expect(placesOf({ sanitary_fraction, ...medical(group, isPrescribed) })).toEqual([]);
    expect(placesOf({ sanitary_fraction, ...medical(0, !isPrescribed) })).toEqual([
      'medical_information.requires_prescription',
      'medical_information.group_number',
    ]);
    expect(placesOf({ sanitary_fraction, ...medical(group + 1, isPrescribed) })).toEqual([
      'medical_information.group_number',
    ]);
  });

  it.each<[string, Fields, ...places: string[]]>([
    ['a medicine without one', { sanitary_fraction: null }, 'sanitary_fraction'],
    ['one of what is no medicine', { is_medicine: false }, 'sanitary_fraction'],
    ['a prescription without medical information', { sanitary_fraction: 'IV' }, 'medical_information'],
    ['an antibiotic without a prescription', { is_antibiotic: true, ...medical(6, false) }, 'is_antibiotic'],
    ['an antibiotic that is no medicine', { ...NO_MEDICINE, is_antibiotic: true }, 'is_antibiotic'],
    ['no antibiotic on a prescription', { sanitary_fraction: 'IV', is_antibiotic: true, ...medical(4, true) }],
    ['none that is said to be none', { is_antibiotic: false, ...medical(6, false) }],
    ['only the field that cannot be read', { is_medicine: 'yes', sanitary_fraction: null }, 'is_medicine'],
  ])('refuse %s', (_, fields, ...places) => {
    expect(placesOf(fields)).toEqual(places);
  });
});
