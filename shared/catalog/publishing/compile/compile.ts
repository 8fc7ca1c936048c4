import { readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toGtin14 } from '../../../domain/gtin.ts';
import { isControlled, namesAntibiotic, needsPrescription } from '../../../domain/medicines.ts';
import { foldCode, slugify } from '../../../domain/text.ts';
import { writeColumns } from '../../file/columns.ts';
import {
  getById,
  mapById,
  type PublishedBase,
  type PublishedDetail,
  type PublishedProduct,
  type PublishedRecords,
  RECORD_KINDS,
  type RecordKind,
} from '../../file/records.ts';
import { openCatalogFile } from '../../file/snapshot.ts';
import { type FolderError, type FolderImage, readCatalogFolder } from '../folder/check.ts';
import type { CatalogRecord, CatalogRecords } from '../folder/folder.ts';
import type { ProductSheet } from '../folder/product-table.ts';
import { readWithdrawn, type Stamped, stampRecords, type Withdrawn, writeWithdrawn } from './previous.ts';
import { type ProductOfBase, toMoreColumns, toProductColumns, toSpellingColumns } from './product-columns.ts';
import { describeLacks, describeReview, type Review, reviewProducts } from './review.ts';

type Settings = {
  /** The time for records without one; by default the latest time of any record. */
  readonly now?: Date | undefined;
  /** Called with the completed share of the work, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
};

type CompileInput = Settings & {
  readonly records: CatalogRecords;
  /** The file of the published version, whose times unchanged records keep. */
  readonly previous?: string | undefined;
  readonly withdrawn?: Withdrawn | undefined;
};

export type Compilation = {
  readonly products: number;
  /** Products of earlier versions that are kept for orders. */
  readonly withdrawn: number;
  readonly notes: readonly string[];
  readonly review: Review;
};

export type FolderErrors = { readonly errors: readonly FolderError[] };

export type FolderBuild = Compilation & { readonly images: readonly FolderImage[] };

type BuildInput = Settings & {
  readonly previous: string | null;
  readonly sheet?: ProductSheet | undefined;
  /** Aborts the build between reading the folder and writing the file. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Checks a catalog folder and compiles it into a file, which it replaces; if the folder has errors, returns all of them
 * and leaves the file alone. `previous` is the file of the published version, or null. Without a time, the same folder
 * always gives the same bytes.
 */
export async function buildCatalog(
  folder: string,
  file: string,
  { previous, sheet, signal, ...settings }: BuildInput,
): Promise<FolderErrors | FolderBuild> {
  await throwIfAborted(signal);
  const { records, errors, images, notes: remarks } = readCatalogFolder(folder, sheet);
  if (errors.length > 0) return { errors };
  await throwIfAborted(signal);
  const published = readPublished(previous, new Set(records.products.map(({ id }) => id)));
  const compilation = compileCatalog({ records, ...published, ...settings }, file);
  await throwIfAborted(signal);
  return { ...compilation, images, notes: [...published.notes, ...remarks, ...compilation.notes] };
}

// Reading and writing block the process, so that it notices a Ctrl-C only in between.
async function throwIfAborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal) await nextTurn();
  signal?.throwIfAborted();
}

// An older format cannot be read, and must not prevent the next version.
function readPublished(file: string | null, ids: ReadonlySet<number>) {
  if (file === null) return { notes: [] };
  try {
    const withdrawn = readWithdrawn(file, ids);
    return { previous: file, withdrawn, notes: withdrawn.added === 0 ? [] : [`${WITHDRAWN}: ${withdrawn.added}.`] };
  } catch {
    return { notes: [UNREADABLE] };
  }
}

const WITHDRAWN = 'Products of the published version that are withdrawn, and shown by their orders only';
const UNREADABLE =
  'The published version cannot be read, so that records without times of their own get that of this build, and orders do not show what this one withdraws.';

/**
 * Compiles records without errors into a catalog file, and completes them in place: copies of 200,000 products would take 100 MB.
 * The same records and previous times give the same bytes, whatever the order of records. Only new and changed records get the
 * time `now`, or without it the latest time of any record. Products of the sanitary fractions I to III become inactive, which a
 * note says.
 */
export function compileCatalog(input: CompileInput, file: string): Compilation {
  rmSync(file, { force: true });
  const previous = input.previous === undefined ? undefined : openCatalogFile(input.previous);
  const database = new DatabaseSync(file);
  try {
    // Nothing reads the file before it is complete, and an incomplete file is compiled again.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
    database.exec(readFileSync(new URL('../../file/schema.sql', import.meta.url), 'utf8'));
    database.exec('BEGIN');
    const compilation = writeCatalog(database, input, previous);
    database.exec('COMMIT');
    return compilation;
  } finally {
    database.close();
    previous?.close();
  }
}

/** Inserts rows in the order of their keys, so that the bytes are always the same. */
function writeCatalog(
  database: DatabaseSync,
  { withdrawn = { products: [], added: 0 }, ...input }: CompileInput,
  previous: DatabaseSync | undefined,
): Compilation {
  const unsellable = completeRecords(input.records);
  const records = { ...input.records, ...stampRecords(database, input.records, { previous, now: input.now }) };
  writeRecords(database, records);
  writeBases(database, records.bases);
  const bases = mapById(records.bases);
  const products = records.products.map((product) => ({ product, base: getById(bases, product.base) }));
  writeProducts(database, products, input.onProgress);
  writeColumns(database, toProductColumns(products));
  writeColumns(database, toMoreColumns(products, records));
  writeColumns(database, toSpellingColumns(products, records.companies));
  writeWithdrawn(database, withdrawn);
  const review = reviewProducts(products, unsellable, records);
  const notes = [...describeLacks(records), ...describeReview(review)];
  return { products: products.length, withdrawn: withdrawn.products.length, notes, review };
}

type Base = CatalogRecord<'bases'>;

/**
 * Fills in what follows from the rest, so that a record is the same whether or not the folder states it. Returns the ids of the
 * products that become inactive.
 */
function completeRecords({ bases, products }: CatalogRecords): ReadonlySet<number> {
  const byId = mapById(bases);
  for (const base of bases) {
    base.is_antibiotic = isAntibiotic(base);
    if (base.medical_information) base.medical_information = { id: base.id, ...base.medical_information };
  }
  const unsellable = products.filter(
    ({ is_active, base }) => is_active && isControlled(getById(byId, base).sanitary_fraction),
  );
  for (const product of unsellable) product.is_active = false;
  return new Set(unsellable.map(({ id }) => id));
}

type AllRecords = { readonly [Kind in RecordKind]: readonly PublishedRecords[Kind][] };

function writeRecords(database: DatabaseSync, records: AllRecords): void {
  const insert = database.prepare('INSERT INTO records (kind, key, content) VALUES (?, ?, ?)');
  for (const kind of RECORD_KINDS.toSorted()) {
    const keyed = records[kind].map((record) => ({ key: toStoredKey(record), content: JSON.stringify(record) }));
    for (const { key, content } of keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1))) insert.run(kind, key, content);
  }
}

function toStoredKey(record: PublishedRecords[RecordKind]): number | string {
  if ('code' in record) return foldCode(record.code);
  if ('active_ingredient' in record) return record.active_ingredient;
  if ('key' in record) return record.key;
  return 'date' in record ? record.date : record.id;
}

function writeBases(database: DatabaseSync, bases: readonly Stamped<'bases'>[]): void {
  const insert = database.prepare('INSERT INTO bases (id, content) VALUES (?, ?)');
  for (const base of bases) insert.run(base.id, JSON.stringify(toPublishedBase(base)));
}

/** Medical information without times has its base's. */
function toPublishedBase(stamped: Stamped<'bases'>): PublishedBase {
  const { sanitary_fraction, is_antibiotic, medical_information: medical, ...base } = stamped;
  return {
    ...base,
    ...(sanitary_fraction && !medical && { sanitary_fraction }),
    ...(is_antibiotic && { is_antibiotic }),
    is_medicine: base.is_medicine ? 'true' : 'false',
    medical_information: medical && {
      ...medical,
      id: medical.id ?? base.id,
      created_at: medical.created_at ?? base.created_at,
      updated_at: medical.updated_at ?? base.updated_at,
      base_product: base.id,
    },
  };
}

/** If the folder does not say, the active ingredient of a prescription medicine decides. */
function isAntibiotic({ is_antibiotic: stated, sanitary_fraction: fraction, medical_information: own }: Base): boolean {
  if (stated !== null) return stated;
  return fraction !== null && needsPrescription(fraction) && namesAntibiotic(own?.active_ingredient ?? '');
}

const PRODUCTS_PER_STEP = 1_000;

function writeProducts(
  database: DatabaseSync,
  rows: readonly ProductOfBase[],
  onProgress: Settings['onProgress'],
): void {
  const insert = database.prepare('INSERT INTO products (id, base, gtin, content, detail) VALUES (?, ?, ?, ?, ?)');
  rows.forEach((row, index) => {
    const { product, detail } = toPublishedProduct(row);
    insert.run(product.id, product.base, toGtin14(product.ean_key), JSON.stringify(product), JSON.stringify(detail));
    if (index % PRODUCTS_PER_STEP === 0) onProgress?.(index / rows.length);
  });
  onProgress?.(1);
}

function toPublishedProduct({ product, base }: ProductOfBase): { product: PublishedProduct; detail: PublishedDetail } {
  const { cost, public_price, average_cost, should_calculate_price, partner_description, image, album, ...more } =
    product;
  const { current_supplier, supplier_products, product_variants, ...listed } = more;
  const links = { current_supplier, supplier_products, product_variants };
  return {
    product: {
      ...listed,
      default_image: chooseDefaultImage(product),
      name_slug: slugify(`${base.name} ${product.presentation}`),
    },
    detail: { cost, public_price, average_cost, should_calculate_price, partner_description, image, album, ...links },
  };
}

function chooseDefaultImage({ album, image }: Stamped<'products'>): string | null {
  const choice = album?.images.find(({ is_default }) => is_default) ?? album?.images[0];
  return choice?.image ?? (image || null);
}
