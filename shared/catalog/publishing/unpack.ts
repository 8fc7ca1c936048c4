import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { toSanitaryFraction } from '../../domain/medicines.ts';
import { type PublishedBase, type PublishedDetail, type PublishedProduct, RECORD_KINDS } from '../file/records.ts';
import { readCatalogFile } from '../file/snapshot.ts';

/** Writes a catalog's records, except withdrawn products, into a new folder from which the same file can be built. */
export function unpackCatalog(file: string, folder: string): void {
  mkdirSync(folder);
  readCatalogFile(file, (database) => {
    for (const kind of RECORD_KINDS) writeLines(folder, kind, selectRecords(database, kind));
    const bases = selectContents(database, 'SELECT content FROM bases ORDER BY id');
    writeLines(folder, 'bases', bases.map(unpackBase));
    const products = selectContents(database, 'SELECT content, detail FROM products ORDER BY id');
    writeLines(folder, 'products', products.map(unpackProduct));
  });
}

function writeLines(folder: string, name: string, records: readonly object[]): void {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, `${name}.jsonl`), lines.join(''), { mode: 0o600 });
}

type Row = { readonly content: unknown; readonly detail?: unknown };

const selectContents = (database: DatabaseSync, query: string): Row[] => database.prepare(query).all() as Row[];

const selectRecords = (database: DatabaseSync, kind: string): object[] =>
  database
    .prepare('SELECT content FROM records WHERE kind = ? ORDER BY key')
    .all(kind)
    .map(({ content }) => JSON.parse(String(content)));

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
