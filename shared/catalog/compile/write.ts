import type { DatabaseSync } from 'node:sqlite';
import { normalizeCouponCode } from '../../domain/pricing.ts';
import { slugify } from '../../domain/text.ts';
import { defaultImage, found, storedContent, toCents } from '../file/checked.ts';
import { writeColumns } from '../file/columns.ts';
import { mapById, type PublishedRecords, type RecordKind } from '../file/records.ts';
import { byId, type PublishedTimestamps, type Stamped, type StampedRecords, stampRecords } from '../file/timestamps.ts';
import type { CatalogRecords } from '../folder/folder.ts';
import { type ProductOfBase, productColumns } from './product-columns.ts';

export type CompileInput = {
  readonly records: CatalogRecords;
  readonly previous?: PublishedTimestamps | undefined;
  readonly now: Date;
  /** Told how far the work is, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
};

/** Fills an empty catalog; see `compileCatalog`. Everything goes in in the order of its key, for the same bytes. */
export function writeCatalog(database: DatabaseSync, input: CompileInput): { products: number; notes: string[] } {
  const records = stampRecords(database, input.records, input);
  writeRecords(database, { ...input.records, ...records });
  writeBases(database, records.bases);
  const bases = mapById(records.bases);
  const published = records.products.map((product) => ({ product, base: found(bases, product.base) }));
  const products = published.map((row) => (isBarred(row) ? inactive(row) : row));
  writeProducts(database, products, input.onProgress);
  writeColumns(database, productColumns(products));
  return { products: products.length, notes: published.filter(isBarred).map(barringNote) };
}

// Ley General de Salud, art. 226: narcotics and psychotropics, which are never sold online.
const BARRED_FRACTIONS: ReadonlySet<string | null> = new Set(['I', 'II', 'III']);

function isBarred({ product, base }: ProductOfBase): boolean {
  return product.is_active && BARRED_FRACTIONS.has(base.sanitary_fraction);
}

function inactive({ product, base }: ProductOfBase): ProductOfBase {
  return { product: { ...product, is_active: false }, base };
}

function barringNote({ product, base }: ProductOfBase): string {
  const name = `${product.id} (${base.name}, ${product.presentation})`;
  return `Product ${name} is published inactive: sanitary fraction ${base.sanitary_fraction} is not sold online.`;
}

function writeRecords(database: DatabaseSync, records: CatalogRecords & StampedRecords): void {
  const insert = database.prepare('INSERT INTO records (kind, key, content) VALUES (?, ?, ?)');
  const write = <Kind extends RecordKind>(
    kind: Kind,
    entries: Iterable<readonly [key: number | string, content: PublishedRecords[Kind]]>,
  ) => {
    for (const [key, content] of entries) insert.run(kind, key, JSON.stringify(content));
  };
  const coupons = new Map(records.coupons.map((coupon) => [normalizeCouponCode(coupon.code), coupon]));
  const holidays = new Map(records.holidays.map((holiday) => [holiday.date, holiday]));
  write('categories', mapById(records.categories));
  write('companies', mapById(records.companies));
  write('coupons', [...coupons].sort(byKey));
  write('diseases', mapById(records.diseases));
  write('holidays', [...holidays].sort(byKey));
  write('payment_methods', mapById(records.payment_methods));
  write('shipping_methods', mapById(records.shipping_methods));
  write('shipping_rates', mapById(records.shipping_rates.toSorted(byId)));
  write('stores', mapById(records.stores));
  write('suppliers', mapById(records.suppliers));
  write('tags', mapById(records.tags));
  write('variants', mapById(records.variants));
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function writeBases(database: DatabaseSync, bases: readonly Stamped<'bases'>[]): void {
  const insert = database.prepare('INSERT INTO bases (id, content) VALUES (?, ?)');
  for (const base of bases) insert.run(base.id, JSON.stringify(base));
}

const PRODUCTS_PER_STEP = 1_000;

function writeProducts(
  database: DatabaseSync,
  products: readonly ProductOfBase[],
  onProgress: CompileInput['onProgress'],
): void {
  const insert = database.prepare(
    `INSERT INTO products (
       id, base, presentation, price_cents, has_iva, is_active, has_shortage, sat_key, sat_unit, ean_key,
       default_image, name_slug, created_at, updated_at, content
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  products.forEach(({ product, base }, index) => {
    insert.run(
      product.id,
      base.id,
      product.presentation,
      toCents(product.price),
      Number(product.has_iva),
      Number(product.is_active),
      Number(product.has_shortage),
      product.sat_key,
      product.sat_unit,
      product.ean_key,
      defaultImage(product),
      slugify(`${base.name} ${product.presentation}`),
      product.created_at,
      product.updated_at,
      JSON.stringify(storedContent(product)),
    );
    if (index % PRODUCTS_PER_STEP === 0) onProgress?.(index / products.length);
  });
  onProgress?.(1);
}
