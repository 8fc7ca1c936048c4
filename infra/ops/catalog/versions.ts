import * as z from 'zod';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { countPriceSizes, type Difference } from '../../../shared/catalog/publishing/compare/compare.ts';
import { COMPARED_KINDS } from '../../../shared/catalog/publishing/compare/content.ts';
import type { FolderError } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { activateVersion, type Danger } from '../../../shared/catalog/publishing/publish.ts';
import { listPublishedVersions, type VersionDifference } from '../../../shared/catalog/publishing/versions.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { command } from '../command.ts';
import type { CommandIo, CommandResult, Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { flag, path } from '../input.ts';
import { bulleted, countText, printable, recordTable } from '../output.ts';
import { withProgress } from '../prompt.ts';
import {
  compareFolder,
  compareIfOpenable,
  compareVersions,
  type Folder,
  type RecordChange,
  type Versions,
} from './compare.ts';
import { judgeDifference, judgeVersions, judgeWhole } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

/** The id of a published version. */
export const version = z.string().meta({ title: 'version' }).optional();

export const catalogVersions = command({
  name: 'catalog versions',
  summary: 'List the published versions, the newest first, with who published them and what each changed',
  async run(_, context) {
    const { current = null, versions } = await listPublishedVersions(catalogBucket());
    const rows = versions.map(({ version, published_at, products, compressed_bytes, author, label, difference }) => ({
      ' ': version === current ? '*' : ' ',
      version,
      published_at,
      products,
      size: `${Math.ceil(compressed_bytes / 1024)} kB`,
      author,
      label,
      difference: difference && differenceCell(difference),
    }));
    return { document: { current, versions }, text: recordTable(rows, context) || 'No catalog was published yet.\n' };
  },
});

function differenceCell({ kinds }: VersionDifference): string {
  const parts = Object.entries(kinds).map(([kind, { added, removed, changed }]) => {
    const counts = Object.entries({ added, removed, changed }).filter(([, count]) => count > 0);
    return `${kind}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`;
  });
  return parts.join('; ') || 'no record differs';
}

const REFUSED_ACTIVATIONS = {
  unknown: 'version_unknown',
  damaged: 'snapshot_damaged',
  incompatible: 'snapshot_of_older_format',
  overtaken: 'catalog_overtaken',
} as const;

export const catalogActivate = command({
  name: 'catalog activate',
  summary: 'Go back to a version that was published before',
  example: '0123456789abcdef',
  positional: ['version'],
  input: z.object({
    version: z.string(),
    from: version.describe('refuse it unless this version is current, from which one has looked at the difference'),
    accept: flag.describe(
      'go back also if that removes or changes what publishing would ask about, or to a version that does not know products that orders may hold',
    ),
  }),
  async run({ version, from, accept }, context): Promise<CommandResult> {
    const bucket = catalogBucket();
    const read = await readPointer(bucket);
    if (from !== undefined && from !== read.pointer?.version) throw refusedToOperator('catalog_overtaken', {});
    // A current version that cannot be compared is no reason to stay, as going back repairs it.
    const compared = accept ? undefined : await compareIfOpenable({ from: undefined, to: version });
    const dangers = compared ? await judgeVersions(compared, context) : [];
    if (compared && dangers.length > 0)
      return {
        document: { outcome: 'refused', version, difference: representDifference(compared.difference), dangers },
        text: `${differenceText(compared.difference, context)}\n${dangersText(dangers)}`,
        failure: 'The current version stays. If all of this is meant, activate with --accept.',
      };
    const outcome = await activateVersion({ version, read, bucket, now: new Date() });
    if (outcome !== 'activated' && outcome !== 'unchanged')
      throw refusedToOperator(REFUSED_ACTIVATIONS[outcome], { version });
    const already = outcome === 'unchanged' ? ' already' : '';
    return { document: { outcome, version }, text: `Version ${version} is the current catalog${already}.\n` };
  },
});

/** A CSV file of products that a folder is changed by. */
export const csvFile = path('file')
  .optional()
  .describe('change or add products by this CSV file, whose header has names of fields: id,price');

export const catalogDiff = command({
  name: 'catalog diff',
  summary: 'Compare a catalog folder, or another version with --to, with the current catalog or that of --from',
  example: '--from 0123456789abcdef --to fedcba9876543210',
  positional: ['folder'],
  input: z.object({
    folder: z.string().optional(),
    csv: csvFile,
    from: version,
    to: version.describe('compare this published version instead of a folder, and name the records that differ'),
  }),
  check({ folder, csv, to }) {
    if ((folder === undefined) === (to === undefined)) throw new UsageError('Give either a folder or --to.');
    if (to !== undefined && csv !== undefined) throw new UsageError('--csv is for a folder.');
  },
  run: async ({ folder = '', csv, from, to }, context): Promise<CommandResult> =>
    to === undefined ? diffFolder({ folder, csv, from }, context) : diffVersions({ from, to }, context),
});

async function diffFolder(input: Omit<Folder, 'onProgress'>, context: Context): Promise<CommandResult> {
  const compared = await withProgress('Comparing', context, (onProgress) => compareFolder({ ...input, onProgress }));
  if ('errors' in compared) return toInvalidResult(compared.errors);
  const { from, difference, records } = compared;
  // Updates are undone by a folder that is published on the current version.
  const dangers =
    input.from === undefined
      ? await judgeWhole(compared, () => records, context)
      : await judgeDifference(compared, context);
  const text = `Compared with version ${from}:\n${differenceText(difference, context)}`;
  return {
    document: { from, ...representDifference(difference), dangers },
    text: `${text}${warningText('Publishing this', dangers)}`,
  };
}

async function diffVersions(versions: Versions, context: Context): Promise<CommandResult> {
  const compared = await compareVersions(versions);
  const { from, difference, records, forgotten } = compared;
  const dangers = await judgeVersions(compared, context);
  const text = `Version ${versions.to} compared with ${from}:\n${differenceText(difference, context)}`;
  return {
    document: { from, to: versions.to, ...representDifference(difference), records, forgotten, dangers },
    text: `${text}${recordsText(records, context)}${warningText('Going from the first to the second', dangers)}`,
  };
}

const warningText = (what: string, dangers: readonly Danger[]): string =>
  dangers.length > 0 ? `\n${what} needs --accept:\n${dangersText(dangers)}` : '';

export const dangersText = (dangers: readonly Danger[]): string => bulleted(dangers.map(({ message }) => message));

/** Returns a table of the kinds of records that differ, and one of the sizes of the changes of prices. */
export function differenceText({ kinds, prices }: Difference, io: CommandIo): string {
  const rows = COMPARED_KINDS.map((kind) => {
    const { added, removed, changed } = kinds[kind];
    return { kind, added: added.length, removed: removed.length, changed: changed.length };
  }).filter(({ added, removed, changed }) => added + removed + changed > 0);
  return `${recordTable(rows, io) || 'No record differs.\n'}${priceText(prices, io)}`;
}

function priceText(prices: Difference['prices'], io: CommandIo): string {
  const [largest] = prices;
  if (largest === undefined) return '';
  const rows = countPriceSizes(prices)
    .filter(({ raised, lowered }) => raised + lowered > 0)
    .map(({ upToPercent: most, ...counts }) => ({
      price: most === null ? 'more than 3 times' : `up to ${most / 100} times`,
      ...counts,
    }));
  const { kind, id, before, after } = largest;
  return `\n${recordTable(rows, io)}The largest change of a price: ${kind} ${id}, ${before} to ${after}.\n`;
}

export const representDifference = ({ kinds, prices }: Difference) => ({
  kinds,
  price_sizes: countPriceSizes(prices).map(({ upToPercent: up_to_percent, ...counts }) => {
    return { up_to_percent, ...counts };
  }),
  prices,
});

const NAMED = 10;

/** Returns a table of the records that differ: of each kind the first ten of each change, and how many there are more. */
function recordsText(records: readonly RecordChange[], io: CommandIo): string {
  const groups = [...Map.groupBy(records, ({ kind, change }) => `${kind} ${change}`)];
  const rows = groups.flatMap(([, group]) =>
    group.slice(0, NAMED).map(({ change, kind, key: id, name, fields }) => {
      return { change, kind, id, name, fields: fields.join(' ') };
    }),
  );
  const more = groups
    .filter(([, group]) => group.length > NAMED)
    .map(([what, group]) => `${what}: ${group.length - NAMED} more, which --json lists.\n`);
  return rows.length === 0 ? '' : `\n${recordTable(rows, io)}${more.join('')}`;
}

/** Returns the errors of a folder as the result of a command: the first 50 of each field of a file. */
export const toInvalidResult = (errors: readonly FolderError[]) => ({
  document: { errors },
  text: [...Map.groupBy(errors, toKind).values()].map(errorsText).join(''),
  failure: `${countText(errors.length, 'error')}, nothing was published.`,
});

// Errors of one field of one file are of one kind, and those of whole lines by what they say.
const toKind = ({ file, field, message }: FolderError): string =>
  `${file} ${field.replaceAll(/\[\d+\]/g, '') || message.replaceAll(/\d+/g, '')}`;

const SHOWN = 50;

function errorsText(errors: readonly FolderError[]): string {
  const { file = '', field = '' } = errors[0] ?? {};
  const rest = errors.length - SHOWN;
  const more = rest > 0 ? `${printable(`${file} ${field}`.trim())}: ${rest} more, which --json lists.\n` : '';
  return `${errors.slice(0, SHOWN).map(errorLine).join('')}${more}`;
}

// Names of fields and files may be anything. A missing file has no line, a missing folder not even a file.
const errorLine = ({ file, line, field, message }: FolderError): string =>
  `${printable(`${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}: ${message}`)}\n`;
