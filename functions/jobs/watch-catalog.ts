import { readPointer } from '../../shared/catalog/bucket.ts';
import { catalog, catalogBucket } from '../../shared/deps.ts';
import { now } from '../../shared/runtime/clock.ts';
import { logInfo } from '../../shared/runtime/log.ts';
import { reportMetrics } from '../../shared/runtime/metrics.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** Opens the current catalog like every function, and reports its age. Throws if it cannot be opened. */
export async function handler(): Promise<void> {
  const { pointer: before } = await readPointer(catalogBucket());
  if (!before) return logInfo('no catalog is published', {});
  const { version } = await catalog();
  // Another version may have been published meanwhile.
  const { pointer = before } = await readPointer(catalogBucket());
  // A warm function keeps its version if it cannot open a newer one.
  if (version !== before.version && version !== pointer.version)
    throw new Error(`version ${pointer.version} is current and cannot be opened`);
  const ageMs = now().getTime() - new Date(pointer.published_at).getTime();
  reportMetrics({ catalogAgeHours: Math.round(ageMs / HOUR_MS) });
}
