import * as z from 'zod';
import type { Danger } from '../../../shared/catalog/publish/publish.ts';
import { type Activation, activateVersion } from '../../../shared/catalog/publish/publish.ts';
import { type CatalogBucket, readPointer } from '../../../shared/catalog/publish/versions.ts';
import type { OperatorRefusalName } from '../../../shared/messages/operator-refusals.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { type Call, command } from '../command.ts';
import { flag } from '../input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { type ComparedVersions, compareVersions } from './compare-versions.ts';
import { differenceText, representDifference } from './difference-text.ts';
import { dangersText, judgeVersions } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

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
  details: `  --from           refuse it unless this version is current, from which one has looked at the difference
  --accept         go back also if that removes or changes what publishing would ask about, or if orders may hold
                   products that the version does not know`,
  arguments: { version: z.string() },
  options: { from: z.string().meta({ title: 'version' }).optional(), accept: flag },
  async run({ version, from, accept }, call) {
    const bucket = catalogBucket();
    const read = await readPointer(bucket);
    if (from !== undefined && from !== read.pointer?.version) throw refusedToOperator('catalog_overtaken', {});
    const compared = accept ? undefined : await compareWithCurrent(version, bucket);
    const dangers = compared ? await judgeVersions(compared) : [];
    if (compared && dangers.length > 0) return describeRefused({ compared, dangers }, call);
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

type Judged = { readonly compared: ComparedVersions; readonly dangers: readonly Danger[] };

function describeRefused({ compared, dangers }: Judged, call: Call) {
  const { to: version, difference } = compared;
  return {
    document: { outcome: 'refused' as const, version, difference: representDifference(difference), dangers },
    text: `${differenceText(difference, call)}\n${dangersText(dangers)}`,
    failure: 'The current version stays. If all of this is meant, activate with --accept.',
  };
}
