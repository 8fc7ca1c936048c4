import { vi } from 'vitest';
import { readPointer } from '../../../shared/catalog/bucket.ts';
import { catalog, catalogBucket } from '../../../shared/deps.ts';
import { perContainer } from '../../../shared/runtime/async.ts';
import { setClock } from '../../../shared/runtime/clock.ts';
import { publishRecords } from '../engines/catalog-bucket.ts';
import type { smallCatalog } from './small-catalog.ts';

const LOOKING_AGAIN_MS = 31_000;
const looked = perContainer(() => ({ at: 0 }));

/**
 * Moves the clock on until the server of this file serves the published catalog. A warm server looks for a new version after
 * 30 s, and once more 30 s later if a busy machine has not answered within its 300 ms.
 */
export async function serveLatestCatalog(): Promise<void> {
  const { pointer } = await readPointer(catalogBucket());
  await vi.waitUntil(
    async () => {
      looked().at = Math.max(looked().at, Date.now()) + LOOKING_AGAIN_MS;
      setClock(new Date(looked().at));
      return (await catalog()).version === pointer?.version;
    },
    { timeout: 10_000 },
  );
}

/** Publishes a catalog, which the server serves when it returns, and sets the clock. */
export async function republish(records: ReturnType<typeof smallCatalog>, time: Date): Promise<void> {
  await publishRecords(records);
  await serveLatestCatalog();
  setClock(time);
}
