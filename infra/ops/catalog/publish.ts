import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { toVersion } from '../../../shared/catalog/file/snapshot.ts';
import { findDangers, findUndoneUpdates } from '../../../shared/catalog/publishing/compare/dangers.ts';
import { listRecordChanges } from '../../../shared/catalog/publishing/compare/record-changes.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { unpackCatalog } from '../../../shared/catalog/publishing/compile/previous.ts';
import { catalogSchemas } from '../../../shared/catalog/publishing/folder/folder.ts';
import type { ProductSheet } from '../../../shared/catalog/publishing/folder/product-table.ts';
import type { Prices } from '../../../shared/catalog/publishing/import/headings.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import { withTempDir } from '../../../shared/catalog/publishing/versions.ts';
import { type Judge, type Publication, publishCatalog, type Trial } from '../../../shared/catalog/publishing/publish.ts';
import { unpackCatalog } from '../../../shared/catalog/publishing/compile/previous.ts';
import { changeIds, updateShortages } from '../../../shared/catalog/shortages.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { type Command, command } from '../command.ts';
import type { CommandResult, Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { flag, path, recordId } from '../input.ts';
import { bulleted } from '../output.ts';
import { interruptSignal, withProgress } from '../prompt.ts';
import { catalogActivate, catalogVersions, dangersText, differenceText, representDifference, toInvalidResult } from './versions.ts';
import { catalogImport, catalogInit, sheetOptions } from './import.ts';
import { catalogBucket, imagesBucket, interruptibly, readPaymentMethods, refuseUnknown, withPublishedCatalog } from './published-catalog.ts';
import { catalogCoupons, catalogSearch } from './search.ts';

const LONGEST_LABEL = 100;

const catalogSchema = command({
  name: 'catalog schema',
  summary: 'Print the JSON Schema of a record of every file of a catalog folder, or of one of them',
  example: 'products',
  positional: ['file'],
  input: z.object({ file: z.string().optional() }),
  async run({ file }) {
    const schemas: Readonly<Record<string, unknown>> = catalogSchemas();
    if (file === undefined) return { document: schemas };
    if (Object.hasOwn(schemas, file)) return { document: schemas[file] };
    throw new UsageError(`There is no file "${file}"; there are ${Object.keys(schemas).join(', ')}.`);
  },
});

const catalogBuild = command({
  name: 'catalog build',
  summary:
    'Check a catalog folder without publishing it, and compare it with the current catalog of a stage, if one is named',
  example: 'catalogo/ --outputs .local/demo.json',
  positional: ['folder'],
  input: z.object({
    folder: z.string(),
    csv: path('file').optional().describe('change or add products by this sheet, as `catalog update` does'),
    ...sheetOptions,
  }),
  async run({ folder, csv, ...options }, context): Promise<CommandResult> {
    const input = { folder, sheet: csv === undefined ? undefined : await readProductSheet(csv, options) };
    const publication = process.env.CATALOG_BUCKET
      ? await publishFolder({ ...input, isTrial: true }, context)
      : await buildAlone(input, context);
    if (publication.outcome === 'invalid') return toInvalidResult(publication.errors);
    if (publication.outcome !== 'tried') throw new Error(`A trial has ${publication.outcome} the catalog`);
    const { outcome: _, difference, ...trial } = publication;
    return {
      document: { ...trial, difference: difference && representDifference(difference) },
      text: trialText(publication, context),
    };
  },
});

type FolderInput = { readonly folder: string; readonly sheet: ProductSheet | undefined };
type SheetOptions = { readonly sheet?: string | undefined; readonly prices?: Prices | undefined };

const readProductSheet = async (file: string, { sheet, prices }: SheetOptions): Promise<ProductSheet> => ({
  ...(await readSheet(file, sheet)),
  prices,
});

/** Builds a folder as a first version. */
const buildAlone = ({ folder, sheet }: FolderInput, context: Context): Promise<Publication> =>
  interruptibly((signal) =>
    withTempDir(async (temp): Promise<Publication> => {
      const file = join(temp, 'catalog.sqlite');
      const build = await withProgress('Building', context, (onProgress) =>
        buildCatalog(folder, file, { previous: null, sheet, onProgress, signal }),
      );
      if ('errors' in build) return { outcome: 'invalid', ...build };
      const version = toVersion(hash('sha256', readFileSync(file)));
      return {
        outcome: 'tried',
        version,
        current: null,
        difference: null,
        dangers: [],
        ...build,
        images: build.images.length,
      };
    }),
  );

function trialText(
  { version, products, images, notes, current, difference, dangers }: Trial,
  context: Context,
): string {
  const compared = difference ? `Compared with version ${current}:\n${differenceText(difference, context)}` : '';
  const warning = dangers.length > 0 ? `\nPublishing this needs --accept:\n${dangersText(dangers)}` : '';
  return `Version ${version}: ${products} products and ${images} images, no errors.\n${bulleted(notes)}${compared}${warning}`;
}

const publishOptions = {
  label: requiredText(LONGEST_LABEL)
    .meta({ title: 'text' })
    .optional()
    .describe('what `catalog versions` says of this version'),
  accept: flag.describe('publish also what looks like an accident, of which the refusal says what it is'),
};

const catalogPublish = command({
  name: 'catalog publish',
  summary: 'Check a catalog folder and make it the current catalog',
  example: "catalogo/ --label 'Precios de diciembre'",
  details: `Without --accept, removing more than 5 % of the products, shipping rates or holidays to come is refused, a price that changes
more than 3 times, a store, valid coupon, shipping method with rates or client's payment method that is removed, and a first
catalog without products.

`,
  positional: ['folder'],
  input: z.object({ folder: z.string(), ...publishOptions }),
  run: async (input, context) => toResult(await publishFolder(input, context), context),
});

const catalogUpdate = command({
  name: 'catalog update',
  summary:
    'Change or add products of the published catalog by a sheet with the headings of fields or of an import; an empty cell leaves the field as it is',
  example: "precios.csv --label 'Precios de diciembre'",
  details: `Products are found by the column id, or by the barcode. With the columns id,price it changes prices, before IVA as the
folder has them. It is refused without --accept as \`catalog publish\` is.

`,
  positional: ['file'],
  input: z.object({ file: path('file').describe('a CSV or .xlsx file'), ...sheetOptions, ...publishOptions }),
  run: publishUpdate,
});

export const catalogShortage = command({
  name: 'catalog shortage',
  summary:
    'Mark products as out of stock, or take the mark away; nothing is published, and clients see it within 31 seconds',
  example: '4 15 --on',
  details: `A product also stays out of stock while the catalog publishes it so, or no store has any of it (\`stock list --below 1\`).

`,
  positional: ['products'],
  input: z.object({
    products: z.array(recordId).min(1).describe('ids of products'),
    on: flag.describe('they cannot be bought for the time being'),
    off: flag.describe('they can be bought again'),
  }),
  oneOf: { names: ['on', 'off'], isRequired: true },
  async run({ products: ids, on }) {
    const products = [...new Set(ids)];
    await refuseUnknown('product', products, (catalog, id) => catalog.product(id));
    await updateShortages(catalogBucket(), (before) => {
      return { ...before, marked: changeIds(before.marked, products, on) };
    });
    const short = await withPublishedCatalog((catalog) =>
      products.filter((id) => catalog.product(id)?.has_shortage === true),
    );
    const text = on
      ? `Out of stock: ${products.join(', ')}.\n`
      : `The marks are gone: ${products.join(', ')}.\n${short.length > 0 ? `Still out of stock: ${short.join(', ')}.\n` : ''}`;
    return { document: { products, on, out_of_stock: short }, text };
  },
});

type Options = { readonly label?: string | undefined; readonly accept?: boolean };

/** Publishes the records of the current catalog, changed by a sheet. */
async function publishUpdate(
  { file, sheet: name, prices, ...options }: Options & SheetOptions & { readonly file: string },
  context: Context,
) {
  const folder = (current: string | null, temp: string) => {
    if (current === null) throw refusedToOperator('catalog_not_published', {});
    const unpacked = join(temp, 'current');
    unpackCatalog(current, unpacked);
    return unpacked;
  };
  const sheet = await readProductSheet(file, { sheet: name, prices });
  return toResult(await publishFolder({ ...options, folder, sheet, isUpdate: true }, context), context);
}

type Publishing = Omit<
  Parameters<typeof publishCatalog>[0],
  'bucket' | 'images' | 'now' | 'author' | 'judge' | 'signal'
> &
  Options;

/** Publishes in the operator's name, unless there are dangers that are not accepted. */
async function publishFolder({ accept, ...publishing }: Publishing, context: Context): Promise<Publication> {
  const bucket = catalogBucket();
  const judge: Judge = async (comparison, { before, after }) => {
    const dangers = findDangers(comparison, await readPaymentMethods(comparison, context));
    if (publishing.isUpdate) return dangers;
    const listRecords = () => listRecordChanges(before, after, comparison.difference);
    return [...dangers, ...(await findUndoneUpdates(comparison, listRecords, bucket))];
  };
  const author = publishing.isTrial ? undefined : await context.operator();
  const signal = interruptSignal();
  return withProgress(publishing.isTrial ? 'Building' : 'Publishing', context, (onProgress) =>
    publishCatalog({
      ...publishing,
      author,
      judge: accept ? undefined : judge,
      bucket,
      images: imagesBucket(),
      now: new Date(),
      signal,
      onProgress,
    }),
  );
}

function toResult(publication: Publication, context: Context): CommandResult {
  if (publication.outcome === 'invalid') return toInvalidResult(publication.errors);
  if (publication.outcome === 'overtaken') throw refusedToOperator('catalog_overtaken', {});
  const { difference, products, withdrawn, notes } = publication;
  const document = { ...publication, difference: difference && representDifference(difference) };
  const changes = difference ? differenceText(difference, context) : '';
  if (publication.outcome === 'refused')
    return {
      document,
      text: `${changes}\n${dangersText(publication.dangers)}`,
      failure: 'Nothing was published. If all of this is meant, publish with --accept.',
    };
  const { outcome, version, images, new_images } = publication;
  const pictures = images > 0 ? `, ${images} images, ${new_images} of them new` : '';
  const count = `${products} products${withdrawn === 0 ? '' : `, ${withdrawn} withdrawn`}${pictures}`;
  const sentence =
    outcome === 'published'
      ? `Published version ${version}: ${count}.\n${changes}`
      : `Version ${version} is the current catalog already: only its date is new (${count}).\n`;
  return { document, text: sentence + bulleted(notes) };
}

export const catalogCommands: readonly Command[] = [
  catalogSchema,
  catalogInit,
  catalogImport,
  catalogBuild,
  catalogPublish,
  catalogUpdate,
  catalogShortage,
  catalogVersions,
  catalogActivate,
  catalogSearch,
  catalogCoupons,
];
