import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readCatalogFolder } from '../../../shared/catalog/publishing/folder/check.ts';
import { catalogFolder, removeCatalogFolders, smallCatalog } from '../../support/catalogs/small-catalog.ts';

afterAll(removeCatalogFolders);

const PNG = Buffer.from('\x89PNG\r\n\x1a\n of a box', 'latin1');
const WEBP = Buffer.from('RIFF\0\0\0\0WEBP of a bottle', 'latin1');
// `sha256sum` of each.
const [BOX, BOTTLE] = ['120f3db603e81b98553eef78ac572bc2.png', '20262820bc7bd57256918327cbdd8e64.webp'];
const album = (...images: string[]) => ({ id: 1, images: images.map((image, at) => ({ id: at + 1, image })) });

/** Reads the small catalog with fields for its first product, whose barcode is 7501000000012, and files below `images/`. */
function read(files: Record<string, Buffer>, fields: object = {}) {
  const records = smallCatalog();
  Object.assign(records.products[0] ?? {}, fields);
  const folder = catalogFolder(records);
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'images', path)), { recursive: true });
    writeFileSync(join(folder, 'images', path), bytes);
  }
  return readCatalogFolder(folder);
}

describe('the images of a catalog folder', () => {
  it.each<[string, Record<string, Buffer>, object, unknown]>([
    ['a file named by a barcode', { '7501000000012.jpg': PNG }, {}, [BOX, undefined]],
    [
      'one of its other lengths, in a folder',
      { 'cajas/07501000000012.png': PNG },
      { image: 'x.png' },
      [BOX, undefined],
    ],
    ['a path', { 'cajas/niño.png': PNG }, { image: '/cajas/nin\u0303o.png' }, [BOX, undefined]],
    ['an album', { 'a.png': PNG, 'b.webp': WEBP }, { album: album('b.webp', 'a.png') }, ['', [BOTTLE, BOX]]],
    ['a published name', { 'a.png': PNG, '.DS_Store': WEBP }, { image: BOTTLE }, [BOTTLE, undefined]],
    [
      'another address',
      { 'a.png': PNG },
      { image: 'https://cdn.example/a.png' },
      ['https://cdn.example/a.png', undefined],
    ],
    ['a path without any file', {}, { image: 'a.png' }, ['a.png', undefined]],
  ])('belong to products by %s', (_, files, fields, expected) => {
    const { errors, records } = read(files, fields);
    expect(errors).toEqual([]);
    const [product] = records.products;
    expect([product?.image, product?.album?.images.map(({ image }) => image)]).toEqual(expected);
  });

  it.each<[string, Record<string, Buffer>, object, string, string]>([
    ['another type', { 'a.png': Buffer.from('GIF89a') }, { image: 'a.png' }, 'images/a.png', ''],
    ['an empty file', { 'a.png': Buffer.alloc(0) }, {}, 'images/a.png', ''],
    ['too many bytes', { 'a.png': Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]) }, {}, 'images/a.png', ''],
    ['a path of no file', { 'a.png': PNG }, { image: 'b.png' }, 'products.jsonl', 'image'],
    ['an album of no file', { 'a.png': PNG }, { album: album('b.png') }, 'products.jsonl', 'album.images[0].image'],
    ['a second one', { '7501000000012.jpg': PNG, '7501000000012.webp': WEBP }, {}, 'images/7501000000012.webp', ''],
  ])('are refused with %s', (_, files, fields, file, field) => {
    expect(read(files, fields).errors).toMatchObject([{ file, field }]);
  });

  it('are published only if they belong to a product', () => {
    const { images, notes } = read({ '7501000000012.png': PNG, 'b.webp': WEBP });
    expect(images).toMatchObject([{ key: BOX, type: 'image/png' }]);
    expect(notes).toEqual([expect.stringContaining('1. b.webp')]);
  });
});
