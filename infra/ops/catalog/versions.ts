import * as z from 'zod';
import { type Activation, activateVersion } from '../../../shared/catalog/publish/publish.ts';
import {
  type CatalogBucket,
  listPublishedVersions,
  readPointer,
  type VersionDifference,
  type VersionRecord,
} from '../../../shared/catalog/publish/versions.ts';
import type { OperatorRefusalName } from '../../../shared/messages/operator-refusals.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { command } from '../command.ts';
import type { CommandResult } from '../context.ts';
import { flag } from '../input.ts';
import { recordTable } from '../output.ts';
import { untilInterrupted } from '../prompt.ts';
import { type ComparedVersions, compareVersions } from './compare-versions.ts';
import { differenceText, representDifference } from './diff.ts';
import { dangersText, judgeVersions } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

export const catalogVersions = command({
  name: 'catalog versions',
  summary: 'List the published versions, the newest first, with who published them and what each changed',
  async run(_, context) {
    const { current = null, versions } = await listPublishedVersions(catalogBucket());
    const rows = versions.map((version) => toVersionRow(version, current));
    return { document: { current, versions }, text: recordTable(rows, context) || 'No catalog was published yet.\n' };
  },
});

const toVersionRow = (
  { version, published_at, products, compressed_bytes, author, label, difference }: VersionRecord,
  current: string | null,
) => ({
  ' ': version === current ? '*' : ' ',
  version,
  published_at,
  products,
  size: `${Math.ceil(compressed_bytes / 1024)} kB`,
  author,
  label,
  difference: difference && differenceCell(difference),
});

function differenceCell({ kinds }: VersionDifference): string {
  const parts = Object.entries(kinds).map(([kind, { added, removed, changed }]) => {
    const counts = Object.entries({ added, removed, changed }).filter(([, count]) => count > 0);
    return `${kind}: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`;
  });
  return parts.join('; ') || 'no record differs';
}

const REFUSED_ACTIVATIONS = {
  unknown: 'version_to_activate_unknown',
  damaged: 'snapshot_to_activate_damaged',
  incompatible: 'snapshot_of_older_format',
  overtaken: 'catalog_overtaken',
} as const satisfies Partial<Record<Activation, OperatorRefusalName>>;

export const catalogActivate = command({
  name: 'catalog activate',
  summary: 'Go back to a version that was published before',
  example: '0123456789abcdef',
  positional: ['version'],
  input: z.object({
    version: z.string(),
    from: z
      .string()
      .meta({ title: 'version' })
      .optional()
      .describe('refuse it unless this version is current, from which one has looked at the difference'),
    accept: flag.describe(
      'go back also if that removes or changes what publishing would ask about, or to a version that does not know products that orders may hold',
    ),
  }),
  async run({ version, from, accept }, context): Promise<CommandResult> {
    const bucket = catalogBucket();
    const read = await readPointer(bucket);
    if (from !== undefined && from !== read.pointer?.version) throw refusedToOperator('catalog_overtaken', {});
    const compared = accept ? undefined : await compareWithCurrent(version, bucket);
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

/** Returns the way to a version; undefined if the two cannot be compared, as going back repairs the current one. */
async function compareWithCurrent(version: string, bucket: CatalogBucket): Promise<ComparedVersions | undefined> {
  const versions = { from: undefined, to: version, bucket, now: new Date() };
  const compared = await untilInterrupted((signal) => compareVersions({ ...versions, signal }));
  return compared.outcome === 'compared' ? compared : undefined;
}
