import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import {
  type PublishedBase,
  type PublishedDetail,
  type PublishedProduct,
  RECORD_KINDS,
} from '../../../shared/catalog/file/records.ts';
import { openCatalogFile } from '../../../shared/catalog/file/snapshot.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import { type Publishing, publishCatalog } from '../../../shared/catalog/publish/publish.ts';
import { namesAntibiotic, needsPrescription, toSanitaryFraction } from '../../../shared/domain/medicines.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandRefusal } from '../errors.ts';
import { flag, recordId } from '../input.ts';
import { withProgress } from '../prompt.ts';
import { publishAs, publishOptions } from './publish.ts';
import { withPublishedCatalog } from './published-catalog.ts';

export const catalogUpdate = command({
  name: 'catalog update',
  summary:
    'Change or add products of the published catalog by a CSV file, whose header has names of fields; an empty cell leaves the field as it is',
  example: "precios.csv --label 'Precios de diciembre'",
  details: 'With the columns id,price it changes prices. It is refused without --accept as `catalog publish` is.\n\n',
  positional: ['csv'],
  input: z.object({ csv: z.string().describe('a CSV file'), ...publishOptions }),
  run: ({ csv, ...options }, context) =>
    publishAs({ ...options, of: 'the current version' }, context, (publishing) =>
      publishUpdate(csv, publishing, context),
    ),
});

export const catalogShortage = command({
  name: 'catalog shortage',
  summary: 'Mark products of the published catalog as out of stock, or as back',
  example: '4 15 --on',
  positional: ['products'],
  input: z.object({
    products: z.array(recordId).min(1).describe('ids of products'),
    on: flag.describe('they cannot be bought for the time being'),
    off: flag.describe('they can be bought again'),
  }),
  oneOf: { names: ['on', 'off'], isRequired: true },
  async run({ products, on }, context) {
    await refuseUnknownProducts(products);
    const label = `${on ? 'shortage of' : 'back:'} ${products.join(', ')}`.slice(0, LONGEST_LABEL);
    const rows = products.map((id) => `${id},${on}\n`);
    return inScratch(async (scratch) => {
      const csv = join(scratch, 'shortage.csv');
      writeFileSync(csv, `id,has_shortage\n${rows.join('')}`);
      const options = { label, accept: false, all: false, of: 'the current version' } as const;
      return publishAs(options, context, (publishing) => publishUpdate(csv, publishing, context));
    });
  },
});

const LONGEST_LABEL = 100;

/** Throws a CommandRefusal that names the products that the published catalog does not have. */
async function refuseUnknownProducts(ids: readonly number[]): Promise<void> {
  const unknown = await withPublishedCatalog((catalog) => ids.filter((id) => !catalog.product(id)));
  if (unknown.length > 0) throw new CommandRefusal(`The published catalog has no product ${unknown.join(', ')}.`);
}

/** Publishes the records of the current catalog, changed by a CSV file. */
const publishUpdate = (csv: string, publishing: Publishing, context: Context) =>
  withProgress('Publishing', context, (onProgress) =>
    publishCatalog({
      ...publishing,
      csv,
      onProgress,
      folder: (current, scratch) => {
        if (current === null) throw refusedToOperator('catalog_not_published', {});
        const folder = join(scratch, 'current');
        unpackCatalog(current, folder);
        return folder;
      },
    }),
  );

/**
 * Writes the records of a published catalog into a new folder, as its operator would write them, with their times: published
 * again, the folder is the same version. Products that were withdrawn are none of its records.
 */
function unpackCatalog(file: string, folder: string): void {
  mkdirSync(folder);
  const database = openCatalogFile(file);
  try {
    const products = selectContents(database, 'SELECT content, detail FROM products ORDER BY id').map(unpackProduct);
    const files = [
      ...RECORD_KINDS.map((kind) => [kind, selectRecords(database, kind)] as const),
      ['bases', selectContents(database, 'SELECT content FROM bases ORDER BY id').map(unpackBase)] as const,
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

type Row = { readonly content: unknown; readonly detail?: unknown };

const selectContents = (database: DatabaseSync, query: string): Row[] => database.prepare(query).all() as Row[];

const selectRecords = (database: DatabaseSync, kind: string): object[] =>
  database
    .prepare('SELECT content FROM records WHERE kind = ? ORDER BY key')
    .all(kind)
    .map(({ content }) => JSON.parse(String(content)));

/** Leaves out what follows from the rest, so that the record has the fingerprint that it was published with. */
function unpackBase({ content }: Row): object {
  const { is_antibiotic = false, medical_information: medical, ...base } = JSON.parse(String(content)) as PublishedBase;
  const fraction =
    base.sanitary_fraction ?? (medical && isMedicine(base) ? toSanitaryFraction(medical.group_number) : null);
  const isInferred =
    fraction !== null && needsPrescription(fraction) && namesAntibiotic(medical?.active_ingredient ?? '');
  return {
    ...base,
    sanitary_fraction: fraction,
    is_antibiotic: isInferred === is_antibiotic ? null : is_antibiotic,
    medical_information: medical && { ...medical, base_product: undefined },
  };
}

const isMedicine = ({ is_medicine }: Pick<PublishedBase, 'is_medicine'>): boolean => is_medicine === 'true';

type UnpackedProduct = { readonly sat_key: string };

function unpackProduct({ content, detail }: Row): UnpackedProduct {
  const { default_image: _, name_slug: __, ...product } = JSON.parse(String(content)) as PublishedProduct;
  return { ...product, ...(JSON.parse(String(detail)) as PublishedDetail) };
}

/** Keys that the shipped list lacks were named by a file of the folder, which is not published. */
const listProductKeys = (products: readonly UnpackedProduct[]): object[] =>
  [...new Set(products.map(({ sat_key }) => sat_key))].sort().map((key) => ({ key, name: key }));
