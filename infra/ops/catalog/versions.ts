import * as z from 'zod';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { COMPARED_KINDS } from '../../../shared/catalog/file/records.ts';
import { countPriceSizes, type Difference } from '../../../shared/catalog/publishing/compare/compare.ts';
import { compareVersions, findVersionDangers } from '../../../shared/catalog/publishing/compare/dangers.ts';
import type { FolderError } from '../../../shared/catalog/publishing/folder/record-lines.ts';
import { activateVersion, type Danger } from '../../../shared/catalog/publishing/publish.ts';
import {
  listPublishedVersions,
  readRecord,
  type VersionDifference,
} from '../../../shared/catalog/publishing/versions.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { command } from '../command.ts';
import type { CommandIo, CommandResult } from '../context.ts';
import { flag } from '../input.ts';
import { bulleted, countText, documentText, factLines, printable } from '../output.ts';
import { catalogBucket, interruptibly, readPaymentMethods } from './published-catalog.ts';

const COLUMNS = ['version', 'published_at', 'products', 'author', 'label', 'difference'] as const;

export const catalogVersions = command({
  name: 'catalog versions',
  summary: 'List the published versions, the newest first, with who published them and what each changed',
  async run(_, { stdout }) {
    const { current = null, versions } = await listPublishedVersions(catalogBucket());
    const remark = current === null ? 'No catalog was published yet.' : `Version ${current} is the current one.`;
    const shown = versions.map(({ difference, ...version }) => ({ ...version, difference: countChanges(difference) }));
    return { document: { current, versions }, text: documentText({ shown }, stdout, COLUMNS), remark };
  },
});

/** Returns the records by kind that a version added, removed and changed: `products +3 -1 ~12, bases +3`. */
const countChanges = (difference: VersionDifference | null): string =>
  Object.entries(difference?.kinds ?? {})
    .map(([kind, { added, removed, changed }]) => [
      kind,
      added && `+${added}`,
      removed && `-${removed}`,
      changed && `~${changed}`,
    ])
    .map((parts) => parts.filter(Boolean).join(' '))
    .join(', ');

export const catalogActivate = command({
  name: 'catalog activate',
  summary: 'Go back to a version that was published before, and show what that changes',
  example: '0123456789abcdef',
  positional: ['version'],
  input: z.object({
    version: z.string(),
    from: z
      .string()
      .meta({ title: 'version' })
      .optional()
      .describe('refuse it unless this version is current, whose difference one has seen'),
    accept: flag.describe(
      'go back also if that removes or changes what publishing would ask about, or to a version that does not know products that orders may hold',
    ),
  }),
  async run({ version, from, accept }, context): Promise<CommandResult> {
    const bucket = catalogBucket();
    const read = await readPointer(bucket);
    if (from !== undefined && from !== read.pointer?.version) throw refusedToOperator('catalog_overtaken', {});
    const to = await readRecord(bucket, version);
    // A current version that cannot be compared is no reason to stay, as going back repairs it.
    const compared = await interruptibly(() => compareVersions({ from: read.pointer, to }, bucket));
    const dangers =
      compared && !accept ? findVersionDangers(compared, await readPaymentMethods(compared, context)) : [];
    const difference = compared && representDifference(compared.difference);
    const changes = compared ? differenceText(compared.difference, context.stdout) : '';
    if (dangers.length > 0)
      return {
        document: { outcome: 'refused', version, difference, dangers },
        text: `${changes}${dangersText(dangers)}`,
        failure: 'The current version stays. If all of this is meant, activate with --accept.',
      };
    const outcome = await activateVersion({ version, read, bucket, now: new Date() });
    if (outcome !== 'activated' && outcome !== 'unchanged') throw refusedToOperator(outcome, { version });
    return {
      document: { outcome, version, difference },
      text: `${factLines({ outcome, version })}${changes}`,
    };
  },
});

const SHOWN_ERRORS = 50;

export const representDifference = ({ kinds, prices }: Difference) => {
  return { kinds, price_sizes: countPriceSizes(prices), prices };
};

export const dangersText = (dangers: readonly Danger[]): string => bulleted(dangers.map(({ message }) => message));

/** Returns the numbers of records that differ by kind, and how far prices change. */
export function differenceText(difference: Difference, stdout: CommandIo['stdout']): string {
  const changes = COMPARED_KINDS.map((kind) => {
    const { added, removed, changed } = difference.kinds[kind];
    return { kind, added: added.length, removed: removed.length, changed: changed.length };
  }).filter(({ added, removed, changed }) => added + removed + changed > 0);
  const { price_sizes, prices } = representDifference(difference);
  const sizes = price_sizes.filter(({ raised, lowered }) => raised + lowered > 0);
  const parts = { largest_price_change: prices[0], changes, price_sizes: sizes };
  return documentText(parts, stdout) || 'No record differs.\n';
}

/** Returns the errors of files as the result of a command: the first 50 of each field of a file. */
export const toInvalidResult = (errors: readonly FolderError[], consequence = 'nothing was published') => ({
  document: { errors },
  text: errorLines(errors),
  failure: `${countText(errors.length, 'error')}, ${consequence}.`,
});

export const errorLines = (errors: readonly FolderError[]): string =>
  [...Map.groupBy(errors, toKind).values()].map(errorsText).join('');

// Errors of one field of one file are of one kind, and those of whole lines by what they say.
const toKind = ({ file, field, message }: FolderError): string =>
  `${file} ${field.replaceAll(/\[\d+\]/g, '') || message.replaceAll(/\d+/g, '')}`;

function errorsText(errors: readonly FolderError[]): string {
  const { file = '', field = '' } = errors[0] ?? {};
  const rest = errors.length - SHOWN_ERRORS;
  const more = rest > 0 ? `${printable(`${file} ${field}`.trim())}: ${rest} more, which --json lists.\n` : '';
  return `${errors.slice(0, SHOWN_ERRORS).map(errorLine).join('')}${more}`;
}

// Names of fields and files may be anything. A missing file has no line, a missing folder not even a file.
const errorLine = ({ file, line, field, message }: FolderError): string =>
  `${printable(`${file || 'catalog'}${line > 0 ? `:${line}` : ''}${field && ` ${field}`}: ${message}`)}\n`;
