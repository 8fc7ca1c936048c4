import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type FolderError, readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import {
  CATALOG_FILES,
  type CatalogFile,
  catalogFileNames,
  catalogSchemas,
} from '../../../shared/catalog/publishing/folder/folder.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

type Records = ReturnType<typeof smallCatalog>;
type Fields = Readonly<Record<string, unknown>>;

/** Returns the errors of a folder, as `file:line field: message`, without the ending of a file and the line of a whole one. */
function describeErrors(folder: string): string[] {
  return readCatalogFolder(folder).errors.map(({ file, line, field, message }) => {
    const place = `${file.replace('.jsonl', '')}${line > 0 ? `:${line}` : ''} ${field}`.trim();
    return `${place}: ${message}`;
  });
}

/** Returns the errors of the small catalog after a change. */
function errorsAfter(change: (records: Records) => void): string[] {
  const records = smallCatalog();
  change(records);
  return describeErrors(catalogFolder(records));
}

/** Changes the first line of a file, or the one that the place says, as `file:line`. */
const setFields = (place: string, fields: Fields) => (records: Records) => {
  const [file = '', line = 1] = place.split(':');
  Object.assign(records[file as CatalogFile][Number(line) - 1] ?? {}, fields);
};
const add = (file: CatalogFile, record: Fields) => (records: Records) => void records[file].push(record);

/** Returns the errors that somebody finds for whom permissions count, which they do not for root. */
function findErrorsAsNobody(...folders: readonly string[]): FolderError[][] {
  const check = new URL('../../../shared/catalog/publishing/folder/check.ts', import.meta.url);
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

  it('may contain other files, and lack those that are optional', () => {
    const folder = catalogFolder(smallCatalog());
    writeFileSync(join(folder, 'README.md'), 'x');
    for (const file of ['synonyms', 'carriers', 'sat_product_keys']) rmSync(join(folder, `${file}.jsonl`));
    expect(describeErrors(folder)).toEqual([]);
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

  const rename = (to: string) => (tags: string) => renameSync(tags, tags.replace('tags.jsonl', to));
  it.each<[string, (tags: string) => void, ...errors: string[]]>([
    ['in capitals', rename('TAGS.jsonl'), 'TAGS: It must be named tags.jsonl.', 'tags: The file is missing.'],
    [
      'with a wrong ending',
      rename('tags.json'),
      'tags.json: It must be named tags.jsonl.',
      'tags: The file is missing.',
    ],
    [
      'that no catalog has',
      (tags) => writeFileSync(tags.replace('tags.jsonl', 'product.jsonl'), ''),
      'product: There is no such file in a catalog.',
    ],
    [
      'in the place of which is a folder',
      (tags) => {
        rmSync(tags);
        mkdirSync(tags);
      },
      'tags: It is a folder and not a file.',
    ],
    [
      'without any record, though others refer to one',
      (tags) => writeFileSync(tags, ''),
      'bases:1 tags[0]: There is no record 1 in tags.jsonl.',
    ],
    [
      'of another encoding',
      (tags) => writeFileSync(tags, Buffer.from('{"id":1,"name":"Niños"}\n', 'latin1')),
      'tags:1: The line is not UTF-8.',
    ],
    [
      'of UTF-16',
      (tags) => writeFileSync(tags, Buffer.from('\ufeff{"id":1,"name":"Nuevo"}\n', 'utf16le')),
      'tags: The file is UTF-16 and not UTF-8.',
    ],
    [
      'whose record is on several lines',
      (tags) => writeFileSync(tags, '{\n  "id": 1,\n  "name": "Nuevo"\n}\n'),
      'tags:1: A record must be whole on one line.',
      'tags:2: The line is not valid JSON (Unexpected non-whitespace character after JSON in column 7).',
      'tags:3: The line is not valid JSON (Unexpected non-whitespace character after JSON in column 9).',
      'tags:4: The line is not valid JSON (Unexpected token \'}\', "}").',
    ],
  ])('refuses a file %s', (_, spoil, ...errors) => {
    const folder = catalogFolder(smallCatalog());
    spoil(join(folder, 'tags.jsonl'));
    expect(describeErrors(folder)).toEqual(errors);
  });

  it.each([
    ['{"id":13,"name":', 'The line is not valid JSON (Unexpected end of JSON input).'],
    ['{"id":13,"name":"Nue', 'The line is not valid JSON (Unterminated string in column 21).'],
    ['{"id":13,,}', 'The line is not valid JSON (Expected double-quoted property name in column 10).'],
    ['{"a":[1,{"b":null}],"c":tru}', 'The line is not valid JSON (Unexpected token \'}\', ..."}],"c":tru}").'],
    ['{"a":1}}', 'The line is not valid JSON (Unexpected non-whitespace character after JSON in column 8).'],
    ['\ufeff{"id":2}', 'The line is not valid JSON (Unexpected token \'\ufeff\', "\ufeff{"id":2}").'],
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
});

const HIDDEN = 'It has a character that does not show (U+200B).';
const ENCODED_TWICE = 'It is encoded twice, as `Ã³` for `ó`: open its source as UTF-8 and save it anew.';
const AMOUNT = 'It must be a decimal number from 0 with up to 7 digits and 2 decimals.';
const RATE = 'It must be a decimal number from 0 with up to 7 digits and 6 decimals.';
const WHOLE = 'It must be a whole number.';
const UNIT = "It must be one of SAT's units for a pharmacy, such as H87 (Pieza): `catalog schema products` lists them.";
const IMAGE = 'It must be a relative path or an http(s) address, without blanks around it.';
const CLIMBS = 'It must have neither .. nor a backslash.';
const DATE_TIME = 'It must be a date-time with its offset, such as 2026-11-21T23:00:00Z.';
const DIGITS_ALONE = 'It must be digits alone, without blanks and other signs.';
const SHORTENED = 'A spreadsheet has shortened it and lost digits: format the column as text before it is filled.';
const SAME_ID = 'It must not hold the same id twice.';
const SAME_AS_FIRST = 'It is the same as in line 1.';
const ZIP_CODE = 'It must be a zip code of 5 digits.';
const PHONE = 'It must be a telephone number without an extension.';
const album = (...images: Fields[]) => ({ album: { id: 1, images } });
const defaultImage = (id: number) => ({ id, image: 'a.png', is_default: true });
const twice = (entry: Fields) => [entry, entry];

/** A place, its fields, and the sentence about the first of these, or about the field that is named last. */
type Refused = [place: string, fields: Fields, message: string, field?: string];

const REFUSED_TEXTS: readonly Refused[] = [
  ['tags', { name: '  ' }, 'It must not be empty.'],
  ['tags', { name: 'Ni\u200bños' }, HIDDEN],
  ['tags', { name: 'NiÃ±os' }, ENCODED_TWICE],
  ['tags', { name: 'Niños\u0007' }, 'It has a control character.'],
  ['tags', { name: 'Niños\nniñas' }, 'It has a control character.'],
  ['tags', { name: '\u3164' }, 'It must have something to read.'],
  ['tags', { name: '\ud83d' }, 'It has half of a character.'],
  ['tags', { name: 'x'.repeat(256) }, 'It must be 255 characters or less.'],
  ['products', { presentation: 'x'.repeat(256) }, 'It must be 255 characters or less.'],
  ['products', { presentation: 'Caja\tcon 20' }, 'It has a control character.'],
  ['products', { image: 'x'.repeat(501) }, 'It must be 500 characters or less.'],
  ['bases', { description: 'x'.repeat(10_001) }, 'It must be 10000 characters or less.'],
  ['products', { presentation: 'Caja\u00adcon 20' }, 'It has a character that does not show (U+00AD).'],
  ['products', album({ id: 1, image: 'a\u200b.png' }), HIDDEN, 'album.images[0].image'],
  ['bases', { description: 'SuspensiÃ³n' }, ENCODED_TWICE],
  ['bases', { description: 'a\u0000b' }, 'It has a control character beside line ends and tabs.'],
  ['coupons', { code: 'SALUD\u200b10' }, HIDDEN],
  ['coupons', { code: 'x'.repeat(17) }, 'It must be 16 characters or less.'],
  ['stores', { business_hours: 'Lunes a sábado â€“ 9 a 18' }, ENCODED_TWICE],
  ['stores', { street: 'x'.repeat(251) }, 'It must be 250 characters or less.'],
  ['stores', { phone: 'ext' }, PHONE],
  ['stores', { phone: '+522221234567 ext 1' }, PHONE],
  ['payment_methods', { name: 'x'.repeat(31) }, 'It must be 30 characters or less.'],
  ['holidays', { name: 'RevoluciÃ³n' }, ENCODED_TWICE],
];

const REFUSED_NUMBERS: readonly Refused[] = [
  ['products', { price: '1.005' }, AMOUNT],
  ['products', { price: 1.005 }, AMOUNT],
  ['products', { price: -1 }, AMOUNT],
  ['products', { price: '1e2' }, AMOUNT],
  ['products', { price: true }, AMOUNT],
  ['products', { price: 10_000_000 }, AMOUNT],
  ['products', { price: '10000000' }, AMOUNT],
  ['products', { price: '1,250.00' }, AMOUNT],
  ['products', { price: '01' }, AMOUNT],
  ['products', { price: '1.' }, AMOUNT],
  ['payment_methods', { fee: '0.0000001' }, RATE],
  ['payment_methods', { fee: '1e2' }, RATE],
  ['coupons', { value: -0.1 }, RATE],
  ['products', { id: 0 }, 'It must be 1 or more.'],
  ['products', { id: '101' }, WHOLE],
  ['products', { id: 1.5 }, WHOLE],
  ['products', { id: 1_000_000_000_000_000 }, 'It must have 15 digits or less.'],
  ['products', { base: null }, WHOLE],
  ['shipping_methods', { max_delivery_days: 32_768 }, 'It must be 32767 or less.'],
  ['products', { max_quantity: 0 }, 'It must be 1 or more.'],
  ['products', { max_quantity: 1.5 }, WHOLE],
  ['coupons', { max_redemptions: 0 }, 'It must be 1 or more.'],
  ['coupons', { max_redemptions: 1.5 }, WHOLE],
  ['coupons', { max_redemptions_per_patient: '1' }, 'It must be a number.'],
  ['stores', { latitude: 90.1 }, 'It must be a decimal number from -90 to 90.'],
  ['stores', { longitude: 'x' }, 'It must be a decimal number from -180 to 180.'],
  ['stores', { longitude: true }, 'It must be a decimal number from -180 to 180.'],
];

const REFUSED_BARCODES: Readonly<Record<string, string>> = {
  '': DIGITS_ALONE,
  '750,1': DIGITS_ALONE,
  '750 1': DIGITS_ALONE,
  niño: DIGITS_ALONE,
  '7501-000-00001-2': DIGITS_ALONE,
  "'0012345678905": 'It begins with the apostrophe by which a spreadsheet keeps zeros: write the digits alone.',
  '="0012345678905"': 'It is a formula of a spreadsheet: write the digits alone, without = and quotation marks.',
  '7.51E+12': SHORTENED,
  '7,51E+12': SHORTENED,
  '7.501e12': SHORTENED,
  '7510000000000': 'A spreadsheet has put zeros for its last digits: format the column as text before it is filled.',
  '7501000000012.0':
    'A spreadsheet has made a number with decimals of it: format the column as text before it is filled.',
  '7,501,000,000,012': 'A spreadsheet has separated its thousands: format the column as text before it is filled.',
  '12345678905': 'It must have 8, 12, 13 or 14 digits: it has 11, and lacks zeros in front: 012345678905.',
  '12345678901': 'It must have 8, 12, 13 or 14 digits: it has 11.',
  '750100000001200': 'It must have 8, 12, 13 or 14 digits: it has 15.',
  '00000000': 'It must not be zeros alone.',
  '7501000000011': 'Its check digit is wrong: after 750100000001 it is 2, unless another digit is wrong.',
};

const REFUSED_CODES: readonly Refused[] = [
  ['products', { sat_key: '1234567' }, 'It must be a key of 8 digits.'],
  ['products', { sat_key: '123456789' }, 'It must be a key of 8 digits.'],
  ['products', { sat_unit: 'h87' }, UNIT],
  ['products', { sat_unit: 'H877' }, UNIT],
  ['products', { sat_unit: 'ZZ' }, UNIT],
  ['products', { sat_unit: '' }, UNIT],
  ['products', { ean_key: 7501000000012 }, 'It must be a text in quotation marks, as a number loses its zeros.'],
  ...Object.entries(REFUSED_BARCODES).map(([ean_key, message]): Refused => ['products', { ean_key }, message]),
  ['stores', { zipcode: '7200' }, ZIP_CODE],
  ['shipping_rates:2', { zip_from: 72000 }, 'It must be a text.'],
  ['shipping_rates:2', { zip_from: '7200' }, ZIP_CODE],
  ['shipping_rates:2', { zip_from: 'x72000' }, ZIP_CODE],
  ['shipping_rates:2', { zip_to: '729990' }, ZIP_CODE],
  ['stores', { time_zone: 'Baja California' }, 'It must be an IANA time zone, such as America/Tijuana.'],
];

const REFUSED_FORMS: readonly Refused[] = [
  ['products', { prize: 1 }, 'There is no such field.'],
  ['products', { sat_key: undefined }, 'It is required.'],
  ['products', { has_iva: 'false' }, 'It must be true or false.'],
  ['stores', { is_sat_branch: 1 }, 'It must be true or false.'],
  ['bases', { is_antibiotic: 'true' }, 'It must be true or false.'],
  ['bases', { is_medicine: 'yes' }, 'It must be of another form.'],
  ['bases', { sanitary_fraction: 'VII' }, 'It must be one of I, II, III, IV, V, VI.'],
  ['shipping_methods', { method: 'air' }, 'It must be one of standard, express, local, default.'],
  ['payment_methods', { initial_payment_status: 'paid' }, 'It must be one of unpaid, credit.'],
  ['payment_methods', { collection: 'cash' }, 'It must be one of card, oxxo, spei.'],
  ['payment_methods', { sat_payment_form: '07' }, 'It must be a code of c_FormaPago.'],
  ['products', { created_at: '2026-01-01' }, DATE_TIME],
  ['coupons', { valid_from: '2026-01-01T00:00:00' }, DATE_TIME],
  ['shipping_rates:2', { discount_from: '2026-02-30T00:00:00Z' }, DATE_TIME],
  ['holidays', { date: '2026-02-29' }, 'It must be a date, such as 2026-12-25.'],
  ['products', { image: 5 }, 'It must be a text.'],
  ['products', { image: 'ftp://x/a.png' }, IMAGE],
  ['products', { image: '//x/a.png' }, IMAGE],
  ['products', { image: 's3://x/a.png' }, IMAGE],
  ['products', { image: 'http://' }, IMAGE],
  ['products', { image: 'https://x/a b.png' }, IMAGE],
  ['products', { image: ' a.png' }, IMAGE],
  ['products', { image: '../a.png' }, CLIMBS],
  ['products', { image: 'fotos/../../a.png' }, CLIMBS],
  ['products', { image: 'https://x/fotos/..' }, CLIMBS],
  ['products', { image: 'fotos\\a.png' }, CLIMBS],
  ['products', { image: 'a\u0000.png' }, 'It has a control character.'],
  ['products', { image: 'a\ud800.png' }, 'It has half of a character.'],
  ['products', album({ id: 1, image: '' }), IMAGE, 'album.images[0].image'],
  ['products', album({ id: 1 }), 'It is required.', 'album.images[0].image'],
  ['products', album(...twice({ id: 1, image: 'a' })), SAME_ID, 'album.images'],
  ['products', album(defaultImage(1), defaultImage(2)), 'It must have one default image at most.', 'album.images'],
  ['products', { supplier_products: 'x' }, 'It must be a list.'],
  ['products', { supplier_products: twice({ id: 1, supplier: 1, cost: 1 }) }, SAME_ID],
  ['products', { product_variants: 'x' }, 'It must be a list.'],
  ['products', { product_variants: twice({ id: 1, value: 'x', variant: 1 }) }, SAME_ID],
  ['bases', { diseases: [1, 1] }, 'It must not name the same id twice.'],
  ['bases', { diseases: ['1'] }, WHOLE, 'diseases[0]'],
  ['bases', { diseases: 1 }, 'It must be a list.'],
  ['bases', { tags: [1, 1] }, 'It must not name the same id twice.'],
  [
    'bases',
    { medical_information: { active_ingredient: 'x', group_number: 1, requires_prescription: true } },
    'It is required.',
    'medical_information.is_generic',
  ],
];

const REFUSED_TOGETHER: readonly Refused[] = [
  ['bases', { category: 9 }, 'There is no record 9 in categories.jsonl.'],
  ['bases', { pharmaceutical_company: 9 }, 'There is no record 9 in companies.jsonl.'],
  ['bases:2', { diseases: [1, 9] }, 'There is no record 9 in diseases.jsonl.', 'diseases[1]'],
  ['bases', { tags: [9] }, 'There is no record 9 in tags.jsonl.', 'tags[0]'],
  ['products', { base: 9 }, 'There is no record 9 in bases.jsonl.'],
  ['products', { current_supplier: 9 }, 'There is no record 9 in suppliers.jsonl.'],
  [
    'products',
    { supplier_products: [{ id: 1, supplier: 9, cost: 1 }] },
    'There is no record 9 in suppliers.jsonl.',
    'supplier_products[0].supplier',
  ],
  [
    'products',
    { product_variants: [{ id: 1, value: 'x', variant: 9 }] },
    'There is no record 9 in variants.jsonl.',
    'product_variants[0].variant',
  ],
  ['categories:3', { parent: 9 }, 'There is no record 9 in categories.jsonl.'],
  ['stores', { country: 'Guatemala' }, 'It must be México, where all stores are.'],
  ['stores', { state: 'Jal.' }, 'It is another state than that of the zip code.'],
  ['categories:2', { parent: 2 }, 'It is in a cycle: 2.'],
  ['categories', { parent: 3 }, 'It is in a cycle: 1, 3.'],
  ['shipping_rates:2', { shipping_method: 9 }, 'There is no record 9 in shipping_methods.jsonl.'],
  ['shipping_rates:2', { zip_to: '71999' }, 'It must not be above zip_to.', 'zip_from'],
  ['shipping_rates:2', { zip_from: '00000', zip_to: '99999' }, SAME_AS_FIRST],
  ['shipping_rates', { discount: '99.01' }, 'It must not be above the price.'],
  [
    'shipping_rates',
    { discount_from: '2026-02-01T00:00:00Z', discount_until: '2026-02-01T00:59:59+01:00' },
    'It must not be after discount_until.',
  ],
  ['shipping_methods', { min_delivery_days: 5 }, 'It must not be above max_delivery_days.'],
  ['products:2', { ean_key: '7501000000012' }, SAME_AS_FIRST],
  ['products:2', { ean_key: '07501000000012' }, SAME_AS_FIRST],
  ['coupons', { valid_until: '2026-01-01T05:59:59Z' }, 'It must not be after valid_until.', 'valid_from'],
  ['coupons', { max_redemptions_per_patient: 3, max_redemptions: 2 }, 'It must not be above max_redemptions.'],
  [
    'payment_methods',
    { collection: 'oxxo', initial_payment_status: 'credit' },
    'It is only for an initial_payment_status of unpaid.',
  ],
];

it.each<Refused>([...REFUSED_TEXTS, ...REFUSED_NUMBERS, ...REFUSED_CODES, ...REFUSED_FORMS, ...REFUSED_TOGETHER])(
  'a catalog whose %s has %j is refused: %s',
  (place, fields, message, field = Object.keys(fields)[0]) => {
    const [file, line = 1] = place.split(':');
    expect(errorsAfter(setFields(place, fields))).toEqual([`${file}:${line} ${field}: ${message}`]);
  },
);

it.each<[place: string, fields: Fields]>([
  ['products', { price: 9_999_999.99, cost: '0', public_price: 1, average_cost: '1.5' }],
  ['products', { image: 'http://x/a.png', ean_key: '96385074' }],
  ['products', { image: 'fotos/niño 50% #1?.png', ean_key: '012345678905' }],
  ['products', { image: 'a..b/c...png', ean_key: '17501000000019' }],
  ['products', { image: 'https://x/a.png', ean_key: '0012345678905' }],
  ['products', { sat_unit: 'C62', image: '' }],
  ['products', album({ id: 1, image: 'a.png' }, { id: 2, image: '/b.png', is_default: true })],
  ['products', { current_supplier: 1, supplier_products: [{ id: 5, supplier: 1, cost: 1 }] }],
  ['products', { product_variants: [{ id: 5, value: 'Fresa', variant: 1 }] }],
  ['products', { created_at: '2026-01-01T00:00:00.123456-06:00' }],
  ['products', { presentation: 'x'.repeat(255), max_quantity: 1, image: 'x'.repeat(500) }],
  ['products', { partner_description: 'x'.repeat(10_000) }],
  ['stores', { country: 'mx', state: 'PUE', phone: '222 123 4567' }],
  ['bases', { sanitary_fraction: 'V' }],
  ['bases', { is_antibiotic: null }],
  ['bases', { is_medicine: 'false', sanitary_fraction: null, created_by: 7, updated_by: null }],
  ['categories:2', { parent: 3 }],
  ['shipping_methods', { method: 'standard' }],
  ['shipping_methods', { method: 'express' }],
  ['shipping_methods', { min_delivery_days: null, max_delivery_days: 32_767 }],
  ['shipping_methods', { min_delivery_days: 4 }],
  ['shipping_methods', { max_delivery_days: null }],
  ['shipping_rates:2', { zip_from: '72000', zip_to: '72000' }],
  ['shipping_rates', { discount: 99 }],
  ['shipping_rates', { discount_from: '2026-02-01T00:00:00Z' }],
  ['payment_methods', { initial_payment_status: 'credit' }],
  ['payment_methods', { collection: 'oxxo' }],
  ['coupons', { value: '0.123456', has_free_shipping: true, minimum_subtotal: 100 }],
  ['coupons', { max_redemptions: 1, max_redemptions_per_patient: null }],
  ['coupons', { max_redemptions: 2, max_redemptions_per_patient: 2 }],
  ['coupons', { max_redemptions_per_patient: 3 }],
  ['coupons', { valid_until: '2026-01-01T06:00:00Z' }],
  ['coupons', { valid_from: null, valid_until: '2026-01-01T06:00:00Z' }],
  ['holidays', { date: '2028-02-29' }],
])('a catalog whose %s has %j is accepted', (place, fields) => {
  expect(errorsAfter(setFields(place, fields))).toEqual([]);
});

/** Lists the schemas of all texts of a record, however deep. */
function listTexts(schema: unknown, place: string): [place: string, schema: Fields][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const parts = Object.entries(schema).flatMap(([name, part]) => listTexts(part, `${place}.${name}`));
  return 'type' in schema && schema.type === 'string' ? [[place, { ...schema }], ...parts] : parts;
}

// A pattern without repetitions of any number has a longest text.
const isBounded = ({ maxLength, enum: choices, format, pattern = '.*' }: Fields): boolean =>
  maxLength !== undefined || choices !== undefined || /^date/.test(String(format)) || !/[*+]|,\}/.test(String(pattern));

describe('a text of a folder', () => {
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

  it('has an upper bound, whatever its field', () => {
    const texts = catalogFileNames.flatMap((file) => listTexts(catalogSchemas()[file], file));
    expect(texts.length).toBeGreaterThan(70);
    expect(texts.flatMap(([place, schema]) => (isBounded(schema) ? [] : place))).toEqual([]);
  });

  it.each(['ahorra10', 'AHORRA10', ' Ahorra10', 'ＡＨＯＲＲＡ１０'])(
    'as the code of a coupon looks like no other: %j',
    (code) => {
      expect(errorsAfter(add('coupons', { id: 2, code, value: 1 }))).toEqual([`coupons:2 code: ${SAME_AS_FIRST}`]);
    },
  );
});

it.each([
  ['https://correos.example/{tracking}', []],
  ['http://correos.example/{tracking}', ['carriers:1 tracking_url: It must be an https address.']],
  [
    'https://correos.example/',
    ['carriers:1 tracking_url: It must have {tracking} in the place of the tracking number.'],
  ],
])('a carrier has the address %s, or it is refused: %j', (tracking_url, errors) => {
  expect(errorsAfter(add('carriers', { id: 1, name: 'Correos', tracking_url }))).toEqual(errors);
});

describe('rules across records', () => {
  const rate = (method: number, zip_from: string, zip_to: string, id = 3) => {
    return { id, shipping_method: method, zip_from, zip_to, price: 1 };
  };

  const MEDICAL = { id: 14, active_ingredient: 'x', is_generic: false, group_number: 6, requires_prescription: false };
  it.each<[string, (records: Records) => void, ...errors: string[]]>([
    ['a holiday twice', add('holidays', { date: '2026-12-25', name: 'Otra' }), `holidays:2 date: ${SAME_AS_FIRST}`],
    ['an id twice', add('companies', { id: 1, name: 'Otra' }), `companies:4 id: ${SAME_AS_FIRST}`],
    [
      'a whole line twice',
      (records) => add('products', { ...records.products[0] })(records),
      `products:7 id: ${SAME_AS_FIRST}`,
    ],
    [
      'the method for pickup twice',
      (records) => add('shipping_methods', { ...records.shipping_methods[1] })(records),
      'shipping_methods:3 id: It is the same as in line 2.',
    ],
    [
      'a second method for pickup',
      setFields('shipping_methods', { pickup: true }),
      'shipping_methods:2 pickup: It is true for the method in line 1 already.',
    ],
    [
      'no method for pickup',
      setFields('shipping_methods:2', { pickup: undefined }),
      'shipping_methods pickup: It must be true for one method.',
    ],
    [
      'a field that cannot be read of the method for pickup',
      setFields('shipping_methods:2', { pickup: 'yes' }),
      'shipping_methods:2 pickup: It must be true or false.',
    ],
    [
      'unknown fields in another',
      setFields('products', { album: { id: 1, images: [], x: 1, y: 2 } }),
      'products:1 album.x: There is no such field.',
      'products:1 album.y: There is no such field.',
    ],
    [
      'medical information with the id of another',
      setFields('bases', { medical_information: MEDICAL }),
      'bases:5 medical_information.id: It is the same as in line 1.',
    ],
    [
      'an id that is a text',
      setFields('tags', { id: 'uno' }),
      `tags:1 id: ${WHOLE}`,
      'bases:1 tags[0]: There is no record 1 in tags.jsonl.',
    ],
    [
      'an error in a record that others refer to',
      setFields('companies', { name: undefined }),
      'companies:1 name: It is required.',
    ],
    ['an id that is the text of a number', setFields('companies', { id: '1' }), `companies:1 id: ${WHOLE}`],
    [
      'a cycle of categories, into which others lead',
      ({ categories }) => {
        for (const [index, parent] of [2, 3, 2].entries()) Object.assign(categories[index] ?? {}, { parent });
      },
      'categories:2 parent: It is in a cycle: 2, 3.',
    ],
    [
      'two ranges of a method that overlap and are as wide',
      (records) => {
        records.shipping_rates = [rate(1, '10000', '19999', 1), rate(1, '15000', '24999', 2)];
      },
      'shipping_rates:2 zip_from: It overlaps with the range in line 1, which is as wide: neither is the narrowest.',
    ],
    ['a range within another', add('shipping_rates', rate(1, '72500', '72599'))],
    ['the same range for another method', add('shipping_rates', rate(2, '00000', '99999'))],
    [
      'the same barcode, a bad price, a missing category, and a range upside down',
      (records) => {
        setFields('products', { ean_key: '7501000000029' })(records);
        setFields('products:3', { price: '-1' })(records);
        setFields('bases', { category: 77 })(records);
        setFields('shipping_rates:2', { zip_from: '73000' })(records);
      },
      'bases:1 category: There is no record 77 in categories.jsonl.',
      'products:2 ean_key: It is the same as in line 1.',
      `products:3 price: ${AMOUNT}`,
      'shipping_rates:2 zip_from: It must not be above zip_to.',
    ],
  ])('report each error once and in order: %s', (_, change, ...errors) => {
    expect(errorsAfter(change)).toEqual(errors);
  });

  it.each(['shipping_method', 'zip_from', 'zip_to'])('compare no rates whose %s cannot be read', (field) => {
    const errors = errorsAfter((records) => {
      records.shipping_rates = [7, 8].map((id) => ({ ...records.shipping_rates[0], id, [field]: 'x' }));
    });
    expect(errors).toEqual([
      expect.stringContaining(`shipping_rates:1 ${field}: `),
      expect.stringContaining(`shipping_rates:2 ${field}: `),
    ]);
  });

  it('compare no keys that are missing', () => {
    const errors = errorsAfter(({ products }) => {
      for (const product of products.slice(0, 2)) delete product.ean_key;
    });
    expect(errors).toEqual(['products:1 ean_key: It is required.', 'products:2 ean_key: It is required.']);
  });

  it.each([
    ['{"id":10,', ['bases:1', 'products:3 base']],
    ['{"name":"x","id" : 10,', ['bases:1', 'products:3 base']],
    ["{'name':'x','id':'10',", ['bases:1', 'products:3 base']],
    // A line that is cut at 2 MB is read in time.
    [`{"id":10,"name":"${'x'.repeat(2_000_000)}`, ['bases:1', 'products:3 base']],
    // The id of the broken line is unknown, and hides no reference to a record that is missing.
    ['{"id":', ['bases:1', 'products:1 base', 'products:3 base', 'products:6 base']],
  ])('find the record of a broken line by its id: %#', (text, places) => {
    const records = smallCatalog();
    Object.assign(records.products[2] ?? {}, { base: 99 });
    const folder = catalogFolder(records);
    const path = join(folder, 'bases.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/.*/, text));
    expect(describeErrors(folder).map((error) => error.replace(/: .*/, ''))).toEqual(places);
  });
});

describe('sanitary fractions (LGS art. 226)', () => {
  const medical = (group_number: number, requires_prescription: boolean) => ({
    medical_information: { active_ingredient: 'x', is_generic: false, group_number, requires_prescription },
  });
  const errorsOf = (fields: Fields) => errorsAfter(setFields('bases', fields));

  it.each<[string, number, boolean]>([
    ['I', 1, true],
    ['II', 2, true],
    ['III', 3, true],
    ['IV', 4, true],
    ['V', 5, false],
    ['VI', 6, false],
  ])('%s is group %i, and whether it needs a prescription is %s', (sanitary_fraction, group, isPrescribed) => {
    expect(errorsOf({ sanitary_fraction, ...medical(group, isPrescribed) })).toEqual([]);
    expect(errorsOf({ sanitary_fraction, ...medical(0, !isPrescribed) })).toEqual([
      `bases:1 medical_information.requires_prescription: It must be ${isPrescribed} for sanitary fraction ${sanitary_fraction} (LGS art. 226).`,
      `bases:1 medical_information.group_number: It must be ${group}, as the sanitary fraction is ${sanitary_fraction}.`,
    ]);
  });

  const NO_MEDICINE = 'It is for medicines only: is_medicine is false.';
  it.each<[string, Fields, string]>([
    [
      'a medicine without one',
      { sanitary_fraction: null },
      'sanitary_fraction: It is required for a medicine (LGS art. 226), which every base is whose is_medicine is not false.',
    ],
    ['one of what is no medicine', { is_medicine: false }, `sanitary_fraction: ${NO_MEDICINE}`],
    [
      'a prescription without medical information',
      { sanitary_fraction: 'IV' },
      'medical_information: It is required for sanitary fraction IV, with its prescription.',
    ],
    [
      'an antibiotic without a prescription',
      { is_antibiotic: true, ...medical(6, false) },
      'is_antibiotic: It must not be true for sanitary fraction VI: antibiotics are sold on a prescription.',
    ],
    [
      'an antibiotic that is no medicine',
      { is_medicine: false, sanitary_fraction: null, is_antibiotic: true },
      `is_antibiotic: ${NO_MEDICINE}`,
    ],
  ])('refuse %s', (_, fields, error) => {
    expect(errorsOf(fields)).toEqual([`bases:1 ${error}`]);
  });

  it('accept an antibiotic on a prescription, and one that is said to be none', () => {
    expect(errorsOf({ sanitary_fraction: 'IV', is_antibiotic: true, ...medical(4, true) })).toEqual([]);
    expect(errorsOf({ is_antibiotic: false, ...medical(6, false) })).toEqual([]);
  });

  it.each<[Fields, string]>([
    [{ is_medicine: 'yes', sanitary_fraction: null }, 'is_medicine: It must be of another form.'],
    [{ sanitary_fraction: 'VII' }, 'sanitary_fraction: It must be one of I, II, III, IV, V, VI.'],
    [{ medical_information: 'x' }, 'medical_information: It must be an object.'],
  ])('say nothing of what depends on a field that cannot be read: %j', (fields, error) => {
    expect(errorsAfter(setFields('bases:5', fields))).toEqual([`bases:5 ${error}`]);
  });
});

describe("keys and units of SAT's catalogs", () => {
  const errorsOf = (fields: Fields, own: Fields[] = []) =>
    errorsAfter((records) => {
      setFields('products', fields)(records);
      records.sat_product_keys.push(...own);
    });
  const OWN = { key: '51142098', name: 'De la contadora' };

  // Medicines, equipment, personal care, a mask, a parcel; pieces, boxes, services.
  it.each([
    ...['51142001', '51101500', '42182201', '53131609', '42131606', '78102203', '51142098'].map((sat_key) => ({
      sat_key,
    })),
    ...['H87', 'XBX', 'E48', 'KT', 'MLT', '06'].map((sat_unit) => ({ sat_unit })),
  ])("accept %j beside a list of the shop's own", (fields) => {
    expect(errorsOf(fields, [OWN])).toEqual([]);
  });

  it("pass a key that is not among them without a list of the shop's own", () => {
    expect(errorsOf({ sat_key: '51142099' })).toEqual([]);
  });

  it("refuse a key that is neither among them nor in the shop's list, and name its class", () => {
    const remedy =
      '`npx node infra/sat/write-product-keys.ts` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.';
    expect(errorsOf({ sat_key: '51142099' }, [OWN])).toEqual([
      `products:1 sat_key: It is not among SAT's keys as shipped. Its class 51142000 (Analgésicos no narcóticos) is. ${remedy}`,
    ]);
    expect(errorsOf({ sat_key: '01010101' }, [OWN])).toEqual([
      `products:1 sat_key: It is not among SAT's keys as shipped. ${remedy}`,
    ]);
  });

  it("refuse a key of the folder's own twice, and one that is none, without more", () => {
    expect(errorsOf({}, [OWN, OWN])).toEqual([`sat_product_keys:2 key: ${SAME_AS_FIRST}`]);
    expect(errorsOf({ sat_key: '01010101' }, [{ key: '0101', name: 'x' }])).toEqual([
      'sat_product_keys:1 key: It must be a key of 8 digits.',
    ]);
  });

  it('are shipped in order, each once, with its name', () => {
    const lines = readFileSync('shared/catalog/publishing/folder/sat-product-keys.tsv', 'utf8').trimEnd().split('\n');
    const records = lines.filter((line) => !line.startsWith('#'));
    expect(records).toHaveLength(153);
    expect(records.filter((line) => !/^\d{8}\t\S.*$/.test(line))).toEqual([]);
    const keys = records.map((line) => line.slice(0, 8));
    expect(keys).toEqual([...new Set(keys)].toSorted());
  });
});

it('the JSON Schema of every file is given', () => {
  const schemas = catalogSchemas();
  expect(Object.keys(schemas)).toEqual(Object.keys(CATALOG_FILES));
  expect(schemas.holidays).toMatchObject({ type: 'object', required: ['date', 'name'], additionalProperties: false });
});
