import * as z from 'zod';
import type { Danger } from '../../../shared/catalog/compare/dangers.ts';
import type { CatalogBucket } from '../../../shared/catalog/publish/bucket.ts';
import { compareVersions } from '../../../shared/catalog/publish/compare-versions.ts';
import { type Activation, activateVersion } from '../../../shared/catalog/publish/publish.ts';
import type { OperatorRefusalName } from '../../../shared/messages/operator-refusals.ts';
import { refusedToOperator } from '../../../shared/usecases/operations/operator-refusal.ts';
import { command } from '../command.ts';
import { flag } from '../input.ts';
import { dangersText, judgeDifference } from './judge.ts';
import { catalogBucket } from './published-catalog.ts';

const REFUSED_ACTIVATIONS = {
  unknown: 'version_to_activate_unknown',
  damaged: 'snapshot_to_activate_damaged',
  overtaken: 'catalog_overtaken',
} as const satisfies Partial<Record<Activation, OperatorRefusalName>>;

export const catalogActivate = command({
  name: 'catalog activate',
  summary: 'Go back to a version that was published before',
  example: '0123456789abcdef',
  details: `  --accept         go back also if that removes or changes what publishing would ask about`,
  arguments: { version: z.string() },
  options: { accept: flag },
  async run({ version, accept }) {
    const bucket = catalogBucket();
    const dangers = accept ? [] : await findActivationDangers(version, bucket);
    if (dangers.length > 0) {
      return {
        document: { outcome: 'refused', version, dangers },
        text: dangersText(dangers),
        failure: 'The current version stays. If all of this is meant, activate with --accept.',
      };
    }
    const outcome = await activateVersion(version, bucket, new Date());
    if (outcome !== 'activated' && outcome !== 'unchanged') throw refusedToOperator(REFUSED_ACTIVATIONS[outcome], {});
    const already = outcome === 'unchanged' ? ' already' : '';
    return { document: { outcome, version }, text: `Version ${version} is the current catalog${already}.\n` };
  },
});

/** Returns the dangers of going back to a version; none if the two cannot be compared, as going back repairs the current one. */
async function findActivationDangers(version: string, bucket: CatalogBucket): Promise<readonly Danger[]> {
  const compared = await compareVersions({ from: undefined, to: version, bucket, now: new Date() });
  return compared.outcome === 'compared' ? await judgeDifference(compared) : [];
}
