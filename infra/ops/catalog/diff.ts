import * as z from 'zod';
import {
  countPriceSizes,
  type Difference,
  type PriceChange,
  type PriceSize,
} from '../../../shared/catalog/compare/compare.ts';
import { COMPARED_KINDS } from '../../../shared/catalog/compare/content.ts';
import type { FolderError } from '../../../shared/catalog/folder/record-lines.ts';
import type { Judge } from '../../../shared/catalog/publish/publish.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { command } from '../command.ts';
import type { CommandIo, CommandResult, Context } from '../context.ts';
import { CommandRefusal, UsageError } from '../errors.ts';
import { flag } from '../input.ts';
import { countText, printable, textTable } from '../output.ts';
import { untilInterrupted, withProgress } from '../prompt.ts';
import { compareFolder, compareVersions, type Incomparable, type RecordChange } from './compare-versions.ts';
import { createFolderJudge, dangersText, judgeDifference, judgeVersions } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

/** A CSV file of products that a folder is changed by. */
export const csvFile = z
  .string()
  .meta({ title: 'file' })
  .optional()
  .describe('change or add products by this CSV file, whose header has names of fields: id,price');
export const allErrors = flag.describe('list all errors, not only 50 of each kind');

const version = z.string().meta({ title: 'version' }).optional();

const diffInput = z.object({
  folder: z.string().optional(),
  csv: csvFile,
  from: version,
  to: version.describe('compare this published version instead of a folder, and name the records that differ'),
  all: allErrors,
});
type DiffInput = z.output<typeof diffInput>;

export const catalogDiff = command({
  name: 'catalog diff',
  summary: 'Compare a catalog folder, or another version with --to, with the current catalog or that of --from',
  example: '--from 0123456789abcdef --to fedcba9876543210',
  positional: ['folder'],
  input: diffInput,
  check({ folder, csv, to }) {
    if ((folder === undefined) === (to === undefined)) throw new UsageError('Give either a folder or --to.');
    if (to !== undefined && csv !== undefined) throw new UsageError('--csv is for a folder.');
  },
  run: async (input, context): Promise<CommandResult> =>
    input.to === undefined ? diffFolder(input, context) : diffVersions({ from: input.from, to: input.to }, context),
});

async function diffFolder({ folder = '', csv, from, all }: DiffInput, context: Context) {
  const bucket = catalogBucket();
  // Updates are undone by a folder that is published on the current version.
  const judge: Judge =
    from === undefined ? createFolderJudge(bucket, context) : (comparison) => judgeDifference(comparison, context);
  const input = { folder, csv, from, bucket, now: new Date(), judge };
  const compared = await untilInterrupted((signal) =>
    withProgress('Comparing', context, (onProgress) => compareFolder({ ...input, onProgress, signal })),
  );
  if (compared.outcome === 'invalid') return toInvalidResult(compared.errors, all ? 'all' : 'the first');
  if (compared.outcome !== 'compared')
    throw refuseIncomparable(compared, 'There is no such version, or none is current: `catalog versions` lists them.');
  const { dangers, difference } = compared;
  const warning = dangers.length > 0 ? `\nPublishing this needs --accept:\n${dangersText(dangers)}` : '';
  return {
    document: { from: compared.from, ...representDifference(difference), dangers },
    text: `Compared with version ${compared.from}:\n${differenceText(difference, context)}${warning}`,
  };
}

async function diffVersions(versions: { readonly from: string | undefined; readonly to: string }, context: Context) {
  const input = { ...versions, bucket: catalogBucket(), now: new Date() };
  const compared = await untilInterrupted((signal) => compareVersions({ ...input, signal }));
  if (compared.outcome !== 'compared') throw refuseIncomparable(compared);
  const { from, to, difference, records, forgotten } = compared;
  const dangers = await judgeVersions(compared, context);
  const warning =
    dangers.length > 0 ? `\nGoing from the first to the second needs --accept:\n${dangersText(dangers)}` : '';
  const text = `Version ${to} compared with ${from}:\n${differenceText(difference, context)}`;
  return {
    document: { from, to, ...representDifference(difference), records, forgotten, dangers },
    text: `${text}${recordsText(records, context)}${warning}`,
  };
}

function refuseIncomparable({ outcome, version }: Incomparable, unknown?: string): Error {
  if (outcome === 'unknown' && unknown !== undefined) return new CommandRefusal(unknown);
  if (version === undefined) return refusedToOperator('catalog_not_published', {});
  return refusedToOperator(outcome === 'unknown' ? 'version_unknown' : 'snapshot_incomparable', { version });
}

/** Returns a table of the kinds of records that differ, and one of the sizes of the changes of prices. */
export function differenceText({ kinds, prices }: Difference, io: CommandIo): string {
  const rows = COMPARED_KINDS.map((kind) => {
    const { added, removed, changed } = kinds[kind];
    return { kind, added: added.length, removed: removed.length, changed: changed.length };
  }).filter(({ added, removed, changed }) => added + removed + changed > 0);
  if (rows.length === 0) return 'No record differs.\n';
  const table = textTable(['kind', 'added', 'removed', 'changed'], rows, io);
  return prices.length === 0 ? table : `${table}\n${priceText(prices, io)}`;
}

function priceText(prices: readonly PriceChange[], io: CommandIo): string {
  const sizes = countPriceSizes(prices).filter(({ raised, lowered }) => raised + lowered > 0);
  const rows = sizes.map(({ upToPercent, ...counts }) => ({ price: describeSize(upToPercent), ...counts }));
  const { kind, id, before, after } = prices[0] ?? { kind: '', id: '', before: '', after: '' };
  const largest = `The largest change of a price: ${kind} ${id}, ${before} to ${after}.\n`;
  return textTable(['price', 'raised', 'lowered'], rows, io) + largest;
}

const describeSize = (upToPercent: PriceSize['upToPercent']): string =>
  upToPercent === null ? 'more than 3 times' : `up to ${upToPercent / 100} times`;

export const representDifference = (difference: Difference) => ({
  kinds: difference.kinds,
  price_sizes: countPriceSizes(difference.prices).map(({ upToPercent: up_to_percent, ...counts }) => {
    return { up_to_percent, ...counts };
  }),
  prices: difference.prices,
});

const SHOWN = 50;

/** Returns a table of the records that differ, of the first 50 of them. */
function recordsText(records: readonly RecordChange[], io: CommandIo): string {
  if (records.length === 0) return '';
  const rows = records.slice(0, SHOWN).map(({ key: id, fields, ...named }) => {
    return { ...named, id, fields: fields.join(' ') };
  });
  const rest = records.length - rows.length;
  const more = rest > 0 ? `${rest} more, which --json lists.\n` : '';
  return `\n${textTable(['change', 'kind', 'id', 'name', 'fields'], rows, io)}${more}`;
}

/** Returns the errors of a folder as the result of a command; `--json` has all of them. */
export const toInvalidResult = (errors: readonly FolderError[], shown: 'the first' | 'all') => ({
  document: { errors },
  text: shown === 'all' ? errors.map(errorLine).join('') : firstOfEachKind(errors),
  failure: `${countText(errors.length, 'error')}, nothing was published.`,
});

// Errors of one field of one file are of one kind, and those of whole lines by what they say.
const toKind = ({ file, field, message }: FolderError): string =>
  `${file} ${field.replaceAll(/\[\d+\]/g, '') || message.replaceAll(/\d+/g, '')}`;

function firstOfEachKind(errors: readonly FolderError[]): string {
  const kinds = [...Map.groupBy(errors, toKind).values()];
  const shown = new Set(kinds.flatMap((kind) => kind.slice(0, SHOWN)));
  const rest = kinds.filter((kind) => kind.length > SHOWN).map((kind) => describeRest(kind));
  return [...errors.filter((error) => shown.has(error)).map(errorLine), ...rest].join('');
}

function describeRest(kind: readonly FolderError[]): string {
  const { file = '', field = '' } = kind[0] ?? {};
  return `${printable(`${file} ${field}`.trim())}: ${kind.length - SHOWN} more of this kind, which --all lists.\n`;
}

// Names of fields and files may be anything.
const errorLine = (error: FolderError): string => `${printable(`${formatPlace(error)}: ${error.message}`)}\n`;

// A missing file has no line, a missing folder not even a file.
const formatPlace = ({ file, line, field }: FolderError): string =>
  `${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}`;
