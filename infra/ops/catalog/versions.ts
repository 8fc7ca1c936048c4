import * as z from 'zod';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { findVersionDangers } from '../../../shared/catalog/publishing/compare/dangers.ts';
import { compareVersions } from '../../../shared/catalog/publishing/compare/record-changes.ts';
import { activateVersion } from '../../../shared/catalog/publishing/publish.ts';
import {
  listPublishedVersions,
  readRecord,
  type VersionDifference,
} from '../../../shared/catalog/publishing/versions.ts';
import { refusedToOperator } from '../../../shared/domain/operator-refusal.ts';
import { command } from '../command.ts';
import type { CommandResult } from '../context.ts';
import { flag } from '../input.ts';
import { recordTable } from '../output.ts';
import { dangersText, differenceText, representDifference } from './difference.ts';
import { catalogBucket, interruptibly, readPaymentMethods } from './published-catalog.ts';

const REFUSED_ACTIVATIONS = {
  unknown: 'version_unknown',
  damaged: 'snapshot_damaged',
  incompatible: 'snapshot_of_older_format',
  overtaken: 'catalog_overtaken',
} as const;

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
    const changes = compared ? differenceText(compared.difference, context) : '';
    if (dangers.length > 0)
      return {
        document: { outcome: 'refused', version, difference, dangers },
        text: `${changes}\n${dangersText(dangers)}`,
        failure: 'The current version stays. If all of this is meant, activate with --accept.',
      };
    const outcome = await activateVersion({ version, read, bucket, now: new Date() });
    if (outcome !== 'activated' && outcome !== 'unchanged')
      throw refusedToOperator(REFUSED_ACTIVATIONS[outcome], { version });
    return outcome === 'unchanged'
      ? { document: { outcome, version }, text: `Version ${version} is the current catalog already.\n` }
      : {
          document: { outcome, version, difference },
          text: `Version ${version} is the current catalog.\n${changes}`,
        };
  },
});
