import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { isCatalogFile, toVersion } from '../../../shared/catalog/file/snapshot.ts';
import { buildCatalog } from '../../../shared/catalog/publishing/compile/compile.ts';
import { catalogSchemas } from '../../../shared/catalog/publishing/folder/folder.ts';
import { withTempDir } from '../../../shared/catalog/publishing/local-files.ts';
import {
  type Judge,
  type Publication,
  type Publishing,
  publishCatalog,
  publishFile,
} from '../../../shared/catalog/publishing/publish.ts';
import { unpackCatalog } from '../../../shared/catalog/publishing/unpack.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { type Command, command } from '../command.ts';
import type { CommandResult, Context } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { flag, path, recordId } from '../input.ts';
import { bulleted } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import { listRecordChanges } from './compare.ts';
import { judgeDifference, judgeWhole } from './judge.ts';
import {
  catalogBucket,
  findVersion,
  inInterruptibleScratch,
  readOpenable,
  refuseUnknown,
} from './published-catalog.ts';
import { catalogCoupons, catalogSearch } from './search.ts';
import {
  catalogActivate,
  catalogDiff,
  catalogVersions,
  csvFile,
  dangersText,
  differenceText,
  representDifference,
  toInvalidResult,
  version,
} from './versions.ts';

const catalogBuild = command({
  name: 'catalog build',
  summary: 'Check a catalog folder and compile it, without publishing',
  example: 'catalogo/ --out catalogo.sqlite',
  positional: ['folder'],
  input: z.object({
    folder: z.string(),
    out: path('file').optional().describe('write the compiled catalog, which `catalog publish` takes'),
    csv: csvFile,
    ontoCurrent: flag.describe('keep the times of unchanged records and the withdrawn products of the current version'),
  }),
  async run({ folder, out, csv, ontoCurrent }, context): Promise<CommandResult> {
    if (out !== undefined && existsSync(out) && !isCatalogFile(out))
      throw new CommandRefusal(`${out} is there already and is no catalog: name another file.`);
    const built = await inInterruptibleScratch(async (scratch, signal) => {
      const file = join(scratch, 'catalog.sqlite');
      // A record that has changed since the current version gets the time of the build, as when it is published.
      const base = ontoCurrent ? { previous: join(scratch, 'current.sqlite'), now: new Date() } : { previous: null };
      if (base.previous !== null) writeFileSync(base.previous, await readOpenable(await findVersion(undefined)));
      const compiled = await withProgress('Building', context, (onProgress) =>
        buildCatalog(folder, file, { ...base, csv, onProgress, signal }),
      );
      return 'errors' in compiled ? compiled : { ...compiled, bytes: readFileSync(file) };
    });
    if ('errors' in built) return toInvalidResult(built.errors);
    const { bytes, ...compilation } = built;
    if (out !== undefined) await writeWhole(out, [bytes]);
    const version = toVersion(hash('sha256', bytes));
    return {
      document: { version, ...compilation },
      text: `Version ${version}: ${built.products} products, no errors.\n${bulleted(built.notes)}`,
    };
  },
});

const publishOptions = {
  label: requiredText(100).meta({ title: 'text' }).optional().describe('what `catalog versions` says of this version'),
  accept: flag.describe('publish also what looks like an accident, of which the refusal says what it is'),
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
    version: version.describe('of a file: the version that `catalog build` printed, without which it is refused'),
    ...publishOptions,
  }),
  check({ folderOrFile, version }) {
    const isFile = statSync(folderOrFile, { throwIfNoEntry: false })?.isFile() === true;
    if (isFile !== (version !== undefined))
      throw new UsageError('A file of `catalog build --out` needs --version, which it has printed; a folder has none.');
  },
  run: ({ folderOrFile, version, ...options }, context) =>
    publishAs(options, context, (publishing) =>
      version === undefined
        ? publishFolder({ folder: folderOrFile, ...publishing }, context)
        : publishFile({ file: folderOrFile, version, ...publishing }),
    ),
});

const publishFolder = (input: Parameters<typeof publishCatalog>[0], context: Context): Promise<Publication> =>
  withProgress('Publishing', context, (onProgress) => publishCatalog({ ...input, onProgress }));

type Options = z.output<z.ZodObject<typeof publishOptions>> & Pick<Publishing, 'isUpdate'>;

/** Publishes in the operator's name, unless there are dangers that are not accepted; returns what became of it. */
async function publishAs(
  { accept, ...options }: Options,
  context: Context,
  publish: (publishing: Publishing) => Promise<Publication>,
): Promise<CommandResult> {
  const judge: Judge = async (comparison, { before, after }) =>
    options.isUpdate
      ? judgeDifference(comparison, context)
      : judgeWhole(comparison, () => listRecordChanges(before, after, comparison.difference), context);
  const publishing = { ...options, author: await context.operator(), judge: accept ? undefined : judge };
  const publication = await untilInterrupted((signal) =>
    publish({ ...publishing, bucket: catalogBucket(), now: new Date(), signal }),
  );
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
  const { outcome, version } = publication;
  const count = `${products} products${withdrawn === 0 ? '' : `, ${withdrawn} withdrawn`}`;
  const sentence =
    outcome === 'published'
      ? `Published version ${version}: ${count}.\n${changes}`
      : `Version ${version} is the current catalog already: only its date is new (${count}).\n`;
  return { document, text: sentence + bulleted(notes) };
}

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

const LONGEST_LABEL = 100;

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
  async run({ products: named, on }, context) {
    const products = [...new Set(named)];
    await refuseUnknown('product', products, (catalog, id) => catalog.product(id));
    const label = `${on ? 'shortage of' : 'back:'} ${products.join(', ')}`.slice(0, LONGEST_LABEL);
    const rows = products.map((id) => `${id},${on}\n`);
    return withTempDir(async (scratch) => {
      const csv = join(scratch, 'shortage.csv');
      writeFileSync(csv, `id,has_shortage\n${rows.join('')}`);
      return publishUpdate(csv, { label, accept: false }, context);
    });
  },
});

/** Publishes the records of the current catalog, changed by a CSV file. */
function publishUpdate(csv: string, options: Options, context: Context): Promise<CommandResult> {
  const folder = (current: string | null, scratch: string) => {
    if (current === null) throw refusedToOperator('catalog_not_published', {});
    const unpacked = join(scratch, 'current');
    unpackCatalog(current, unpacked);
    return unpacked;
  };
  return publishAs({ ...options, isUpdate: true }, context, (publishing) =>
    publishFolder({ ...publishing, folder, csv }, context),
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
