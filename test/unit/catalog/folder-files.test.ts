import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import { catalogFileNames, catalogSchemas } from '../../../shared/catalog/publishing/folder/folder.ts';
import { listLegalHolidays } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

// A catalog folder has more than its own lines: images, the law's holidays, SAT's keys and units, and the schemas.
afterAll(removeCatalogFolders);

type Fields = Readonly<Record<string, unknown>>;

const PNG = Buffer.from('\x89PNG\r\n\x1a\n of a box', 'latin1');
const WEBP = Buffer.from('RIFF\0\0\0\0WEBP of a bottle', 'latin1');
// `sha256sum` of each.
const [BOX, BOTTLE] = ['120f3db603e81b98553eef78ac572bc2.png', '20262820bc7bd57256918327cbdd8e64.webp'];
const album = (...images: string[]) => ({
  album: { id: 1, images: images.map((image, at) => ({ id: at + 1, image })) },
});

/** Reads the small catalog with fields for its first product, whose barcode is 7501000000012, and files below `images/`. */
function read(fields: Fields, files: Record<string, Buffer> = {}, ownKeys: readonly Fields[] = []) {
  const records = smallCatalog();
  Object.assign(records.products[0] ?? {}, fields);
  records.sat_product_keys.push(...ownKeys);
  const folder = catalogFolder(records);
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'images', path)), { recursive: true });
    writeFileSync(join(folder, 'images', path), bytes);
  }
  return readCatalogFolder(folder);
}

describe('the images of a catalog folder', () => {
  const CDN = 'https://cdn.example/a.png';
  it.each<[string, Record<string, Buffer>, Fields, shown: unknown, inAlbum?: unknown]>([
    ['a file named by a barcode', { '7501000000012.jpg': PNG }, {}, BOX],
    ['one of its other lengths, in a folder', { 'cajas/07501000000012.png': PNG }, { image: 'x.png' }, BOX],
    ['a path', { 'cajas/niño.png': PNG }, { image: '/cajas/nin\u0303o.png' }, BOX],
    ['an album', { 'a.png': PNG, 'b.webp': WEBP }, album('b.webp', 'a.png'), '', [BOTTLE, BOX]],
    ['a published name', { 'a.png': PNG, '.DS_Store': WEBP }, { image: BOTTLE }, BOTTLE],
    ['another address', { 'a.png': PNG }, { image: CDN }, CDN],
    ['a path without any file', {}, { image: 'a.png' }, 'a.png'],
  ])('belong to products by %s', (_, files, fields, shown, inAlbum) => {
    const { errors, records } = read(fields, files);
    const [product] = records.products;
    expect([errors, product?.image, product?.album?.images.map(({ image }) => image)]).toEqual([[], shown, inAlbum]);
  });

  const LARGE = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
  it.each<[string, Record<string, Buffer>, Fields, file: string, field: string]>([
    ['another type', { 'a.png': Buffer.from('GIF89a') }, { image: 'a.png' }, 'images/a.png', ''],
    ['an empty file', { 'a.png': Buffer.alloc(0) }, {}, 'images/a.png', ''],
    ['too many bytes', { 'a.png': LARGE }, {}, 'images/a.png', ''],
    ['a path of no file', { 'a.png': PNG }, { image: 'b.png' }, 'products.jsonl', 'image'],
    ['an album of no file', { 'a.png': PNG }, album('b.png'), 'products.jsonl', 'album.images[0].image'],
    ['a second one', { '7501000000012.jpg': PNG, '7501000000012.webp': WEBP }, {}, 'images/7501000000012.webp', ''],
  ])('are refused with %s', (_, files, fields, file, field) => {
    expect(read(fields, files).errors).toMatchObject([{ file, field }]);
  });

  it('are published only if they belong to a product', () => {
    const { images, notes } = read({}, { '7501000000012.png': PNG, 'b.webp': WEBP });
    expect(images).toMatchObject([{ key: BOX, type: 'image/png' }]);
    expect(notes).toEqual([expect.stringContaining('1. b.webp')]);
  });
});

it.each([
  [2026, '01-01 02-02 03-16 05-01 09-16 11-16 12-25'],
  [2027, '01-01 02-01 03-15 05-01 06-06 09-16 11-15 12-25'],
  [2030, '01-01 02-04 03-18 05-01 06-02 09-16 10-01 11-18 12-25'],
])('%d has the holidays of LFT art. 74', (year, days) => {
  expect(listLegalHolidays(year).map(({ date }) => date)).toEqual(days.split(' ').map((day) => `${year}-${day}`));
});

describe("keys and units of SAT's catalogs", () => {
  const OWN = { key: '51142098', name: 'De la contadora' };
  const placesOf = (fields: Fields, ...own: Fields[]) =>
    read(fields, {}, own).errors.map(({ file, line, field }) => `${file}:${line} ${field}`);

  // Medicines, equipment, personal care, a mask, a parcel, the shop's own; pieces, boxes, services.
  it.each([
    ...['51142001', '51101500', '42182201', '53131609', '42131606', '78102203', '51142098'].map((sat_key) => ({
      sat_key,
    })),
    ...['H87', 'XBX', 'E48', 'KT', 'MLT', '06'].map((sat_unit) => ({ sat_unit })),
  ])('are accepted if SAT has them, or the shop: %o', (fields) => {
    expect(placesOf(fields, OWN)).toEqual([]);
  });

  it("are refused beside a list of the shop's own that lacks them, unless it cannot be read", () => {
    expect(placesOf({ sat_key: '51142099' })).toEqual([]);
    expect(placesOf({ sat_key: '51142099' }, OWN)).toEqual(['products.jsonl:1 sat_key']);
    expect(placesOf({}, OWN, OWN)).toEqual(['sat_product_keys.jsonl:2 key']);
    expect(placesOf({ sat_key: '01010101' }, { key: '0101', name: 'x' })).toEqual(['sat_product_keys.jsonl:1 key']);
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

describe('the JSON Schema of a file', () => {
  /** Lists the schemas of all texts of a record, however deep. */
  function listTexts(schema: unknown, place: string): [place: string, schema: Fields][] {
    if (typeof schema !== 'object' || schema === null) return [];
    const parts = Object.entries(schema).flatMap(([name, part]) => listTexts(part, `${place}.${name}`));
    return 'type' in schema && schema.type === 'string' ? [[place, { ...schema }], ...parts] : parts;
  }
  // A pattern without repetitions of any number has a longest text.
  const isBounded = ({ maxLength, enum: choices, format, pattern = '.*' }: Fields): boolean =>
    maxLength !== undefined ||
    choices !== undefined ||
    /^date/.test(String(format)) ||
    !/[*+]|,\}/.test(String(pattern));

  it('names its fields, and has an upper bound for each text', () => {
    const { holidays } = catalogSchemas();
    expect(holidays).toMatchObject({ type: 'object', required: ['date', 'name'], additionalProperties: false });
    const texts = catalogFileNames.flatMap((file) => listTexts(catalogSchemas()[file], file));
    expect(texts.length).toBeGreaterThan(70);
    expect(texts.flatMap(([place, schema]) => (isBounded(schema) ? [] : place))).toEqual([]);
  });
});
