import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, parse, sep } from 'node:path';
import { toGtin14 } from '../../../domain/gtin.ts';
import { toErrorCode } from '../../../runtime/log.ts';
import { type CatalogFile, type CatalogRecords, catalogFileNames } from './folder.ts';
import { applyProductTable, type ProductSheet } from './product-table.ts';
import {
  type CatalogLines,
  type FileLines,
  type FolderError,
  folderError,
  type RecordLine,
  readRecordLines,
} from './record-lines.ts';
import { findErrorsAcross } from './rules.ts';

export type { FolderError } from './record-lines.ts';

/**
 * Reads a catalog folder and returns all its errors, each once: of shape, references, uniqueness and ranges
 * (`folder.ts`, `rules.ts`), and missing and unknown files. `sheet` changes or adds products. Records with errors are left
 * out, so the records make a catalog only if there are no errors. `images` are those of the products.
 */
export function readCatalogFolder(folder: string, sheet?: ProductSheet) {
  const names = listFileNames(folder);
  if (typeof names === 'string') {
    const errors: FolderError[] = [{ file: '', line: 0, field: '', message: describeUnlisted(folder, names) }];
    return { records: byFile(() => []) as CatalogRecords, errors, images: [], notes: [] };
  }
  const written = readRecordLines(folder, 'products');
  const products = linkImages(sheet ? applyProductTable(written, sheet) : written, folder);
  const files = byFile((file) => (file === 'products' ? products : readRecordLines(folder, file)));
  const errors = catalogFileNames.flatMap((file) => files[file].errors);
  const lines = byFile((file) => files[file].lines) as CatalogLines;
  return {
    records: byFile((file) => takeWholeRecords(files[file])) as CatalogRecords,
    errors: [...findUnknownFiles(names), ...errors, ...findErrorsAcross(lines)].sort(byPlace),
    images: products.images,
    notes: products.notes,
  };
}

const byFile = <Value>(value: (file: CatalogFile) => Value): Record<CatalogFile, Value> =>
  Object.fromEntries(catalogFileNames.map((file) => [file, value(file)])) as Record<CatalogFile, Value>;

function listFileNames(folder: string): string[] | string {
  try {
    return readdirSync(folder);
  } catch (error) {
    return toErrorCode(error);
  }
}

function describeUnlisted(folder: string, code: string): string {
  if (code === 'EACCES') return `You have no permission to read the folder ${folder}.`;
  return ['ENOENT', 'ENOTDIR'].includes(code) ? `${folder} is no folder.` : `${folder} cannot be read (${code}).`;
}

function findUnknownFiles(names: readonly string[]): FolderError[] {
  const expected = catalogFileNames.map((file) => `${file}.jsonl`);
  const toError = (file: string, message: string) => ({ file, line: 0, field: '', message });
  return names
    .filter((name) => !expected.includes(name))
    .flatMap((name) => {
      const match = expected.find((file) => !names.includes(file) && isMisspelt(name, file));
      if (match !== undefined) return [toError(name, `It must be named ${match}.`)];
      return name.endsWith('.jsonl') ? [toError(name, 'There is no such file in a catalog.')] : [];
    });
}

// Editors and browsers write tags.json, tags.jsonl.txt or Tags.jsonl.
function isMisspelt(name: string, file: string): boolean {
  const json = file.slice(0, -'l'.length);
  return [file, json, `${file}.txt`, `${json}.txt`].includes(name.toLowerCase());
}

const takeWholeRecords = ({ lines = [] }: FileLines<CatalogFile>): RecordLine<CatalogFile>['fields'][] =>
  lines.filter(({ isWhole }) => isWhole).map(({ fields }) => fields);

function byPlace(a: FolderError, b: FolderError): number {
  const fileOrder = (error: FolderError) => catalogFileNames.findIndex((name) => `${name}.jsonl` === error.file);
  return fileOrder(a) - fileOrder(b) || a.line - b.line;
}

/** An image below `images/`, by its path there, and its name in the bucket, which follows from its content. */
export type FolderImage = { readonly path: string; readonly file: string; readonly key: string; readonly type: string };

const MOST_BYTES = 5 * 1024 * 1024;
const TYPES: readonly (readonly [start: RegExp, type: string, extension: string])[] = [
  [/^ffd8ff/, 'image/jpeg', 'jpg'],
  [/^89504e470d0a1a0a/, 'image/png', 'png'],
  [/^52494646.{8}57454250/, 'image/webp', 'webp'],
];
const PUBLISHED_OR_ABSOLUTE = /^(?:[0-9a-f]{32}\.(?:jpg|png|webp)$|https?:\/\/)/i;

function readImages(folder: string): (FolderImage | FolderError)[] {
  const root = join(folder, 'images');
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }).sort() : [];
  // Systems put hidden files into folders that were opened.
  const files = names.filter((name) => !parse(name).name.startsWith('.') && statSync(join(root, name)).isFile());
  return files.map((name) => readImage(join(root, name), name.replaceAll(sep, '/')));
}

function readImage(file: string, path: string): FolderImage | FolderError {
  if (statSync(file).size > MOST_BYTES) return imageError(path, 'It must be 5 MB or less.');
  const bytes = readFileSync(file);
  const [, type, extension] = TYPES.find(([start]) => start.test(bytes.toString('hex', 0, 12))) ?? [];
  if (!type) return imageError(path, 'It must be a JPEG, PNG or WebP image, whatever its name says.');
  // macOS writes an accent apart from its letter.
  return { path: path.normalize('NFC'), file, key: `${hash('sha256', bytes).slice(0, 32)}.${extension}`, type };
}

const imageError = (path: string, message: string): FolderError => {
  return { file: `images/${path}`, line: 0, field: '', message };
};

type Linked = FileLines<'products'> & { readonly images: readonly FolderImage[]; readonly notes: readonly string[] };

/**
 * Names the images of products, in place, as they are published. A file below `images/` whose name is a barcode is the image
 * of its product; a relative path names a file. Without files, nothing is changed.
 */
function linkImages({ lines, errors }: FileLines<'products'>, folder: string): Linked {
  const readings = readImages(folder);
  const images = readings.filter((reading) => 'key' in reading);
  const faults = readings.filter((reading) => 'message' in reading);
  if (lines === undefined || images.length === 0 || faults.length > 0)
    return { lines, errors: [...errors, ...faults], images: [], notes: [] };
  const byPath = new Map(images.map((image) => [image.path, image]));
  const byBarcode = Map.groupBy(images, ({ path }) => toGtin14(parse(path).name));
  const used = new Map<string, FolderImage>();
  const link = (record: RecordLine<'products'>, field: string, path: string, own = toFile(path)): string => {
    const image = byPath.get(own);
    if (image) used.set(image.key, image);
    else if (path !== '' && !PUBLISHED_OR_ABSOLUTE.test(path))
      faults.push(folderError('products', record, field, 'There is no such file in images/.'));
    return image?.key ?? path;
  };
  for (const record of lines) {
    const { fields } = record;
    const [own, twin] = byBarcode.get(toGtin14(fields.ean_key ?? '-')) ?? [];
    if (own && twin) faults.push(imageError(twin.path, `${own.path} has the same barcode.`));
    fields.album?.images.forEach((shot, at) => {
      shot.image = link(record, `album.images[${at}].image`, shot.image);
    });
    fields.image = link(record, 'image', fields.image ?? '', own?.path);
  }
  const idle = images.filter(({ key }) => !used.has(key)).map(({ path }) => path);
  const notes =
    idle.length > 0 ? [`Images of no product, not published: ${idle.length}. ${idle.slice(0, 10).join(', ')}.`] : [];
  return { lines, errors: [...errors, ...faults], images: [...used.values()], notes };
}

const toFile = (path: string): string => path.replace(/^\//, '').normalize('NFC');
