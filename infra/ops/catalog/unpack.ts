import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openCatalogFile } from '../../../shared/catalog/file/format.ts';
import type { PublishedBase, PublishedDetail, PublishedProduct } from '../../../shared/catalog/file/records.ts';
import { namesAntibiotic } from '../../../shared/domain/medicines/antibiotics.ts';
import { needsPrescription, toSanitaryFraction } from '../../../shared/domain/medicines/sanitary-fractions.ts';

/**
 * Writes the records of a published catalog into a new folder, as its operator would write them, with their times: published
 * again, the folder is the same version. Products that were withdrawn are none of its records.
 */
export function unpackCatalog(file: string, folder: string): void {
  mkdirSync(folder);
  const database = openCatalogFile(file);
  try {
    const products = readRows(database, 'SELECT content, detail FROM products ORDER BY id').map(toProduct);
    const files = [
      ...RECORD_FILES.map((kind) => [kind, readKind(database, kind)] as const),
      ['bases', readRows(database, 'SELECT content FROM bases ORDER BY id').map(toBase)] as const,
      ['products', products] as const,
      ['sat_product_keys', listProductKeys(products)] as const,
    ];
    for (const [name, records] of files) {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      writeFileSync(join(folder, `${name}.jsonl`), lines.join(''), { mode: 0o600 });
    }
  } finally {
    database.close();
  }
}

// Kept as they are read, apart from bases and products.
const RECORD_FILES = [
  'companies',
  'categories',
  'diseases',
  'tags',
  'suppliers',
  'variants',
  'stores',
  'shipping_methods',
  'shipping_rates',
  'payment_methods',
  'coupons',
  'holidays',
] as const;

type Row = { readonly content: unknown; readonly detail?: unknown };

const readRows = (database: DatabaseSync, query: string): Row[] => database.prepare(query).all() as Row[];

const readKind = (database: DatabaseSync, kind: string): object[] =>
  database
    .prepare('SELECT content FROM records WHERE kind = ? ORDER BY key')
    .all(kind)
    .map(({ content }) => JSON.parse(String(content)));

/** Leaves out what follows from the rest, so that the record has the fingerprint that it was published with. */
function toBase({ content }: Row): object {
  const { is_antibiotic = false, medical_information: medical, ...base } = JSON.parse(String(content)) as PublishedBase;
  const fraction = base.sanitary_fraction ?? (medical && isMedicine(base) ? toSanitaryFraction(medical.group_number) : null);
  const isInferred = fraction !== null && needsPrescription(fraction) && namesAntibiotic(medical?.active_ingredient ?? '');
  return {
    ...base,
    sanitary_fraction: fraction,
    is_antibiotic: isInferred === is_antibiotic ? null : is_antibiotic,
    medical_information: medical && { ...medical, base_product: undefined },
  };
}

const isMedicine = ({ is_medicine }: Pick<PublishedBase, 'is_medicine'>): boolean => is_medicine === 'true';

type UnpackedProduct = { readonly sat_key: string };

function toProduct({ content, detail }: Row): UnpackedProduct {
  const { default_image: _, name_slug: __, ...product } = JSON.parse(String(content)) as PublishedProduct;
  return { ...product, ...(JSON.parse(String(detail)) as PublishedDetail) };
}

/** Keys that the shipped list lacks were named by a file of the folder, which is not published. */
const listProductKeys = (products: readonly UnpackedProduct[]): object[] =>
  [...new Set(products.map(({ sat_key }) => sat_key))].sort().map((key) => ({ key, name: key }));
