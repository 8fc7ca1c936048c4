import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogFile } from '../../../shared/catalog/folder/folder.ts';

type Spoil = (folder: string) => void;
type Fields = Readonly<Record<string, unknown>>;

const pathOf = (folder: string, file: CatalogFile) => join(folder, `${file}.jsonl`);

/** Changes the text of a file. */
const rewrite =
  (file: CatalogFile, change: (text: string) => string | Uint8Array): Spoil =>
  (folder) =>
    writeFileSync(pathOf(folder, file), change(readFileSync(pathOf(folder, file), 'utf8')));

/** Changes the text of a line. */
const rewriteLine = (file: CatalogFile, line: number, change: (text: string) => string): Spoil =>
  rewrite(file, (text) => {
    const lines = text.split('\n');
    return lines.with(line - 1, change(lines[line - 1] ?? '')).join('\n');
  });

/** Gives fields of the record in a line other values; undefined takes a field away. */
const set = (file: CatalogFile, line: number, fields: Fields): Spoil =>
  rewriteLine(file, line, (text) => JSON.stringify({ ...JSON.parse(text), ...fields }));

/** Adds a record that is like the one in a line. */
const add = (file: CatalogFile, like: number, fields: Fields): Spoil =>
  rewrite(file, (text) => {
    const record = JSON.parse(text.split('\n')[like - 1] ?? '{}');
    return `${text}${JSON.stringify({ ...record, ...fields })}\n`;
  });

const MEDICAL = { active_ingredient: 'x', is_generic: true, group_number: 6, requires_prescription: false };

type FaultyCatalog = {
  readonly name: string;
  /** Changes the folder of the small catalog. */
  readonly spoil: Spoil;
  /** The lines that the operator reads, as `file:line field: message`. */
  readonly errors: readonly string[];
};

export const FAULTY_CATALOGS: readonly FaultyCatalog[] = [
  // Files
  {
    name: 'a missing folder',
    spoil: (folder) => rmSync(folder, { recursive: true }),
    errors: ['catalog: <folder> is no folder.'],
  },
  {
    name: 'a missing file',
    spoil: (folder) => rmSync(pathOf(folder, 'stores')),
    errors: ['stores.jsonl: The file is missing.'],
  },
  {
    name: 'a missing file that others refer to',
    spoil: (folder) => rmSync(pathOf(folder, 'companies')),
    errors: ['companies.jsonl: The file is missing.'],
  },
  {
    name: 'a file in capitals',
    spoil: (folder) => renameSync(pathOf(folder, 'tags'), join(folder, 'TAGS.jsonl')),
    errors: ['TAGS.jsonl: It must be named tags.jsonl.', 'tags.jsonl: The file is missing.'],
  },
  {
    name: 'a file with a wrong ending',
    spoil: (folder) => renameSync(pathOf(folder, 'tags'), join(folder, 'tags.json')),
    errors: ['tags.json: It must be named tags.jsonl.', 'tags.jsonl: The file is missing.'],
  },
  {
    name: 'a file that no catalog has',
    spoil: (folder) => writeFileSync(join(folder, 'prices.jsonl'), '{"id":1}\n'),
    errors: ['prices.jsonl: There is no such file in a catalog.'],
  },
  {
    name: 'a folder in the place of a file',
    spoil: (folder) => {
      rmSync(pathOf(folder, 'tags'));
      mkdirSync(pathOf(folder, 'tags'));
    },
    errors: ['tags.jsonl: It is a folder and not a file.'],
  },
  {
    name: 'a file without any record that others refer to',
    spoil: rewrite('categories', () => ''),
    errors: [
      'bases.jsonl:1 category: There is no record 2 in categories.jsonl.',
      'bases.jsonl:2 category: There is no record 1 in categories.jsonl.',
      'bases.jsonl:3 category: There is no record 2 in categories.jsonl.',
      'bases.jsonl:4 category: There is no record 3 in categories.jsonl.',
      'bases.jsonl:5 category: There is no record 1 in categories.jsonl.',
    ],
  },

  // Lines
  {
    name: 'a file cut in its last line',
    spoil: rewrite('products', (text) => text.slice(0, -20)),
    errors: ['products.jsonl:6: The line is not valid JSON (Unterminated string in column 156).'],
  },
  {
    name: 'a line cut in a text',
    spoil: rewriteLine('products', 2, (text) => text.slice(0, text.indexOf('Caja') + 2)),
    errors: ['products.jsonl:2: The line is not valid JSON (Unterminated string in column 29).'],
  },
  {
    name: 'a comma too many',
    spoil: rewriteLine('tags', 1, (text) => text.replace('}', ',}')),
    errors: ['tags.jsonl:1: The line is not valid JSON (Expected double-quoted property name in column 24).'],
  },
  {
    name: 'a missing quotation mark',
    spoil: rewriteLine('tags', 1, (text) => text.replace('"name"', 'name"')),
    errors: ['tags.jsonl:1: The line is not valid JSON (Expected double-quoted property name in column 9).'],
  },
  {
    name: 'single quotation marks',
    spoil: rewriteLine('tags', 1, (text) => text.replaceAll('"', "'")),
    errors: ["tags.jsonl:1: The line is not valid JSON (Expected property name or '}' in column 2)."],
  },
  {
    name: 'a number with leading zeros',
    spoil: rewriteLine('tags', 1, (text) => text.replace('1', '01')),
    errors: ['tags.jsonl:1: The line is not valid JSON (Unexpected number in column 8).'],
  },
  {
    name: 'two records in a line',
    spoil: rewriteLine('companies', 1, (text) => text + text),
    errors: [
      'companies.jsonl:1: The line is not valid JSON (Unexpected non-whitespace character after JSON in column 74).',
    ],
  },
  {
    name: 'a list of records',
    spoil: rewrite('tags', (text) => `[${text.trim()}]\n`),
    errors: ['tags.jsonl:1: The line is not a JSON object.'],
  },
  {
    name: 'a JSON file on many lines',
    spoil: rewrite('tags', (text) => JSON.stringify(JSON.parse(text), null, 2)),
    errors: [
      'tags.jsonl:1: A record must be whole on one line.',
      'tags.jsonl:2: The line is not valid JSON (Unexpected non-whitespace character after JSON in column 7).',
      'tags.jsonl:3: The line is not valid JSON (Unexpected non-whitespace character after JSON in column 9).',
      'tags.jsonl:4: The line is not valid JSON (Unexpected token \'}\', "}").',
    ],
  },
  {
    name: 'CSV in the place of JSON',
    spoil: rewrite('tags', () => 'id,name\n1,Nuevo\n'),
    errors: [
      'tags.jsonl:1: The line is not valid JSON (Unexpected token \'i\', "id,name").',
      'tags.jsonl:2: The line is not valid JSON (Unexpected non-whitespace character after JSON in column 2).',
      'bases.jsonl:1 tags[0]: There is no record 1 in tags.jsonl.',
    ],
  },
  {
    name: 'a null in the place of a record',
    spoil: rewriteLine('tags', 1, () => 'null'),
    errors: [
      'tags.jsonl:1: The line is not a JSON object.',
      'bases.jsonl:1 tags[0]: There is no record 1 in tags.jsonl.',
    ],
  },
  {
    name: 'a bare line end in a text',
    spoil: rewriteLine('tags', 1, (text) => text.replace('Nuevo', 'Nue\nvo')),
    errors: [
      'tags.jsonl:1: The line is not valid JSON (Unterminated string in column 20).',
      'tags.jsonl:2: The line is not valid JSON (Unexpected token \'v\', "vo"}").',
    ],
  },
  {
    name: 'a control character in a line',
    spoil: rewriteLine('tags', 1, (text) => text.replace('Nuevo', 'Nue\u0007vo')),
    errors: ['tags.jsonl:1: The line is not valid JSON (Bad control character in string literal in column 20).'],
  },
  {
    name: 'a huge line that is cut',
    spoil: rewriteLine('tags', 1, () => `{"id":1,"name":"${'x'.repeat(2_000_000)}`),
    errors: ['tags.jsonl:1: The line is not valid JSON (Unterminated string in column 2000017).'],
  },
  {
    name: 'Latin-1',
    spoil: rewrite('companies', (text) => Buffer.from(text, 'latin1')),
    errors: ['companies.jsonl:1: The line is not UTF-8.'],
  },
  {
    name: 'UTF-16',
    spoil: rewrite('tags', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    errors: ['tags.jsonl: The file is UTF-16 and not UTF-8.'],
  },
  {
    name: 'a byte order mark in the middle',
    spoil: rewrite('companies', (text) => text.replace('\n', '\n\ufeff')),
    errors: ['companies.jsonl:2: The line is not valid JSON (Unexpected token \'\ufeff\', "\ufeff{"id":2,""...).'],
  },

  // Fields
  {
    name: 'an unknown field',
    spoil: set('products', 1, { prize: '50.00' }),
    errors: ['products.jsonl:1 prize: There is no such field.'],
  },
  {
    name: 'a field in capitals',
    spoil: set('tags', 1, { Name: 'Nuevo' }),
    errors: ['tags.jsonl:1 Name: There is no such field.'],
  },
  {
    name: 'a missing field',
    spoil: set('products', 3, { has_iva: undefined }),
    errors: ['products.jsonl:3 has_iva: It is required.'],
  },
  {
    name: 'a null in a field that must be there',
    spoil: set('products', 3, { base: null }),
    errors: ['products.jsonl:3 base: It must be a whole number.'],
  },
  {
    name: 'an empty name',
    spoil: set('tags', 1, { name: '  ' }),
    errors: ['tags.jsonl:1 name: It must not be empty.'],
  },
  {
    name: 'an id that is a text',
    spoil: set('tags', 1, { id: 'uno' }),
    errors: [
      'tags.jsonl:1 id: It must be a whole number.',
      'bases.jsonl:1 tags[0]: There is no record 1 in tags.jsonl.',
    ],
  },
  {
    name: 'an id with decimals',
    spoil: set('stores', 1, { id: 1.5 }),
    errors: ['stores.jsonl:1 id: It must be a whole number.'],
  },
  {
    name: 'an id below 1',
    spoil: set('stores', 1, { id: 0 }),
    errors: ['stores.jsonl:1 id: It must be 1 or more.'],
  },
  {
    name: 'an id of 16 digits',
    spoil: set('stores', 1, { id: 1_000_000_000_000_000 }),
    errors: ['stores.jsonl:1 id: It must have 15 digits or less.'],
  },
  {
    name: 'a text that is too long',
    spoil: set('coupons', 1, { code: 'ABCDEFGHIJKLMNOPQ' }),
    errors: ['coupons.jsonl:1 code: It must be 16 characters or less.'],
  },
  {
    name: 'a truth that is a text',
    spoil: set('products', 1, { is_active: 'yes' }),
    errors: ['products.jsonl:1 is_active: It must be true or false.'],
  },
  {
    name: 'a date that there is not',
    spoil: set('holidays', 1, { date: '2026-02-30' }),
    errors: ['holidays.jsonl:1 date: It must be a date, such as 2026-12-25.'],
  },
  {
    name: 'a time without its offset',
    spoil: set('coupons', 1, { valid_from: '2026-01-01T00:00:00' }),
    errors: ['coupons.jsonl:1 valid_from: It must be a date-time with its offset, such as 2026-11-21T23:00:00Z.'],
  },
  {
    name: 'an address of an image with blanks',
    spoil: set('products', 1, { image: 'https://images.example/mi foto.png' }),
    errors: ['products.jsonl:1 image: It must be a relative path or an http(s) address, without blanks around it.'],
  },
  {
    name: 'an image of another scheme',
    spoil: set('products', 1, { image: 'ftp://images.example/1.png' }),
    errors: ['products.jsonl:1 image: It must be a relative path or an http(s) address, without blanks around it.'],
  },
  {
    name: 'a barcode with a comma',
    spoil: set('products', 1, { ean_key: '750,1' }),
    errors: ['products.jsonl:1 ean_key: It must be digits alone, without blanks and other signs.'],
  },

  // Amounts and ranges
  {
    name: 'a negative price',
    spoil: set('products', 1, { price: -1 }),
    errors: ['products.jsonl:1 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
  },
  {
    name: 'a price with three decimals',
    spoil: set('products', 1, { price: '1.005' }),
    errors: ['products.jsonl:1 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
  },
  {
    name: 'a price with thousands separated',
    spoil: set('products', 1, { price: '1,250.00' }),
    errors: ['products.jsonl:1 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
  },
  {
    name: 'a price above the highest',
    spoil: set('products', 1, { price: '10000000' }),
    errors: ['products.jsonl:1 price: It must be a decimal number from 0 with up to 7 digits and 2 decimals.'],
  },
  {
    name: 'a zip code of 4 digits',
    spoil: set('shipping_rates', 1, { zip_from: '1000' }),
    errors: ['shipping_rates.jsonl:1 zip_from: It must be a zip code of 5 digits.'],
  },
  {
    name: 'a range of zip codes upside down',
    spoil: set('shipping_rates', 2, { zip_from: '73000' }),
    errors: ['shipping_rates.jsonl:2 zip_from: It must not be above zip_to.'],
  },
  {
    name: 'a discount above the price',
    spoil: set('shipping_rates', 1, { discount: '99.01' }),
    errors: ['shipping_rates.jsonl:1 discount: It must not be above the price.'],
  },
  {
    name: 'a discount that ends before it begins',
    spoil: set('shipping_rates', 1, {
      discount_from: '2026-02-02T00:00:00Z',
      discount_until: '2026-02-01T00:00:00Z',
    }),
    errors: ['shipping_rates.jsonl:1 discount_from: It must not be after discount_until.'],
  },
  {
    name: 'delivery days upside down',
    spoil: set('shipping_methods', 1, { min_delivery_days: 5 }),
    errors: ['shipping_methods.jsonl:1 min_delivery_days: It must not be above max_delivery_days.'],
  },
  {
    name: 'a coupon that ends before it begins',
    spoil: set('coupons', 1, { valid_until: '2025-12-31T00:00:00Z' }),
    errors: ['coupons.jsonl:1 valid_from: It must not be after valid_until.'],
  },
  {
    name: 'a coupon with more redemptions of a patient than of all',
    spoil: set('coupons', 1, {
      max_redemptions: 5,
      max_redemptions_per_patient: 6,
    }),
    errors: ['coupons.jsonl:1 max_redemptions_per_patient: It must not be above max_redemptions.'],
  },
  {
    name: 'a latitude beyond the pole',
    spoil: set('stores', 1, { latitude: 90.5 }),
    errors: ['stores.jsonl:1 latitude: It must be a decimal number from -90 to 90.'],
  },
  {
    name: 'two ranges of a method that overlap',
    spoil: add('shipping_rates', 2, { id: 3, zip_from: '72500', zip_to: '73499' }),
    errors: [
      'shipping_rates.jsonl:3 zip_from: It overlaps with the range in line 2, which is as wide: neither is the narrowest.',
    ],
  },

  // Records
  {
    name: 'an id twice',
    spoil: add('companies', 1, { name: 'Otra' }),
    errors: ['companies.jsonl:4 id: It is the same as in line 1.'],
  },
  {
    name: 'a barcode twice',
    spoil: set('products', 2, { ean_key: '7501000000012' }),
    errors: ['products.jsonl:2 ean_key: It is the same as in line 1.'],
  },
  {
    name: 'a coupon code twice, in other letters',
    spoil: add('coupons', 1, { id: 2, code: 'AHORRA10' }),
    errors: ['coupons.jsonl:2 code: It is the same as in line 1.'],
  },
  {
    name: 'a holiday twice',
    spoil: add('holidays', 1, { name: 'Navidad otra vez' }),
    errors: ['holidays.jsonl:2 date: It is the same as in line 1.'],
  },
  {
    name: 'a range of zip codes twice',
    spoil: add('shipping_rates', 1, { id: 3 }),
    errors: ['shipping_rates.jsonl:3 zip_from: It is the same as in line 1.'],
  },
  {
    name: 'a base that is not there',
    spoil: set('products', 1, { base: 99 }),
    errors: ['products.jsonl:1 base: There is no record 99 in bases.jsonl.'],
  },
  {
    name: 'references that are not there',
    spoil: set('bases', 1, {
      category: 97,
      pharmaceutical_company: 98,
      diseases: [1, 99],
      tags: [96],
    }),
    errors: [
      'bases.jsonl:1 category: There is no record 97 in categories.jsonl.',
      'bases.jsonl:1 pharmaceutical_company: There is no record 98 in companies.jsonl.',
      'bases.jsonl:1 diseases[1]: There is no record 99 in diseases.jsonl.',
      'bases.jsonl:1 tags[0]: There is no record 96 in tags.jsonl.',
    ],
  },
  {
    name: 'a cycle of categories',
    spoil: set('categories', 1, { parent: 3 }),
    errors: ['categories.jsonl:1 parent: It is in a cycle: 1, 3.'],
  },
  {
    name: 'a second method for pickup',
    spoil: set('shipping_methods', 1, { pickup: true }),
    errors: ['shipping_methods.jsonl:2 pickup: It is true for the method in line 1 already.'],
  },
  {
    name: 'a medicine without its fraction',
    spoil: set('bases', 3, { sanitary_fraction: null }),
    errors: [
      'bases.jsonl:3 sanitary_fraction: It is required for a medicine (LGS art. 226), which every base is whose is_medicine is not false.',
    ],
  },
  {
    name: 'a fraction that asks for a prescription that is not',
    spoil: set('bases', 3, {
      sanitary_fraction: 'IV',
      medical_information: MEDICAL,
    }),
    errors: [
      'bases.jsonl:3 medical_information.requires_prescription: It must be true for sanitary fraction IV (LGS art. 226).',
      'bases.jsonl:3 medical_information.group_number: It must be 4, as the sanitary fraction is IV.',
    ],
  },
  {
    name: "a key that neither SAT's list nor the shop's own has",
    spoil: (folder) => {
      set('products', 1, { sat_key: '51142099' })(folder);
      writeFileSync(pathOf(folder, 'sat_product_keys'), '{"key":"51142098","name":"De la contadora"}\n');
    },
    errors: [
      "products.jsonl:1 sat_key: It is not among SAT's keys as shipped. Its class 51142000 (Analgésicos no narcóticos) is. `npm run sat:keys` writes all of a pharmacy, and a key of yours goes into sat_product_keys.jsonl.",
    ],
  },
];
