import { hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Product } from '../../../api/catalog/products.ts';
import { toSanitaryFraction } from '../../../domain/medicines.ts';
import {
  createRecordReader,
  type PublishedBase,
  type PublishedDetail,
  type PublishedProduct,
  RECORD_KINDS,
} from '../../file/records.ts';
import { readCatalogFile } from '../../file/snapshot.ts';
import { createProductReader, readReferences } from '../../products.ts';
import { type CatalogFile, type CatalogRecord, type CatalogRecords, catalogFileNames } from '../folder/folder.ts';

/** When a record was added and last changed, with the fingerprint of its content then. */
type Stamp = { readonly fingerprint: string; readonly created_at: string; readonly updated_at: string };

const UNSTAMPED = [
  'shipping_rates',
  'coupons',
  'holidays',
  'synonyms',
  'carriers',
  'sat_product_keys',
] as const satisfies readonly CatalogFile[];
type StampedFile = Exclude<CatalogFile, (typeof UNSTAMPED)[number]>;

export type Stamped<File extends StampedFile> = CatalogRecord<File> & {
  readonly created_at: string;
  readonly updated_at: string;
};
export type StampedRecords = { readonly [File in StampedFile]: readonly Stamped<File>[] };

const showsTimes = (file: CatalogFile): file is StampedFile => !UNSTAMPED.some((unstamped) => unstamped === file);

/** Finds stamps one by one, as those of 200,000 products would take 100 MB. */
function openStamps(previous: DatabaseSync | undefined) {
  const select = previous?.prepare('SELECT fingerprint, created_at, updated_at FROM stamps WHERE file = ? AND id = ?');
  return (file: StampedFile, id: number) => select?.get(file, id) as Stamp | undefined;
}

type Times = { readonly find: ReturnType<typeof openStamps>; readonly now: string };

/** Stores this version's stamps for the next one, gives the records their times, and returns them by id. */
export function stampRecords(
  database: DatabaseSync,
  records: CatalogRecords,
  { previous, now }: { readonly previous: DatabaseSync | undefined; readonly now?: Date | undefined },
): StampedRecords {
  const times = { find: openStamps(previous), now: now?.toISOString() ?? findLatestTime(records) };
  const insert = database.prepare(
    'INSERT INTO stamps (file, id, fingerprint, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  );
  const entries = catalogFileNames.filter(showsTimes).map((file) => {
    const stamped = records[file].toSorted(byId).map((record) => {
      const { fingerprint, created_at, updated_at } = stampRecord(file, record, times);
      insert.run(file, record.id, fingerprint, created_at, updated_at);
      return Object.assign(record, { created_at, updated_at });
    });
    return [file, stamped];
  });
  return Object.fromEntries(entries) as StampedRecords;
}

// Older than any record.
const NO_TIME = '1970-01-01T00:00:00.000Z';

function findLatestTime(records: CatalogRecords): string {
  const times = catalogFileNames
    .filter(showsTimes)
    .flatMap((file) => records[file].flatMap(({ created_at, updated_at }) => [created_at, updated_at]));
  // All times are in UTC, so their texts sort by time.
  return times.reduce<string>((latest, time) => (time !== undefined && time > latest ? time : latest), NO_TIME);
}

const byId = (a: { readonly id: number }, b: { readonly id: number }): number => a.id - b.id;

// Prefers the record's own times, then those of the published version if the content is unchanged, then now. Times,
// including those of medical information, are not part of the content.
function stampRecord(
  file: StampedFile,
  { created_at, updated_at, ...content }: CatalogRecord<StampedFile>,
  { find, now }: Times,
): Stamp {
  const fingerprint = hash('sha256', JSON.stringify(content, withoutTimes), 'base64url').slice(0, 16);
  const published = find(file, content.id);
  const unchanged = published?.fingerprint === fingerprint ? published : undefined;
  return {
    fingerprint,
    created_at: created_at ?? unchanged?.created_at ?? now,
    updated_at: updated_at ?? unchanged?.updated_at ?? now,
  };
}

const withoutTimes = (field: string, value: unknown): unknown =>
  field === 'created_at' || field === 'updated_at' ? undefined : value;

/** Products that are no longer published, as last published, but inactive. */
export type Withdrawn = {
  readonly products: readonly Product[];
  /** How many of them the published version still offers. */
  readonly added: number;
};

/** Returns products of a file that are not in `published`, by id, with relative images. Throws what `openCatalogFile` throws. */
export function readWithdrawn(file: string, published: ReadonlySet<number>): Withdrawn {
  return readCatalogFile(file, (database) => {
    const withdrawnIds = (table: 'products' | 'withdrawn') => {
      const rows = database.prepare(`SELECT id FROM ${table}`).all();
      return rows.map(({ id }) => Number(id)).filter((id) => !published.has(id));
    };
    const references = readReferences(createRecordReader(database), (image) => image);
    const reader = createProductReader(database, () => references);
    const added = withdrawnIds('products').flatMap((id) => reader.product(id) ?? []);
    const earlier = withdrawnIds('withdrawn').flatMap((id) => reader.withdrawnProduct(id) ?? []);
    const products = [...added, ...earlier].map((product) => ({ ...product, is_active: false }));
    return { products: products.sort((a, b) => a.id - b.id), added: added.length };
  });
}

export function writeWithdrawn(database: DatabaseSync, { products }: Withdrawn): void {
  const insert = database.prepare('INSERT INTO withdrawn (id, content) VALUES (?, ?)');
  for (const product of products) insert.run(product.id, JSON.stringify(product));
}

/** Writes a catalog's records, except withdrawn products, into a new folder from which the same file can be built. */
export function unpackCatalog(file: string, folder: string): void {
  mkdirSync(folder);
  readCatalogFile(file, (database) => {
    const write = (name: string, query: string, unpack: (row: Row) => object) => {
      const file = openSync(join(folder, `${name}.jsonl`), 'wx', 0o600);
      for (const row of database.prepare(query).iterate()) writeSync(file, `${JSON.stringify(unpack(row))}\n`);
      closeSync(file);
    };
    for (const kind of RECORD_KINDS)
      write(kind, `SELECT content FROM records WHERE kind = '${kind}' ORDER BY key`, ({ content }) =>
        JSON.parse(String(content)),
      );
    write('bases', 'SELECT content FROM bases ORDER BY id', unpackBase);
    write('products', 'SELECT content, detail FROM products ORDER BY id', unpackProduct);
  });
}

type Row = ReturnType<StatementSync['all']>[number];

/** With medical information, the group number gives the sanitary fraction. */
function unpackBase({ content }: Row): object {
  const { is_antibiotic = false, medical_information: medical, ...base } = JSON.parse(String(content)) as PublishedBase;
  const isMedicine = base.is_medicine === 'true';
  return {
    ...base,
    sanitary_fraction:
      base.sanitary_fraction ?? (medical && isMedicine ? toSanitaryFraction(medical.group_number) : null),
    is_antibiotic,
    medical_information: medical && { ...medical, base_product: undefined },
  };
}

function unpackProduct({ content, detail }: Row): object {
  const { default_image: _, name_slug: __, ...product } = JSON.parse(String(content)) as PublishedProduct;
  return { ...product, ...(JSON.parse(String(detail)) as PublishedDetail) };
}
