import { readdirSync } from 'node:fs';
import { toErrorCode } from '../../../runtime/system-error.ts';
import { type CatalogFile, type CatalogRecords, catalogFileNames } from './folder.ts';
import { type Linked, linkImages } from './images.ts';
import { applyProductTable, type ProductSheet } from './product-table.ts';
import { type FileLines, type FolderError, type RecordLine, readRecordLines } from './record-lines.ts';
import type { CatalogLines } from './rule-forms.ts';
import { findErrorsAcross } from './rules.ts';

export type { FolderError } from './record-lines.ts';

/** `images` are those of the products. */
type CatalogContents = { records: CatalogRecords; errors: FolderError[] } & Pick<Linked, 'images' | 'notes'>;

/**
 * Reads a catalog folder and returns all its errors, each once: of shape, references, uniqueness and ranges
 * (`folder.ts`, `rules.ts`), and missing and unknown files. `sheet` changes or adds products. Records with errors are left
 * out, so the records make a catalog only if there are no errors.
 */
export function readCatalogFolder(folder: string, sheet?: ProductSheet): CatalogContents {
  const names = listFileNames(folder);
  if (typeof names === 'string') {
    return {
      records: byFile(() => []),
      errors: [{ file: '', line: 0, field: '', message: describeUnlisted(folder, names) }],
      ...{ images: [], notes: [] },
    };
  }
  const products = linkImages(readProducts(folder, sheet), folder);
  const files = { ...byFile((file) => readRecordLines(folder, file)), products };
  const errors = catalogFileNames.flatMap((file) => files[file].errors);
  const lines = byFile((file) => files[file].lines) as CatalogLines;
  return {
    records: byFile((file) => takeWholeRecords(files[file])) as CatalogRecords,
    errors: [...findUnknownFiles(names), ...errors, ...findErrorsAcross(lines)].sort(byPlace),
    ...{ images: products.images, notes: products.notes },
  };
}

function readProducts(folder: string, sheet: ProductSheet | undefined): FileLines<'products'> {
  const products = readRecordLines(folder, 'products');
  return sheet === undefined ? products : applyProductTable(products, sheet);
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
