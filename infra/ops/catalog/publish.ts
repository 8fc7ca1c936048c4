import { join } from 'node:path';
import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { findDangers, findUndoneUpdates } from '../../../shared/catalog/publishing/compare/dangers.ts';
import { unpackCatalog } from '../../../shared/catalog/publishing/compile/previous.ts';
import { catalogSchemas } from '../../../shared/catalog/publishing/folder/folder.ts';
import { readSheet } from '../../../shared/catalog/publishing/import/sheet.ts';
import { type Judge, type Publication, publishCatalog } from '../../../shared/catalog/publishing/publish.ts';
import { changeIds, updateShortages } from '../../../shared/catalog/shortages.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { type Command, command } from '../command.ts';
import type { CommandResult, Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { flag, path, recordId } from '../input.ts';
import { bulleted, factLines } from '../output.ts';
import { interruptSignal, withProgress } from '../prompt.ts';
import { catalogImport, catalogInit, sheetOptions } from './import.ts';
import {
  catalogBucket,
  imagesBucket,
  readPaymentMethods,
  refuseUnknown,
  withPublishedCatalog,
} from './published-catalog.ts';
import { catalogCoupons, catalogSearch } from './search.ts';
import {
  catalogActivate,
  catalogVersions,
  dangersText,
  differenceText,
  representDifference,
  toInvalidResult,
} from './versions.ts';

const LONGEST_LABEL = 100;

const catalogSchema = command({
  name: 'catalog schema',
  summary: 'Print the JSON Schema of a record of every file of a catalog folder, or of one of them',
  example: 'products',
  positional: ['file'],
  input: z.object({ file: z.string().optional() }),
  async run({ file }) {
    const schemas: Readonly<Record<string, unknown>> = catalogSchemas();
    const document = file === undefined ? schemas : schemas[file];
    if (document) return { document, text: `${JSON.stringify(document, null, 2)}\n` };
    throw new UsageError(`There is no file "${file}"; there are ${Object.keys(schemas).join(', ')}.`);
  },
});

const catalogBuild = command({
  name: 'catalog build',
  summary:
    'Check a catalog folder without publishing it, and compare it with the current catalog of a stage, if one is named',
  example: 'catalogo/ --outputs .local/demo.json',
  positional: ['folder'],
  input: z.object({ folder: z.string() }),
  run: async ({ folder }, context) => toResult(await publishFolder({ folder, isTrial: true }, context), context),
});

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
catalog without products.`,
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
folder has them. It is refused without --accept as \`catalog publish\` is.`,
  positional: ['file'],
  input: z.object({ file: path('file').describe('a CSV or .xlsx file'), ...sheetOptions, ...publishOptions }),
  async run({ file, sheet: name, prices, ...options }, context) {
    const folder = (current: string | null, temp: string) => {
      if (current === null) throw refusedToOperator('catalog_not_published', {});
      const unpacked = join(temp, 'current');
      unpackCatalog(current, unpacked);
      return unpacked;
    };
    const sheet = { ...(await readSheet(file, name)), prices };
    return toResult(await publishFolder({ ...options, folder, sheet, isUpdate: true }, context), context);
  },
});

export const catalogShortage = command({
  name: 'catalog shortage',
  summary:
    'Mark products as out of stock, or take the mark away; nothing is published, and clients see it within 31 seconds',
  example: '4 15 --on',
  details: `A product also stays out of stock while the catalog publishes it so, or no store has any of it (\`stock list --below 1\`).`,
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
    const remark = short.length === 0 ? 'None of them is out of stock now.' : undefined;
    return { document: { products, on, out_of_stock: short }, remark };
  },
});

type Publishing = Omit<
  Parameters<typeof publishCatalog>[0],
  'bucket' | 'images' | 'now' | 'author' | 'judge' | 'signal'
> & { readonly accept?: boolean };

async function publishFolder({ accept, ...publishing }: Publishing, context: Context): Promise<Publication> {
  const { isTrial, isUpdate } = publishing;
  const isAlone = isTrial && !process.env.CATALOG_BUCKET;
  const bucket = isAlone ? undefined : catalogBucket();
  const judge: Judge = async (comparison, files) => {
    const dangers = findDangers(comparison, await readPaymentMethods(comparison, context));
    if (isUpdate || !bucket) return dangers;
    return [...dangers, ...(await findUndoneUpdates(comparison, files, bucket))];
  };
  const author = isTrial ? undefined : await context.operator();
  const signal = interruptSignal();
  return withProgress(isTrial ? 'Building' : 'Publishing', context, (onProgress) =>
    publishCatalog({
      ...publishing,
      author,
      judge: accept || isAlone ? undefined : judge,
      bucket,
      images: imagesBucket(),
      now: new Date(),
      signal,
      onProgress,
    }),
  );
}

function toResult(publication: Publication, { stdout }: Context): CommandResult {
  if (publication.outcome === 'invalid') return toInvalidResult(publication.errors);
  if (publication.outcome === 'overtaken') throw refusedToOperator('catalog_overtaken', {});
  const { difference, notes, ...facts } = publication;
  const dangers = 'dangers' in publication ? dangersText(publication.dangers) : '';
  const changes = difference ? differenceText(difference, stdout) : '';
  const isRefused = publication.outcome === 'refused';
  return {
    document: { ...publication, difference: difference && representDifference(difference) },
    text: `${factLines({ ...facts, dangers: null, review: null })}${bulleted(notes)}${changes}${dangers}`,
    remark: dangers && !isRefused ? 'Publishing this needs --accept.' : undefined,
    failure: isRefused ? 'Nothing was published. If all of this is meant, publish with --accept.' : undefined,
  };
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
