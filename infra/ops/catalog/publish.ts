import { hash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { requiredText } from '../../../shared/api/fields.ts';
import { buildCatalog, type Compilation, type FolderErrors } from '../../../shared/catalog/compile/compile.ts';
import { isCatalogFile, toVersion } from '../../../shared/catalog/file/snapshot.ts';
import { inScratch } from '../../../shared/catalog/publish/local-files.ts';
import {
  type Judge,
  type Publication,
  type Publishing,
  publishCatalog,
  publishFile,
} from '../../../shared/catalog/publish/publish.ts';
import { downloadSnapshot, readPointer } from '../../../shared/catalog/publish/versions.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import type { CommandResult } from '../call.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { writeWhole } from '../files.ts';
import { flag } from '../input.ts';
import { bulleted } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import { allErrors, csvFile, differenceText, representDifference, toInvalidResult } from './diff.ts';
import { createFolderJudge, dangersText, judgeDifference } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

export const catalogBuild = command({
  name: 'catalog build',
  summary: 'Check a catalog folder and compile it, without publishing',
  example: 'catalogo/ --out catalogo.sqlite',
  positional: ['folder'],
  input: z.object({
    folder: z.string(),
    out: z
      .string()
      .meta({ title: 'file' })
      .optional()
      .describe('write the compiled catalog, which `catalog publish` takes'),
    csv: csvFile,
    ontoCurrent: flag.describe('keep the times of unchanged records and the withdrawn products of the current version'),
    all: allErrors,
  }),
  run: (input, context) => untilInterrupted((signal) => build(input, context, signal)),
});

type BuildInput = {
  readonly folder: string;
  readonly out: string | undefined;
  readonly csv: string | undefined;
  readonly ontoCurrent: boolean;
  readonly all: boolean;
};

async function build({ out, all, ...source }: BuildInput, context: Context, signal: AbortSignal) {
  if (out !== undefined) refuseForeignFile(out);
  const compiled = await compile(source, context, signal);
  if ('errors' in compiled) return toInvalidResult(compiled.errors, all ? 'all' : 'the first');
  const { bytes, ...built } = compiled;
  signal.throwIfAborted();
  if (out !== undefined) await writeWhole(out, [bytes]);
  const version = toVersion(hash('sha256', bytes));
  return {
    document: { version, ...built },
    text: `Version ${version}: ${built.products} products, no errors.\n${bulleted(built.notes)}`,
  };
}

async function compile(
  { folder, csv, ontoCurrent }: Omit<BuildInput, 'out' | 'all'>,
  context: Context,
  signal: AbortSignal,
): Promise<FolderErrors | (Compilation & { readonly bytes: Buffer })> {
  return inScratch(async (scratch) => {
    const file = join(scratch, 'catalog.sqlite');
    const base = ontoCurrent ? await downloadBase(scratch, signal) : { previous: null };
    const built = await withProgress('Building', context, (onProgress) =>
      buildCatalog(folder, file, { ...base, csv, onProgress, signal }),
    );
    return 'errors' in built ? built : { ...built, bytes: readFileSync(file) };
  });
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

/** The options of what publishes. */
export const publishOptions = {
  label: requiredText(100).meta({ title: 'text' }).optional().describe('what `catalog versions` says of this version'),
  accept: flag.describe('publish also what looks like an accident, of which the refusal says what it is'),
  all: allErrors,
};

export const catalogPublish = command({
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

type PublishOptions = {
  readonly label: string | undefined;
  readonly accept: boolean;
  readonly all: boolean;
  readonly of: 'a folder' | 'the current version';
};

/** Publishes under the rules of this operator, and returns what became of it. */
export async function publishAs(
  { label, accept, all, of }: PublishOptions,
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
  return publication.outcome === 'refused'
    ? describeRefused(publication, context)
    : describePublished(publication, context);
}

type Outcome<Name extends Publication['outcome']> = Exclude<
  Publication,
  { readonly outcome: Exclude<Publication['outcome'], Name> }
>;

function describeRefused(publication: Outcome<'refused'>, context: Context): CommandResult {
  return {
    document: representPublication(publication),
    text: `${describeDifference(publication, context)}\n${dangersText(publication.dangers)}`,
    failure: 'Nothing was published. If all of this is meant, publish with --accept.',
  };
}

function describePublished(publication: Outcome<'published' | 'unchanged'>, context: Context): CommandResult {
  const { outcome, version, notes } = publication;
  const sentence =
    outcome === 'published'
      ? `Published version ${version}: ${countProducts(publication)}.\n${describeDifference(publication, context)}`
      : `Version ${version} is the current catalog already: only its date is new (${countProducts(publication)}).\n`;
  return { document: representPublication(publication), text: sentence + bulleted(notes) };
}

type Compared = Outcome<'refused' | 'published'>;

const describeDifference = ({ difference }: Compared, context: Context): string =>
  difference ? differenceText(difference, context) : '';

const representPublication = ({ difference, ...publication }: Compared) => ({
  ...publication,
  difference: difference && representDifference(difference),
});

const countProducts = ({ products, withdrawn }: Compilation): string =>
  withdrawn === 0 ? `${products} products` : `${products} products, ${withdrawn} withdrawn`;
