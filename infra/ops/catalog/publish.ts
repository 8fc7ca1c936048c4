import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { buildCatalog, type Compilation } from '../../../shared/catalog/compile/compile.ts';
import { isCatalogFile, toVersion } from '../../../shared/catalog/file/snapshot.ts';
import { catalogSchemas } from '../../../shared/catalog/folder/folder.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import {
  type Judge,
  type Publication,
  type Publishing,
  publishCatalog,
  publishFile,
} from '../../../shared/catalog/publish/publish.ts';
import { unpackCatalog } from '../../../shared/catalog/publish/unpack.ts';
import { downloadSnapshot, readPointer } from '../../../shared/catalog/publish/versions.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { type Command, command } from '../command.ts';
import type { CommandResult, Context } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { flag, recordId } from '../input.ts';
import { bulleted } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import { allErrors, catalogDiff, csvFile, differenceText, representDifference, toInvalidResult } from './diff.ts';
import { createFolderJudge, dangersText, judgeDifference } from './judge.ts';
import { catalogBucket, refuseUnknown } from './published-catalog.ts';
import { catalogCoupons, catalogSearch } from './search.ts';
import { catalogActivate, catalogVersions } from './versions.ts';

const buildInput = z.object({
  folder: z.string(),
  out: z
    .string()
    .meta({ title: 'file' })
    .optional()
    .describe('write the compiled catalog, which `catalog publish` takes'),
  csv: csvFile,
  ontoCurrent: flag.describe('keep the times of unchanged records and the withdrawn products of the current version'),
  all: allErrors,
});

const catalogBuild = command({
  name: 'catalog build',
  summary: 'Check a catalog folder and compile it, without publishing',
  example: 'catalogo/ --out catalogo.sqlite',
  positional: ['folder'],
  input: buildInput,
  run: (input, context) => untilInterrupted((signal) => build(input, context, signal)),
});

type BuildInput = z.output<typeof buildInput>;

async function build({ folder, out, csv, ontoCurrent, all }: BuildInput, context: Context, signal: AbortSignal) {
  if (out !== undefined) refuseForeignFile(out);
  const built = await inScratch(async (scratch) => {
    const file = join(scratch, 'catalog.sqlite');
    const base = ontoCurrent ? await downloadBase(scratch, signal) : { previous: null };
    const compiled = await withProgress('Building', context, (onProgress) =>
      buildCatalog(folder, file, { ...base, csv, onProgress, signal }),
    );
    return 'errors' in compiled ? compiled : { ...compiled, bytes: readFileSync(file) };
  });
  if ('errors' in built) return toInvalidResult(built.errors, all ? 'all' : 'the first');
  const { bytes, ...compilation } = built;
  // Building keeps the process busy, which learns of a Ctrl-C only while the folder is removed.
  signal.throwIfAborted();
  if (out !== undefined) await writeWhole(out, [bytes]);
  const version = toVersion(hash('sha256', bytes));
  return {
    document: { version, ...compilation },
    text: `Version ${version}: ${built.products} products, no errors.\n${bulleted(built.notes)}`,
  };
}

function refuseForeignFile(file: string): void {
  if (existsSync(file) && !isCatalogFile(file))
    throw new CommandRefusal(`${file} is there already and is no catalog: name another file.`);
}

// A record that has changed since the current version gets the time of the build, as it does when it is published.
async function downloadBase(scratch: string, signal: AbortSignal): Promise<{ previous: string; now: Date }> {
  const bucket = catalogBucket();
  const { pointer } = await readPointer(bucket);
  signal.throwIfAborted();
  const previous = pointer && (await downloadSnapshot(bucket, pointer, join(scratch, 'current.sqlite')));
  if (!previous) throw new CommandRefusal('No version is current, or its snapshot is missing or damaged.');
  return { previous, now: new Date() };
}

const publishOptions = {
  label: requiredText(100).meta({ title: 'text' }).optional().describe('what `catalog versions` says of this version'),
  accept: flag.describe('publish also what looks like an accident, of which the refusal says what it is'),
  all: allErrors,
};

const catalogPublish = command({
  name: 'catalog publish',
  summary: 'Check a catalog folder, or a file that `catalog build --out` has written, and make it the current catalog',
  example: "catalogo/ --label 'Precios de diciembre'",
  details: `Without --accept, removing more than 5 % of the products, shipping rates or holidays to come is refused, a price that changes
more than 3 times, a store, valid coupon, shipping method with rates or client's payment method that is removed, and a first
catalog without products.

`,
  positional: ['folderOrFile'],
  input: z.object({
    folderOrFile: z.string(),
    version: z
      .string()
      .meta({ title: 'version' })
      .optional()
      .describe('of a file: the version that `catalog build` printed, without which it is refused'),
    ...publishOptions,
  }),
  check({ folderOrFile, version }) {
    if (version !== undefined && !isFile(folderOrFile))
      throw new UsageError('--version is for a file that `catalog build --out` has written.');
    if (version === undefined && isFile(folderOrFile) && isCatalogFile(folderOrFile))
      throw new UsageError('A file that `catalog build --out` has written needs --version, which it has printed.');
  },
  run: ({ folderOrFile, version, ...options }, context) =>
    publishAs({ ...options, of: 'a folder' }, context, (publishing) =>
      isFile(folderOrFile)
        ? publishFile({ file: folderOrFile, version: version ?? '', ...publishing })
        : withProgress('Publishing', context, (onProgress) =>
            publishCatalog({ folder: folderOrFile, ...publishing, onProgress }),
          ),
    ),
});

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

type Options = z.output<z.ZodObject<typeof publishOptions>>;

/** Publishes under the rules of this operator, and returns what became of it. */
async function publishAs(
  { label, accept, all, of }: Options & { readonly of: 'a folder' | 'the current version' },
  context: Context,
  publish: (publishing: Publishing) => Promise<Publication>,
): Promise<CommandResult> {
  const author = await context.operator();
  const bucket = catalogBucket();
  const judge: Judge =
    of === 'a folder' ? createFolderJudge(bucket, context) : async (comparison) => judgeDifference(comparison, context);
  const publishing: Publishing = {
    ...{ bucket, now: new Date(), label, author, judge: accept ? undefined : judge },
    ...(of === 'the current version' && { isUpdate: true }),
  };
  const publication = await untilInterrupted((signal) => publish({ ...publishing, signal }));
  if (publication.outcome === 'invalid') return toInvalidResult(publication.errors, all ? 'all' : 'the first');
  if (publication.outcome === 'overtaken') throw refusedToOperator('catalog_overtaken', {});
  const { difference } = publication;
  const document = { ...publication, difference: difference && representDifference(difference) };
  const changes = difference ? differenceText(difference, context) : '';
  if (publication.outcome === 'refused')
    return {
      document,
      text: `${changes}\n${dangersText(publication.dangers)}`,
      failure: 'Nothing was published. If all of this is meant, publish with --accept.',
    };
  const { outcome, version, notes } = publication;
  const products = countProducts(publication);
  const sentence =
    outcome === 'published'
      ? `Published version ${version}: ${products}.\n${changes}`
      : `Version ${version} is the current catalog already: only its date is new (${products}).\n`;
  return { document, text: sentence + bulleted(notes) };
}

const countProducts = ({ products, withdrawn }: Compilation): string =>
  withdrawn === 0 ? `${products} products` : `${products} products, ${withdrawn} withdrawn`;

const catalogUpdate = command({
  name: 'catalog update',
  summary:
    'Change or add products of the published catalog by a CSV file, whose header has names of fields; an empty cell leaves the field as it is',
  example: "precios.csv --label 'Precios de diciembre'",
  details: 'With the columns id,price it changes prices. It is refused without --accept as `catalog publish` is.\n\n',
  positional: ['csv'],
  input: z.object({ csv: z.string().describe('a CSV file'), ...publishOptions }),
  run: ({ csv, ...options }, context) => publishUpdate(csv, options, context),
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
    await refuseUnknown('product', products, (catalog, id) => catalog.product(id));
    const label = `${on ? 'shortage of' : 'back:'} ${products.join(', ')}`.slice(0, LONGEST_LABEL);
    const rows = products.map((id) => `${id},${on}\n`);
    return inScratch(async (scratch) => {
      const csv = join(scratch, 'shortage.csv');
      writeFileSync(csv, `id,has_shortage\n${rows.join('')}`);
      return publishUpdate(csv, { label, accept: false, all: false }, context);
    });
  },
});

const LONGEST_LABEL = 100;

/** Publishes the records of the current catalog, changed by a CSV file. */
function publishUpdate(csv: string, options: Options, context: Context): Promise<CommandResult> {
  const folder = (current: string | null, scratch: string) => {
    if (current === null) throw refusedToOperator('catalog_not_published', {});
    const unpacked = join(scratch, 'current');
    unpackCatalog(current, unpacked);
    return unpacked;
  };
  return publishAs({ ...options, of: 'the current version' }, context, (publishing) =>
    withProgress('Publishing', context, (onProgress) => publishCatalog({ ...publishing, folder, csv, onProgress })),
  );
}

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

export const catalogCommands: readonly Command[] = [
  catalogSchema,
  catalogBuild,
  catalogDiff,
  catalogPublish,
  catalogUpdate,
  catalogShortage,
  catalogVersions,
  catalogActivate,
  catalogSearch,
  catalogCoupons,
];
